#include "runtime/core/tall_triangle.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/eigen_maps.hpp"
#include "runtime/core/lanes.hpp"
#include "runtime/core/large_matrices.hpp"

namespace credence::rt {

namespace {

/// The columns of some rows, and their QR decomposition by Householder's reflections in place.
class Reflections {
public:
    Reflections(std::size_t height, std::size_t columns) : height_(height), values_(height * columns), factors_(columns) {}
    double* column(std::size_t j) { return values_.data() + j * height_; }

    /// R above and on the diagonal, of the first rows. A few columns at a time, which stay in the cache while earlier reflections pass.
    void decompose(std::size_t rows) {
        constexpr std::size_t together = 8;
        const std::size_t n = factors_.size();
        for (std::size_t first = 0; first < n; first += together) {
            const std::size_t end = std::min(first + together, n);
            for (std::size_t k = 0; k < std::min(first, rows); ++k)
                for (std::size_t j = first; j < end; ++j) reflect(k, j, rows);
            for (std::size_t k = first; k < std::min(end, rows); ++k) {
                make_reflection(k, rows);
                for (std::size_t j = k + 1; j < end; ++j) reflect(k, j, rows);
            }
        }
    }

private:
    /// I − factor v vᵀ with v = (1, what is left below the diagonal) makes column k zero there.
    void make_reflection(std::size_t k, std::size_t rows) {
        double* const head = column(k) + k;
        const std::size_t below = rows - k - 1;
        const double squares = dot(head + 1, head + 1, below);
        factors_[k] = 0;
        if (squares == 0) return;
        const double diagonal = std::copysign(std::sqrt(*head * *head + squares), -*head);
        factors_[k] = (diagonal - *head) / diagonal;
        set_scaled(head + 1, 1 / (*head - diagonal), head + 1, below);
        *head = diagonal;
    }

    void reflect(std::size_t k, std::size_t j, std::size_t rows) {
        if (factors_[k] == 0) return;
        const double* const v = column(k) + k + 1;
        double* const head = column(j) + k;
        const std::size_t below = rows - k - 1;
        const double part = factors_[k] * (*head + dot(v, head + 1, below));
        *head -= part;
        add_scaled(head + 1, -part, v, below);
    }

    std::size_t height_;
    std::vector<double> values_;
    std::vector<double> factors_;
};

/// A block of rows after the other, so that each is worked on in the cache (TSQR, Demmel et al. 2012).
Result<Matrix> narrow_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y, const Run& run) {
    const std::size_t p = x.columns;
    const std::size_t n = p + 1;
    const std::size_t block = std::max<std::size_t>(4 * n, 64);
    Reflections stack(n + block, n);
    std::size_t filled = 0;  // rows of R at the top
    for (std::size_t first = 0; first < x.rows; first += block) {
        if (run.stopped()) return stopped_fault();
        const std::size_t rows = std::min(block, x.rows - first);
        for (std::size_t j = 0; j < p; ++j) {
            const double inverse = 1 / size[j];
            double* const to = stack.column(j) + filled;
            for (std::size_t i = 0; i < rows; ++i) to[i] = x(first + i, j) * inverse;
        }
        std::copy_n(y.data() + first, rows, stack.column(p) + filled);
        const std::size_t height = filled + rows;
        stack.decompose(height);
        filled = std::min(height, n);
        for (std::size_t j = 0; j < n; ++j) std::fill_n(stack.column(j) + std::min(j + 1, height), height - std::min(j + 1, height), 0.0);
    }
    Matrix out(filled, n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < std::min(filled, j + 1); ++i) out(i, j) = stack.column(j)[i];
    return out;
}

/// The same in large products: more columns than stay in the cache.
Result<Matrix> wide_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y, const Run& run) {
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

}  // namespace

Result<Matrix> tall_triangle(const Matrix& x, std::span<const double> size, std::span<const double> y, const Run& run) {
    constexpr std::size_t wide = 256;  // columns; below, loops of our own have the same bits on every machine
    return x.columns < wide ? narrow_triangle(x, size, y, run) : wide_triangle(x, size, y, run);
}

}  // namespace credence::rt
