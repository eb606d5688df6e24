#pragma once
// The linear program of least absolute error, min Σ w |y − xβ|, from vertex to vertex.

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Rows × columns of full column rank, row by row.
template <class Scalar>
struct AbsoluteProblem {
    std::size_t columns = 0;
    std::vector<Scalar> x;
    std::vector<Scalar> y;
    std::vector<Scalar> w;

    std::size_t rows() const { return y.size(); }
    std::span<const Scalar> row(std::size_t i) const { return std::span(x).subspan(i * columns, columns); }
};

template <class Scalar>
struct AbsoluteSolution {
    std::vector<Scalar> coefficients;
    std::vector<std::size_t> through;  ///< the rows that are met exactly, one for each column
    std::size_t steps = 0;
    bool converged = true;  ///< doubles may run out of steps where rounding makes rows tie
    bool only_one = true;   ///< no other coefficients have the same sum
};

/// At a vertex as many rows as columns are met exactly. Leaving one of them, the sum falls along an edge where |c| > w for that row; the
/// step goes on past all rows whose crossing still lets the sum fall (Barrodale & Roberts 1973; Bloomfield & Steiger 1980). Steps of no
/// length follow Bland's rule, so that fractions end always. `order`: the rows to begin with, those to be met first.
template <class Scalar>
Result<AbsoluteSolution<Scalar>> descend_to_least_absolute(const AbsoluteProblem<Scalar>& problem, std::span<const std::size_t> order,
                                                           const Run& run);

}  // namespace credence::rt
