#pragma once
// The probability of the events about a component's numbers.

#include "runtime/continuous/exact/exact.hpp"

namespace credence::rt::continuous {

/// P(events | evidence, configuration), those of the evidence or, with `all`, those that are asked for too. Not applicable where no engine
/// has it. What was integrated is added to the posterior.
Attempt<Number> event_mass(const Unrolled& problem, const Component& component, const Subproblem& subproblem, Posterior& posterior,
                           const std::map<VarId, Label>& labels, bool all, const Allowed& allowed, const Run& run);

}  // namespace credence::rt::continuous
