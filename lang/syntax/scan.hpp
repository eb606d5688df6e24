#pragma once
// Reading characters: what a word, a number, a symbol is, and where each ends. Offsets are bytes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lang/syntax/token.hpp"

namespace credence::lang {

struct Rune {
    char32_t code = 0;
    std::size_t length = 0;  ///< in bytes; 0: not valid UTF-8
};
Rune decode(std::string_view text, std::size_t at);
void append_utf8(std::string& out, char32_t code);

/// One past the word that starts at `at`; `at` itself when none does.
std::size_t word_end(std::string_view text, std::size_t at);
/// One past the number that starts at `at` with a digit: 12, 0.008, 1e-3, 98%.
std::size_t number_end(std::string_view text, std::size_t at);
std::size_t skip_blanks(std::string_view text, std::size_t at);

struct SymbolSpelling {
    Tok kind = Tok::unknown;
    std::size_t length = 1;
};
/// The longest symbol at `at`; unknown, with the length of what was probably meant, for what is none.
SymbolSpelling symbol_at(std::string_view text, std::size_t at);

/// Does an operand follow on the same line? Then a sign in operand position is a prefix, else a label.
bool operand_follows(std::string_view text, std::size_t at);

/// Does a line that starts here at column 1 look like a statement although a bracket or text is still open?
/// `strict` asks for more of its shape, for places where any words are possible (cells, texts).
enum class Strictness { plain, strict };
bool starts_statement(std::string_view text, std::size_t at, Strictness strictness);

/// The first byte that is not valid UTF-8 (or is NUL) at or after `from`.
std::optional<std::size_t> find_bad_byte(std::string_view text, std::size_t from);

}  // namespace credence::lang
