#pragma once
// Lines of derivations and numbers as MathML: fractions are set as fractions.

#include <string>
#include <string_view>

#include "runtime/core/number.hpp"

namespace credence::cli {

/// An expression of the language, or several with = or ≈ between. What does not parse stays text. The terms of a sum and the factors
/// of a product are formulas of their own, so that a long one breaks between them.
std::string math_html(std::string_view text);

/// The fraction set as one, or an integer; a real with ≈ and so many digits.
std::string number_html(const rt::Number& number, int digits);

}  // namespace credence::cli
