#pragma once
// Terms as quantities: what is computed from finite variables, in the form that can be built up part by part.

#include <functional>

#include "runtime/prob/queries/quantity.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt::continuous {

/// What a leaf of a term stands for; null where it is nothing finite.
using QuantityOfLeaf = std::function<QuantityPtr(const TermNode&)>;

/// A sum of many terms as one sum, and so on. Null where some leaf or operation cannot be a quantity.
QuantityPtr quantity_of(const Term& term, const QuantityOfLeaf& leaf);

/// The quantity with `put(v)` in place of each variable; parts that are shared stay shared. Null where some `put` is null.
QuantityPtr with_parts(const QuantityPtr& quantity, const std::function<QuantityPtr(VarId)>& put);

}  // namespace credence::rt::continuous
