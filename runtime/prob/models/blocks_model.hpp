#pragma once
// A table whose rows are read in blocks, as a model: queries count its rows in a pass, and learners learn from it.

#include "runtime/data/row_blocks.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

inline constexpr std::string_view blocks_kind = "stream";

ModelPtr make_blocks_model(RowBlocksPtr blocks);
/// Null for any other model.
RowBlocksPtr blocks_of(const Model& model);

}  // namespace credence::rt
