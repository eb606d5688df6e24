#pragma once
// Columns of sampled values of a discrete variable.

#include <span>

#include "runtime/data/table.hpp"

namespace credence::rt {

/// The column of a sampled variable: numeric where all its labels are numbers, as the columns of read tables are.
ColumnPtr column_of_values(const Variable& variable, std::span<const std::uint32_t> values);
TablePtr table_of_columns(std::vector<ColumnPtr> columns, std::size_t rows);

}  // namespace credence::rt
