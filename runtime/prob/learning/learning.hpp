#pragma once
// What every learner shares: the checks before fit, row weights by a column, and the faults for what a model cannot do.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Fits after the common checks: there are rows, the target is there and of the kind the learner needs (numbers become labels for one
/// that only classifies), rows without a target value are left out with a note, rows of weight 0 without one. Weights: one for each row of
/// the view, or none.
Result<ModelPtr> train(const Learner& learner, const TableView& rows, std::span<const double> row_weights, Run& run);

/// The trace of the same training, for `explain train`.
Result<Derivation> explain_training(const Learner& learner, const TableView& rows, std::span<const double> row_weights, const Model& fitted,
                                    Run& run);

/// The model after learning on from the rows, put in the order of what it learned from: columns by name, labels in its codes, the target
/// last. Every column must be there; a feature label never seen is a missing cell (with a note), a target label never seen an E-LABEL
/// fault. Rows without a target value are left out with a note, rows of weight 0 without one. A model that learned no target gets the rows
/// as they are.
Result<ModelPtr> update(const Model& model, const TableView& rows, std::span<const double> row_weights, Run& run);

/// `counts: Column`: the learner with that column taken as row weights and out of the features.
LearnerPtr weighted_by(LearnerPtr learner, std::string column);

/// A learner made by weighted_by, taken apart; the column is empty for any other.
struct UnweightedLearner {
    LearnerPtr learner;
    std::string column = {};
};
UnweightedLearner unweighted(LearnerPtr learner);

/// The weight of each row of the view in a counts column: numeric, nowhere missing, finite and not negative.
Result<std::vector<double>> weights_in(const TableView& rows, const std::string& column);

}  // namespace credence::rt
