#pragma once
// Probabilities of events about one number, and about a function of one number.

#include <functional>
#include <span>
#include <vector>

#include "runtime/prob/distribution.hpp"

namespace credence::rt::continuous {

/// P(X holds), where truth can change at the marks alone.
Result<Number> mass_by_marks(const Distribution& distribution, std::vector<Number> marks, const std::function<bool(double)>& holds);

/// P(f(X) holds), where truth can change at the marks of f(x) alone: the pieces of the line on which it holds are found by following f from
/// one end of the distribution to the other, and each counts by the distribution function. f is taken to turn at most once in a thousandth
/// of the distribution.
Result<Number> mass_of_image(const Distribution& distribution, const std::function<double(double)>& f, std::span<const Number> marks,
                             const std::function<bool(double)>& holds);

}  // namespace credence::rt::continuous
