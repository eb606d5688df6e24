#pragma once
// Least squares of dependent columns, of problems so large that they can be stopped.

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// The solution of least length, column by column of y. Many rows come in block after block.
Result<Matrix> minimum_norm_least_squares(const Matrix& x, const Matrix& y, const Run& run);

}  // namespace credence::rt
