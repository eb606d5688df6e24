#pragma once
// Several files in blocks as one table.

#include <span>
#include <string>
#include <vector>

#include "runtime/data/row_blocks.hpp"

namespace credence::rt {

/// The rows of all, one file after the other, with the columns in the order of the first, as stack.hpp does in memory. E-TABLE where their
/// columns differ, by the names of the files.
Result<RowBlocksPtr> stacked_blocks(std::vector<RowBlocksPtr> files, std::span<const std::string> names);

}  // namespace credence::rt
