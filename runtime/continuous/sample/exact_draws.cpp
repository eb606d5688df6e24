#include "runtime/continuous/sample/exact_draws.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_numbers = 300;  // of a joint normal distribution that is written out

/// Some of the numbers of a joint normal distribution: mean + L z with z standard normal, L the Cholesky factor of their covariance.
struct NormalBlock {
    std::vector<std::size_t> places;  ///< among the numbers that are drawn
    std::vector<double> mean;
    std::vector<double> lower;

    void draw(std::span<double> row, Rng& rng) const {
        const std::size_t n = places.size();
        std::vector<double> z(n);
        for (auto& value : z) value = rng.normal();
        for (std::size_t i = 0; i < n; ++i) {
            double x = mean[i];
            for (std::size_t j = 0; j <= i; ++j) x += lower[i * n + j] * z[j];
            row[places[i]] = x;
        }
    }
};

std::optional<std::vector<double>> cholesky(std::vector<double> a, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
        const double pivot = a[j * n + j];
        if (!(pivot > 0)) return std::nullopt;
        const double root = std::sqrt(pivot);
        for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
    }
    return a;
}

LinearTerm itself(VarId v) {
    LinearTerm out;
    out.coefficients.emplace_back(v, Number(1));
    return out;
}

class ExactDrawer {
public:
    explicit ExactDrawer(const LogPosterior& target) : target_(target) {}

    /// Whether every number has its place in a form that can be drawn from.
    bool read(const Hybrid& hybrid) {
        std::vector<bool> placed(target_.numbers.size(), false);
        for (const auto& component : hybrid.components) {
            if (component.posteriors.size() != 1) {
                if (holds_any(component.numbers)) return false;
                continue;
            }
            const Posterior& posterior = component.posteriors[0];
            for (const auto& joint : posterior.normals)
                if (!add_block(joint, placed)) return false;
            for (const auto& joint : posterior.normal_gammas) {
                const auto mu = place(joint.mu);
                const auto tau = place(joint.tau);
                if (!mu && !tau) continue;
                if (!mu || !tau) return false;
                normal_gammas_.push_back({*mu, *tau, joint});
                placed[*mu] = placed[*tau] = true;
            }
            for (const auto& [v, distribution] : posterior.marginals) {
                const auto at = place(v);
                if (!at || placed[*at]) continue;
                marginals_.emplace_back(*at, distribution);
                placed[*at] = true;
            }
        }
        return std::all_of(placed.begin(), placed.end(), [](bool p) { return p; });
    }

    void draw(std::span<double> row, Rng& rng) const {
        for (const auto& [at, distribution] : marginals_) row[at] = std::get<Number>(distribution->sample(rng)).real();
        for (const auto& block : blocks_) block.draw(row, rng);
        for (const auto& [mu, tau, joint] : normal_gammas_) {
            const auto precision = make_gamma(joint.shape, joint.rate);
            row[tau] = std::get<Number>((*precision)->sample(rng)).real();
            row[mu] = joint.mean.real() + rng.normal() / std::sqrt(joint.count.real() * row[tau]);
        }
    }

private:
    std::optional<std::size_t> place(VarId v) const {
        const auto at = std::find(target_.numbers.begin(), target_.numbers.end(), v);
        if (at == target_.numbers.end()) return std::nullopt;
        return static_cast<std::size_t>(at - target_.numbers.begin());
    }
    bool holds_any(const std::vector<VarId>& numbers) const {
        return std::any_of(numbers.begin(), numbers.end(), [&](VarId v) { return place(v).has_value(); });
    }

    bool add_block(const JointNormal& joint, std::vector<bool>& placed) {
        NormalBlock block;
        std::vector<LinearTerm> terms;
        for (const auto v : joint.variables())
            if (const auto at = place(v)) {
                block.places.push_back(*at);
                terms.push_back(itself(v));
                placed[*at] = true;
            }
        const std::size_t n = terms.size();
        if (n > most_numbers) return false;
        std::vector<double> covariance(n * n);
        for (std::size_t i = 0; i < n; ++i) {
            block.mean.push_back(joint.mean(terms[i]).real());
            for (std::size_t j = 0; j <= i; ++j)
                covariance[i * n + j] = covariance[j * n + i] = joint.covariance(terms[i], terms[j]).real();
        }
        auto lower = cholesky(std::move(covariance), n);
        if (!lower) return false;
        block.lower = *std::move(lower);
        blocks_.push_back(std::move(block));
        return true;
    }

    struct Pair {
        std::size_t mu = 0;
        std::size_t tau = 0;
        NormalGamma joint;
    };
    const LogPosterior& target_;
    std::vector<std::pair<std::size_t, DistributionPtr>> marginals_;
    std::vector<NormalBlock> blocks_;
    std::vector<Pair> normal_gammas_;
};

}  // namespace

Attempt<std::vector<double>> draw_exactly(const LogPosterior& target, std::size_t count, Run& run) {
    const Unrolled& problem = *target.problem;
    const std::size_t n = target.numbers.size();
    const bool conditions =
        std::any_of(problem.real_events.begin(), problem.real_events.end(), [](const RealEvent& e) { return e.evidence; });
    if (n > most_numbers || conditions || !target.labels.empty() || !target.regions.empty()) return not_applicable;
    std::vector<Term> wanted;
    for (const auto v : target.numbers) wanted.push_back(variable_term(v));
    const auto hybrid = solve_hybrid(problem, wanted, Allowed{.quadrature = false, .exact_bits = 0}, run);
    if (!hybrid) return not_applicable;  // a fault is met again by the sampler
    ExactDrawer drawer(target);
    if (!drawer.read(*hybrid)) return not_applicable;
    std::vector<double> out(count * n);
    const Rng rng = run.rng.child("exact");
    for (std::size_t d = 0; d < count; ++d) {
        if ((d & 0xFFU) == 0 && run.stopped()) return stopped_fault();
        Rng own = rng.child(d);
        drawer.draw(std::span(out).subspan(d * n, n), own);
    }
    return out;
}

}  // namespace credence::rt::continuous
