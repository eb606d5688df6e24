#pragma once
// Which numbers drawn from normal(m, s) are moved as they are, and which as z in m + s · z.

#include "runtime/continuous/sample/log_posterior.hpp"

namespace credence::rt::continuous {

/// The density for the chains. Where an s is not known, a short chain with all of them as z looks at each number: where the data say more
/// of it than normal(m, s) does, it is moved as it is.
Result<LogPosterior> posterior_for_chains(const Unrolled& problem, const Run& run);

}  // namespace credence::rt::continuous
