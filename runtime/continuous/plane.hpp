#pragma once
// Probabilities, means and distributions of functions of one number or of two, by integrals along the first of P(… | first number).

#include "runtime/continuous/axes.hpp"

namespace credence::rt::continuous {

/// P(condition), for a condition that is true (1) or false (0). NaN where the integral was not found.
Number mass_on(const OnAxes& on, const Term& condition);

/// E(term; condition): the integral of the term where the condition holds, which is not divided by P(condition). Infinite where it
/// diverges.
double integral_on(const OnAxes& on, const Term& term, const Term& condition);

/// The distribution of a term given the condition; null where none was found.
DistributionPtr distribution_on(const OnAxes& on, const Term& term, const Term& condition);

}  // namespace credence::rt::continuous
