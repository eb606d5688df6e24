#include "runtime/core/linalg.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "runtime/core/eigen_maps.hpp"
#include "runtime/core/triangle.hpp"

namespace credence::rt {

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
    std::vector<double> triangle;
    triangle.reserve(place_in_triangle(a.rows, 0));
    for (std::size_t i = 0; i < a.rows; ++i)
        triangle.insert(triangle.end(), a.row(i).begin(), a.row(i).begin() + static_cast<std::ptrdiff_t>(i) + 1);
    factor_triangle(triangle);
    if (!triangle.empty() && std::isnan(triangle[0])) return std::nullopt;
    Matrix out(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        std::copy_n(triangle.begin() + static_cast<std::ptrdiff_t>(place_in_triangle(i, 0)), i + 1, out.row(i).begin());
    return out;
}

}  // namespace credence::rt
