#pragma once
// Observations of the part of the line in which a value lies, not of the value: "more than 9", "between 3 and 4".

#include <functional>
#include <optional>
#include <vector>

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt {

/// low < x ≤ high, of counts too; without an end where it is open.
struct Interval {
    std::optional<Number> low = {};
    std::optional<Number> high = {};

    friend bool operator==(const Interval&, const Interval&) = default;
    double from() const { return low ? low->real() : -std::numeric_limits<double>::infinity(); }
    double to() const { return high ? high->real() : std::numeric_limits<double>::infinity(); }
};
using Region = std::vector<Interval>;  ///< ascending, without overlap

/// The part of the line on which something holds whose truth can change at the marks alone.
Region region_where(std::vector<Number> marks, bool counts, const std::function<bool(double)>& holds);

/// P(X in the region), exact where the distribution function is.
Result<Number> mass_of(const Distribution& distribution, const Region& region);
/// A draw given that it falls into the region, by the quantile function.
Result<double> sample_from(const Distribution& distribution, const Region& region, Rng& rng);

/// ln P(X in the region) and its derivatives by the parameters; −∞ where it is impossible, NaN with parameters outside their range. Far out
/// in a tail that has vanished for doubles, by the first term of the asymptotic series: P(X > x) ≈ −f² / f′.
DensityValue log_mass(const FamilyInfo& family, const Region& region, const double* parameters);
/// The same of one piece, low < X ≤ high.
DensityValue log_mass_between(const FamilyInfo& family, double low, double high, const double* parameters);

}  // namespace credence::rt
