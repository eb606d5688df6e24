#pragma once
// Draws from a normal approximation of a density on the unbounded scale, weighted by how far it is off: round the highest point (Laplace),
// or where it comes closest on the whole (variational).

#include <optional>

#include "runtime/continuous/sample/nuts.hpp"
#include "runtime/core/climb.hpp"
#include "runtime/core/linalg.hpp"

namespace credence::rt::continuous {

using Stopped = std::function<bool()>;

/// The highest of the points that climbs from several starts reach; nothing where the density has no finite value.
std::optional<Summit> highest_point(std::size_t dimension, const LogGradient& target, Rng& rng, const Stopped& stopped);
/// −∂² ln p at a point, from central differences of the slopes.
Matrix curvature_at(const Summit& summit, const LogGradient& target);

/// As many draws as there are points, chosen by their smoothed importance weights.
NutsChain chosen_by_weight(std::size_t dimension, std::span<const double> points, std::span<const double> log_ratios, Rng& rng);

/// Nothing where no highest point was found, or the density is not curved downwards there in every direction.
std::optional<NutsChain> run_laplace(std::size_t dimension, const LogGradient& target, std::size_t draws, Rng rng, const Stopped& stopped);

constexpr std::size_t most_full_rank = 60;  ///< numbers of which a full covariance is fitted
/// The normal distribution with the least divergence KL(q ‖ p): independent numbers (mean field), or with a full covariance. Nothing where
/// no place with a finite density was found, or `full_rank` has more than most_full_rank numbers.
std::optional<NutsChain> run_variational(std::size_t dimension, const LogGradient& target, bool full_rank, std::size_t draws, Rng rng,
                                         const Stopped& stopped);

}  // namespace credence::rt::continuous
