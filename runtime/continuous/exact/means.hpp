#pragma once
// Means by formula: of what is drawn from other numbers, and of terms over numbers with known distributions.

#include "runtime/continuous/unroll/subproblem.hpp"

namespace credence::rt::continuous {

/// Linear terms by the means of their numbers, polynomials of shares by their moments, other functions of one number by an integral, which
/// `integrated` tells. Nothing if no engine has it.
std::optional<Number> mean_given(const Posterior& posterior, const Term& term, bool& integrated);

/// Whether two terms have no piece of the subproblem in common: the mean of their product is the product of their means.
bool are_independent(const Subproblem& subproblem, const Term& a, const Term& b);

/// The term with the mean of a number in its place, if the number occurs in it with a constant factor, nothing depends on it and nothing is
/// known of it besides what it is drawn from: E(y) is E(mu) of y ~ normal(mu, s).
Term with_means_of_leaves(const Unrolled& problem, const Term& term);

}  // namespace credence::rt::continuous
