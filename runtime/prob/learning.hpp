#pragma once
// What every learner shares: the checks before fit, row weights by a column, and what models say they cannot do.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Fits after the common checks: there are rows, the target is there and of the kind the learner needs (numbers become labels for one
/// that only classifies), rows without a target value are left out with a note, rows of weight 0 without one. Weights: one a row of the
/// view, or none.
Result<ModelPtr> train(const Learner& learner, const TableView& rows, std::span<const double> row_weights, Run& run);

/// The trace of the same training, for `explain train`.
Result<Derivation> explain_training(const Learner& learner, const TableView& rows, std::span<const double> row_weights, const Model& fitted,
                                    Run& run);

/// `counts: Column`: the learner with that column taken as row weights and out of the features.
LearnerPtr weighted_by(LearnerPtr learner, std::string column);

/// The weight of each row of the view in a counts column: numeric, nowhere missing, finite and not negative.
Result<std::vector<double>> weights_in(const TableView& rows, const std::string& column);

}  // namespace credence::rt
