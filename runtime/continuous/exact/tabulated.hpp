#pragma once
// A number known by its distribution function: piecewise Chebyshev polynomials of it on an asinh scale, so that heavy tails and sharp
// corners both fit.

#include <functional>
#include <optional>
#include <string>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt::continuous {

/// What is known before the table is made: where to begin, and how far the values reach at least.
struct TableRange {
    double centre = 0;
    double scale = 1;
    double low = -1;
    double high = 1;
};

/// "density". `cdf` is taken at some hundreds of points; between them the table is right to about 1e-10. Null if the function has no
/// such table (it jumps, or was NaN somewhere).
DistributionPtr tabulated(const std::function<double(double)>& cdf, const TableRange& range);

}  // namespace credence::rt::continuous
