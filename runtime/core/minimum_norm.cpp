// Least squares of dependent columns: of all solutions the one of least length.

#include <Eigen/QR>

#include "runtime/core/eigen_maps.hpp"

namespace credence::rt {

std::vector<double> minimum_norm_least_squares(const Matrix& x, std::span<const double> y) {
    Matrix target(y.size(), 1);
    std::copy(y.begin(), y.end(), target.values.begin());
    return minimum_norm_least_squares(x, target).values;
}

Matrix minimum_norm_least_squares(const Matrix& x, const Matrix& y) {
    const RowMajor beta = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(map_of(x)).solve(map_of(y));
    return matrix_of(beta);
}

}  // namespace credence::rt
