#pragma once
// Sums and integrals over a distribution.

#include <functional>
#include <utility>
#include <vector>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

/// E(g(X)) of a number: of counts the sum, else adaptive panels between quantiles, to about ten digits. Infinite where it diverges, NaN
/// where it was not found.
double expected_value(const Distribution& distribution, const std::function<double(double)>& g);

/// The sum over the whole numbers of a distribution of counts; infinite where it diverges.
double expected_sum(const Distribution& distribution, const std::function<double(double)>& g);

/// The density times g(x).
double weighed_by_density(const Distribution& distribution, double x, const std::function<double(double)>& g);

/// Points and weights for sums over a distribution: ∫ g dF ≈ Σ w g(x), the weights normalised.
std::vector<std::pair<double, double>> quadrature_nodes(const Distribution& distribution);

}  // namespace credence::rt
