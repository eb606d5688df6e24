#pragma once
// d-separation explained.

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

/// The paths between two sets of variables, each with what blocks it or leaves it open.
Result<Derivation> explain_separation(const Net& net, std::span<const VarId> x, std::span<const VarId> y, std::span<const VarId> given);

}  // namespace credence::rt
