#pragma once
// Conditions about the order of independent numbers alone: who is first, which rank one has among several.

#include "runtime/continuous/unroll/subproblem.hpp"

namespace credence::rt::continuous {

/// P(condition), summed over the orders in which its numbers can come. Nothing if the condition says more than an order, the numbers
/// are too many, or they are connected.
std::optional<double> mass_by_order(const Subproblem& subproblem, const Posterior& posterior, const Term& condition);

}  // namespace credence::rt::continuous
