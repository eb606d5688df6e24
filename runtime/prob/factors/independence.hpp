#pragma once
// Independence as a property of numbers, not of a graph.

#include <span>

#include "runtime/prob/factors/factor.hpp"

namespace credence::rt {

/// Whether P(x, y, z) P(z) = P(x, z) P(y, z) for all values, by a joint distribution whose positions x, y, z name (they may overlap).
/// Fractions are compared exactly, doubles to within 1e-12 of their size.
bool independent_by_numbers(const Factor& joint, std::span<const std::size_t> x, std::span<const std::size_t> y,
                            std::span<const std::size_t> z);

}  // namespace credence::rt
