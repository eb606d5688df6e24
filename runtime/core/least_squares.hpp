#pragma once
// Least squares, with the uncertainty of the coefficients.

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

struct LeastSquaresWithCovariance : LeastSquares {
    Matrix unscaled_covariance;  ///< (XᵀX)⁻¹; of dependent columns: 0
    double log_determinant = 0;  ///< ln |XᵀX| over the other columns
};
Result<LeastSquaresWithCovariance> least_squares_with_covariance(const Matrix& x, std::span<const double> y, const Run& run);

}  // namespace credence::rt
