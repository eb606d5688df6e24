#pragma once
// Importance weights and how far they can be trusted (Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto smoothed importance sampling",
// 2024).

#include <span>
#include <vector>

namespace credence::rt {

/// The generalised Pareto distribution: P(X > x) = (1 + shape · x / scale)^(−1/shape).
struct ParetoFit {
    double shape = 0;
    double scale = 0;
};
/// Of positive excesses, ascending: the approximate posterior mean of Zhang and Stephens (2009).
ParetoFit fit_pareto(std::span<const double> excesses);

/// Logarithms of importance weights, normalised to sum 1, after their largest were replaced by quantiles of a Pareto tail.
struct SmoothedWeights {
    std::vector<double> logs;
    double shape = 0;  ///< k of the tail; infinite if there are too few draws to fit one
};
/// `efficiency`: what a draw is worth, compared with an independent one.
SmoothedWeights smooth_weights(std::span<const double> log_ratios, double efficiency);

/// Above it, the estimate from this many draws cannot be trusted.
double largest_reliable_k(std::size_t draws);

/// ln Σ e^x
double log_sum(std::span<const double> logs);

}  // namespace credence::rt
