#include "runtime/core/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "runtime/core/eigen_maps.hpp"

namespace credence::rt {

namespace {

/// Triangular R with RᵀR = AᵀA of A = [X / size, y], a block of rows after the other, so that each is worked on in the cache (TSQR,
/// Demmel et al. 2012).
Eigen::MatrixXd triangle_of(const Matrix& x, std::span<const double> size, std::span<const double> y) {
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
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
    out.topRows(filled) = stack.topRows(filled);
    return out;
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

}  // namespace

LeastSquares least_squares(const Matrix& x, std::span<const double> y) { return least_squares_with_covariance(x, y); }

LeastSquaresWithCovariance least_squares_with_covariance(const Matrix& x, std::span<const double> y) {
    const std::size_t n = x.rows;
    const std::size_t p = x.columns;
    std::vector<double> size(p, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < p; ++c) size[c] += x(i, c) * x(i, c);
    for (double& s : size) s = s > 0 ? std::sqrt(s) : 1.0;
    const Eigen::MatrixXd whole = triangle_of(x, size, y);
    const Eigen::MatrixXd r = whole.leftCols(static_cast<Eigen::Index>(p));
    const auto kept = independent_columns(r);
    LeastSquaresWithCovariance out;
    out.coefficients.assign(p, 0.0);
    out.unscaled_variances.assign(p, 0.0);
    out.unscaled_covariance = Matrix(p, p);
    for (std::size_t c = 0, k = 0; c < p; ++c) {
        if (k < kept.size() && kept[k] == c)
            ++k;
        else
            out.dependent.push_back(c);
    }
    if (kept.empty()) return out;
    const auto m = static_cast<Eigen::Index>(kept.size());
    Eigen::MatrixXd columns(r.rows(), m);
    for (Eigen::Index k = 0; k < m; ++k) columns.col(k) = r.col(static_cast<Eigen::Index>(kept[static_cast<std::size_t>(k)]));
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
    const Eigen::MatrixXd triangle = qr.matrixR().topLeftCorner(m, m).triangularView<Eigen::Upper>();
    const auto solve = [&](const Eigen::VectorXd& g) {  // (RᵀR) β = g
        const Eigen::VectorXd permuted = qr.colsPermutation().transpose() * g;
        Eigen::VectorXd z = triangle.transpose().triangularView<Eigen::Lower>().solve(permuted);
        z = triangle.triangularView<Eigen::Upper>().solve(z);
        return Eigen::VectorXd(qr.colsPermutation() * z);
    };
    Eigen::VectorXd beta = qr.solve(whole.col(static_cast<Eigen::Index>(p)));
    // Badly conditioned tables: the corrected seminormal equations (Björck 1987). With residuals and their products in extended precision
    // each step gains the digits that the condition leaves, and none is lost to the squaring of it.
    const double condition = std::abs(triangle(0, 0) / triangle(m - 1, m - 1));
    std::vector<long double> scaled(kept.size());
    std::vector<long double> products(kept.size());
    for (int pass = 0; pass < 3 && condition > 100; ++pass) {
        for (std::size_t k = 0; k < kept.size(); ++k)
            scaled[k] = static_cast<long double>(beta(static_cast<Eigen::Index>(k))) / static_cast<long double>(size[kept[k]]);
        std::fill(products.begin(), products.end(), 0.0L);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = x.row(i);
            long double e = y[i];
            for (std::size_t k = 0; k < kept.size(); ++k) e -= static_cast<long double>(row[kept[k]]) * scaled[k];
            for (std::size_t k = 0; k < kept.size(); ++k) products[k] += e * static_cast<long double>(row[kept[k]]);
        }
        Eigen::VectorXd g(m);
        for (std::size_t k = 0; k < kept.size(); ++k)
            g(static_cast<Eigen::Index>(k)) = static_cast<double>(products[k] / static_cast<long double>(size[kept[k]]));
        const Eigen::VectorXd step = solve(g);
        beta += step;
        if (step.norm() <= 1e-16 * beta.norm()) break;
    }
    const Eigen::MatrixXd inverse = triangle.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(m, m));
    const Eigen::VectorXi order = qr.colsPermutation().indices();
    for (Eigen::Index k = 0; k < m; ++k) {
        const auto column = kept[static_cast<std::size_t>(k)];
        out.coefficients[column] = beta(k) / size[column];
    }
    const Eigen::MatrixXd covariance = inverse * inverse.transpose();
    for (Eigen::Index k = 0; k < m; ++k) {
        const auto row = kept[static_cast<std::size_t>(order(k))];
        out.unscaled_variances[row] = covariance(k, k) / size[row] / size[row];
        out.log_determinant += 2 * (std::log(std::abs(triangle(k, k))) + std::log(size[row]));
        for (Eigen::Index l = 0; l < m; ++l) {
            const auto column = kept[static_cast<std::size_t>(order(l))];
            out.unscaled_covariance(row, column) = covariance(k, l) / size[row] / size[column];
        }
    }
    return out;
}

}  // namespace credence::rt
