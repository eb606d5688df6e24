#pragma once
// Predictive accuracy of a posterior from its draws: leave-one-out cross-validation by Pareto-smoothed importance sampling (Vehtari, Gelman
// and Gabry, "Practical Bayesian model evaluation using leave-one-out cross-validation and WAIC", 2017; Vehtari et al., "Pareto smoothed
// importance sampling", 2024) and WAIC (Watanabe 2010).

#include <span>
#include <string>
#include <vector>

#include "runtime/core/importance.hpp"

namespace credence::rt {

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

/// The difference of two totals over the same observations, and its standard error.
struct AccuracyDifference {
    double difference = 0;
    double standard_error = 0;
};
AccuracyDifference difference_of(std::span<const double> a, std::span<const double> b);

}  // namespace credence::rt
