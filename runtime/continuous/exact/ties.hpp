#pragma once
// Solving for one of the numbers that an observed one is computed from.

#include <optional>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt::continuous {

/// What the inner term has to be for the whole to have this value: exp(t) = 4 is t = ln 4. The term becomes the inner one. Nothing if it
/// never has the value.
std::optional<Number> solved_for_argument(Term& term, Number value);

/// b of a term that is A + b v, where b is a number and v does not occur in A.
std::optional<Number> coefficient_of(const Term& term, VarId v);

}  // namespace credence::rt::continuous
