#pragma once
// Evidence about the region of a number rather than its value: inequalities, intervals, and computed booleans that were observed.

#include "runtime/continuous/unroll/unrolled.hpp"

namespace credence::rt::continuous {

/// A statement of the evidence about numbers, as a term over instances that is true (1) or false (0).
struct Condition {
    Term truth;
    std::optional<std::size_t> event = std::nullopt;     ///< of Unrolled::real_events
    std::optional<std::size_t> instance = std::nullopt;  ///< or the label that was observed
};

/// All of them but those in which a label that is not known has a part. Conjunctions are taken apart.
std::vector<Condition> evidence_conditions(const Unrolled& problem);

/// Where a number lies, if these conditions (over it alone) hold; nothing if they compare more than linear functions of it.
std::optional<Region> region_of(const Instance& instance, VarId number, std::span<const Term> conditions);

/// A number of which nothing else is known or asked, and that nothing else depends on, is replaced by the probability of its region, as if
/// it had been observed. Done where the number would otherwise be one more unknown of an integral. `wanted` are terms that will be asked
/// for.
void censor(Unrolled& problem, const Query& query, std::span<const Term> wanted);

}  // namespace credence::rt::continuous
