#include "runtime/core/triangle.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace credence::rt {

namespace {

using Eigen::Index;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Square lower_of(std::span<const double> triangle) {
    const auto n = static_cast<Index>(*triangle_rows(triangle.size()));
    Square out = Square::Zero(n, n);
    const double* from = triangle.data();
    for (Index i = 0; i < n; from += ++i) std::copy_n(from, i + 1, out.row(i).data());
    return out;
}

void store_lower(const Square& from, std::span<double> triangle) {
    double* to = triangle.data();
    for (Index i = 0; i < from.rows(); to += ++i) std::copy_n(from.row(i).data(), i + 1, to);
}

}  // namespace

std::optional<std::size_t> triangle_rows(std::size_t entries) {
    const auto n = static_cast<std::size_t>(std::lround((std::sqrt(8.0 * static_cast<double>(entries) + 1) - 1) / 2));
    if (place_in_triangle(n, 0) != entries) return std::nullopt;
    return n;
}

void factor_triangle(std::span<double> triangle) {
    Square a = lower_of(triangle);
    const Eigen::LLT<Eigen::Ref<Square>> in_place(a);
    if (in_place.info() == Eigen::Success)
        store_lower(a, triangle);
    else
        std::fill(triangle.begin(), triangle.end(), std::nan(""));
}

/// With the derivatives D by L: of the symmetric covariance they are ½ L⁻ᵀ (P + Pᵀ) L⁻¹, where P is the lower triangle of Lᵀ D with half
/// its diagonal (Murray 2016, "Differentiation of the Cholesky decomposition", section 3).
void factor_slopes(std::span<const double> factor, std::span<double> slopes) {
    const Square l = lower_of(factor);
    const Square product = l.transpose().triangularView<Eigen::Upper>() * lower_of(slopes);
    Square p = product.selfadjointView<Eigen::Lower>();
    l.transpose().triangularView<Eigen::Upper>().solveInPlace(p);
    p.transposeInPlace();
    l.transpose().triangularView<Eigen::Upper>().solveInPlace(p);
    p.diagonal() *= 0.5;
    store_lower(p, slopes);
}

}  // namespace credence::rt
