// Judging models by rows they did not learn from: evaluate, cross_validate, folds.

#include "stdlib/judging/judging.hpp"

#include <fmt/format.h>

#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/empirical.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

Result<rt::ModelPtr> model_given(const Value& value, rt::Origin origin) {
    if (const auto* m = value.get<ModelValue>()) return m->model;
    if (const auto* t = value.get<rt::TablePtr>()) return rt::make_empirical_model(*t);
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a trained model is needed here, not {}", value.kind()),
                 .origin = origin,
                 .label = fmt::format("this is {}", value.kind()),
                 .hint = value.is<LearnerValuePtr>() ? "train it first: train … on t; or cross_validate(learner, t)" : ""};
}

/// Which of the outcomes' labels is meant.
Result<std::optional<std::size_t>> positive_label(const rt::Outcomes& outcomes, const std::optional<rt::Label>& positive) {
    if (!positive) return std::optional<std::size_t>{};
    const auto* labels = std::get_if<rt::LabelOutcomes>(&outcomes);
    if (!labels) return Fault{.code = "E-TYPE", .message = "positive names a label, and the model predicts a number"};
    if (const auto found = labels->labels->find(*positive)) return std::optional(*found);
    std::vector<std::string> names;
    for (const auto& l : labels->labels->labels()) names.push_back(l.text());
    Fault fault{.code = "E-LABEL",
                .message = fmt::format("there is no label '{}' to use as the positive one", positive->text()),
                .label = fmt::format("the labels are {}", rt::joined(names, ", "))};
    if (const auto near = rt::nearest(positive->text(), names)) fault.hint = fmt::format("did you mean '{}'?", *near);
    return fault;
}

Result<Value> evaluate_model(CallContext& c, const Value& model, const rt::TablePtr& t, const std::optional<rt::Label>& positive,
                             const std::optional<ColumnName>& counts) {
    auto m = TRY(model_given(model, c.argument(0)));
    auto weights = row_weights(*t, counts ? counts->text : "");
    if (!weights) return placed(std::move(weights).fault(), c.argument(3));
    auto target = rt::judged_target(*m, *t);
    if (!target) return placed(std::move(target).fault(), c.argument(1));
    rt::Run run = judging_run(c);
    auto outcomes = rt::evaluate(*m, {.table = t.get(), .rows = {}}, *weights, run);
    if (!outcomes) return placed(std::move(outcomes).fault(), c.argument(1));
    auto chosen = positive_label(*outcomes, positive);
    if (!chosen) return placed(std::move(chosen).fault(), c.argument(2));
    return Value::record(scores_record(*outcomes, *target, *chosen));
}

/// A list as a column: numeric where all its items are numbers.
Result<rt::ColumnPtr> column_of(const Items& items, const char* name, rt::Origin origin) {
    rt::ColumnBuilder column(name);
    for (const auto& item : *items.items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("predictions are labels or numbers, not {}", item.kind()), .origin = origin};
        column.add(*label);
    }
    return std::move(column).finish();
}

Result<Value> evaluate_lists(CallContext& c, const Items& actual, const Items& predicted, const std::optional<rt::Label>& positive) {
    if (actual.items->size() != predicted.items->size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{} actual values and {} predictions", actual.items->size(), predicted.items->size()),
                     .origin = c.argument(1)};
    if (actual.items->empty()) return Fault{.code = "E-EMPTY", .message = "there are no values to evaluate", .origin = c.argument(0)};
    auto truth = TRY(column_of(actual, "actual", c.argument(0)));
    auto said = TRY(column_of(predicted, "predicted", c.argument(1)));
    rt::Outcomes outcomes;
    const bool numbers = truth->kind == rt::ColumnKind::numeric && said->kind == rt::ColumnKind::numeric;
    if (numbers && !positive) {  // with a positive label, they are classes
        outcomes = rt::NumberOutcomes{truth->values, said->values, {}};
    } else {
        rt::LabelOutcomes out;
        std::vector<rt::Label> labels;
        const auto code = [&](const rt::Label& label) {
            for (std::size_t k = 0; k < labels.size(); ++k)
                if (labels[k] == label) return static_cast<std::int32_t>(k);
            labels.push_back(label);
            return static_cast<std::int32_t>(labels.size() - 1);
        };
        for (std::size_t i = 0; i < actual.items->size(); ++i) out.actual.push_back(code(truth->label(i)));
        for (std::size_t i = 0; i < actual.items->size(); ++i) out.predicted.push_back(code(said->label(i)));
        out.labels = rt::make_domain(std::move(labels));
        outcomes = std::move(out);
    }
    const auto* labels = std::get_if<rt::LabelOutcomes>(&outcomes);
    const bool two = labels && labels->labels->size() <= 2;  // of more, precision and recall are means over all
    auto chosen = positive_label(outcomes, two && !positive ? std::optional(positive_of_listed(*labels->labels)) : positive);
    if (!chosen) return placed(std::move(chosen).fault(), c.argument(2));
    return Value::record(scores_record(outcomes, "actual", *chosen));
}

Result<Value> cross_validated(CallContext& c, const Value& learner, const rt::TablePtr& t, const std::optional<Setting>& folds) {
    auto given = TRY(learner_given(c, learner, c.argument(0)));
    auto plan = TRY(fold_plan(folds, c.argument(2)));
    auto weights = row_weights(*t, given.counts);
    if (!weights) return placed(std::move(weights).fault(), c.argument(0));
    rt::Run run = judging_run(c);
    const rt::LearnerPtr one[] = {given.learner};
    auto done = rt::cross_validate(one, *t, plan, *weights, run);
    if (!done) {
        Fault fault = std::move(done).fault();
        return placed(fault, fault.code == "E-PARAMETER" ? c.argument(2) : c.argument(1));
    }
    const rt::CrossValidation& cv = (*done)[0];
    Record out = scores_record(cv.held_out, t->columns[*t->target]->name, std::nullopt);
    List scores;
    for (const auto& s : cv.scores) scores.push_back(Value(s));
    const rt::Spread spread = rt::spread_of(cv.scores);
    out.entries.emplace_back("folds", Value::list(std::move(scores)));
    out.entries.emplace_back("mean", Value(spread.mean));
    out.entries.emplace_back("sd", number_value(spread.sd));
    out.entries.emplace_back("standard_error", number_value(spread.standard_error));
    return Value::record(std::move(out));
}

Result<Value> folds_of(CallContext& c, const rt::TablePtr& t, const std::optional<Setting>& folds) {
    auto plan = TRY(fold_plan(folds, c.argument(1)));
    const rt::Run run = judging_run(c);
    auto made = rt::planned_folds(*t, plan, run);
    if (!made) return placed(std::move(made).fault(), c.argument(1));
    const rt::RowList rows = rt::rows_with_target(*t);
    List out;
    for (const auto& fold : *made) {
        auto test = TRY(rt::take_rows(*t, fold));
        auto train = TRY(rt::take_rows(*t, rt::rows_without(rows, fold)));
        Record pair;
        pair.entries = {{"train", Value(Value::Node(train))}, {"test", Value(Value::Node(test))}};
        out.push_back(Value::record(std::move(pair)));
    }
    return Value::list(std::move(out));
}

}  // namespace

void add_judging(Registry& r) {
    using V = Value;
    r.add(bind(
        {judging_subject,
         "evaluate",
         {{"model"}, {"t"}, {"positive", "the label declared last"}, {"counts", "none"}},
         "How well a model predicts the target of a table. For labels: .accuracy .confusion (actual label first) .precision .recall .f1 "
         ".by_class .log_loss .brier. With two labels, .precision, .recall and .f1 are those of the positive label, by default the label "
         "declared last. With more labels they are means; .by_class has those of each label. .log_loss uses natural logarithms and raises "
         "probabilities below 1e-15 to that value. For numbers: .rmse .mae .r2.",
         "evaluate(train baseline() on weather, weather).accuracy == 2/3"},
        +[](CallContext& c, Value model, rt::TablePtr t, std::optional<rt::Label> positive, std::optional<ColumnName> counts) -> Result<V> {
            return evaluate_model(c, model, t, positive, counts);
        }));
    r.add(bind(
        {judging_subject,
         "evaluate",
         {{"actual"}, {"predicted"}, positive_of_lists},
         "The same for two lists: the actual and the predicted values.",
         "evaluate([\"a\", \"b\", \"b\"], [\"a\", \"b\", \"a\"]).recall == 1/2"},
        +[](CallContext& c, Items actual, Items predicted, std::optional<rt::Label> positive) -> Result<V> {
            return evaluate_lists(c, actual, predicted, positive);
        }));
    r.add(bind(
        {judging_subject,
         "cross_validate",
         {{"learner"}, {"t"}, folds_parameter()},
         "Trains on all folds but one and tests on that one, for each fold in turn. The result is that of evaluate over all rows, each "
         "predicted by the model that had not seen it. .folds has the accuracy (or rmse) of each fold; .mean, .sd and .standard_error "
         "summarise them. The folds depend only on the table and the seed. For labels they are stratified.",
         "cross_validate(baseline(), weather, folds: leave_one_out).accuracy == 2/3"},
        +[](CallContext& c, Value learner, rt::TablePtr t, std::optional<Setting> folds) -> Result<V> {
            return cross_validated(c, learner, t, folds);
        }));
    r.add(bind(
        {judging_subject,
         "folds",
         {{"t"}, folds_parameter()},
         "The folds that cross_validate uses: a list of records .train and .test.",
         "rows(folds(weather, 3)[1].test) == 1"},
        +[](CallContext& c, rt::TablePtr t, std::optional<Setting> folds) -> Result<V> { return folds_of(c, t, folds); }));
    add_ranking(r);
    add_choosing(r);
    add_lazy(r);
    add_predictive(r);
    add_simulated(r);
}

}  // namespace credence::std_
