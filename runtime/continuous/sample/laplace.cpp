// by laplace: draws from a normal approximation round the most probable point.

#include <cmath>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/sample/normal_approximation.hpp"

namespace credence::rt::continuous {

namespace {

using Options = SamplerOptions;
constexpr MethodRecord laplace_method(
    "laplace", {option<Options, &Options::draws>("n", {.least = 100, .most = 50'000'000})},
    "Draws n times from a normal approximation round the most probable point and chooses among these draws by importance weights. Fast, "
    "and good where the posterior is nearly normal on an unbounded scale: a Pareto k above 0.7 means that it is not, and a note says so.",
    "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\n"
    "expect E(theta | Heads = 7) by laplace(4000) == 9/14 within 0.02");

}  // namespace

std::optional<NutsChain> run_laplace(std::size_t dimension, const LogGradient& target, std::size_t draws, Rng rng, const Stopped& stopped) {
    const auto summit = highest_point(dimension, target, rng, stopped);
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
    return chosen_by_weight(dimension, points, ratios, rng);
}

const RealEngine laplace_real_engine{.method = laplace_method.info(), .exact = false, .sampler = +[](const MethodCall& by) {
                                         SamplerOptions out = laplace_method.options(by);
                                         out.sampler = Sampler::laplace;
                                         out.chains = 1;
                                         return out;
                                     }};

}  // namespace credence::rt::continuous
