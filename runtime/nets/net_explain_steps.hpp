#pragma once
// What a sum of products is computed by where it is too long to write, and what an entry of a noisy-or is computed from.

#include "runtime/nets/net_case.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

/// P of assignments by variable elimination: each table that a summed-out variable leaves, and the numbers whose product is left.
struct EliminationTrace {
    std::vector<std::string> notes;
    std::vector<Parts> factors;
    Number value = 1;
};
/// Of several disjoint assignments to the same variables, in which the event `where` holds, the variables that differ are summed over too,
/// with [where] as a factor. Nothing if a table would be too large to make here.
std::optional<EliminationTrace> trace_elimination(const NetCase& c, const Net& net, std::span<const Pairs> assignments,
                                                  const std::string& where);

/// A table declared as a noisy-or: P(false | causes) is the product of the failures of the causes that are true, and of the leak's.
struct NoisyOr {
    Number leak_fails;
    std::vector<Number> fails;  ///< by parent
};
std::optional<NoisyOr> noisy_or_of(const Net& net, std::size_t node);
/// "1 - 0.6 * 0.2 = 0.88", the failures of what is true under these values of the parents.
std::string noisy_entry(const Net& net, std::size_t node, const NoisyOr& noisy, const ProbabilityTerm& term, const Number& value);

}  // namespace credence::rt
