#include "runtime/continuous/sample/forms.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/continuous/sample/kept_chains.hpp"
#include "runtime/continuous/sample/nuts.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::size_t pilot_draws = 60;
constexpr std::size_t points = 4;  ///< of the pilot at which the curvature is taken

/// The chain that looks around; kept with the others, since each query about the same posterior needs it.
Result<KeptChains::ChainsPtr> pilot_chain(const LogPosterior& target, const Run& run) {
    KeptChains* kept = target.problem->net->net.chains.get();
    const SamplerOptions options{pilot_draws, 200, 1, 0.9};
    KeptChains::Key key{target.tape, target.output, options, run.rng.child("pilot")};
    if (auto known = kept ? kept->find(key) : nullptr) return known;
    auto work = target.tape.workspace();
    const LogGradient gradient = [&](std::span<const double> x, std::span<double> g) {
        return target.tape.gradient(x, target.output, work, g);
    };
    auto chain = run_nuts(target.numbers.size(), gradient, {options.warmup, options.draws, options.target, 8, target.tape.cost()}, key.rng,
                          [&] { return run.stopped(); });
    if (run.stopped()) return stopped_fault();
    auto out = std::make_shared<KeptChains::Chains>();
    if (chain) out->push_back(*std::move(chain));
    if (kept) kept->keep(std::move(key), out);
    return KeptChains::ChainsPtr(std::move(out));
}

}  // namespace

Result<LogPosterior> posterior_for_chains(const Unrolled& problem, const Run& run) {
    DensityForm form;
    form.scaled = true;
    auto target = TRY(log_posterior(problem, run, form));
    if (target.with_spread.empty()) return target;
    const auto chains = TRY(pilot_chain(target, run));
    if (chains->empty()) return target;
    const auto& draws = chains->front().draws;
    const std::size_t n = target.numbers.size();
    auto work = target.tape.workspace();
    std::vector<double> at(n);
    std::vector<double> slope(n);
    const auto slope_at = [&](std::size_t k, double u) {
        at[k] = u;
        (void)target.tape.gradient(at, target.output, work, slope);
        return slope[k];
    };
    for (const auto k : target.with_spread) {
        // −∂² ln p / ∂z² = 1 + s² · (what the data know of the number). The middle of several points: one may lie far out.
        std::vector<double> curvatures;
        for (std::size_t p = 0; p < points; ++p) {
            const std::size_t d = (p + 1) * pilot_draws / points - 1;
            std::copy_n(draws.begin() + static_cast<std::ptrdiff_t>(d * n), n, at.begin());
            const double u = at[k];
            const double step = 1e-4 * (1 + std::abs(u));
            const double more = slope_at(k, u + step);
            const double less = slope_at(k, u - step);
            curvatures.push_back((less - more) / (2 * step));
        }
        std::sort(curvatures.begin(), curvatures.end());
        const double middle = 0.5 * (curvatures[points / 2 - 1] + curvatures[points / 2]);
        constexpr double plainly_more = 5;  // of the prior the curvature has 1
        if (middle > plainly_more) form.centred.insert(index(target.numbers[k]));
    }
    if (form.centred.empty()) return target;
    return log_posterior(problem, run, form);
}

}  // namespace credence::rt::continuous
