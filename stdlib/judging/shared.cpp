#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "stdlib/judging/judging.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

Fault placed(Fault fault, rt::Origin origin) {
    if (fault.origin == rt::Origin::none && fault.code != "E-STOP") fault.origin = origin;
    return fault;
}

Result<GivenLearner> learner_given(CallContext& context, const Value& value, rt::Origin origin) {
    if (makes_learner(value)) {
        auto made = context.call(value, {});
        if (!made) return placed(std::move(made).fault(), origin);
        return learner_given(context, *made, origin);
    }
    if (const auto* l = value.get<LearnerValuePtr>()) return GivenLearner{(*l)->learner, rt::unweighted((*l)->learner).column};
    if (const auto* m = value.get<ModelValue>()) {
        auto trainer = m->model->trainer({});
        if (!trainer) return placed(std::move(trainer).fault(), origin);
        return GivenLearner{*std::move(trainer), {}};
    }
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a learner or a model with holes is needed here, not {}", value.kind()),
                 .origin = origin,
                 .label = fmt::format("this is {}", value.kind()),
                 .hint = value.is<FunctionPtr>() ? "call it: baseline(), not baseline" : ""};
}

Result<rt::FoldPlan> fold_plan(const std::optional<Setting>& folds, rt::Origin origin) {
    rt::FoldPlan out;
    if (!folds) return out;
    if (!folds->name.empty()) {
        out.leave_one_out = true;
        return out;
    }
    auto count = Take<Count>::from(*folds->value, Parameter{.name = "folds", .type = Type::count});
    if (!count) return placed(std::move(count).fault(), origin);
    out.k = count->value;
    return out;
}

ParameterDoc folds_parameter() { return {"folds", "10", {}, {{"leave_one_out"}}, "a whole number"}; }

Result<std::vector<double>> row_weights(const rt::Table& table, const std::string& counts) {
    if (counts.empty()) return std::vector<double>{};
    return rt::weights_in({.table = &table, .rows = {}}, counts);
}

rt::Run judging_run(CallContext& context) {
    rt::Run run = context.run();
    run.rng = context.rng().child("judging");
    run.note = [&context](std::string text) { context.note(std::move(text)); };
    return run;
}

namespace {

Value class_record(const rt::ClassScores& c) {
    Record out;
    out.entries = {{"precision", Value(c.precision)}, {"recall", Value(c.recall)}, {"f1", Value(c.f1)}, {"rows", Value(c.support)}};
    return Value::record(std::move(out));
}

Record label_record(const rt::LabelOutcomes& o, const std::string& target, std::optional<std::size_t> positive) {
    rt::LabelScores s = rt::scores_of(o);
    if (positive) {
        s.precision = s.by_class[*positive].precision;
        s.recall = s.by_class[*positive].recall;
        s.f1 = s.by_class[*positive].f1;
    }
    Record classes;
    for (std::size_t k = 0; k < s.by_class.size(); ++k) classes.entries.emplace_back((*o.labels)[k].text(), class_record(s.by_class[k]));
    std::vector<rt::Variable> variables{{target, o.labels}, {target == "actual" ? "predicted" : "predicted " + target, o.labels}};
    rt::Factor confusion = rt::Factor::of_numbers(std::move(variables), s.confusion);
    confusion.set_layout({.totals = true});
    Record out;
    out.entries = {{"accuracy", Value(s.accuracy)}, {"confusion", Value::factor(std::move(confusion))}};
    const std::size_t last = o.labels->size() - 1;
    if (positive || last == 1) out.entries.emplace_back("positive", Value::label((*o.labels)[positive.value_or(last)]));
    const Record figures{{{"precision", Value(s.precision)}, {"recall", Value(s.recall)}, {"f1", Value(s.f1)}, {"kappa", Value(s.kappa)}}};
    out.entries.insert(out.entries.end(), figures.entries.begin(), figures.entries.end());
    if (s.log_loss) out.entries.emplace_back("log_loss", number_value(*s.log_loss));
    if (s.brier) out.entries.emplace_back("brier", number_value(*s.brier));
    out.entries.emplace_back("by_class", Value::record(std::move(classes)));
    out.entries.emplace_back("rows", Value(rt::Number(static_cast<int>(o.rows()))));
    return out;
}

}  // namespace

Record scores_record(const rt::Outcomes& outcomes, const std::string& target, std::optional<std::size_t> positive) {
    if (const auto* labels = std::get_if<rt::LabelOutcomes>(&outcomes)) return label_record(*labels, target, positive);
    const auto& numbers = std::get<rt::NumberOutcomes>(outcomes);
    const rt::NumberScores s = rt::scores_of(numbers);
    Record out;
    out.entries = {{"rmse", number_value(s.rmse)},
                   {"mae", number_value(s.mae)},
                   {"r2", number_value(s.r2)},
                   {"rows", Value(rt::Number(static_cast<int>(numbers.rows())))}};
    return out;
}

rt::Label positive_of_listed(const rt::Domain& labels) {
    const auto yes = rt::Label::of_bool(true);
    if (labels.find(yes)) return yes;
    const auto& all = labels.labels();
    const bool numbers = std::all_of(all.begin(), all.end(), [](const rt::Label& label) { return label.is_number(); });
    return numbers ? *std::max_element(all.begin(), all.end()) : all.back();
}

rt::ColumnPtr number_column(std::string name, const std::vector<rt::Number>& numbers) {
    auto out = std::make_shared<rt::Column>();
    out->name = std::move(name);
    out->kind = rt::ColumnKind::numeric;
    bool exact = true;
    for (const auto& n : numbers) {
        const double x = n.real();
        out->values.push_back(std::isfinite(x) ? x : std::nan(""));
        exact = exact && (n.is_exact() || !std::isfinite(x));
    }
    out->real = !exact;
    if (exact)
        for (const auto& n : numbers) out->exact.push_back(n.is_exact() ? n.exact() : rt::Rational());
    return out;
}

Value table_of_columns(std::vector<rt::ColumnPtr> columns) {
    const std::size_t rows = columns.empty() ? 0 : columns[0]->rows();
    return Value(Value::Node(rt::make_table(std::move(columns), std::nullopt, rows)));
}

}  // namespace credence::std_
