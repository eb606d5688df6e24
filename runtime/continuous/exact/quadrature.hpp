#pragma once
// Densities that are known up to a constant, on an unbounded scale.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/continuous/density.hpp"
#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::continuous {

/// A number x on the range of its family as a function of an unbounded u.
struct Coordinate {
    Range range = Range::line;
    double low = 0;   ///< Range::between; −∞: without an end
    double high = 1;  ///< Range::between; ∞: without an end
    /// Of a family with these parameters; nothing if its ends are not known.
    static std::optional<Coordinate> of(Family family, std::span<const Term> parameters);
    double x(double u) const;
    double u(double x) const;          ///< ±∞ at the ends and beyond
    double log_slope(double u) const;  ///< ln dx/du
};

/// A density known up to a constant: `log_weight(u)` is its logarithm over u, slope included. `scan` are ascending points of u that
/// reach where its bulk may be. Nothing if it is nowhere positive.
struct NumericDensity {
    DistributionPtr distribution;  ///< "density"
    double log_total = 0;          ///< ln ∫ exp(log_weight)
};
std::optional<NumericDensity> numeric_density(std::function<double(double)> log_weight, const Coordinate& coordinate,
                                              std::span<const double> scan);

}  // namespace credence::rt::continuous
