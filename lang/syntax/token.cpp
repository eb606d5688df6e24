#include "lang/syntax/token.hpp"

#include <algorithm>
#include <utility>

#include "runtime/core/contains.hpp"

namespace credence::lang {

namespace {

constexpr auto words = [] {  // sorted, for the binary search
    auto out = std::to_array<std::pair<std::string_view, Tok>>({
#define CONTEXTUAL(token, text) {text, Tok::token},
#define STATEMENT(token, text) {text, Tok::token},
#define RESERVED(token, text) {text, Tok::token},
#include "runtime/core/words.def"
    });
    std::sort(out.begin(), out.end());
    return out;
}();

}  // namespace

Tok word_kind(std::string_view word) {
    const auto found =
        std::lower_bound(words.begin(), words.end(), word, [](const auto& entry, std::string_view w) { return entry.first < w; });
    return found != words.end() && found->first == word ? found->second : Tok::name;
}

std::vector<std::string_view> reserved_words() {
    std::vector<std::string_view> out;
    for (const auto& [word, kind] : words)
        if (is_reserved(kind)) out.push_back(word);
    return out;
}

bool ends_operand(Tok kind) {
    constexpr Tok operands[] = {Tok::name,        Tok::quoted_name,   Tok::number,      Tok::bad_number,  Tok::text,  Tok::text_close,
                                Tok::hole,        Tok::nothing,       Tok::plus_label,  Tok::minus_label, Tok::true_, Tok::false_,
                                Tok::right_paren, Tok::right_bracket, Tok::right_brace, Tok::right_angle};
    return is_contextual(kind) || rt::contains(operands, kind);
}

bool continues_line(Tok kind) {
    constexpr Tok open_ended[] = {
        Tok::plus,  Tok::minus,      Tok::star,    Tok::slash,         Tok::caret, Tok::dots, Tok::mod,  Tok::equal_equal, Tok::not_equal,
        Tok::less,  Tok::less_equal, Tok::greater, Tok::greater_equal, Tok::in,    Tok::and_, Tok::or_,  Tok::pipe,        Tok::comma,
        Tok::equal, Tok::colon,      Tok::arrow,   Tok::tilde,         Tok::bar,   Tok::then, Tok::else_};
    return rt::contains(open_ended, kind);
}

}  // namespace credence::lang
