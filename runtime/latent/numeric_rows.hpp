#pragma once
// The numbers of a table for learners that have no target: all numeric columns but the target, rows with gaps left out.

#include "runtime/core/linalg.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct NumericRows {
    Schema schema;  ///< features; the target is the hidden `hidden`, 1 … k
    Matrix values;
    std::vector<double> weights;  ///< empty: all 1
};
/// A column named like the hidden variable is left out with a note, and so are rows with missing cells. Faults: label columns, no columns,
/// no rows, infinite numbers, fewer different rows than k.
Result<NumericRows> numeric_rows(const TableView& rows, std::span<const double> weights, std::string_view learner, std::string_view hidden,
                                 std::size_t k, Run& run);

/// The numbers of the rows in ascending order of their first column, then the second …
std::vector<std::size_t> ascending_rows(const Matrix& points);

}  // namespace credence::rt
