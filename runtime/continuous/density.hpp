#pragma once
// Short names, in the continuous room, for the densities in a family's record.

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt::continuous {

using Range = ValueRange;
inline Range range_of(Family family) { return family->range; }
/// Whether quadrature can follow its values: those on a circle or above a parameter are left to the samplers.
inline bool has_axis(Family family) {
    return family->range != Range::counts && family->range != Range::above && family->range != Range::circle;
}
/// Where a truncated family's own ends leave off, that of the family it is cut from goes on.
inline Range base_range(Family family) { return family->within ? family->within->range : family->range; }

inline DensityValue log_density(Family family, double x, const double* parameters) {
    return family->log_density ? family->log_density(x, parameters) : bad_parameters();
}

}  // namespace credence::rt::continuous
