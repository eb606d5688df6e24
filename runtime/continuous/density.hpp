#pragma once
// Log densities in doubles, with their partial derivatives: what the samplers and the quadrature work on.

#include <span>

#include "runtime/prob/family.hpp"

namespace credence::rt::continuous {

inline constexpr std::size_t most_parameters = 3;

/// ln f(x; p) and, where asked for, ∂/∂x and ∂/∂p. −∞ outside the support, NaN with parameters outside their range.
/// A bernoulli's x is 1 or 0. Of categorical, dirichlet and multinormal there is none: they are written by others.
struct DensityValue {
    double value = 0;
    double dx = 0;
    double dp[most_parameters] = {};
};
DensityValue log_density(Family family, double x, const double* parameters);

/// Where a family's values lie. Of a uniform the ends are its parameters.
enum class Range { line, positive, unit, between, counts };
Range range_of(Family family);

}  // namespace credence::rt::continuous
