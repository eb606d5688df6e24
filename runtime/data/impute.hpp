#pragma once
// Missing cells filled in from the cells that are there.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/data/table.hpp"

namespace credence::rt {

enum class NumberFill { mean, median, most_common };

struct ImputeOptions {
    NumberFill numbers = NumberFill::mean;  ///< labels take the most common one, the first to appear of equals
    bool by_class = false;                  ///< from the rows with the same label of the target, where one of them has a cell
};

/// The table with the missing cells of these columns (none named: of all but the target) filled in as `from` says, which has the same
/// columns. Means of exact numbers stay exact up to 10,000 rows. E-TABLE if a column of `from` has no cell to go by.
Result<TablePtr> impute(const Table& table, std::span<const std::string> columns, const Table& from, ImputeOptions options);

/// What fills the missing cells of a column: for every class that has a cell, and for all others.
struct ColumnFill {
    std::string column;
    ColumnKind kind = ColumnKind::label;
    std::map<std::string, Label> by_class;
    std::optional<Label> otherwise;  ///< none: the column has no cell at all
};
/// The fills of these columns (none named: of all but the target), learned from these rows, each counted by its weight (none: 1).
Result<std::vector<ColumnFill>> column_fills(const TableView& from, std::span<const double> weights, std::span<const std::string> columns,
                                             ImputeOptions options);
/// The table with the missing cells of the columns that have a fill filled in; classes by its target, where it has one. E-TABLE if a
/// cell is missing that nothing was learned for.
Result<TablePtr> with_fills(const Table& table, std::span<const ColumnFill> fills);

}  // namespace credence::rt
