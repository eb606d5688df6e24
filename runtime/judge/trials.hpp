#pragma once
// Learners tried on rows they have not seen: cross-validation, learning curves.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/judge/evaluate.hpp"
#include "runtime/judge/folds.hpp"

namespace credence::rt {

/// Train on some rows, judge by others.
struct Trial {
    const Learner* learner = nullptr;
    std::span<const std::uint32_t> train;
    std::vector<std::span<const std::uint32_t>> judged;
    std::uint64_t stream = 0;  ///< of random numbers: trials of one stream draw the same
};
struct TrialResult {
    std::vector<Outcomes> outcomes;  ///< one for each list of judged rows; none where there is a fault
    std::optional<Fault> fault;
};

/// All trials, side by side as far as the learners allow it; results and notes are the same for any number of threads. `weights` (one for
/// each row of the table, or none) count the judged rows: a learner that weighs its rows does so by itself.
std::vector<TrialResult> run_trials(std::span<const Trial> trials, const Table& table, std::span<const double> weights,
                                    std::string_view what, Run& run);

struct CrossValidation {
    Outcomes held_out;           ///< of all rows, each predicted by the model that had not seen it; fold by fold
    std::vector<Number> scores;  ///< one for each fold: accuracy or rmse
};

/// How rows are held out: k folds, or each row by itself; by default ten, or as many as there are rows if they are fewer.
struct FoldPlan {
    std::optional<std::size_t> k;
    bool leave_one_out = false;
};
/// The folds of a table by a plan, drawn from the stream "folds" of the run's numbers: the same for every learner.
Result<std::vector<RowList>> planned_folds(const Table& table, const FoldPlan& plan, const Run& run);

/// Every learner on the same folds of the table.
Result<std::vector<CrossValidation>> cross_validate(std::span<const LearnerPtr> learners, const Table& table, const FoldPlan& plan,
                                                    std::span<const double> weights, Run& run);

struct CurvePoint {
    std::size_t size = 0;
    std::size_t trials = 0;  ///< folds in which the learner could learn from so few rows
    std::optional<Spread> train;
    std::optional<Spread> test;
};
struct LearningCurve {
    std::vector<CurvePoint> points;
    std::string_view score;
};
/// Training sets of the given sizes (none given: ten steps up to all but a fold), nested within each fold; means over the folds. Where a
/// learner cannot learn from so few rows the point has no score, and a note says why; where it never can, that is the fault.
Result<LearningCurve> learning_curve(const Learner& learner, const Table& table, std::vector<std::size_t> sizes, const FoldPlan& plan,
                                     std::span<const double> weights, Run& run);

/// The table with the target as this learner takes it: numbers as labels for one that only classifies. E-TRAIN if there is no target.
Result<Table> table_for(const Learner& learner, const Table& table);

}  // namespace credence::rt
