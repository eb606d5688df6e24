#include "runtime/core/triangle.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/lanes.hpp"

namespace credence::rt {

std::optional<std::size_t> triangle_rows(std::size_t entries) {
    const auto n = static_cast<std::size_t>(std::lround((std::sqrt(8.0 * static_cast<double>(entries) + 1) - 1) / 2));
    if (place_in_triangle(n, 0) != entries) return std::nullopt;
    return n;
}

void factor_triangle(std::span<double> triangle) {
    const std::size_t n = *triangle_rows(triangle.size());
    for (std::size_t i = 0; i < n; ++i) {
        double* const row = triangle.data() + place_in_triangle(i, 0);
        for (std::size_t j = 0; j < i; ++j) {
            const double* const above = triangle.data() + place_in_triangle(j, 0);
            row[j] = (row[j] - dot(row, above, j)) / above[j];
        }
        const double left = row[i] - dot(row, row, i);
        if (!(left > 0)) return std::fill(triangle.begin(), triangle.end(), std::nan(""));
        row[i] = std::sqrt(left);
    }
}

/// The steps of the factor backwards, row by row (Murray 2016, "Differentiation of the Cholesky decomposition", section 4).
void factor_slopes(std::span<const double> factor, std::span<double> slopes) {
    const std::size_t n = *triangle_rows(factor.size());
    const auto row = [&](std::size_t i) { return factor.data() + place_in_triangle(i, 0); };
    const auto slope = [&](std::size_t i) { return slopes.data() + place_in_triangle(i, 0); };
    for (std::size_t j = n; j-- > 0;) {
        const double diagonal = row(j)[j];
        double of_diagonal = slope(j)[j];
        for (std::size_t i = j + 1; i < n; ++i) {
            double& entry = slope(i)[j];
            entry /= diagonal;
            of_diagonal -= row(i)[j] * entry;
            add_scaled(slope(j), -entry, row(i), j);
            add_scaled(slope(i), -entry, row(j), j);
        }
        of_diagonal /= diagonal;
        add_scaled(slope(j), -of_diagonal, row(j), j);
        slope(j)[j] = of_diagonal / 2;
    }
}

}  // namespace credence::rt
