#pragma once
// How a hypothesis space answers, samples and explains.

#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::rt {

Result<Answer> ask_space(const HypothesisSpace& space, const Variables& variables, const Query& query, Run& run);
Result<TablePtr> sample_space(const HypothesisSpace& space, const Variables& variables, std::size_t n, const Clause& given, Run& run);
Result<Derivation> explain_space(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer,
                                 Run& run);

/// The posterior over all parameters under the evidence, in the order of the hypotheses.
Result<Answer> posterior_of(const HypothesisSpace& space, const Variables& variables, const Clause& given, Origin origin, const Run& run);

}  // namespace credence::rt
