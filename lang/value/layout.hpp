#pragma once
// Values as blocks of lines: what the files behind show_block share.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/value/show.hpp"

namespace credence::lang {

/// Of what is shown within another value: less of it, and without what only a table by itself has.
struct BlockLimits {
    std::size_t rows = 200;  ///< of a factor, in lines
    std::size_t table_rows = 40;
    bool footer = true;  ///< of a table: types under the names, and its size
};

/// Which entries of a factor over one variable are shown: where there are too many, the first ones, or those around the most probable value
/// if that is not among them. `before` and `after` tell how many are left out there, and `after` what the most probable value is.
struct FactorCut {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string before;
    std::string after;
};
FactorCut factor_cut(const rt::Factor& f, std::size_t most, int digits);

/// A factor over two or more variables: one of them across, the others at the side.
struct FactorMatrix {
    struct Row {
        std::vector<std::string> labels;  ///< one for each variable at the side
        std::size_t repeated = 0;         ///< so many of them are those of the row above
        std::vector<rt::Number> cells;
    };
    std::vector<std::string> side;     ///< names of variables
    std::string across;                ///< and of the one whose values are the columns
    std::vector<std::string> columns;  ///< with "total" where there is one
    std::vector<Row> rows;
    bool totals = false;
    std::size_t left_out = 0;  ///< rows beyond those shown
};
FactorMatrix factor_matrix_of(const rt::Factor& f, std::size_t most_rows);
/// How its numbers are written.
class NumberForm;
NumberForm matrix_numbers(const rt::Factor& f, int digits);

/// A label as it is, or in quotes where that would not show all of it.
std::string label_cell(const std::string& text);
/// The cells of the first rows: numbers in one form, labels in quotes where that is needed to tell them, ? where they are missing.
std::vector<std::string> cell_texts(const rt::Column& column, std::size_t rows, const ShowOptions& options);

std::string show_factor(const rt::Factor& f, const ShowOptions& options, const BlockLimits& limits = {});
std::string show_table(const rt::Table& t, const ShowOptions& options, const BlockLimits& limits = {});
/// The first line describes the model, the others what it has learned.
std::string show_model_block(const ModelValue& m, const ShowOptions& options);
/// A figure or a few words of a model, as "R² 0.958"; nothing of a part that needs lines of its own.
std::optional<std::string> part_in_line(const rt::ModelPart& part, const ShowOptions& options);
/// A part of a model as a value of the language.
Value part_value(const rt::ModelPart& part);

/// How numbers in one list or table are written: as decimals where those are all of them, as fractions where these are short, else as
/// rounded decimals.
class NumberForm {
public:
    NumberForm(std::span<const rt::Number> numbers, int digits, std::size_t longest_fraction = longest_cell_fraction);
    std::string operator()(const rt::Number& x) const;
    bool rounds(const rt::Number& x) const;  ///< the text is not all of it

private:
    int digits_;
    bool fractions_ = false;
};
/// That of the numbers among the items.
NumberForm form_of(const List& items, int digits);
/// An item in that form, with ≈ before a rounded number.
std::string show_item(const Value& item, const NumberForm& form, const ShowOptions& options);
/// Whether all the items are rounded numbers, or lists of such: then one ≈ precedes the whole, and there is none within.
bool take_mark(const List& items, ShowOptions& options);

/// Every line after so many blanks.
std::string indented(const std::string& text, std::string_view by);
/// The first lines, and how many more there are.
std::string first_lines(const std::string& text, std::size_t most);
/// "… 12 more".
std::string more_text(std::size_t count, std::string_view of_what = "");

/// A grid of texts: the first `head` rows are headings. Columns that do not fit are left out in the middle, with … in their place, and how
/// many is stored in `left_out`. The first `fixed` columns and the last `last` always stay.
struct Grid {
    std::vector<std::vector<std::string>> rows;
    std::string align;  ///< a letter for each column: 'r' flush right
    std::size_t fixed = 1;
    std::size_t last = 1;
};
std::string show_grid(Grid grid, std::size_t width, std::size_t* left_out = nullptr);

}  // namespace credence::lang
