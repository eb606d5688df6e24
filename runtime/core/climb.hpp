#pragma once
// Peaks of smooth functions of several numbers: the method of Broyden, Fletcher, Goldfarb and Shanno with halved steps.

#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace credence::rt {

/// A function at x, and its gradient; not finite where it has no value.
using Slopes = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// A point, the function there and its slopes.
struct Summit {
    std::vector<double> at;
    std::vector<double> slopes;
    double height = -INFINITY;
};

/// When a climb ends: a step gains no more than `gain` of the height, and the squared slopes sum to less than `squared_slopes`.
struct ClimbEnd {
    double gain = 1e-13;
    double squared_slopes = 1e-10;
};

/// Uphill from a point where the function and its slopes are known.
void climb(Summit& here, const Slopes& target, const std::function<bool()>& stopped, ClimbEnd end = {});

}  // namespace credence::rt
