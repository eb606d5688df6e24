#pragma once
// Derivations of queries with uncertain evidence, for every model that can be asked without it.

#include <functional>

#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

/// P of a query in which nothing is free.
using AskNumber = std::function<Result<Number>(const Query&)>;

/// Uncertain evidence is taken up one item after the other, likelihoods first: the rule of the last one, with the others inside its
/// terms, in each of the cases.
Status explain_soft(const Query& query, const Variables& variables, const QueryCases& cases, const AskNumber& ask, DerivationWriter& out);

}  // namespace credence::rt
