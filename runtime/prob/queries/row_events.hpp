#pragma once
// Events on the rows of a table, column by column: a byte a row.

#include "runtime/data/table.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

using RowMask = std::vector<char>;

/// Rows where the event holds. Rows with a missing cell are to be masked out separately.
RowMask rows_where(const Event& event, const Table& table);

/// Values of a column as codes 0 … k−1, −1 for a missing cell; a numeric column's values are numbered in ascending order.
struct CodedColumn {
    DomainPtr domain;
    std::vector<std::int32_t> own;  ///< codes of a numeric column
    const std::vector<std::int32_t>* codes = nullptr;
};
CodedColumn coded(const Column& column);

}  // namespace credence::rt
