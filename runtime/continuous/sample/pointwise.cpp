// How probable each observation is given the draws of the numbers.

#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/sample/draws.hpp"
#include "runtime/continuous/sample/prior_check.hpp"
#include "runtime/continuous/unroll/counts.hpp"

namespace credence::rt::continuous {

Result<PointwiseLikelihood> pointwise_likelihood(const Expanded& net, const Query& query, Run& run) {
    auto problem = TRY(prepare(net, query, run));
    TRY(check_probabilities(problem, run));
    const SamplerOptions options = choice_of(query, run).sampler;
    auto densities = TRY(observed_densities(problem, options, run));
    if (densities.instances.empty())
        return Fault{.code = "E-QUERY",
                     .message = "the evidence has no observation whose probability depends on a number that is not known",
                     .hint = "give evidence about what was drawn: P(* | y = […])"};
    const auto draws = TRY(draw(problem, options, run));
    const auto keep = TRY(draws_kept(draws, query));
    PointwiseLikelihood out;
    for (std::size_t i = 0; i < densities.instances.size(); ++i) {
        out.observations.push_back(problem.name(static_cast<VarId>(densities.instances[i])));
        out.logs.push_back(kept_draws({densities.logs[i], draws.chains}, keep));
        std::vector<double> probabilities;
        for (const double log : out.logs.back()) probabilities.push_back(std::exp(log - out.logs.back().front()));
        const auto count = static_cast<double>(probabilities.size());
        const double effective = effective_sample_size({probabilities, draws.chains});
        out.efficiency.push_back(std::isfinite(effective) && effective > 0 ? effective / count : 1);
    }
    if (draws.worst_r_hat > 1.01)
        out.notes.push_back(fmt::format("the chains do not agree yet (R-hat {:.3f}, above 1.01): draw more", draws.worst_r_hat));
    return out;
}

}  // namespace credence::rt::continuous
