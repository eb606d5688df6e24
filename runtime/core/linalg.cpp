#include "runtime/core/linalg.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace credence::rt {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Map = Eigen::Map<const RowMajor>;

Map map_of(const Matrix& m) { return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns)}; }

Matrix matrix_of(const RowMajor& m) {
    Matrix out(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
    std::copy(m.data(), m.data() + m.size(), out.values.begin());
    return out;
}

/// Columns that earlier ones do not determine, by modified Gram–Schmidt on unit columns: the order of the user's columns decides.
std::vector<std::size_t> independent_columns(const Eigen::MatrixXd& x) {
    constexpr double tolerance = 1e-11;
    std::vector<std::size_t> out;
    Eigen::MatrixXd basis(x.rows(), std::min(x.rows(), x.cols()));
    for (Eigen::Index c = 0; c < x.cols() && static_cast<Eigen::Index>(out.size()) < basis.cols(); ++c) {
        Eigen::VectorXd v = x.col(c);
        const double size = v.norm();
        if (size == 0) continue;
        for (int pass = 0; pass < 2; ++pass)
            for (std::size_t k = 0; k < out.size(); ++k) {
                const double share = basis.col(static_cast<Eigen::Index>(k)).dot(v);
                v -= share * basis.col(static_cast<Eigen::Index>(k));
            }
        if (v.norm() <= tolerance * size) continue;
        basis.col(static_cast<Eigen::Index>(out.size())) = v.normalized();
        out.push_back(static_cast<std::size_t>(c));
    }
    return out;
}

}  // namespace

LeastSquares least_squares(const Matrix& x, std::span<const double> y) {
    Eigen::MatrixXd scaled = map_of(x);
    std::vector<double> size(x.columns, 1.0);
    for (std::size_t c = 0; c < x.columns; ++c) {
        const double norm = scaled.col(static_cast<Eigen::Index>(c)).norm();
        if (norm > 0) size[c] = norm;
        scaled.col(static_cast<Eigen::Index>(c)) /= size[c];
    }
    const auto kept = independent_columns(scaled);
    LeastSquares out;
    out.coefficients.assign(x.columns, 0.0);
    out.unscaled_variances.assign(x.columns, 0.0);
    for (std::size_t c = 0, k = 0; c < x.columns; ++c) {
        if (k < kept.size() && kept[k] == c)
            ++k;
        else
            out.dependent.push_back(c);
    }
    if (kept.empty()) return out;
    const auto n = static_cast<Eigen::Index>(kept.size());
    Eigen::MatrixXd a(scaled.rows(), n);
    for (Eigen::Index k = 0; k < n; ++k) a.col(k) = scaled.col(static_cast<Eigen::Index>(kept[static_cast<std::size_t>(k)]));
    const Eigen::Map<const Eigen::VectorXd> target(y.data(), static_cast<Eigen::Index>(y.size()));
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
    Eigen::VectorXd beta = qr.solve(target);
    // Residuals in extended precision give the digits that a badly conditioned table would lose.
    for (int pass = 0; pass < 2; ++pass) {
        Eigen::VectorXd residual(a.rows());
        for (Eigen::Index r = 0; r < a.rows(); ++r) {
            long double e = target(r);
            for (Eigen::Index k = 0; k < n; ++k) e -= static_cast<long double>(a(r, k)) * static_cast<long double>(beta(k));
            residual(r) = static_cast<double>(e);
        }
        beta += Eigen::VectorXd(qr.solve(residual));
    }
    const Eigen::MatrixXd r = qr.matrixR().topLeftCorner(n, n).triangularView<Eigen::Upper>();
    const Eigen::MatrixXd inverse = r.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXi order = qr.colsPermutation().indices();
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto column = kept[static_cast<std::size_t>(k)];
        out.coefficients[column] = beta(k) / size[column];
    }
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto column = kept[static_cast<std::size_t>(order(k))];
        out.unscaled_variances[column] = inverse.row(k).squaredNorm() / (size[column] * size[column]);
    }
    return out;
}

std::vector<double> minimum_norm_least_squares(const Matrix& x, std::span<const double> y) {
    const Eigen::Map<const Eigen::VectorXd> target(y.data(), static_cast<Eigen::Index>(y.size()));
    const Eigen::VectorXd beta = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(map_of(x)).solve(target);
    return {beta.data(), beta.data() + beta.size()};
}

SymmetricEigen symmetric_eigen(const Matrix& a) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(map_of(a))};
    const auto n = static_cast<Eigen::Index>(a.rows);
    SymmetricEigen out;
    out.vectors = Matrix(a.rows, a.rows);
    for (Eigen::Index i = 0; i < n; ++i) {
        out.values.push_back(solver.eigenvalues()(n - 1 - i));
        Eigen::VectorXd v = solver.eigenvectors().col(n - 1 - i);
        Eigen::Index largest = 0;
        for (Eigen::Index k = 1; k < n; ++k)
            if (std::abs(v(k)) > std::abs(v(largest)) * (1 + 1e-12)) largest = k;
        if (v(largest) < 0) v = -v;
        std::copy(v.data(), v.data() + n, out.vectors.row(static_cast<std::size_t>(i)).begin());
    }
    return out;
}

std::optional<Matrix> cholesky(const Matrix& a) {
    const Eigen::LLT<Eigen::MatrixXd> llt{Eigen::MatrixXd(map_of(a))};
    if (llt.info() != Eigen::Success) return std::nullopt;
    const RowMajor lower = llt.matrixL();
    return matrix_of(lower);
}

}  // namespace credence::rt
