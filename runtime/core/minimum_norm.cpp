// Least squares of dependent columns: of all solutions the one of least length.

#include "runtime/core/minimum_norm.hpp"

#include <algorithm>

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

Result<Matrix> minimum_norm_least_squares(const Matrix& x, const Matrix& y, const Run& run) {
    constexpr double most_at_once = 1e8;  // multiplications, about a twentieth of a second
    const std::size_t columns = x.columns;
    const double work = static_cast<double>(x.rows) * static_cast<double>(columns) * static_cast<double>(columns);
    if (run.stopped()) return stopped_fault();
    if (work <= most_at_once || x.rows < 4 * columns) return minimum_norm_least_squares(x, y);
    // The triangle of [X y] has the same least squares: the rows above the next block are the triangle of all before it.
    const auto width = static_cast<Eigen::Index>(columns + y.columns);
    const std::size_t block = std::max<std::size_t>(columns / 4, 64);
    Eigen::MatrixXd stacked;
    Eigen::MatrixXd triangle(0, width);
    for (std::size_t first = 0; first < x.rows; first += block) {
        if (run.stopped()) return stopped_fault();
        const auto n = static_cast<Eigen::Index>(std::min(block, x.rows - first));
        const auto at = static_cast<Eigen::Index>(first);
        stacked.resize(triangle.rows() + n, width);
        stacked.topRows(triangle.rows()) = triangle;
        stacked.bottomRows(n).leftCols(static_cast<Eigen::Index>(columns)) = map_of(x).middleRows(at, n);
        stacked.bottomRows(n).rightCols(static_cast<Eigen::Index>(y.columns)) = map_of(y).middleRows(at, n);
        const Eigen::Index kept = std::min(stacked.rows(), width);
        const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(stacked);
        triangle = qr.matrixQR().topRows(kept).template triangularView<Eigen::Upper>();
    }
    if (run.stopped()) return stopped_fault();
    const RowMajor beta = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(triangle.leftCols(static_cast<Eigen::Index>(columns)))
                              .solve(triangle.rightCols(static_cast<Eigen::Index>(y.columns)));
    return matrix_of(beta);
}

}  // namespace credence::rt
