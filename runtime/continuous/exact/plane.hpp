#pragma once
// Probabilities, means and distributions of functions of one number or of two, by integrals along the first of P(… | first number).

#include "runtime/continuous/exact/axes.hpp"

namespace credence::rt::continuous {

/// P(condition), for a condition that is true (1) or false (0). NaN where the integral was not found.
Number mass_on(const OnAxes& on, const Term& condition);

/// E(term; condition): the integral of the term where the condition holds, which is not divided by P(condition). Infinite where it
/// diverges.
double integral_on(const OnAxes& on, const Term& term, const Term& condition);

/// The distribution of a term given the condition; null if none was found.
DistributionPtr distribution_on(const OnAxes& on, const Term& term, const Term& condition);

/// "P(b - a > 0) = integral over a of p(a) * P(b - a > 0 | a)": what mass_on computes, for people.
std::string integral_words(const OnAxes& on, const std::string& condition);

}  // namespace credence::rt::continuous
