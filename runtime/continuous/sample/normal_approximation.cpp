#include "runtime/continuous/sample/normal_approximation.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/importance.hpp"

namespace credence::rt::continuous {

std::optional<Summit> highest_point(std::size_t dimension, const LogGradient& target, Rng& rng, const Stopped& stopped) {
    constexpr std::size_t starts = 4;
    std::optional<Summit> best;
    for (std::size_t s = 0; s < starts; ++s) {
        Summit here{std::vector<double>(dimension), std::vector<double>(dimension)};
        for (int attempt = 0; attempt < 25 && !std::isfinite(here.height); ++attempt) {
            for (auto& x : here.at) x = s == 0 && attempt == 0 ? 0 : 4 * rng.uniform() - 2;
            here.height = target(here.at, here.slopes);
        }
        if (!std::isfinite(here.height)) continue;
        climb(here, target, stopped);
        if (!best || here.height > best->height) best = std::move(here);
    }
    return best;
}

Matrix curvature_at(const Summit& summit, const LogGradient& target) {
    const std::size_t n = summit.at.size();
    Matrix out(n, n);
    std::vector<double> at = summit.at;
    std::vector<double> more(n);
    std::vector<double> less(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double step = 1e-4 * (1 + std::abs(summit.at[i]));
        at[i] = summit.at[i] + step;
        (void)target(at, more);
        at[i] = summit.at[i] - step;
        (void)target(at, less);
        at[i] = summit.at[i];
        for (std::size_t k = 0; k < n; ++k) out(i, k) = (less[k] - more[k]) / (2 * step);
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < i; ++k) out(i, k) = out(k, i) = 0.5 * (out(i, k) + out(k, i));
    return out;
}

NutsChain chosen_by_weight(std::size_t dimension, std::span<const double> points, std::span<const double> log_ratios, Rng& rng) {
    const std::size_t draws = log_ratios.size();
    const auto weights = smooth_weights(log_ratios, 1);
    NutsChain out;
    // Weights that hardly differ have no tail, and whatever is fitted to one says nothing.
    constexpr double even = 5;
    const double largest = *std::max_element(weights.logs.begin(), weights.logs.end());
    out.pareto_k = std::exp(largest) * static_cast<double>(draws) > even ? weights.shape : std::min(weights.shape, 0.0);
    double squares = 0;
    for (const double log : weights.logs) squares += std::exp(2 * log);
    out.effective = 1 / squares;
    // Systematic resampling: one random number places them all.
    const double offset = rng.uniform();
    double reached = 0;
    std::vector<std::size_t> chosen;
    for (std::size_t d = 0; d < draws; ++d) {
        reached += std::exp(weights.logs[d]) * static_cast<double>(draws);
        while (chosen.size() < draws && static_cast<double>(chosen.size()) + offset < reached) chosen.push_back(d);
    }
    while (chosen.size() < draws) chosen.push_back(draws - 1);  // what rounding left
    for (const auto d : chosen) {
        const auto point = points.subspan(d * dimension, dimension);
        out.draws.insert(out.draws.end(), point.begin(), point.end());
    }
    return out;
}

}  // namespace credence::rt::continuous
