#include "runtime/core/tall_triangle.hpp"

#include <algorithm>

#include "runtime/core/eigen_maps.hpp"
#include "runtime/core/large_matrices.hpp"

namespace credence::rt {

/// A block of rows after the other, so that each is worked on in the cache (TSQR, Demmel et al. 2012).
Result<Matrix> tall_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y, const Run& run) {
    const auto p = static_cast<Eigen::Index>(x.columns);
    const Eigen::Index n = p + 1;
    const auto all = static_cast<Eigen::Index>(x.rows);
    const Eigen::Index block = std::max<Eigen::Index>(4 * n, 64);
    const Eigen::VectorXd inverse = Eigen::Map<const Eigen::VectorXd>(size.data(), p).cwiseInverse();
    const Eigen::Map<const Eigen::VectorXd> target(y.data(), all);
    Columns stacked(all <= block ? all : n + block, n);
    auto stack = stacked.map();
    Eigen::Index filled = 0;  // rows of R at the top
    for (Eigen::Index first = 0; first < all; first += block) {
        const Eigen::Index rows = std::min(block, all - first);
        stack.block(filled, 0, rows, p) = map_of(x).middleRows(first, rows) * inverse.asDiagonal();
        stack.block(filled, p, rows, 1) = target.segment(first, rows);
        const Eigen::Index height = filled + rows;
        TRY(triangularise(stack.topRows(height), run));
        filled = std::min(height, n);
        stack.topLeftCorner(filled, filled).triangularView<Eigen::StrictlyLower>().setZero();
    }
    Matrix out(static_cast<std::size_t>(filled), static_cast<std::size_t>(n));
    Eigen::Map<RowMajor>(out.values.data(), filled, n) = stack.topRows(filled);
    return out;
}

}  // namespace credence::rt
