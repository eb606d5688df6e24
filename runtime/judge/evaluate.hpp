#pragma once
// The predictions of any kind of model for rows whose target is known.

#include <string>
#include <variant>

#include "runtime/judge/metrics.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Which of the two it is follows from what the model predicts.
using Outcomes = std::variant<LabelOutcomes, NumberOutcomes>;

/// The model's predictions of the table's target for the rows of the view, beside the target's own values. Rows without a target value, or
/// of weight 0, are left out (`run.note` reports the former). Labels the model never saw are outcomes too: they come after its own, with
/// probability 0. A model that was not trained on a target (a net, a table) answers P(target | the other columns) instead. Weights: one a
/// row of the view, or none.
Result<Outcomes> evaluate(const Model& model, const TableView& rows, std::span<const double> weights, Run& run);

/// The name of what was predicted, where the table and the model agree on it; else why it cannot be judged.
Result<std::string> judged_target(const Model& model, const Table& table);

/// The one number to compare by.
Number score_of(const Outcomes& outcomes);
/// "accuracy" or "rmse".
std::string_view score_name(const Outcomes& outcomes);

/// The outcomes as a ranking by the probability of one label. Without a label: of two the last declared, of more an E-ARGUMENT fault.
Result<Ranking> ranking_of(const Outcomes& outcomes, const std::optional<Label>& positive);

}  // namespace credence::rt
