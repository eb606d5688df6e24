#pragma once
// The outcome of a parametric space, compiled to terms, so that the runtime goes through the grid without the script.

#include "lang/eval/hypothesis_outcomes.hpp"
#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::lang {

class Evaluator;

/// A term over the parameters (in their slots) and the inputs after them. Nothing if the expression cannot be written as a term; errors
/// in it are reported by the evaluator.
std::optional<rt::Term> grid_term(Evaluator& evaluator, const Expr& expr, std::size_t variables);
/// `numbers`: what a bare number means.
std::optional<rt::OutcomeTerms> outcome_terms(Evaluator& evaluator, const Expr& expr, std::size_t variables, NumberMeans numbers);

}  // namespace credence::lang
