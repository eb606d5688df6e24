// by variational: the normal distribution that is closest to the posterior on the unbounded scale. The expectation in the evidence lower
// bound is taken over a fixed set of standard normal points, so that it is a smooth function with an end to its climb (Giordano, Ingram and
// Broderick, "Black box variational inference with a deterministic objective", 2024).

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/sample/normal_approximation.hpp"

namespace credence::rt::continuous {

namespace {

/// Standard normal points in pairs z and -z, with a mean of 0 and a variance of 1 in each coordinate.
std::vector<double> fixed_points(std::size_t dimension, std::size_t pairs, Rng& rng) {
    std::vector<double> out(2 * pairs * dimension);
    for (std::size_t i = 0; i < pairs * dimension; ++i) out[i] = rng.normal();
    for (std::size_t k = 0; k < dimension; ++k) {
        double squares = 0;
        for (std::size_t i = 0; i < pairs; ++i) squares += out[i * dimension + k] * out[i * dimension + k];
        const double scale = std::sqrt(static_cast<double>(pairs) / squares);
        for (std::size_t i = 0; i < pairs; ++i) {
            out[i * dimension + k] *= scale;
            out[(pairs + i) * dimension + k] = -out[i * dimension + k];
        }
    }
    return out;
}

/// x = mean + base · (own · z): `base` is where the climb starts from, `own` what it finds, a diagonal or a lower triangle with positive
/// diagonal. The parameters are the mean, the logarithms of the diagonal, then the entries below it row by row.
class NormalFamily {
public:
    NormalFamily(Summit start, Matrix base, bool full_rank) : n_(start.at.size()), full_rank_(full_rank), base_(std::move(base)) {
        first_.at = std::move(start.at);
        first_.at.resize(size(), 0.0);
        first_.slopes.resize(size(), 0.0);
    }

    std::size_t size() const { return 2 * n_ + (full_rank_ ? n_ * (n_ - 1) / 2 : 0); }
    const Summit& first() const { return first_; }

    void place(std::span<const double> parameters, std::span<const double> z, std::span<double> x) {
        turned_.resize(n_);
        std::size_t below = 2 * n_;
        for (std::size_t i = 0; i < n_; ++i) {
            turned_[i] = std::exp(parameters[n_ + i]) * z[i];
            for (std::size_t k = 0; full_rank_ && k < i; ++k) turned_[i] += parameters[below++] * z[k];
        }
        for (std::size_t i = 0; i < n_; ++i) {
            x[i] = parameters[i];
            if (full_rank_)
                for (std::size_t k = 0; k <= i; ++k) x[i] += base_(i, k) * turned_[k];
            else
                x[i] += base_(i, i) * turned_[i];
        }
    }

    /// Adds the slopes of ln p(x) along the parameters, `share` times.
    void add_slopes(std::span<const double> parameters, std::span<const double> z, std::span<const double> slopes, double share,
                    std::span<double> out) const {
        std::size_t below = 2 * n_;
        for (std::size_t k = 0; k < n_; ++k) {
            double along = 0;  // ∂ ln p / ∂ turned_k
            if (full_rank_)
                for (std::size_t i = k; i < n_; ++i) along += base_(i, k) * slopes[i];
            else
                along = base_(k, k) * slopes[k];
            out[k] += share * slopes[k];
            out[n_ + k] += share * along * std::exp(parameters[n_ + k]) * z[k];
            for (std::size_t j = 0; full_rank_ && j < k; ++j) out[below++] += share * along * z[j];
        }
    }

    /// Of the entropy: the sum of the logarithms of the diagonal.
    double add_entropy(std::span<const double> parameters, std::span<double> out) const {
        double sum = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            sum += parameters[n_ + k];
            out[n_ + k] += 1;
        }
        return sum;
    }

private:
    std::size_t n_;
    bool full_rank_;
    Matrix base_;
    Summit first_;
    std::vector<double> turned_;
};

/// Scales to start from: the root of the inverse curvature, or 1 where it has none.
Matrix starting_scales(const Summit& summit, const LogGradient& target, bool full_rank) {
    const std::size_t n = summit.at.size();
    const Matrix curvature = curvature_at(summit, target);
    Matrix out(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double own = curvature(i, i);
        out(i, i) = std::isfinite(own) && own > 1e-8 ? 1 / std::sqrt(own) : 1;
    }
    if (!full_rank) return out;
    const auto lower = cholesky(curvature);
    if (!lower) return out;
    // The covariance is L⁻ᵀ L⁻¹; its own lower triangle.
    Matrix inverse(n, n);
    for (std::size_t column = 0; column < n; ++column)
        for (std::size_t i = column; i < n; ++i) {
            double sum = i == column ? 1 : 0;
            for (std::size_t k = column; k < i; ++k) sum -= (*lower)(i, k) * inverse(k, column);
            inverse(i, column) = sum / (*lower)(i, i);
        }
    Matrix covariance(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = std::max(i, j); k < n; ++k) covariance(i, j) += inverse(k, i) * inverse(k, j);
    const auto triangle = cholesky(covariance);
    return triangle ? *triangle : out;
}

struct VariationalOptions {
    std::size_t draws = 4000;
    std::string covariance = "mean_field";
};
constexpr std::array<std::string_view, 2> covariances = {"mean_field", "full_rank"};
constexpr MethodRecord variational_method(
    "variational",
    {option<VariationalOptions, &VariationalOptions::draws>("n", {.least = 100, .most = 50'000'000}),
     option<VariationalOptions, &VariationalOptions::covariance>("covariance", {}, covariances)},
    "Draws n times from the normal distribution that is closest to the posterior, on an unbounded scale, and chooses among these draws by "
    "importance weights. mean_field: the numbers are independent in it; full_rank: with a full covariance, for up to 60 numbers. A Pareto "
    "k above 0.7 means that the approximation is too far off, and a note says so.",
    "net Coin { theta ~ beta(2, 2); Heads ~ binomial(10, theta) }\n"
    "expect E(theta | Heads = 7) by variational(4000) == 9/14 within 0.02");

}  // namespace

std::optional<NutsChain> run_variational(std::size_t dimension, const LogGradient& target, bool full_rank, std::size_t draws, Rng rng,
                                         const Stopped& stopped) {
    if (full_rank && dimension > most_full_rank) return std::nullopt;
    auto summit = highest_point(dimension, target, rng, stopped);
    if (!summit) return std::nullopt;
    Matrix scales = starting_scales(*summit, target, full_rank);
    NormalFamily family(*std::move(summit), std::move(scales), full_rank);
    const std::size_t pairs = full_rank ? 32 + 2 * dimension : 32;
    const auto points = fixed_points(dimension, pairs, rng);
    const double share = 1 / static_cast<double>(2 * pairs);
    std::vector<double> x(dimension);
    std::vector<double> slopes(dimension);
    const auto bound = [&](std::span<const double> parameters, std::span<double> gradient) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        double sum = 0;
        for (std::size_t i = 0; i < 2 * pairs; ++i) {
            const auto z = std::span(points).subspan(i * dimension, dimension);
            family.place(parameters, z, x);
            sum += share * target(x, slopes);
            family.add_slopes(parameters, z, slopes, share, gradient);
        }
        return sum + family.add_entropy(parameters, gradient);
    };
    Summit here = family.first();
    here.height = bound(here.at, here.slopes);
    for (int attempt = 0; attempt < 20 && !std::isfinite(here.height); ++attempt) {  // too wide a start
        for (std::size_t k = 0; k < dimension; ++k) here.at[dimension + k] -= 1;
        here.height = bound(here.at, here.slopes);
    }
    if (!std::isfinite(here.height)) return std::nullopt;
    climb(here, bound, stopped, {.gain = 1e-9, .squared_slopes = 1e-6});
    std::vector<double> all(draws * dimension);
    std::vector<double> ratios(draws);
    std::vector<double> z(dimension);
    for (std::size_t d = 0; d < draws; ++d) {
        if ((d & 0xFFU) == 0 && stopped()) return std::nullopt;
        double squares = 0;
        for (auto& one : z) {
            one = rng.normal();
            squares += one * one;
        }
        const auto at = std::span(all).subspan(d * dimension, dimension);
        family.place(here.at, z, at);
        const double log_density = target(at, slopes);
        ratios[d] = (std::isnan(log_density) ? -INFINITY : log_density) + 0.5 * squares;
    }
    return chosen_by_weight(dimension, all, ratios, rng);
}

const RealEngine variational_real_engine{
    .method = variational_method.info(), .exact = false, .sampler = +[](const MethodCall& by) {
        const VariationalOptions options = variational_method.options(by);
        return SamplerOptions{
            .draws = options.draws, .chains = 1, .sampler = options.covariance == "full_rank" ? Sampler::full_rank : Sampler::mean_field};
    }};

}  // namespace credence::rt::continuous
