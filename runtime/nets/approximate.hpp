#pragma once
// The engines that answer approximately.

#include "runtime/nets/sampling.hpp"

namespace credence::rt {

/// rejection(n): draws along the arcs, keeps those that agree with the evidence.
Result<Answer> ask_by_rejection(const Net& net, const Variables& variables, const Query& query, Run& run);

/// likelihood_weighting(n): observed values are set, and their probability is the sample's weight.
Result<Answer> ask_by_likelihood_weighting(const Net& net, const Variables& variables, const Query& query, Run& run);

/// gibbs(n, burn): n sweeps in four chains, each after `burn` sweeps that do not count.
Result<Answer> ask_by_gibbs(const Net& net, const Variables& variables, const Query& query, Run& run);
/// `zero` is the fault for impossible evidence.
Result<Answer> gibbs_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run);

/// belief_propagation(iterations, damping, tolerance): exact where the graph is a tree, else a fixed point or what there is after the
/// last iteration.
Result<Answer> ask_by_belief_propagation(const Net& net, const Variables& variables, const Query& query, Run& run);
Result<Answer> propagated_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run);

}  // namespace credence::rt
