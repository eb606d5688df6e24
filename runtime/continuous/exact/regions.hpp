#pragma once
// Probabilities of events about one number, and about a function of one number.

#include <functional>
#include <span>
#include <vector>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt::continuous {

/// P(X holds), where truth can change at the marks alone.
Result<Number> mass_by_marks(const Distribution& distribution, std::vector<Number> marks, const std::function<bool(double)>& holds);

/// A function of a number, and the values at which it matters that it passes them.
struct Curve {
    std::function<double(double)> f;
    std::vector<Number> marks;
};

/// P(X holds), where truth can change alone where a curve passes one of its marks: the pieces of the line on which it holds are found by
/// following the curves from one end of the distribution to the other, and each counts by the distribution function. A curve is taken to
/// turn at most once in a thousandth of the distribution.
Result<Number> mass_of_region(const Distribution& distribution, std::span<const Curve> curves, const std::function<bool(double)>& holds);

struct Piece {
    double low = 0;
    double high = 0;
};

/// "density", or of a count "counts": the distribution of X given that it holds, where truth can change at the marks alone. Null if it
/// never holds.
DistributionPtr make_restricted(DistributionPtr whole, std::vector<Number> marks, const std::function<bool(double)>& holds);

}  // namespace credence::rt::continuous
