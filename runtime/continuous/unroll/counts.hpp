#pragma once
// Counts without a bound that others depend on: they are summed over up to where nothing is left of them.

#include "runtime/continuous/unroll/unrolled.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt::continuous {

/// The query unrolled, with a finite domain 0 … K for each latent count that is more than a leaf of its own. K is so large that what lies
/// beyond it has less than 1e-17 of the probability of the evidence. Counts that would need too many values stay as they are.
/// `carried` are variables that something else will be computed from, so that counts among them are summed over in any case, and how
/// probable that something is: the logarithm of its share of the probability of the evidence.
struct Carried {
    std::vector<VarId> variables;
    double log_share = 0;
};
Result<Unrolled> prepare(const Expanded& net, const Query& query, const Run& run, std::vector<Term>* extra = nullptr,
                         const Carried& carried = {});

/// "counts": whole numbers, ascending, with their probabilities, which sum to 1.
DistributionPtr make_count_table(std::vector<std::pair<std::int64_t, Number>> masses);

}  // namespace credence::rt::continuous
