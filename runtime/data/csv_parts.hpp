#pragma once
// What the readers of CSV files share: the plan of a file from its first lines, and stretches of rows read into columns.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/data/csv.hpp"
#include "runtime/data/csv_cells.hpp"
#include "runtime/data/load_notes.hpp"
#include "runtime/data/reading.hpp"

namespace credence::rt {

/// What is known before the rows are read.
struct CsvPlan {
    char separator = ',';
    std::vector<std::string> names;
    std::vector<std::optional<ColumnKind>> forced;
    MissingTexts missing{{}};
    MissingTexts missing_among_signs{{}};  ///< without "-", which is a label where "+" is one
    MissingTexts missing_in_target{{}};    ///< without "none" and "-": the class of a row is rarely missing, and often called so
    std::vector<char> has_signs;           ///< of a column: "+" is among its first cells
    std::string target;
    std::string width_of_what;    ///< "the header" or "the first row"
    std::size_t header_size = 0;  ///< where the rows begin

    const MissingTexts& missing_in(std::size_t column) const {
        return names[column] == target ? missing_in_target : has_signs[column] ? missing_among_signs : missing;
    }
};
/// By the first line of the text.
Result<CsvPlan> make_csv_plan(std::string_view text, const CsvOptions& options);
/// The kinds as the first rows have them, and the plan's `has_signs`. A column that is numeric here may turn out to hold labels; never the
/// other way round.
std::vector<ColumnKind> guess_csv_kinds(std::string_view rows, CsvPlan& plan);

/// A part's share of a column; nothing if the column is not asked for, or turned out not to be numeric.
using ColumnCells = std::variant<std::monostate, LabelCells, NumberCells>;

struct CsvPartProblem {
    std::size_t row = 0;     ///< within the part, from 0
    std::size_t offset = 0;  ///< within the part
    std::string message;     ///< continues "row 17 (line 18) …"
    std::string hint;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.row);
        visit(self.offset);
        visit(self.message);
        visit(self.hint);
    }
};

struct CsvPart {
    std::vector<ColumnCells> columns;
    std::size_t rows = 0;
    std::optional<CsvPartProblem> problem;
};
using WantedKinds = std::vector<std::optional<ColumnKind>>;  ///< of each column; nothing: it is not wanted

CsvPart read_csv_part(std::string_view rows, const CsvPlan& plan, const WantedKinds& kinds, Reading& reading);
/// E-TABLE: "row 17 (line 18) …", counted from 1.
Fault csv_fault(const CsvPartProblem& problem, std::size_t row, std::size_t line);

/// Words in a column that were taken as missing, but for those that say so plainly.
template <class SomeCells>
void add_missing_words(const SomeCells& cells, std::size_t column, const CsvPlan& plan, std::vector<MissingWord>& words) {
    const auto& texts = plan.missing.texts();
    for (std::size_t k = 0; k < cells.missing_counts().size(); ++k)
        if (cells.missing_counts()[k] > 0 && !texts[k].empty() && texts[k] != "?")
            words.push_back({plan.names[column], texts[k], cells.missing_counts()[k]});
}

}  // namespace credence::rt
