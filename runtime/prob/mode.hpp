#pragma once
// The most probable value of a distribution.

#include "runtime/prob/distribution.hpp"

namespace credence::rt {

/// Where the density or probability is largest, the first of equals; by formula, and exact, where the family has one. E-UNDEFINED where
/// it is flat, or grows without bound; E-TYPE where only draws are known.
Result<Outcome> mode(const Distribution& d);

}  // namespace credence::rt
