#pragma once
// The Cholesky factor of a covariance and its derivative, both matrices as lower triangles row by row.

#include <cstddef>
#include <optional>
#include <span>

namespace credence::rt {

/// The place of an entry of a lower triangle.
inline std::size_t place_in_triangle(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }
/// The rows of a triangle of so many entries; nothing if there is none.
std::optional<std::size_t> triangle_rows(std::size_t entries);

/// L of L Lᵀ in place of the covariance; NaN everywhere if that is not positive definite.
void factor_triangle(std::span<double> triangle);
/// Derivatives by the entries of L become those by the entries of the covariance, each of which occurs on both sides of the diagonal but
/// counts once.
void factor_slopes(std::span<const double> factor, std::span<double> slopes);

}  // namespace credence::rt
