#include "runtime/continuous/sample/laplace.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/continuous/engine.hpp"
#include "runtime/core/climb.hpp"
#include "runtime/core/importance.hpp"
#include "runtime/core/linalg.hpp"

namespace credence::rt::continuous {

namespace {

std::optional<Summit> highest(std::size_t n, const LogGradient& target, Rng& rng, const std::function<bool()>& stopped) {
    constexpr std::size_t starts = 4;
    std::optional<Summit> best;
    for (std::size_t s = 0; s < starts; ++s) {
        Summit here{std::vector<double>(n), std::vector<double>(n)};
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

/// −∂² ln p at a point, from central differences of the slopes.
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

using Options = SamplerOptions;
constexpr MethodRecord laplace_method(
    "laplace", {option<Options, &Options::draws>("n", {.least = 100, .most = 50'000'000})},
    "Draws n times from a normal approximation round the most probable point and chooses among these draws by importance weights. Fast, "
    "and "
    "good where the posterior is nearly normal on an unbounded scale: a Pareto k above 0.7 says that it is not, and a note tells.",
    "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\n"
    "expect E(theta | Heads = 7) by laplace(4000) == 9/14 within 0.02");

}  // namespace

std::optional<NutsChain> run_laplace(std::size_t dimension, const LogGradient& target, std::size_t draws, Rng rng,
                                     const std::function<bool()>& stopped) {
    const auto summit = highest(dimension, target, rng, stopped);
    if (!summit) return std::nullopt;
    const auto lower = cholesky(curvature_at(*summit, target));
    if (!lower) return std::nullopt;
    std::vector<double> points(draws * dimension);
    std::vector<double> ratios(draws);
    std::vector<double> slopes(dimension);
    for (std::size_t d = 0; d < draws; ++d) {
        if ((d & 0xFFU) == 0 && stopped()) return std::nullopt;
        const std::span<double> x = std::span(points).subspan(d * dimension, dimension);
        double squares = 0;
        for (auto& z : x) {
            z = rng.normal();
            squares += z * z;
        }
        // x = m + L⁻ᵀ z has the precision L Lᵀ.
        for (std::size_t i = dimension; i-- > 0;) {
            for (std::size_t k = i + 1; k < dimension; ++k) x[i] -= (*lower)(k, i) * x[k];
            x[i] /= (*lower)(i, i);
        }
        for (std::size_t i = 0; i < dimension; ++i) x[i] += summit->at[i];
        const double log_density = target(x, slopes);
        ratios[d] = (std::isnan(log_density) ? -INFINITY : log_density - summit->height) + 0.5 * squares;
    }
    const auto weights = smooth_weights(ratios, 1);
    NutsChain out;
    out.pareto_k = weights.shape;
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
    for (const auto d : chosen)
        out.draws.insert(out.draws.end(), points.begin() + static_cast<std::ptrdiff_t>(d * dimension),
                         points.begin() + static_cast<std::ptrdiff_t>((d + 1) * dimension));
    return out;
}

const RealEngine laplace_real_engine{.method = laplace_method.info(), .exact = false, .sampler = +[](const MethodCall& by) {
                                         SamplerOptions out = laplace_method.options(by);
                                         out.laplace = true;
                                         out.chains = 1;
                                         return out;
                                     }};

}  // namespace credence::rt::continuous
