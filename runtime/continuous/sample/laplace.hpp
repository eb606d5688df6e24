#pragma once
// Draws from a normal approximation of a density round its highest point, on the unbounded scale, weighted by how far it is off.

#include <optional>

#include "runtime/continuous/sample/nuts.hpp"

namespace credence::rt::continuous {

/// `draws` of them, chosen by their smoothed importance weights out of as many. Nothing if no highest point was found, or the density is
/// not curved downwards there in every direction.
std::optional<NutsChain> run_laplace(std::size_t dimension, const LogGradient& target, std::size_t draws, Rng rng,
                                     const std::function<bool()>& stopped);

}  // namespace credence::rt::continuous
