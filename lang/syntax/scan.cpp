#include "lang/syntax/scan.hpp"

#include <string>

namespace credence::lang {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
char peek(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

/// Letters of any script. Named by what is left out: the blocks of punctuation, spaces, arrows and mathematical signs.
bool is_letter(char32_t code) {
    if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA || code == 0xB2 || code == 0xB3 || code == 0xB9;
    if (code == 0xD7 || code == 0xF7) return false;
    if (code >= 0x2000 && code <= 0x206F) return false;  // general punctuation
    if (code >= 0x20A0 && code <= 0x20CF) return false;  // currency
    if (code >= 0x2190 && code <= 0x2BFF) return false;  // arrows, mathematics (∅ ≈ ∞), boxes, dingbats
    if (code >= 0x2E00 && code <= 0x2E7F) return false;
    if (code >= 0x3000 && code <= 0x3004) return false;
    if (code >= 0x3008 && code <= 0x3020) return false;
    if (code >= 0xE000 && code <= 0xF8FF) return false;  // private use
    if (code >= 0xFE00 && code <= 0xFE6F) return false;
    if (code >= 0xFF01 && code <= 0xFF0F) return false;
    if (code >= 0xFF1A && code <= 0xFF20) return false;
    if (code >= 0xFF3B && code <= 0xFF40) return false;
    if (code >= 0xFF5B && code <= 0xFF65) return false;
    return code != 0xFEFF && code < 0xFFF0 ? true : code >= 0x10000 && !(code >= 0x1F000 && code <= 0x1FAFF);
}

std::size_t letter_length(std::string_view text, std::size_t at) {
    const char c = peek(text, at);
    if (is_ascii_letter(c)) return 1;
    if (static_cast<unsigned char>(c) < 0x80) return 0;
    const auto rune = decode(text, at);
    return rune.length > 0 && is_letter(rune.code) ? rune.length : 0;
}

}  // namespace

Rune decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
    char32_t code = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return {};
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
    return {code, length};
}

void append_utf8(std::string& out, char32_t code) {
    const auto put = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

std::size_t word_end(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size()) {
        const auto length = letter_length(text, end);
        if (length > 0) {
            end += length;
        } else if (end > at && is_digit(text[end])) {
            ++end;
        } else {
            break;
        }
    }
    return end;
}

std::size_t number_end(std::string_view text, std::size_t at) {
    const auto digits = [&](std::size_t from) {
        while (is_digit(peek(text, from))) ++from;
        return from;
    };
    std::size_t end = digits(at);
    if (peek(text, end) == '.' && is_digit(peek(text, end + 1))) end = digits(end + 1);
    if (peek(text, end) == 'e' || peek(text, end) == 'E') {
        std::size_t exponent = end + 1;
        if (peek(text, exponent) == '+' || peek(text, exponent) == '-') ++exponent;
        if (is_digit(peek(text, exponent))) end = digits(exponent);
    }
    return peek(text, end) == '%' ? end + 1 : end;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\f' || text[at] == '\v')) ++at;
    return at;
}

SymbolSpelling symbol_at(std::string_view text, std::size_t at) {
    const char next = peek(text, at + 1);
    const auto pair = [&](char second, Tok both, Tok alone) { return next == second ? SymbolSpelling{both, 2} : SymbolSpelling{alone, 1}; };
    switch (text[at]) {
        case '(':
            return {Tok::left_paren, 1};
        case ')':
            return {Tok::right_paren, 1};
        case '[':
            return {Tok::left_bracket, 1};
        case ']':
            return {Tok::right_bracket, 1};
        case '{':
            return {Tok::left_brace, 1};
        case '}':
            return {Tok::right_brace, 1};
        case '+':
            return {Tok::plus, 1};
        case '^':
            return {Tok::caret, 1};
        case '~':
            return {Tok::tilde, 1};
        case ',':
            return {Tok::comma, 1};
        case ';':
            return {Tok::semicolon, 1};
        case '?':
            return {Tok::hole, 1};
        case '<':
            return pair('=', Tok::less_equal, Tok::less);
        case '>':
            return pair('=', Tok::greater_equal, Tok::greater);
        case '-':
            return pair('>', Tok::arrow, Tok::minus);
        case '.':
            return pair('.', Tok::dots, Tok::dot);
        case '!':
            return pair('=', Tok::not_equal, Tok::unknown);
        case '*':
            return pair('*', Tok::unknown, Tok::star);
        case '/':
            return pair('/', Tok::unknown, Tok::slash);
        case ':':
            return pair('=', Tok::unknown, Tok::colon);
        case '&':
            return pair('&', Tok::unknown, Tok::unknown);
        case '|':
            return next == '|' ? SymbolSpelling{Tok::unknown, 2} : pair('>', Tok::pipe, Tok::bar);
        case '=':
            return next == '>' ? SymbolSpelling{Tok::unknown, 2} : pair('=', Tok::equal_equal, Tok::equal);
        case '\'': {  // 'single quotes', when they close on this line
            const auto close = text.find_first_of("'\n", at + 1);
            return {Tok::unknown, close != std::string_view::npos && text[close] == '\'' ? close + 1 - at : 1};
        }
        default:
            break;
    }
    const auto rune = decode(text, at);
    const Tok kind = rune.code == U'∅' ? Tok::nothing : rune.code == U'∞' ? Tok::number : Tok::unknown;
    return {kind, rune.length > 0 ? rune.length : 1};
}

bool operand_follows(std::string_view text, std::size_t at) {
    at = skip_blanks(text, at);
    const char c = peek(text, at);
    if (is_digit(c) || (c == '.' && is_digit(peek(text, at + 1))) || c == '"' || c == '`' || c == '(' || c == '[' || c == '{' || c == '?' ||
        c == '+')
        return true;
    if (c == '-') return peek(text, at + 1) != '>';
    const auto end = word_end(text, at);
    if (end == at) return text.substr(at).starts_with("∅") || text.substr(at).starts_with("∞");
    const Tok kind = word_kind(text.substr(at, end - at));
    return !is_reserved(kind) || kind == Tok::true_ || kind == Tok::false_ || kind == Tok::train || kind == Tok::sample ||
           kind == Tok::argmax || kind == Tok::argmin || kind == Tok::graph;
}

bool starts_statement(std::string_view text, std::size_t at, Strictness strictness) {
    const auto end = word_end(text, at);
    const Tok kind = word_kind(text.substr(at, end - at));
    const auto next = skip_blanks(text, end);
    const char c = peek(text, next);
    if (kind == Tok::import) return c == '"';
    if (kind == Tok::expect) {
        return strictness == Strictness::plain && c != '\0' && std::string_view(":,-}>)]=|;\n#").find(c) == std::string_view::npos;
    }
    const auto name = word_end(text, next);
    if (name == next) return false;
    const auto after = skip_blanks(text, name);
    const char d = peek(text, after);
    switch (kind) {
        case Tok::let:
            return d == '=' && peek(text, after + 1) != '=';
        case Tok::fn:
            return d == '(';
        case Tok::hypotheses:
            return d == '(' || text.substr(after).starts_with("->");
        case Tok::set:
            return strictness == Strictness::plain && (is_digit(d) || is_ascii_letter(d));
        default:
            return declares_model(kind) && d == '{';
    }
}

std::optional<std::size_t> find_bad_byte(std::string_view text, std::size_t from) {
    while (from < text.size()) {
        if (text[from] == '\0') return from;
        const auto rune = decode(text, from);
        if (rune.length == 0) return from;
        from += rune.length;
    }
    return std::nullopt;
}

}  // namespace credence::lang
