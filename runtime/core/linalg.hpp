#pragma once
// Linear algebra in doubles. Eigen stays behind it: its decompositions are compiled in a few units of their own.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace credence::rt {

/// Row by row in one array.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
    double& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
    double operator()(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
    std::span<double> row(std::size_t r) { return std::span(values).subspan(r * columns, columns); }
    std::span<const double> row(std::size_t r) const { return std::span(values).subspan(r * columns, columns); }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.rows);
        visit(self.columns);
        visit(self.values);
    }
};

struct LeastSquares {
    std::vector<double> coefficients;        ///< of dependent columns: 0
    std::vector<std::size_t> dependent;      ///< columns that others determine, ascending; empty if the rank is full
    std::vector<double> unscaled_variances;  ///< diagonal of (XᵀX)⁻¹; of dependent columns: 0
};
/// min |Xβ − y|² by Householder QR in blocks of rows, pivoted on the triangle, on columns scaled to unit length, and refined with residuals
/// in extended precision. Which of several dependent columns is left out: those that come last.
LeastSquares least_squares(const Matrix& x, std::span<const double> y);

/// The solution of least norm, by a complete orthogonal decomposition: also where the columns are dependent.
std::vector<double> minimum_norm_least_squares(const Matrix& x, std::span<const double> y);
/// The same for several right sides at once: the columns of y give the columns of the answer.
Matrix minimum_norm_least_squares(const Matrix& x, const Matrix& y);

struct SymmetricEigen {
    std::vector<double> values;  ///< descending
    Matrix vectors;              ///< row i belongs to value i; unit length, the entry of largest size (the first of equals) is positive
};
SymmetricEigen symmetric_eigen(const Matrix& a);

/// Lower triangular L with L Lᵀ = a; nothing if a is not positive definite.
std::optional<Matrix> cholesky(const Matrix& a);

}  // namespace credence::rt
