#include "runtime/data/tokenize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "runtime/data/pattern.hpp"

namespace credence::rt {

namespace {

struct Span32 {
    std::uint32_t from;
    std::uint32_t to;
};

/// Characters beyond ASCII that are not part of a word: punctuation, symbols, spaces, controls (Unicode 15, by blocks). Ascending.
constexpr std::array separators{
    Span32{0x80, 0xA9},        Span32{0xAB, 0xB1},     Span32{0xB4, 0xB4},     Span32{0xB6, 0xB8},       Span32{0xBB, 0xBB},
    Span32{0xBF, 0xBF},        Span32{0xD7, 0xD7},     Span32{0xF7, 0xF7},     Span32{0x37E, 0x37E},     Span32{0x387, 0x387},
    Span32{0x55A, 0x55F},      Span32{0x589, 0x58A},   Span32{0x5BE, 0x5BE},   Span32{0x5C0, 0x5C0},     Span32{0x5F3, 0x5F4},
    Span32{0x600, 0x60F},      Span32{0x61B, 0x61F},   Span32{0x66A, 0x66D},   Span32{0x6D4, 0x6D4},     Span32{0x964, 0x965},
    Span32{0xE3F, 0xE3F},      Span32{0xE4F, 0xE4F},   Span32{0x1680, 0x1680}, Span32{0x2000, 0x206F},   Span32{0x20A0, 0x20CF},
    Span32{0x2190, 0x245F},    Span32{0x2500, 0x2BFF}, Span32{0x2E00, 0x2FFF}, Span32{0x3000, 0x3004},   Span32{0x3008, 0x3020},
    Span32{0x3030, 0x3030},    Span32{0x303D, 0x303F}, Span32{0x30A0, 0x30A0}, Span32{0x30FB, 0x30FB},   Span32{0xD800, 0xF8FF},
    Span32{0xFD3E, 0xFD3F},    Span32{0xFE10, 0xFE1F}, Span32{0xFE30, 0xFE6F}, Span32{0xFEFF, 0xFF0F},   Span32{0xFF1A, 0xFF20},
    Span32{0xFF3B, 0xFF40},    Span32{0xFF5B, 0xFF65}, Span32{0xFFE0, 0xFFFF}, Span32{0x1D000, 0x1D2FF}, Span32{0x1F000, 0x1FAFF},
    Span32{0xE0000, 0x10FFFF},
};

bool is_separator(std::uint32_t c) {
    const auto found = std::lower_bound(separators.begin(), separators.end(), c, [](const Span32& s, std::uint32_t x) { return s.to < x; });
    return found != separators.end() && found->from <= c;
}

/// Digits beyond ASCII: superscripts and fractions, Arabic, Devanagari, full-width.
bool is_digit(std::uint32_t c) {
    return c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE) || (c >= 0x660 && c <= 0x669) || (c >= 0x6F0 && c <= 0x6F9) ||
           (c >= 0x966 && c <= 0x96F) || (c >= 0x2070 && c <= 0x2089) || (c >= 0xFF10 && c <= 0xFF19);
}

/// The simple lower-case mapping of the alphabets that have case and are in wide use.
std::uint32_t lower_of(std::uint32_t c) {
    const auto within = [c](std::uint32_t from, std::uint32_t to) { return c >= from && c <= to; };
    const bool even = c % 2 == 0;
    if (within(0xC0, 0xDE)) return c + 32;
    if (c == 0x130) return 'i';
    if (within(0x100, 0x137) || within(0x14A, 0x177)) return even ? c + 1 : c;
    if (within(0x139, 0x148) || within(0x179, 0x17E)) return even ? c : c + 1;
    if (c == 0x178) return 0xFF;
    if (c == 0x386) return 0x3AC;
    if (within(0x388, 0x38A)) return c + 37;
    if (c == 0x38C) return 0x3CC;
    if (within(0x38E, 0x38F)) return c + 63;
    if (within(0x391, 0x3AB)) return c + 32;
    if (within(0x400, 0x40F)) return c + 80;
    if (within(0x410, 0x42F)) return c + 32;
    if (within(0x460, 0x481) || within(0x48A, 0x4BF) || within(0x4D0, 0x52F)) return even ? c + 1 : c;
    if (c == 0x4C0) return 0x4CF;
    if (within(0x4C1, 0x4CE)) return even ? c : c + 1;
    if (within(0x531, 0x556)) return c + 48;
    if (within(0x1E00, 0x1E95) || within(0x1EA0, 0x1EFF)) return even ? c + 1 : c;
    if (within(0xFF21, 0xFF3A)) return c + 32;
    return c;
}

char* put(std::uint32_t c, char* out) {
    if (c < 0x80) {
        *out++ = static_cast<char>(c);
    } else if (c < 0x800) {
        *out++ = static_cast<char>(0xC0U | (c >> 6U));
        *out++ = static_cast<char>(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
        *out++ = static_cast<char>(0xE0U | (c >> 12U));
        *out++ = static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        *out++ = static_cast<char>(0x80U | (c & 0x3FU));
    } else {
        *out++ = static_cast<char>(0xF0U | (c >> 18U));
        *out++ = static_cast<char>(0x80U | ((c >> 12U) & 0x3FU));
        *out++ = static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
        *out++ = static_cast<char>(0x80U | (c & 0x3FU));
    }
    return out;
}

constexpr std::array<char, 128> make_ascii() {
    std::array<char, 128> out{};
    for (char c = 'a'; c <= 'z'; ++c) out[static_cast<std::size_t>(c)] = c;
    for (char c = 'A'; c <= 'Z'; ++c) out[static_cast<std::size_t>(c)] = static_cast<char>(c - 'A' + 'a');
    for (char c = '0'; c <= '9'; ++c) out[static_cast<std::size_t>(c)] = 1;
    out['_'] = 1;
    return out;
}
constexpr std::array<char, 128> ascii_lower = make_ascii();

/// Between the words that a function gave.
constexpr char separator = '\x1f';
constexpr std::uint32_t no_break_space = 0xA0;

/// The character that begins at i, which moves behind it; nothing if bytes are not UTF-8.
std::optional<std::uint32_t> character_at(std::string_view text, std::size_t& i) {
    const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
    const auto goes_on = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(0);
    std::uint32_t c = lead;
    std::size_t size = 1;
    if (lead >= 0xC2 && lead < 0xE0 && goes_on(1)) {
        c = ((lead & 0x1FU) << 6U) | (byte(1) & 0x3FU);
        size = 2;
    } else if (lead >= 0xE0 && lead < 0xF0 && goes_on(1) && goes_on(2)) {
        c = ((lead & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
        size = 3;
    } else if (lead >= 0xF0 && lead < 0xF5 && goes_on(1) && goes_on(2) && goes_on(3)) {
        c = ((lead & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) | (byte(3) & 0x3FU);
        size = 4;
    }
    i += size;
    if (size == 1 && lead >= 0x80) return std::nullopt;
    return c;
}

bool is_word_character(std::uint32_t c) { return c < 0x80 ? ascii_lower[c] != 0 : !is_separator(c); }

std::string lower_text(std::string_view text) {
    std::string out(text.size() + 4, '\0');  // no lower case here is longer than its capital
    char* end = out.data();
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        const auto c = character_at(text, i);
        if (!c)
            *end++ = text[begin];
        else
            end = put(*c < 0x80 && *c >= 'A' && *c <= 'Z' ? *c + 32 : lower_of(*c), end);
    }
    out.resize(static_cast<std::size_t>(end - out.data()));
    return out;
}

}  // namespace

/// The rules that are not runs of letters and digits.
struct Tokenizer::Pieces {
    WordRule::Kind kind;
    std::unique_ptr<Pattern> pattern;
    std::vector<std::string> found;
};

Tokenizer::Tokenizer(const WordRule& rule) {
    if (rule.kind == WordRule::Kind::letters) {
        least_ = 2;
        digits_ = false;
    }
    if (rule.kind == WordRule::Kind::words || rule.kind == WordRule::Kind::letters) return;
    pieces_ = std::make_unique<Pieces>(Pieces{.kind = rule.kind, .pattern = {}, .found = {}});
    if (rule.kind == WordRule::Kind::pattern) pieces_->pattern = std::make_unique<Pattern>(rule.pattern);
}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

const std::vector<std::string>& Tokenizer::found_in(std::string_view text) {
    auto& found = pieces_->found;
    found.clear();
    if (pieces_->kind == WordRule::Kind::function) {
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t to = std::min(text.find(separator, from), text.size());
            if (to > from) found.emplace_back(text.substr(from, to - from));
            from = to + 1;
        }
        return found;
    }
    const std::string small = lower_text(text);
    if (pieces_->kind == WordRule::Kind::pattern) {
        pieces_->pattern->find_all(small, found);
        return found;
    }
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) found.push_back(std::move(word));
        word.clear();
    };
    for (std::size_t i = 0; i < small.size();) {
        const std::size_t begin = i;
        const auto c = character_at(small, i);
        if (c && is_word_character(*c)) {
            word.append(small, begin, i - begin);
            continue;
        }
        end_word();
        if (c && *c > ' ' && *c != no_break_space) found.emplace_back(small, begin, i - begin);
    }
    end_word();
    return found;
}

Result<std::string> WordRule::prepared(std::string_view text) const {
    if (kind != Kind::function) return std::string(text);
    const auto words = TRY(function(text));
    std::string out;
    for (const auto& word : words) {
        out += word;
        out += separator;
    }
    return out;
}

const char* Tokenizer::ascii_table() { return ascii_lower.data(); }

void Tokenizer::prepare(std::size_t bytes) {
    if (buffer_.size() < bytes + 8) buffer_.resize(bytes + bytes / 2 + 64);  // no lower case here is longer than its capital
}

Tokenizer::Kind Tokenizer::wide(std::string_view text, std::size_t& i, char*& out) {
    const auto read = character_at(text, i);
    if (!read || is_separator(*read)) return Kind::separator;
    const std::uint32_t c = *read;
    if (is_digit(c)) {
        out = put(c, out);
        return Kind::digit;
    }
    out = put(lower_of(c), out);
    return Kind::letter;
}

}  // namespace credence::rt
