#include "runtime/core/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "runtime/core/eigen_maps.hpp"
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

/// Columns of R that earlier ones do not determine, by Gram–Schmidt with a second pass: the order of the user's columns decides.
std::vector<std::size_t> independent_columns(const Eigen::MatrixXd& r) {
    constexpr double tolerance = 1e-11;
    std::vector<std::size_t> out;
    Eigen::MatrixXd basis(r.rows(), r.cols());
    for (Eigen::Index c = 0; c < r.cols(); ++c) {
        Eigen::VectorXd v = r.col(c);
        const double size = v.norm();
        if (size == 0) continue;
        const auto k = static_cast<Eigen::Index>(out.size());
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

/// The independent columns of one problem, scaled to unit length, and their pivoted decomposition.
class Solver {
public:
    Solver(const Matrix& x, std::span<const double> y)
        : x_(x),
          y_(y),
          size_(lengths_of_columns(x)),
          whole_(map_of(tall_triangle(x, size_, y))),
          kept_(independent_columns(whole_.leftCols(p()))) {
        if (kept_.empty()) return;
        Eigen::MatrixXd columns(whole_.rows(), m());
        for (Eigen::Index k = 0; k < m(); ++k) columns.col(k) = whole_.col(static_cast<Eigen::Index>(kept_[static_cast<std::size_t>(k)]));
        qr_.compute(columns);
        triangle_ = qr_.matrixR().topLeftCorner(m(), m()).triangularView<Eigen::Upper>();
    }

    LeastSquaresWithCovariance answer() const {
        LeastSquaresWithCovariance out;
        out.coefficients.assign(x_.columns, 0.0);
        out.unscaled_variances.assign(x_.columns, 0.0);
        out.unscaled_covariance = Matrix(x_.columns, x_.columns);
        out.dependent = all_but(kept_, x_.columns);
        if (kept_.empty()) return out;
        const Eigen::VectorXd beta = coefficients();
        for (Eigen::Index k = 0; k < m(); ++k) {
            const auto column = kept_[static_cast<std::size_t>(k)];
            out.coefficients[column] = beta(k) / size_[column];
        }
        tell_covariance(out);
        return out;
    }

private:
    Eigen::Index p() const { return static_cast<Eigen::Index>(x_.columns); }
    Eigen::Index m() const { return static_cast<Eigen::Index>(kept_.size()); }

    /// Badly conditioned tables: the corrected seminormal equations (Björck 1987). With residuals and their products in extended precision
    /// each step gains the digits that the condition leaves, and none is lost to the squaring of it.
    Eigen::VectorXd coefficients() const {
        Eigen::VectorXd beta = qr_.solve(whole_.col(p()));
        const double condition = std::abs(triangle_(0, 0) / triangle_(m() - 1, m() - 1));
        for (int pass = 0; pass < 3 && condition > 100; ++pass) {
            const Eigen::VectorXd step = solve_normal(gradient_at(beta));
            beta += step;
            if (step.norm() <= 1e-16 * beta.norm()) break;
        }
        return beta;
    }

    /// Xᵀ(y − Xβ) over the kept columns, in extended precision.
    Eigen::VectorXd gradient_at(const Eigen::VectorXd& beta) const {
        std::vector<long double> scaled(kept_.size());
        std::vector<long double> products(kept_.size(), 0.0L);
        for (std::size_t k = 0; k < kept_.size(); ++k)
            scaled[k] = static_cast<long double>(beta(static_cast<Eigen::Index>(k))) / static_cast<long double>(size_[kept_[k]]);
        for (std::size_t i = 0; i < x_.rows; ++i) {
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
        const Eigen::VectorXd permuted = qr_.colsPermutation().transpose() * g;
        Eigen::VectorXd z = triangle_.transpose().triangularView<Eigen::Lower>().solve(permuted);
        z = triangle_.triangularView<Eigen::Upper>().solve(z);
        return qr_.colsPermutation() * z;
    }

    void tell_covariance(LeastSquaresWithCovariance& out) const {
        const Eigen::MatrixXd inverse = triangle_.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(m(), m()));
        const Eigen::MatrixXd covariance = inverse * inverse.transpose();
        const Eigen::VectorXi order = qr_.colsPermutation().indices();
        for (Eigen::Index k = 0; k < m(); ++k) {
            const auto row = kept_[static_cast<std::size_t>(order(k))];
            out.unscaled_variances[row] = covariance(k, k) / size_[row] / size_[row];
            out.log_determinant += 2 * (std::log(std::abs(triangle_(k, k))) + std::log(size_[row]));
            for (Eigen::Index l = 0; l < m(); ++l) {
                const auto column = kept_[static_cast<std::size_t>(order(l))];
                out.unscaled_covariance(row, column) = covariance(k, l) / size_[row] / size_[column];
            }
        }
    }

    const Matrix& x_;
    std::span<const double> y_;
    std::vector<double> size_;
    Eigen::MatrixXd whole_;  ///< the triangle of the scaled columns and of y, the last
    std::vector<std::size_t> kept_;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
    Eigen::MatrixXd triangle_;
};

}  // namespace

LeastSquares least_squares(const Matrix& x, std::span<const double> y) { return least_squares_with_covariance(x, y); }

LeastSquaresWithCovariance least_squares_with_covariance(const Matrix& x, std::span<const double> y) { return Solver(x, y).answer(); }

}  // namespace credence::rt
