// Pareto-smoothed importance sampling against tails whose shape is known.

#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"
#include "runtime/judge/predictive.hpp"

using namespace credence::rt;

namespace {

/// The (i − 1/2) / n quantiles of a generalised Pareto distribution, ascending.
std::vector<double> pareto_quantiles(double shape, double scale, std::size_t n) {
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) {
        const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
        out.push_back(scale * (std::pow(1 - p, -shape) - 1) / shape);
    }
    return out;
}

}  // namespace

TEST_CASE("the fit of a Pareto tail finds the shape and scale that its quantiles have") {
    for (const double shape : {0.2, 0.5, 0.8, 1.2}) {
        const auto fit = fit_pareto(pareto_quantiles(shape, 2, 2000));
        CHECK(fit.shape == Approx(shape).margin(0.03));
        CHECK(fit.scale == Approx(2).epsilon(0.05));
    }
}

TEST_CASE("importance ratios with a known tail have its k") {
    // If p is uniform, (1 − p)^(−k) has a Pareto tail of shape k. Quantiles in place of draws have no Monte Carlo error.
    constexpr int n = 20'000;
    for (const double k : {0.3, 0.7, 1.0}) {
        std::vector<double> logs;
        for (int i = 0; i < n; ++i) logs.push_back(-k * std::log(1 - (i + 0.5) / n));
        const auto smoothed = smooth_weights(logs, 1);
        CHECK(smoothed.shape == Approx(k).margin(0.05));
        double total = 0;
        for (const double log : smoothed.logs) total += std::exp(log);
        CHECK(total == Approx(1).epsilon(1e-9));
        CHECK(*std::max_element(smoothed.logs.begin(), smoothed.logs.end()) <=
              *std::max_element(logs.begin(), logs.end()) - *std::min_element(logs.begin(), logs.end()));
    }
}

TEST_CASE("equal importance ratios are not smoothed") {
    const std::vector<double> logs(1000, 2.5);
    const auto smoothed = smooth_weights(logs, 1);
    CHECK(smoothed.shape == -std::numeric_limits<double>::infinity());
    for (const double log : smoothed.logs) CHECK(log == Approx(-std::log(1000)));
}

TEST_CASE("an observation that is impossible in some draws has no estimate") {
    const std::vector<std::vector<double>> logs{{-1, -std::numeric_limits<double>::infinity(), -1, -2}};
    const std::vector<double> efficiency{1};
    CHECK(leave_one_out(logs, efficiency).total == -std::numeric_limits<double>::infinity());
}

TEST_CASE("leave-one-out and WAIC of a normal mean are those of the closed form") {
    // y_i ~ normal(mu, 1), mu flat: mu | y ~ normal(ȳ, 1/√n); leaving out y_i, its predictive is normal(mean of the others, √(1 +
    // 1/(n−1))).
    const std::vector<double> y{0.3, -1.1, 0.8, 1.9, -0.2, 0.5, 2.2, -0.7};
    const auto n = static_cast<double>(y.size());
    double mean = 0;
    for (const double v : y) mean += v / n;
    Rng rng(11);
    std::vector<std::vector<double>> logs(y.size());
    for (int d = 0; d < 40'000; ++d) {
        const double mu = mean + rng.normal() / std::sqrt(n);
        for (std::size_t i = 0; i < y.size(); ++i) logs[i].push_back(-0.5 * std::log(2 * M_PI) - 0.5 * (y[i] - mu) * (y[i] - mu));
    }
    const std::vector<double> efficiency(y.size(), 1);
    const auto loo = leave_one_out(logs, efficiency);
    const auto criterion = waic(logs);
    double expected_loo = 0;
    double expected_waic = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double others = (n * mean - y[i]) / (n - 1);
        const double v = 1 + 1 / (n - 1);
        const double one = -0.5 * std::log(2 * M_PI * v) - 0.5 * (y[i] - others) * (y[i] - others) / v;
        CHECK(loo.pointwise[i] == Approx(one).margin(0.02));
        expected_loo += one;
        const double u = 1 / n;
        const double d = y[i] - mean;
        // ln of the mean density, less the variance of −(y − mu)² / 2 for mu ~ normal(ȳ, √u).
        expected_waic += -0.5 * std::log(2 * M_PI * (1 + u)) - 0.5 * d * d / (1 + u) - (2 * u * u + 4 * u * d * d) / 4;
    }
    CHECK(loo.total == Approx(expected_loo).margin(0.05));
    CHECK(criterion.total == Approx(expected_waic).margin(0.05));
    CHECK(*std::max_element(loo.pareto_k.begin(), loo.pareto_k.end()) < 0.7);
}
