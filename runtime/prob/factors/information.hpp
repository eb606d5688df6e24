#pragma once
// Entropy, mutual information and divergence, in bits, over a joint distribution as a dense table.

#include <cstddef>
#include <span>

namespace credence::rt {

/// −Σ p log₂ p, with 0 log 0 = 0. Entries are probabilities that sum to 1.
double entropy_bits(std::span<const double> probabilities);

// A joint is laid out as Factor has it: row-major, the last variable fastest; sizes are the numbers of values, and
// x, y, z positions of variables (in any order, possibly overlapping or empty). Variables not named are summed out.
// Entries are probabilities that sum to 1. Sums run in the order of the table and are compensated; no result is below 0.

double entropy(std::span<const double> joint, std::span<const std::size_t> sizes, std::span<const std::size_t> x);  ///< H(X)
double conditional_entropy(std::span<const double> joint, std::span<const std::size_t> sizes, std::span<const std::size_t> x,
                           std::span<const std::size_t> y);  ///< H(X | Y)
double mutual_information(std::span<const double> joint, std::span<const std::size_t> sizes, std::span<const std::size_t> x,
                          std::span<const std::size_t> y, std::span<const std::size_t> z = {});  ///< I(X; Y | Z)

}  // namespace credence::rt
