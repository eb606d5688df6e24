// explain: derivations as lines of text. Every begin, step and result line is an expression of the language.

#include <fmt/format.h>

#include "lang/eval/derivation_lines.hpp"
#include "lang/eval/evaluator.hpp"
#include "runtime/prob/learning/learning.hpp"

namespace credence::lang {

namespace {

using Kind = DerivationText::Kind;

/// A long trace is cut in the middle.
std::vector<DerivationText> shortened(std::vector<DerivationText> lines) {
    constexpr std::size_t longest = 80;
    constexpr std::size_t kept = 30;  // at each end
    if (lines.size() <= longest) return lines;
    const std::size_t left_out = lines.size() - 2 * kept;
    std::vector<DerivationText> out(lines.begin(), lines.begin() + kept);
    out.push_back({Kind::note, fmt::format("… {} lines left out …", left_out)});
    out.insert(out.end(), lines.end() - kept, lines.end());
    return out;
}

}  // namespace

Result<std::vector<DerivationText>> Evaluator::derive_training(const Train& train, Span span, Frame& frame, Value& value) {
    auto training = TRY(training_of(train, span, frame));
    auto model = TRY(fit(training, span));
    value = Value(Value::Node(ModelValue{model, {}}));
    run_.rng = world_.rng.child("train");
    run_.note = {};
    auto told = rt::explain_training(*training.learner, {.table = training.table.get(), .rows = {}}, {}, *model, run_);
    if (!told) return at(std::move(told).fault(), span);
    std::vector<DerivationText> out;
    for (const auto& line : *told) out.push_back(rendered(line, "", show_));
    return shortened(std::move(out));
}

Result<std::vector<DerivationText>> Evaluator::derive_call(const Call& call, Span span, Frame& frame, Value& value) {
    const auto* name = std::get_if<NameExpr>(&call.callee->node);
    const Overloads* overloads = name && name->resolved.kind == Resolution::Kind::builtin ? world_.registry.find(name->name) : nullptr;
    std::vector<const Builtin*> forms;
    bool tells = false;
    for (std::size_t i = 0; overloads && i < overloads->forms.size(); ++i) {
        forms.push_back(&overloads->forms[i]);
        tells = tells || overloads->forms[i].explain;
    }
    if (!tells)
        return fault("E-EXPLAIN",
                     "explain works on queries (P, E, H, I, L, argmax), train, predict and functions such as filter, viterbi and retrieve",
                     span, "this has no derivation");
    auto passed = TRY(pass(call.arguments, frame, nullptr, {}));
    rt::Derivation told;
    value = TRY(apply_builtin(forms, overloads->name, passed, span, &told));
    std::vector<DerivationText> out;
    for (const auto& line : told) out.push_back(rendered(line, "", show_));
    return shortened(std::move(out));
}

Result<std::vector<DerivationText>> Evaluator::derive(const Expr& expr, Frame& frame, Value& value) {
    if (const auto* u = std::get_if<Unary>(&expr.node); u && (u->op == UnaryOp::argmax || u->op == UnaryOp::argmin)) {
        auto inner = derive(*u->operand, frame, value);
        if (!inner) return inner;
        auto best = TRY(extreme_of(value, u->op == UnaryOp::argmax, expr.span));
        inner->push_back(
            {Kind::note, fmt::format("The {} is at {}.", u->op == UnaryOp::argmax ? "largest" : "smallest", show_inline(best, show_))});
        value = std::move(best);
        return inner;
    }
    if (const auto* i = std::get_if<Index>(&expr.node)) {
        auto inner = derive(*i->base, frame, value);
        if (!inner) return inner;
        value = TRY(eval(expr, frame));
        return inner;
    }
    if (const auto* train = std::get_if<Train>(&expr.node)) return derive_training(*train, expr.span, frame, value);
    if (const auto* call = std::get_if<Call>(&expr.node)) return derive_call(*call, expr.span, frame, value);
    if (const auto* query = std::get_if<QueryExpr>(&expr.node)) return derive_query(*query, expr.span, frame, value);
    return fault("E-EXPLAIN",
                 "explain works on queries (P, E, H, I, L, argmax), train, predict and functions such as filter, viterbi and retrieve",
                 expr.span, "not a query");
}

Status Evaluator::explain(const Expr& operand, std::size_t line, Frame& frame) {
    DerivationEvent event;
    event.line = line;
    event.query = std::string(source_->text(operand.span));
    event.lines = TRY(derive(operand, frame, event.value));
    event.answer = last_answer_;
    tell_notes();
    if (world_.output) world_.output->derivation(event);
    return rt::Done{};
}

}  // namespace credence::lang
