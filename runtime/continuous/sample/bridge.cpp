// Bridge sampling (Meng and Wong 1996) between the posterior and a normal distribution fitted to one half of its draws, with the optimal
// bridge function by their iteration; error from Frühwirth-Schnatter (2004).

#include "runtime/continuous/sample/bridge.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/continuous/sample/forms.hpp"
#include "runtime/core/linalg.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double half_ln_2pi_of_one = 0.91893853320467274178;

/// Normal on the unbounded scale.
class Proposal {
public:
    explicit Proposal(std::size_t dimension) : n_(dimension), mean_(dimension, 0.0) {}

    /// From rows of draws; with independent coordinates where the covariance has no factor.
    void fit(std::span<const double> draws) {
        const auto count = static_cast<double>(draws.size() / n_);
        for (std::size_t d = 0; d < draws.size(); ++d) mean_[d % n_] += draws[d] / count;
        Matrix covariance(n_, n_);
        for (std::size_t d = 0; d < draws.size(); d += n_)
            for (std::size_t i = 0; i < n_; ++i)
                for (std::size_t k = 0; k <= i; ++k)
                    covariance(i, k) += (draws[d + i] - mean_[i]) * (draws[d + k] - mean_[k]) / (count - 1);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = i + 1; k < n_; ++k) covariance(i, k) = covariance(k, i);
        auto factor = cholesky(covariance);
        if (!factor) {
            factor = Matrix(n_, n_);
            for (std::size_t i = 0; i < n_; ++i) (*factor)(i, i) = std::sqrt(std::max(covariance(i, i), 1e-300));
        }
        lower_ = *std::move(factor);
        log_scale_ = static_cast<double>(n_) * half_ln_2pi_of_one;
        for (std::size_t i = 0; i < n_; ++i) log_scale_ += std::log(lower_(i, i));
    }

    double log_density(std::span<const double> x) const {
        std::vector<double> z(n_);
        double squares = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            z[i] = x[i] - mean_[i];
            for (std::size_t k = 0; k < i; ++k) z[i] -= lower_(i, k) * z[k];
            z[i] /= lower_(i, i);
            squares += z[i] * z[i];
        }
        return -0.5 * squares - log_scale_;
    }

    void draw(Rng& rng, std::span<double> out) const {
        std::vector<double> z(n_);
        for (auto& one : z) one = rng.normal();
        for (std::size_t i = 0; i < n_; ++i) {
            out[i] = mean_[i];
            for (std::size_t k = 0; k <= i; ++k) out[i] += lower_(i, k) * z[k];
        }
    }

private:
    std::size_t n_;
    std::vector<double> mean_;
    Matrix lower_;
    double log_scale_ = 0;
};

double mean_of_all(std::span<const double> xs) {
    double sum = 0;
    for (const double x : xs) sum += x;
    return sum / static_cast<double>(xs.size());
}

/// The variance over the square of the mean.
double relative_variance(std::span<const double> xs) {
    const double mean = mean_of_all(xs);
    double squares = 0;
    for (const double x : xs) squares += (x - mean) * (x - mean);
    return squares / (static_cast<double>(xs.size() - 1) * mean * mean);
}

/// ln p − ln q at draws of the posterior (in chains of equal length) and of the proposal.
BridgeEstimate bridge(std::span<const double> posterior, std::size_t chains, std::span<const double> proposal) {
    std::vector<double> sorted(posterior.begin(), posterior.end());
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double middle = sorted[sorted.size() / 2];
    const double worth = std::clamp(effective_sample_size({posterior, chains}), 1.0, static_cast<double>(posterior.size()));
    const auto count = static_cast<double>(proposal.size());
    const double s1 = worth / (worth + count);
    const double s2 = 1 - s1;
    std::vector<double> above(proposal.size());
    std::vector<double> below(posterior.size());
    double r = 1;
    constexpr int most_rounds = 1000;
    for (int round = 0; round < most_rounds; ++round) {
        for (std::size_t i = 0; i < above.size(); ++i) {
            const double ratio = std::exp(proposal[i] - middle);
            above[i] = std::isinf(ratio) ? 1 / s1 : ratio / (s1 * ratio + s2 * r);
        }
        for (std::size_t i = 0; i < below.size(); ++i) below[i] = 1 / (s1 * std::exp(posterior[i] - middle) + s2 * r);
        const double next = mean_of_all(above) / mean_of_all(below);
        const bool settled = std::abs(next - r) < 1e-10 * next;
        r = next;
        if (settled || !(r > 0)) break;
    }
    const double autocorrelation =
        static_cast<double>(below.size()) / std::clamp(effective_sample_size({below, chains}), 1.0, static_cast<double>(below.size()));
    const double variance =
        relative_variance(above) / count + autocorrelation * relative_variance(below) / static_cast<double>(below.size());
    return {std::log(r) + middle, std::sqrt(variance)};
}

}  // namespace

Result<BridgeEstimate> bridge_sampling(const Unrolled& problem, const Query& query, const SamplerOptions& options, Run& run) {
    const LogPosterior target = TRY(posterior_for_chains(problem, run));
    const std::size_t n = target.numbers.size();
    auto work = target.tape.workspace();
    if (n == 0) return BridgeEstimate{target.tape.value({}, target.output, work), 0};
    // What the sampler cannot follow takes its share of the draws.
    BridgeEstimate kept;
    if (std::any_of(problem.real_events.begin(), problem.real_events.end(), [](const RealEvent& e) { return e.evidence; })) {
        const auto draws = TRY(draw(problem, options, run));
        const auto keep = TRY(draws_kept(draws, query));
        const auto count = static_cast<double>(std::count(keep.begin(), keep.end(), 1));
        const double share = count / static_cast<double>(keep.size());
        kept = {std::log(share), std::sqrt((1 - share) / count)};
    }
    const std::size_t length = (options.draws + options.chains - 1) / options.chains;
    const auto chains = TRY(chains_of(target, options, length, run));
    const std::size_t half = length / 2;
    std::vector<double> fitted;
    std::vector<double> used;
    for (const auto& chain : *chains) {
        const auto middle = chain.draws.begin() + static_cast<std::ptrdiff_t>(half * n);
        fitted.insert(fitted.end(), chain.draws.begin(), middle);
        used.insert(used.end(), middle, chain.draws.begin() + static_cast<std::ptrdiff_t>(2 * half * n));
    }
    Proposal proposal(n);
    proposal.fit(fitted);
    const auto log_ratio = [&](std::span<const double> u) {
        const double log = target.tape.value(u, target.output, work) - proposal.log_density(u);
        return std::isnan(log) ? -INFINITY : log;
    };
    std::vector<double> at_posterior;
    for (std::size_t d = 0; d < used.size(); d += n) at_posterior.push_back(log_ratio(std::span(used).subspan(d, n)));
    Rng rng = run.rng.child("bridge");
    std::vector<double> at_proposal;
    std::vector<double> point(n);
    for (std::size_t d = 0; d < at_posterior.size(); ++d) {
        if ((d & 0xFFU) == 0 && run.stopped()) return stopped_fault();
        proposal.draw(rng, point);
        at_proposal.push_back(log_ratio(point));
    }
    auto out = bridge(at_posterior, chains->size(), at_proposal);
    out.log += kept.log - problem.log_orders;
    out.error = std::hypot(out.error, kept.error);
    return out;
}

}  // namespace credence::rt::continuous
