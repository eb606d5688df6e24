#include "runtime/core/importance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace credence::rt {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

}  // namespace

double log_sum(std::span<const double> logs) {
    const double high = *std::max_element(logs.begin(), logs.end());
    if (!std::isfinite(high)) return high;
    double total = 0;
    for (const double log : logs) total += std::exp(log - high);
    return high + std::log(total);
}

ParetoFit fit_pareto(std::span<const double> excesses) {
    const auto n = static_cast<double>(excesses.size());
    // The prior of θ = −shape / scale is made of a quartile and the largest value, and its posterior summed on a grid.
    constexpr double prior = 3;
    const auto points = static_cast<std::size_t>(30 + std::floor(std::sqrt(n)));
    const double quartile = excesses[static_cast<std::size_t>(std::floor(n / 4 + 0.5)) - 1];
    const double largest = excesses.back();
    const auto shape_at = [&](double theta) {
        double sum = 0;
        for (const double x : excesses) sum += std::log1p(-theta * x);
        return sum / n;
    };
    std::vector<double> thetas;
    std::vector<double> logs;
    for (std::size_t j = 1; j <= points; ++j) {
        const double theta =
            1 / largest + (1 - std::sqrt(static_cast<double>(points) / (static_cast<double>(j) - 0.5))) / (prior * quartile);
        const double shape = shape_at(theta);
        thetas.push_back(theta);
        logs.push_back(n * (std::log(-theta / shape) - shape - 1));
    }
    const double total = log_sum(logs);
    double theta = 0;
    for (std::size_t j = 0; j < thetas.size(); ++j) theta += thetas[j] * std::exp(logs[j] - total);
    ParetoFit out;
    out.shape = shape_at(theta);
    out.scale = -out.shape / theta;
    // Ten draws' worth of a shape of 1/2 steady the fit of short tails (Vehtari et al. 2024).
    constexpr double steadying = 10;
    out.shape = (out.shape * n + 0.5 * steadying) / (n + steadying);
    return out;
}

SmoothedWeights smooth_weights(std::span<const double> log_ratios, double efficiency) {
    const std::size_t count = log_ratios.size();
    SmoothedWeights out{{log_ratios.begin(), log_ratios.end()}, unbounded};
    const double high = *std::max_element(log_ratios.begin(), log_ratios.end());
    if (std::isinf(high)) {  // an observation that was impossible in some draw
        for (auto& log : out.logs) log = log == high ? 0 : -unbounded;
        const double all = log_sum(out.logs);
        for (auto& log : out.logs) log -= all;
        return out;
    }
    for (auto& log : out.logs) log -= high;
    const auto draws = static_cast<double>(count);
    const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * draws, 3 * std::sqrt(draws / std::max(efficiency, 1e-12)))));
    constexpr std::size_t fewest = 5;
    if (tail >= fewest && tail < count) {
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return out.logs[a] < out.logs[b]; });
        const std::size_t first = count - tail;
        const double cut = std::exp(out.logs[order[first - 1]]);
        std::vector<double> excesses;
        for (std::size_t k = first; k < count; ++k) excesses.push_back(std::exp(out.logs[order[k]]) - cut);
        const std::size_t quartile = static_cast<std::size_t>(std::floor(static_cast<double>(tail) / 4 + 0.5)) - 1;
        if (excesses.back() > 0 && excesses[quartile] > 0) {
            const ParetoFit fit = fit_pareto(excesses);
            if (std::isfinite(fit.shape)) {
                out.shape = fit.shape;
                for (std::size_t k = 0; k < tail; ++k) {
                    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(tail);
                    const double quantile = std::abs(fit.shape) < 1e-12 ? -fit.scale * std::log1p(-p)
                                                                        : fit.scale * std::expm1(-fit.shape * std::log1p(-p)) / fit.shape;
                    out.logs[order[first + k]] = std::min(0.0, std::log(cut + quantile));  // never above the largest that was seen
                }
            }
        } else if (!(excesses.back() > 0)) {
            out.shape = -unbounded;  // all of them are equal: there is no tail
        }
    }
    const double total = log_sum(out.logs);
    for (auto& log : out.logs) log -= total;
    return out;
}

double largest_reliable_k(std::size_t draws) { return std::min(0.7, 1 - 1 / std::log10(static_cast<double>(draws))); }

}  // namespace credence::rt
