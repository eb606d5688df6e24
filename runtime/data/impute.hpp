#pragma once
// Missing cells filled in from the cells that are there.

#include <span>
#include <string>

#include "runtime/data/table.hpp"

namespace credence::rt {

enum class NumberFill { mean, median, most_common };

struct ImputeOptions {
    NumberFill numbers = NumberFill::mean;  ///< labels take the most common one, the first to appear of equals
    bool by_class = false;                  ///< from the rows with the same label of the target, where one of them has a cell
};

/// The table with the missing cells of these columns (none named: of all but the target) filled in as `from` says, which has the same
/// columns. Means of exact numbers stay exact up to 10,000 rows. E-TABLE where a column of `from` has no cell to go by.
Result<TablePtr> impute(const Table& table, std::span<const std::string> columns, const Table& from, ImputeOptions options);

}  // namespace credence::rt
