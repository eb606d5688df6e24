// P(* | e): the model given e, which is a model again. If its joint table is small, it is that table, and answers as any model does.

#include <algorithm>

#include "lang/eval/evaluator.hpp"
#include "lang/eval/lower_query.hpp"
#include "runtime/prob/queries/conditioned.hpp"

namespace credence::lang {

namespace {

constexpr double small_table = 10'000;  // entries

}  // namespace

bool asks_for_everything(const QueryExpr& query) {
    return query.head == QueryHead::P && query.targets.size() == 1 && std::holds_alternative<StarItem>(query.targets[0].node);
}

/// Not applicable where something in the evidence is free: then there is a table for each of its values and no one model.
Attempt<ModelValue> Evaluator::posterior(const QueryExpr& query, Span span, Frame& frame, bool& small) {
    auto model = TRY(model_of(query, span, frame));
    QueryLowering lowering(*this, model, query, frame);
    TRY(lowering.bind());
    TRY(lowering.given(query.given));
    const rt::Query& lowered = lowering.query();
    if (!lowering.open_doing().empty() || !lowered.given.free.empty()) return not_applicable;
    double entries = 1;
    bool numbers = false;
    std::optional<rt::VarId> label;
    const auto open = lowering.unmentioned();
    for (const auto id : open) {
        const auto& variable = model.model->variables()[rt::index(id)].variable;
        if (variable.is_discrete()) {
            entries *= static_cast<double>(variable.size());
            label = id;
        } else {
            numbers = numbers || model.model->kind() != "table";
        }
    }
    small = !open.empty() && !numbers && entries <= small_table;
    auto engine = TRY(engine_of(query, *model.model, frame));
    auto given =
        rt::condition(lowering.model().model, {lowered.given, lowered.doing, lowering.named_quantities(), std::move(engine)}, run_);
    if (!given) return at(std::move(given).fault(), span);
    if (!small && label) {  // impossible evidence is reported now, not with the first query
        rt::Query one;
        one.targets.free.push_back(*label);
        one.origin = origin(span);
        run_.rng = world_.rng.child("query");
        if (auto answer = (*given)->ask(one, run_); !answer) return at(std::move(answer).fault(), span);
    }
    return ModelValue{*std::move(given), model.name};
}

Result<Value> Evaluator::eval_posterior(const QueryExpr& query, Span span, Frame& frame) {
    bool small = false;
    auto given = TRY(posterior(query, span, frame, small).or_nothing());
    if (given && !small) return Value(Value::Node(*std::move(given)));
    rt::Query lowered;
    ModelValue model;
    auto answer = TRY(ask(query, span, frame, rt::Goal::probability, &lowered, &model));
    if (const auto* number = std::get_if<rt::Number>(&answer.value)) return Value(*number);  // nothing is left to ask for
    auto* joint = std::get_if<rt::Factor>(&answer.value);
    if (!joint) return Value(Value::Node(std::get<rt::DistributionPtr>(answer.value)));
    if (given) joint->set_model(given->model);
    return Value::factor(std::move(*joint));
}

}  // namespace credence::lang
