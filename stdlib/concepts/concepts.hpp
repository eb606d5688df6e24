#pragma once
// What the spaces of concepts and the learners over them share.

#include "lang/builtin/registry.hpp"
#include "lang/value/value.hpp"
#include "runtime/hypotheses/concepts.hpp"

namespace credence::std_ {

lang::Value value_of(const rt::Cells& cells, const rt::Schema& schema);
/// A conjunction is an instance, a disjunction or a subset a set of them, a predicate its name.
lang::Value value_of(const rt::Concept& h, const rt::ConceptSpace& space);

void add_concept_learners(lang::Registry& r);

}  // namespace credence::std_
