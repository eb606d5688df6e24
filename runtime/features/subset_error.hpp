#pragma once
// The error of a learner that sees only some of the columns, on rows it has not learned from.

#include "runtime/features/selection.hpp"
#include "runtime/judge/trials.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct HeldOutRows {
    FoldPlan folds = {};                      ///< cross-validation
    std::optional<Rational> validation = {};  ///< or this share of the rows, kept back once
};

/// 1 − accuracy for labels, the root mean squared error for numbers, over all rows held out. The same rows for every set of columns.
/// Positions of columns are those of the table's features but the one that counts the rows for the learner, which every set keeps.
Result<SubsetErrors> learner_errors(LearnerPtr learner, TablePtr table, const HeldOutRows& held_out, Run& run);

}  // namespace credence::rt
