#include "runtime/core/tall_triangle.hpp"

#include <algorithm>

#include <Eigen/QR>

#include "runtime/core/eigen_maps.hpp"

namespace credence::rt {

/// A block of rows after the other, so that each is worked on in the cache (TSQR, Demmel et al. 2012).
Matrix tall_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y) {
    const auto p = static_cast<Eigen::Index>(x.columns);
    const Eigen::Index n = p + 1;
    const auto all = static_cast<Eigen::Index>(x.rows);
    const Eigen::Index block = std::max<Eigen::Index>(4 * n, 64);
    const Eigen::VectorXd inverse = Eigen::Map<const Eigen::VectorXd>(size.data(), p).cwiseInverse();
    const Eigen::Map<const Eigen::VectorXd> target(y.data(), all);
    Eigen::MatrixXd stack = Eigen::MatrixXd::Zero(n + block, n);
    Eigen::Index filled = 0;  // rows of R at the top
    for (Eigen::Index first = 0; first < all; first += block) {
        const Eigen::Index rows = std::min(block, all - first);
        stack.block(filled, 0, rows, p) = map_of(x).middleRows(first, rows) * inverse.asDiagonal();
        stack.block(filled, p, rows, 1) = target.segment(first, rows);
        const Eigen::Index height = filled + rows;
        Eigen::Ref<Eigen::MatrixXd> used = stack.topRows(height);
        const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> in_place(used);
        filled = std::min(height, n);
        stack.topLeftCorner(filled, n).triangularView<Eigen::StrictlyLower>().setZero();
    }
    RowMajor out = RowMajor::Zero(n, n);
    out.topRows(filled) = stack.topRows(filled);
    return matrix_of(out);
}

}  // namespace credence::rt
