#pragma once
// Of a table with many more rows than columns least squares needs the triangle of its QR decomposition alone.

#include <span>

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// The upper triangle R with RᵀR = AᵀA of A = [X / size, y]; `size` divides the columns of X. It has no more rows than A.
Result<Matrix> tall_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y, const Run& run);

}  // namespace credence::rt
