#pragma once
// A table as the rows that a net with real-valued nodes learns from.

#include "runtime/continuous/learn/fit_drawn.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt::continuous {

/// Columns are found by name. Labels may be missing, or their column: each row is then repeated for each completion, at most 4096.
/// Numbers may not: E-MISSING, E-TRAIN. E-LABEL if a cell is not a value of its variable.
Result<LearningRows> learning_rows(const ContinuousNet& net, const TableView& rows, std::span<const double> weights);

/// The most probable coefficients of the node's mean as fractions, in the order of its holes: of a normal with one spread, over rows
/// that are complete, exact and not too many. Nothing if they are not, or where the columns determine each other.
std::optional<std::vector<Rational>> exact_mean(const ContinuousNet& net, std::size_t node, const TableView& rows,
                                                std::span<const double> weights);

}  // namespace credence::rt::continuous
