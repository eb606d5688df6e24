#pragma once
// Random variates that several families are made of.

#include "runtime/core/rng.hpp"

namespace credence::rt {

double standard_gamma(double shape, Rng& rng);  ///< gamma(shape, 1)
/// ln of a gamma(shape, 1): small shapes give values far below the smallest double.
double log_standard_gamma(double shape, Rng& rng);

}  // namespace credence::rt
