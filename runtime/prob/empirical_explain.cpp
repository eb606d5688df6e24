#include "runtime/prob/empirical_counts.hpp"

namespace credence::rt {

Result<Derivation> explain_table(const Table&, const Variables&, const Query&, const Answer&, Run&) { return Derivation{}; }

}  // namespace credence::rt
