#pragma once
// Values as text: the only place where numbers become digits.

#include <string>
#include <string_view>

#include "lang/value/value.hpp"

namespace credence::lang {

struct ShowOptions {
    int digits = 6;                 ///< significant digits of decimals
    bool bars = false;              ///< a bar beside probabilities, on a terminal
    bool unicode = true;            ///< pictures may use more than ASCII
    bool color = false;             ///< pictures, on a terminal
    std::size_t width = 80;         ///< of pictures
    std::size_t line_width = 88;    ///< of what is still shown in one line
    std::size_t table_width = 120;  ///< of tables and matrices: what is wider loses columns in the middle
    bool wraps = false;             ///< texts are broken between words to fit the line
    bool marks = true;              ///< ≈ before numbers that are not exact
};

/// The options for a terminal that is so many columns wide; elsewhere the widths are fixed, so that the output is the same everywhere.
inline ShowOptions fitted(ShowOptions options, std::size_t columns) {
    options.width = options.line_width = options.table_width = columns;
    options.wraps = true;
    return options;
}

/// Significant digits, correctly rounded, also of fractions: "0.208511", "1.2e-7", "∞".
std::string show_decimal(const rt::Number& number, int digits);
/// Within a line: "49/235", "≈ 0.940286".
std::string show_number(const rt::Number& number, const ShowOptions& options);
/// In a list or record: a decimal where that is all of the number ("0.5"), a fraction where it is short ("1/3"), else "≈ 0.940286".
std::string show_brief(const rt::Number& number, const ShowOptions& options);
/// In a cell of a table, which has no room for marks: data as they were written.
std::string show_cell_number(const rt::Number& number, const ShowOptions& options);
/// Of a number by itself: empty if the fraction is too long to be read.
std::string fraction_text(const rt::Rational& x);
constexpr std::size_t longest_cell_fraction = 12;  ///< characters: of 45430845312500/5911151572301 a reader wants the decimal
/// Whether so many significant digits are all of it.
bool is_whole_decimal(const rt::Rational& x, int digits);
/// Within a line, texts quoted where they are not plain words.
std::string show_inline(const Value& value, const ShowOptions& options);
/// As interpolation inserts it: texts as they are, reals without the ≈.
std::string show_plain(const Value& value, const ShowOptions& options);
/// As a statement prints it: one or more lines, without a line end after the last.
std::string show_block(const Value& value, const ShowOptions& options);

/// A label as a script would write it: bare when it is a word, a number or a sign, else in quotes.
std::string show_label(std::string_view text);
/// A name as a script would write it: in backticks when it is not an identifier (`Q[3]` is written as it is).
std::string show_name(std::string_view name);
bool is_identifier(std::string_view text);

/// Columns of text with two blanks between, each line after `indent`; 'r' in align: flush right.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, std::string_view align, std::string_view indent);
/// Characters (code points) of a UTF-8 text.
std::size_t text_width(std::string_view text);

}  // namespace credence::lang
