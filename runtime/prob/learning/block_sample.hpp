#pragma once
// Some of the rows that are read in blocks, for a learner to begin with.

#include "runtime/core/linalg.hpp"
#include "runtime/data/row_blocks.hpp"

namespace credence::rt {

/// About n of the rows that have all their numbers, each as probable as any other; all of them where they are no more. The target and
/// label columns are missing in all rows, and so is `hidden`.
Result<TablePtr> sampled_numbers(const RowBlocks& rows, std::size_t n, std::string_view hidden, const Run& run);

/// The columns of numbers but the target and `hidden`: what such a learner looks at.
std::vector<std::size_t> number_columns(const Table& head, std::string_view hidden);
/// Of a block the rows that have all these numbers; E-TRAIN where one is infinite. `first` as in RowBlocks::read.
Result<Matrix> numbers_of(const Table& block, std::span<const std::size_t> columns, std::size_t first);

}  // namespace credence::rt
