#pragma once
// The error of a learner that sees only some of the columns, on rows it has not learned from.

#include "runtime/features/selection.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct HeldOutRows {
    std::optional<std::size_t> folds = {};    ///< cross-validation with so many
    std::optional<Rational> validation = {};  ///< or this share of the rows, kept back once
};

/// 1 − accuracy for labels, the root mean squared error for numbers, over all rows held out. The same rows for every set of columns.
/// Positions of columns are those of the table's features.
Result<SubsetErrors> learner_errors(LearnerPtr learner, TablePtr table, const HeldOutRows& held_out, Run& run);

}  // namespace credence::rt
