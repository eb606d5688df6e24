#include "runtime/core/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/QR>

#include "runtime/core/eigen_maps.hpp"
#include "runtime/core/large_matrices.hpp"
#include "runtime/core/tall_triangle.hpp"

namespace credence::rt {

namespace {

/// |x| of each column, 1 for columns of zeros.
std::vector<double> lengths_of_columns(const Matrix& x) {
    std::vector<double> size(x.columns, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < x.columns; ++c) size[c] += x(i, c) * x(i, c);
    for (double& s : size) s = s > 0 ? std::sqrt(s) : 1.0;
    return size;
}

/// Whether no column of R is near the span of those before it: what is left of it stands on the diagonal.
bool stand_apart(const Eigen::Ref<const Eigen::MatrixXd>& r) {
    constexpr double far_enough = 1e-8;  // where rounding cannot matter to the tolerance below
    if (r.rows() < r.cols()) return false;
    for (Eigen::Index c = 0; c < r.cols(); ++c)
        if (!(std::abs(r(c, c)) > far_enough * r.col(c).head(c + 1).norm())) return false;
    return true;
}

/// Columns of R that earlier ones do not determine, by Gram–Schmidt with a second pass: the order of the user's columns decides.
Result<std::vector<std::size_t>> independent_columns(const Eigen::Ref<const Eigen::MatrixXd>& r, const Run& run) {
    constexpr double tolerance = 1e-11;
    std::vector<std::size_t> out;
    if (stand_apart(r)) {
        out.resize(static_cast<std::size_t>(r.cols()));
        std::iota(out.begin(), out.end(), std::size_t{0});
        return out;
    }
    Columns memory(r.rows(), std::min(r.rows(), r.cols()));
    auto basis = memory.map();
    for (Eigen::Index c = 0; c < r.cols(); ++c) {
        if (run.stopped()) return stopped_fault();
        Eigen::VectorXd v = r.col(c);
        const double size = v.norm();
        const auto k = static_cast<Eigen::Index>(out.size());
        if (size == 0 || k == basis.cols()) continue;
        for (int pass = 0; pass < 2; ++pass) {
            const Eigen::VectorXd shares = basis.leftCols(k).transpose() * v;
            v -= basis.leftCols(k) * shares;
        }
        if (v.norm() <= tolerance * size) continue;
        basis.col(k) = v.normalized();
        out.push_back(static_cast<std::size_t>(c));
    }
    return out;
}

std::vector<std::size_t> all_but(const std::vector<std::size_t>& kept, std::size_t count) {
    std::vector<std::size_t> out;
    for (std::size_t c = 0, k = 0; c < count; ++c) {
        if (k < kept.size() && kept[k] == c)
            ++k;
        else
            out.push_back(c);
    }
    return out;
}

/// The independent columns of one problem, scaled to unit length, and their triangle: pivoted where there are few.
class Solver {
public:
    Solver(const Matrix& x, std::span<const double> y, const Run& run) : x_(x), y_(y), run_(run), size_(lengths_of_columns(x)) {}

    Result<LeastSquaresWithCovariance> answer() {
        LeastSquaresWithCovariance out;
        out.coefficients.assign(x_.columns, 0.0);
        out.unscaled_variances.assign(x_.columns, 0.0);
        {
            const Matrix reduced = TRY(tall_triangle(x_, size_, y_, run_));
            whole_ = Columns(static_cast<Eigen::Index>(reduced.rows), p() + 1);
            whole_.map() = map_of(reduced);
        }
        kept_ = TRY(independent_columns(whole_.map().leftCols(p()), run_));
        out.unscaled_covariance = Matrix(x_.columns, x_.columns);
        out.dependent = all_but(kept_, x_.columns);
        if (kept_.empty()) return out;
        TRY(decompose());
        const Eigen::VectorXd beta = TRY(coefficients());
        for (Eigen::Index k = 0; k < m(); ++k) {
            const auto column = kept_[static_cast<std::size_t>(k)];
            out.coefficients[column] = beta(k) / size_[column];
        }
        TRY(tell_covariance(out));
        return out;
    }

private:
    static constexpr std::size_t most_pivoted = 400;  // Eigen's pivoting cannot be stopped

    Eigen::Index p() const { return static_cast<Eigen::Index>(x_.columns); }
    Eigen::Index m() const { return static_cast<Eigen::Index>(kept_.size()); }

    /// [X y] of the kept columns to R and Qᵀy.
    Status decompose() {
        if (kept_.size() == x_.columns && kept_.size() > most_pivoted) return order_as_they_are();
        Columns chosen(whole_.rows(), m() + 1);
        for (Eigen::Index k = 0; k < m(); ++k)
            chosen.map().col(k) = whole_.map().col(static_cast<Eigen::Index>(kept_[static_cast<std::size_t>(k)]));
        chosen.map().col(m()) = whole_.map().col(p());
        whole_ = std::move(chosen);
        if (kept_.size() > most_pivoted) {
            TRY(triangularise(whole_.map(), run_));
            return order_as_they_are();
        }
        const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(whole_.map().leftCols(m()));
        const auto order = qr.colsPermutation().indices();
        order_.assign(order.data(), order.data() + m());
        first_ = qr.solve(whole_.map().col(m()));
        Columns triangle(m(), m());
        triangle.map() = qr.matrixR().topLeftCorner(m(), m()).triangularView<Eigen::Upper>();
        whole_ = std::move(triangle);
        return Done{};
    }

    Status order_as_they_are() {
        order_.resize(kept_.size());
        std::iota(order_.begin(), order_.end(), 0);
        first_ = triangle().triangularView<Eigen::Upper>().solve(whole_.map().col(m()).head(m()));
        return Done{};
    }

    Eigen::Ref<const Eigen::MatrixXd> triangle() const { return whole_.map().topLeftCorner(m(), m()); }

    /// At least this; of pivoted columns about it.
    double condition() const {
        const Eigen::VectorXd diagonal = triangle().diagonal().cwiseAbs();
        return diagonal.maxCoeff() / diagonal.minCoeff();
    }

    /// Badly conditioned tables: the corrected seminormal equations (Björck 1987). With residuals and their products in extended precision
    /// each step gains the digits that the condition leaves, and none is lost to the squaring of it.
    Result<Eigen::VectorXd> coefficients() const {
        Eigen::VectorXd beta = first_;
        const double badly = condition();
        for (int pass = 0; pass < 3 && badly > 100; ++pass) {
            const Eigen::VectorXd gradient = TRY(gradient_at(beta));
            const Eigen::VectorXd step = solve_normal(gradient);
            beta += step;
            if (step.norm() <= 1e-16 * beta.norm()) break;
        }
        return beta;
    }

    /// Xᵀ(y − Xβ) over the kept columns, in extended precision.
    Result<Eigen::VectorXd> gradient_at(const Eigen::VectorXd& beta) const {
        std::vector<long double> scaled(kept_.size());
        std::vector<long double> products(kept_.size(), 0.0L);
        for (std::size_t k = 0; k < kept_.size(); ++k)
            scaled[k] = static_cast<long double>(beta(static_cast<Eigen::Index>(k))) / static_cast<long double>(size_[kept_[k]]);
        for (std::size_t i = 0; i < x_.rows; ++i) {
            if (i % 1024 == 0 && run_.stopped()) return stopped_fault();
            const auto row = x_.row(i);
            long double e = y_[i];
            for (std::size_t k = 0; k < kept_.size(); ++k) e -= static_cast<long double>(row[kept_[k]]) * scaled[k];
            for (std::size_t k = 0; k < kept_.size(); ++k) products[k] += e * static_cast<long double>(row[kept_[k]]);
        }
        Eigen::VectorXd out(m());
        for (std::size_t k = 0; k < kept_.size(); ++k)
            out(static_cast<Eigen::Index>(k)) = static_cast<double>(products[k] / static_cast<long double>(size_[kept_[k]]));
        return out;
    }

    /// (RᵀR) β = g
    Eigen::VectorXd solve_normal(const Eigen::VectorXd& g) const {
        Eigen::VectorXd permuted(m());
        for (Eigen::Index k = 0; k < m(); ++k) permuted(k) = g(order_[static_cast<std::size_t>(k)]);
        Eigen::VectorXd z = triangle().transpose().triangularView<Eigen::Lower>().solve(permuted);
        z = triangle().triangularView<Eigen::Upper>().solve(z);
        for (Eigen::Index k = 0; k < m(); ++k) permuted(order_[static_cast<std::size_t>(k)]) = z(k);
        return permuted;
    }

    /// The place in the table of the k-th column of the triangle.
    std::size_t column_of(Eigen::Index k) const { return kept_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])]; }

    Status tell_covariance(LeastSquaresWithCovariance& out) const {
        const Columns inverse = TRY(inverse_of_triangle(triangle(), run_));
        TRY(each_block_of_square(inverse, run_, [&](Eigen::Index first_row, Eigen::Index first_column, const Eigen::MatrixXd& block) {
            for (Eigen::Index k = 0; k < block.rows(); ++k)
                for (Eigen::Index l = 0; l < block.cols(); ++l) {
                    const auto row = column_of(first_row + k);
                    const auto column = column_of(first_column + l);
                    out.unscaled_covariance(row, column) = block(k, l) / size_[row] / size_[column];
                    out.unscaled_covariance(column, row) = block(k, l) / size_[column] / size_[row];
                }
        }));
        for (Eigen::Index k = 0; k < m(); ++k) {
            const auto column = column_of(k);
            out.unscaled_variances[column] = out.unscaled_covariance(column, column);
            out.log_determinant += 2 * (std::log(std::abs(triangle()(k, k))) + std::log(size_[column]));
        }
        return Done{};
    }

    const Matrix& x_;
    std::span<const double> y_;
    const Run& run_;
    std::vector<double> size_;
    Columns whole_{0, 0};  ///< the triangle of the scaled columns and of y, the last; then that of the kept ones, in `order_`
    std::vector<std::size_t> kept_;
    std::vector<int> order_;
    Eigen::VectorXd first_;  ///< the coefficients before they are refined
};

}  // namespace

LeastSquares least_squares(const Matrix& x, std::span<const double> y) { return *Solver(x, y, {}).answer(); }

Result<LeastSquaresWithCovariance> least_squares_with_covariance(const Matrix& x, std::span<const double> y, const Run& run) {
    return Solver(x, y, run).answer();
}

}  // namespace credence::rt
