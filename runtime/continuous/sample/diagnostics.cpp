#include "runtime/continuous/sample/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

/// Each chain as its two halves; of an odd length the middle draw is left out.
std::vector<std::vector<double>> halves(const ChainView& draws) {
    std::vector<std::vector<double>> out;
    const std::size_t n = draws.length();
    const std::size_t half = n / 2;
    for (std::size_t c = 0; c < draws.chains; ++c) {
        const auto chain = draws.values.subspan(c * n, n);
        out.emplace_back(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(half));
        out.emplace_back(chain.end() - static_cast<std::ptrdiff_t>(half), chain.end());
    }
    return out;
}

/// Ranks (of equal values their mean) turned into normal scores.
std::vector<double> normal_scores(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> out(values.size());
    const auto n = static_cast<double>(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i;
        while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
        const double rank = 0.5 * static_cast<double>(i + j - 1) + 1;
        const double p = (rank - 0.375) / (n + 0.25);
        for (; i < j; ++i) out[order[i]] = normal_quantile(p, 1 - p);
    }
    return out;
}

double mean_of(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }

double variance_of(std::span<const double> x, double mean) {
    double sum = 0;
    for (const double v : x) sum += (v - mean) * (v - mean);
    return sum / static_cast<double>(x.size() - 1);
}

double r_hat(const std::vector<std::vector<double>>& chains) {
    const auto n = static_cast<double>(chains[0].size());
    std::vector<double> means;
    double within = 0;
    for (const auto& chain : chains) {
        means.push_back(mean_of(chain));
        within += variance_of(chain, means.back());
    }
    within /= static_cast<double>(chains.size());
    const double between = n * variance_of(means, mean_of(means));
    return std::sqrt(((n - 1) / n * within + between / n) / within);
}

double effective(const std::vector<std::vector<double>>& chains) {
    const std::size_t m = chains.size();
    const std::size_t n = chains[0].size();
    const auto total = static_cast<double>(m * n);
    if (n < 4) return total;
    std::vector<double> means;
    double within = 0;
    for (const auto& chain : chains) {
        means.push_back(mean_of(chain));
        within += variance_of(chain, means.back());
    }
    within /= static_cast<double>(m);
    const double plus = within * static_cast<double>(n - 1) / static_cast<double>(n) + (m > 1 ? variance_of(means, mean_of(means)) : 0);
    if (!(plus > 0)) return total;
    const auto correlation = [&](std::size_t lag) {
        double sum = 0;
        for (std::size_t c = 0; c < m; ++c)
            for (std::size_t i = 0; i + lag < n; ++i) sum += (chains[c][i] - means[c]) * (chains[c][i + lag] - means[c]);
        return 1 - (within - sum / total) / plus;
    };
    // Sums of neighbouring pairs, positive and falling.
    double tau = -1;
    double last = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
        double pair = (lag == 0 ? 1 : correlation(lag)) + correlation(lag + 1);
        if (!(pair > 0)) break;
        pair = std::min(pair, last);
        last = pair;
        tau += 2 * pair;
    }
    tau = std::max(tau, 1 / std::log10(total));
    return total / tau;
}

}  // namespace

std::vector<double> kept_draws(const ChainView& draws, std::span<const char> keep) {
    const std::size_t n = draws.length();
    std::vector<std::vector<double>> chains(draws.chains);
    for (std::size_t d = 0; d < n * draws.chains; ++d)
        if (keep[d]) chains[d / n].push_back(draws.values[d]);
    std::size_t shortest = n;
    for (const auto& chain : chains) shortest = std::min(shortest, chain.size());
    std::vector<double> out;
    for (const auto& chain : chains) out.insert(out.end(), chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(shortest));
    return out;
}

double split_r_hat(const ChainView& draws) {
    if (draws.length() < 4) return std::nan("");
    const auto of = [&](std::span<const double> values) {
        const auto scores = normal_scores(values);
        return r_hat(halves({scores, draws.chains}));
    };
    std::vector<double> sorted(draws.values.begin(), draws.values.end());
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double median = sorted[sorted.size() / 2];
    std::vector<double> folded;
    for (const double v : draws.values) folded.push_back(std::abs(v - median));
    const double a = of(draws.values);
    const double b = of(folded);
    return std::isnan(b) ? a : std::isnan(a) ? b : std::max(a, b);
}

double effective_sample_size(const ChainView& draws) {
    return draws.length() < 4 ? static_cast<double>(draws.values.size()) : effective(halves(draws));
}

double bulk_effective_sample_size(const ChainView& draws) {
    if (draws.length() < 4) return static_cast<double>(draws.values.size());
    const auto scores = normal_scores(draws.values);
    return effective(halves({scores, draws.chains}));
}

double tail_effective_sample_size(const ChainView& draws) {
    if (draws.length() < 4) return static_cast<double>(draws.values.size());
    std::vector<double> sorted(draws.values.begin(), draws.values.end());
    std::sort(sorted.begin(), sorted.end());
    const auto for_quantile = [&](double share) {
        // Linear interpolation between order statistics, as in R.
        const double at = share * static_cast<double>(sorted.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const double rest = at - static_cast<double>(below);
        const double q = rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
        std::vector<double> indicator;
        for (const double v : draws.values) indicator.push_back(v <= q ? 1 : 0);
        return effective(halves({indicator, draws.chains}));
    };
    return std::min(for_quantile(0.05), for_quantile(0.95));
}

}  // namespace credence::rt::continuous
