#pragma once
// The words of a script, one byte a kind: the grammar reads a statement as the string of its kinds, and
// what depends on context (line ends, signs, `<`, query heads, table cells) has been settled before it.

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/text/span.hpp"

namespace credence::lang {

// clang-format off
enum class Tok : char {
    name = 1, quoted_name,                                  // Sunny, `T-4 level`
#define CONTEXTUAL(token, text) token,
#define STATEMENT(token, text) token,
#define RESERVED(token, text) token,
#include "runtime/core/words.def"
    query, expectation,                                     // P H I L, and E, directly before (
    number, text, text_open, text_run, splice_open, splice_close, text_close, hole, nothing,
    plus_label, minus_label, plus_prefix, minus_prefix,     // a sign in operand position: a label, or a prefix
    left_paren, right_paren, left_bracket, right_bracket, left_brace, right_brace, left_angle, right_angle,
    plus, minus, star, slash, caret, dots, dot,
    equal, equal_equal, not_equal, less, less_equal, greater, greater_equal,
    bar, pipe, arrow, tilde, colon, comma, semicolon, newline,
    cell, cell_text, cell_missing, cell_arrow, row_end,     // inside a table
    bad_number, unknown,
};
// clang-format on

struct Token {
    Tok kind{};
    Span span;
};

constexpr bool is_contextual(Tok kind) { return kind >= Tok::where && kind <= Tok::likelihood; }
constexpr bool is_reserved(Tok kind) { return kind >= Tok::net && kind <= Tok::false_; }
/// Starts the declaration of a model: `net`, `table`, ….
constexpr bool declares_model(Tok kind) { return kind >= Tok::net && kind <= Tok::cases; }
constexpr bool is_word(Tok kind) { return kind >= Tok::name && kind <= Tok::false_; }
constexpr bool is_opener(Tok kind) {
    return kind == Tok::left_paren || kind == Tok::left_bracket || kind == Tok::left_brace || kind == Tok::left_angle;
}
constexpr bool is_closer(Tok kind) {
    return kind == Tok::right_paren || kind == Tok::right_bracket || kind == Tok::right_brace || kind == Tok::right_angle;
}

/// `name` for a word that is neither reserved nor contextual.
Tok word_kind(std::string_view word);

/// All of them, in alphabetical order.
std::vector<std::string_view> reserved_words();

/// May an operator follow this token?
bool ends_operand(Tok kind);

/// A binary operator, or one of , = : -> ~ | then else: a line goes on after it.
bool continues_line(Tok kind);

}  // namespace credence::lang
