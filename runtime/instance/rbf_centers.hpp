#pragma once
// The centres and widths of the bumps of a radial basis network.

#include "runtime/core/linalg.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/core/run.hpp"
#include "runtime/instance/rbf.hpp"

namespace credence::rt {

/// A subset of the rows without repetition, in their order.
Matrix random_centers(const Matrix& points, std::size_t n, Rng rng);
/// The largest grid of at most n points over the box of the points; every axis is cut as evenly as that allows.
Matrix grid_centers(const Matrix& points, std::size_t n);
/// The means of a mixture of n round normals with one variance each, by EM from seeds spread as k-means++ does.
/// As far as it has come where the run is stopped.
Matrix em_centers(const Matrix& points, std::size_t n, Rng rng, const Run& run);
/// For each centre, the distance to the nearest other one that differs, times the factor; 1 if there is none.
std::vector<double> nearest_center_widths(const Matrix& centers, double factor);

}  // namespace credence::rt
