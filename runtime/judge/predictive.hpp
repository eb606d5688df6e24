#pragma once
// Predictive accuracy of a posterior from its draws: leave-one-out cross-validation by Pareto-smoothed importance sampling (Vehtari, Gelman
// and Gabry, "Practical Bayesian model evaluation using leave-one-out cross-validation and WAIC", 2017; Vehtari et al., "Pareto smoothed
// importance sampling", 2024) and WAIC (Watanabe 2010).

#include <span>
#include <string>
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
    double shape = 0;  ///< k of the tail; infinite where there are too few draws to fit one
};
/// `efficiency`: what a draw is worth, compared with an independent one.
SmoothedWeights smooth_weights(std::span<const double> log_ratios, double efficiency);

/// The expected log density of new data, estimated from those that were seen.
struct PredictiveAccuracy {
    std::vector<double> pointwise;  ///< by observation
    std::vector<double> pareto_k;   ///< by observation, of loo alone
    double total = 0;               ///< elpd
    double standard_error = 0;
    double effective_parameters = 0;
};
/// From ln p(observation | draw), by observation and draw.
PredictiveAccuracy leave_one_out(std::span<const std::vector<double>> logs, std::span<const double> efficiency);
PredictiveAccuracy waic(std::span<const std::vector<double>> logs);

/// Above it a Pareto k says that the estimate cannot be trusted with so many draws.
double largest_reliable_k(std::size_t draws);

/// The difference of two totals over the same observations, and its standard error.
struct AccuracyDifference {
    double difference = 0;
    double standard_error = 0;
};
AccuracyDifference difference_of(std::span<const double> a, std::span<const double> b);

}  // namespace credence::rt
