#pragma once
// Probabilities that are computed from other numbers must be probabilities: p ~ normal(0, 1) is not one.

#include "runtime/continuous/unroll/unrolled.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt::continuous {

/// E-PARAMETER if a probability leaves 0 to 1, and E-SUM if the probabilities of labels do not sum to 1, in one of a hundred draws from the
/// prior. Nothing is drawn where the ranges of what it is
/// computed from exclude that, and nothing is checked where the evidence says in which region numbers lie.
Status check_probabilities(const Unrolled& problem, const Run& run);

}  // namespace credence::rt::continuous
