#pragma once
// All points against all queries, in blocks: floats sort out, doubles decide.

#include <span>

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"
#include "runtime/instance/nearest.hpp"

namespace credence::rt {

/// Whether there are enough queries, points and dimensions for the blocks to be worth their preparation.
bool blocked_scan_pays(const Matrix& points, std::size_t queries, std::size_t k);

/// The k nearest (euclidean) of each query, row by row: the same neighbours and distances as a scan in doubles.
void blocked_scan(const Matrix& points, const Matrix& queries, std::size_t k, const Run& run, std::span<Neighbour> out);

}  // namespace credence::rt
