#pragma once
// What the exact engines say to one query: a table over labels, the distribution of a number or of several, or an expectation.

#include "runtime/continuous/ask.hpp"

namespace credence::rt::continuous {

/// Not applicable where no exact engine answers the query.
Attempt<Answer> exact_answer(const Unrolled& problem, const Query& query, const Choice& choice, const Run& run);

/// The mean of a term: of a sum by the means of its numbers, wherever they are; otherwise within one component.
Attempt<Answer> exact_expectation(const Unrolled& problem, const Term& term, const Query& query, const Choice& choice, const Run& run);

}  // namespace credence::rt::continuous
