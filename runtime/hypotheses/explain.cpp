#include "runtime/hypotheses/ask.hpp"

namespace credence::rt {

Result<Derivation> explain_space(const HypothesisSpace&, const Variables&, const Query&, const Answer&, Run&) { return Derivation{}; }

}  // namespace credence::rt
