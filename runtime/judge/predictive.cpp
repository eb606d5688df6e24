#include "runtime/judge/predictive.hpp"

#include <cmath>
#include <numeric>

namespace credence::rt {

namespace {

double mean(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }

double sample_variance(std::span<const double> x) {
    const double centre = mean(x);
    double sum = 0;
    for (const double v : x) sum += (v - centre) * (v - centre);
    return x.size() > 1 ? sum / static_cast<double>(x.size() - 1) : 0;
}

/// ln of the mean probability over the draws.
double log_mean(std::span<const double> logs) { return log_sum(logs) - std::log(static_cast<double>(logs.size())); }

void add_up(PredictiveAccuracy& out) {
    out.total = std::accumulate(out.pointwise.begin(), out.pointwise.end(), 0.0);
    out.standard_error = std::sqrt(static_cast<double>(out.pointwise.size()) * sample_variance(out.pointwise));
}

}  // namespace

PredictiveAccuracy leave_one_out(std::span<const std::vector<double>> logs, std::span<const double> efficiency) {
    PredictiveAccuracy out;
    double seen = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        std::vector<double> ratios;
        for (const double log : logs[i]) ratios.push_back(-log);
        const SmoothedWeights weights = smooth_weights(ratios, efficiency[i]);
        std::vector<double> weighted;
        for (std::size_t d = 0; d < ratios.size(); ++d) weighted.push_back(weights.logs[d] + logs[i][d]);
        out.pointwise.push_back(log_sum(weighted));
        out.pareto_k.push_back(weights.shape);
        seen += log_mean(logs[i]);
    }
    add_up(out);
    out.effective_parameters = seen - out.total;
    return out;
}

PredictiveAccuracy waic(std::span<const std::vector<double>> logs) {
    PredictiveAccuracy out;
    for (const auto& own : logs) {
        const double penalty = sample_variance(own);
        out.effective_parameters += penalty;
        out.pointwise.push_back(log_mean(own) - penalty);
    }
    add_up(out);
    return out;
}

AccuracyDifference difference_of(std::span<const double> a, std::span<const double> b) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
    return {std::accumulate(differences.begin(), differences.end(), 0.0),
            std::sqrt(static_cast<double>(a.size()) * sample_variance(differences))};
}

}  // namespace credence::rt
