#pragma once
// A grid of hypotheses evaluated at once: the logarithm of the likelihood as a tape of operations over columns of numbers.

#include "runtime/hypotheses/outcomes.hpp"

namespace credence::rt {

/// By hypothesis, the sum over the groups of count · ln P(value | h, inputs). NaN where only the hypothesis itself can decide (a parameter
/// at its bound, or beyond). Nothing if the space has no terms, or they do not make a tape.
std::optional<std::vector<double>> grid_log_likelihoods(const HypothesisSpace& space, std::span<const ObservationGroup> groups);

}  // namespace credence::rt
