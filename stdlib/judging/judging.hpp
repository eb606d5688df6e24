#pragma once
// What the functions that judge models and learners share.

#include <string>
#include <vector>

#include "lang/builtin/bind.hpp"
#include "runtime/judge/trials.hpp"

namespace credence::std_ {

constexpr const char* judging_subject = "judging";

/// A learner as the script gave it: one, or a model with holes.
struct GivenLearner {
    rt::LearnerPtr learner;
    std::string counts;  ///< the column that counts the rows, where it was told
};
rt::Result<GivenLearner> learner_given(lang::CallContext& context, const lang::Value& value, rt::Origin origin);

/// `folds: 10`, `folds: leave_one_out`.
rt::Result<rt::FoldPlan> fold_plan(const std::optional<lang::Setting>& folds, rt::Origin origin);
lang::ParameterDoc folds_parameter();

/// The weights of a table's rows by that column; none where it is empty.
rt::Result<std::vector<double>> row_weights(const rt::Table& table, const std::string& counts);

/// The run as the judging functions use it: random numbers that depend on the seed alone, notes to the script.
rt::Run judging_run(lang::CallContext& context);

/// accuracy, confusion … or rmse, mae, r2.
lang::Record scores_record(const rt::Outcomes& outcomes, const std::string& target, std::optional<std::size_t> positive);

/// The positive one of the labels in a list, whose order says nothing: true, or the larger number, or the one that appears last.
rt::Label positive_of_listed(const rt::Domain& labels);
inline const lang::ParameterDoc positive_of_lists{"positive", "true, or the larger number, or the label that appears last"};

/// A numeric column, exact where all its numbers are. Infinite ones are missing.
rt::ColumnPtr number_column(std::string name, const std::vector<rt::Number>& numbers);
lang::Value table_of_columns(std::vector<rt::ColumnPtr> columns);

/// The fault with that place, unless it has one.
rt::Fault placed(rt::Fault fault, rt::Origin origin);

void add_choosing(lang::Registry& r);  ///< grid, learning_curve, compare
void add_ranking(lang::Registry& r);   ///< roc, auc, calibration
void add_lazy(lang::Registry& r);
void add_predictive(lang::Registry& r);  ///< loo, waic, compare of posteriors
void add_simulated(lang::Registry& r);   ///< calibrate

}  // namespace credence::std_
