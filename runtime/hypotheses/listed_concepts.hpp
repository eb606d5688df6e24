#pragma once
// Spaces of concepts beyond conjunctions: disjunctions of a few of them, every subset of the instances, and predicates of the user's own.

#include "runtime/hypotheses/conjunctions.hpp"

namespace credence::rt {

/// Unions of at most k conjunctions, each once. E-COST if the instances or the unions are too many to go through.
Result<ConceptSpacePtr> make_disjunctions(ConceptSchema concepts, std::size_t k, ConjunctionSettings settings);

/// Every subset of the instances: the learner without a bias, whose votes on what it has not seen are all even.
ConceptSpacePtr make_powerset(ConceptSchema concepts);

/// Named predicates; `holds` is called with the values of the instance.
struct Predicate {
    std::string name;
    std::function<Result<bool>(std::span<const Label> instance)> holds;
};
Result<ConceptSpacePtr> make_predicates(ConceptSchema concepts, std::vector<Predicate> predicates, ConjunctionSettings settings);

/// A space as its `save` wrote it: conjunctions, disjunctions or the powerset.
Result<ConceptSpacePtr> read_concept_space(const Json& json);

/// The members that agree with every example, one by one; left_after, where given, gets how many were left after each.
Result<VersionSpacePtr> eliminate_listed(ConceptSpacePtr space, std::span<const ConceptExample> examples, const Run& run,
                                         std::vector<std::size_t>* left_after = nullptr);

}  // namespace credence::rt
