#pragma once
// Numbers and distributions within a sentence of a derivation.

#include <string>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

/// "1/3"; or a decimal where the fraction is long.
std::string number_words(const Number& n);

/// "normal(165, 6)": an expression of the language; empty if the distribution is none of its families.
std::string distribution_words(const Distribution& distribution);

}  // namespace credence::rt
