// explain: derivations as lines of text. Every begin, step and result line is an expression of the language.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/derivation_lines.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/value/function.hpp"
#include "runtime/prob/learning/learning.hpp"

namespace credence::lang {

namespace {

using Kind = DerivationText::Kind;

constexpr std::string_view what_is_explained =
    "explain works on queries (P, E, H, I, L), expressions of them, train, predict and functions such as filter, viterbi and retrieve";

bool has_derivation(const Overloads& overloads) {
    return std::any_of(overloads.forms.begin(), overloads.forms.end(), [](const Builtin& form) { return static_cast<bool>(form.explain); });
}

/// Whether a line opens a step of a trace: what is calculated there comes with the lines that follow.
bool opens_step(const std::vector<DerivationText>& lines, std::size_t i, bool headed) {
    if (lines[i].kind == Kind::heading || lines[i].kind == Kind::formula) return i == 0 || lines[i - 1].kind != lines[i].kind;
    if (headed || i == 0 || lines[i].kind != Kind::note) return false;
    return lines[i - 1].kind == Kind::result || (lines[i - 1].kind == Kind::note && !lines[i].text.starts_with(' '));
}

}  // namespace

std::vector<DerivationText> shortened(std::vector<DerivationText> lines, std::size_t most) {
    if (lines.size() <= most) return lines;
    const bool headed = std::any_of(lines.begin(), lines.end(), [](const DerivationText& line) { return line.kind == Kind::heading; });
    const std::size_t kept = (most * 3 + 4) / 8;  // at each end
    std::size_t front = 0;
    std::size_t back = lines.size();
    std::size_t steps = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (!opens_step(lines, i, headed)) continue;
        // The first step is whole where it has a heading and the limit allows.
        if (++steps == 1 || i <= kept || (headed && steps == 2 && i <= most)) front = i;
        if (i + kept >= lines.size() || i == lines.size()) {
            back = i;
            break;
        }
        back = i;
    }
    if (front == 0 || front >= back) return lines;
    std::vector<DerivationText> out(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(front));
    out.push_back({Kind::note, fmt::format("… {} lines left out; `set lines all` shows them …", back - front)});
    out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(back), lines.end());
    return out;
}

Result<std::vector<DerivationText>> Evaluator::derive_training(const Train& train, Span span, Frame& frame, Value& value) {
    auto training = TRY(training_of(train, span, frame));
    if (training.blocks)
        return fault("E-EXPLAIN", "a training is explained on rows in memory, and these are read in blocks", train.data->span, {},
                     "load the table without stream: true");
    auto model = TRY(fit(training, span));
    value = Value(Value::Node(ModelValue{model, {}}));
    run_.rng = world_.rng.child("train");
    run_.note = {};
    auto told = rt::explain_training(*training.learner, {.table = training.table.get(), .rows = {}}, {}, *model, run_);
    if (!told) return at(std::move(told).fault(), span);
    std::vector<DerivationText> out;
    for (const auto& line : *told) out.push_back(rendered(line, "", show_));
    return shortened(std::move(out), world_.settings.lines);
}

const Overloads* Evaluator::overloads_of(const Call& call) const {
    const auto* name = std::get_if<NameExpr>(&call.callee->node);
    return name && name->resolved.kind == Resolution::Kind::builtin ? world_.registry.find(name->name) : nullptr;
}

Result<std::vector<DerivationText>> Evaluator::derive_call(const Call& call, Span span, Frame& frame, Value& value) {
    const Overloads* overloads = overloads_of(call);
    if (!overloads || !has_derivation(*overloads))
        return fault("E-EXPLAIN", std::string(what_is_explained), span, "this has no derivation");
    std::vector<const Builtin*> forms;
    for (const auto& form : overloads->forms) forms.push_back(&form);
    auto passed = TRY(pass(call.arguments, frame, nullptr, {}));
    rt::Derivation told;
    value = TRY(apply_builtin(forms, overloads->name, passed, span, &told));
    std::vector<DerivationText> out;
    for (const auto& line : told) out.push_back(rendered(line, "", show_));
    return shortened(std::move(out), world_.settings.lines);
}

Result<std::vector<DerivationText>> Evaluator::derive_most_probable(const QueryExpr& query, const Expr& expr, Frame& frame, Value& value) {
    constexpr double most_cases = 12;
    if (query.head != QueryHead::P || !maximises_together(query)) return std::vector<DerivationText>();
    rt::Query lowered;
    ModelValue model;
    auto answer = TRY(ask(query, expr.span, frame, rt::Goal::most_probable, &lowered, &model));
    const auto* best = std::get_if<rt::Assignment>(&answer.value);
    if (!best || model.model->kind() != "net" || model.model->numeric()) return std::vector<DerivationText>();
    double cases = 1;
    for (const auto& [variable, label] : best->values) cases *= static_cast<double>(variable.size());
    if (cases <= most_cases) return std::vector<DerivationText>();
    DerivationLines out(std::string(source_->text(expr.span)), "", show_);
    TRY(tell(*model.model, lowered, answer, expr.span, out));
    value = TRY(eval(expr, frame));
    return std::move(out).take();
}

/// best(options, a -> E(…)): what each option is worth, then the best of them. Not applicable to other expressions.
Attempt<std::vector<DerivationText>> Evaluator::derive_best(const Expr& expr, Frame& frame, Value& value) {
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* name = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    if (!name || name->name != "best" || call->arguments.size() != 2) return not_applicable;
    const auto* worth = std::get_if<Lambda>(&call->arguments[1].value->node);
    const auto callee = TRY(eval(*call->callee, frame));
    const auto* function = callee.get<FunctionPtr>();
    const auto* closure = function ? std::get_if<Closure>(&(*function)->node) : nullptr;
    if (!worth || worth->params.size() != 1 || !is_of_queries(*worth->body) || !closure || !is_standard(closure->source))
        return not_applicable;
    const auto options = TRY(eval(*call->arguments[0].value, frame));
    if (!options.items()) return not_applicable;
    std::vector<DerivationText> out;
    for (const auto& option : *options.items()) {
        Frame inner(worth->frame.size);
        inner[0] = option;
        for (const auto& capture : worth->frame.captures) inner[capture.to] = frame[capture.from];
        Value own;
        auto lines = TRY(derive(*worth->body, inner, own));
        out.push_back({Kind::formula, fmt::format("{} = {}:", worth->params[0].text, show_inline(option, show_))});
        out.insert(out.end(), lines.begin(), lines.end());
    }
    value = TRY(eval(expr, frame));
    out.push_back({Kind::note, fmt::format("The best is {}.", show_inline(value, show_))});
    return out;
}

Result<std::vector<DerivationText>> Evaluator::derive(const Expr& expr, Frame& frame, Value& value) {
    if (const auto* u = std::get_if<Unary>(&expr.node); u && (u->op == UnaryOp::argmax || u->op == UnaryOp::argmin)) {
        const auto* query = std::get_if<QueryExpr>(&u->operand->node);
        if (query && u->op == UnaryOp::argmax) {
            auto best = TRY(derive_most_probable(*query, expr, frame, value));
            if (!best.empty()) return best;
        }
        auto inner = derive(*u->operand, frame, value);
        if (!inner) return inner;
        auto best = TRY(eval(expr, frame));
        inner->push_back(
            {Kind::note, fmt::format("The {} is at {}.", u->op == UnaryOp::argmax ? "largest" : "smallest", show_inline(best, show_))});
        value = std::move(best);
        return inner;
    }
    if (const auto* i = std::get_if<Index>(&expr.node);
        i && (!is_of_queries(*i->base) || std::holds_alternative<QueryExpr>(i->base->node))) {
        auto inner = derive(*i->base, frame, value);
        if (!inner) return inner;
        value = TRY(eval(expr, frame));
        return inner;
    }
    if (const auto* train = std::get_if<Train>(&expr.node)) return derive_training(*train, expr.span, frame, value);
    if (auto best = TRY(derive_best(expr, frame, value).or_nothing())) return *std::move(best);
    if (const auto* call = std::get_if<Call>(&expr.node)) {
        const Overloads* overloads = overloads_of(*call);
        if (!is_of_queries(expr) || (overloads && has_derivation(*overloads))) return derive_call(*call, expr.span, frame, value);
    }
    if (const auto* query = std::get_if<QueryExpr>(&expr.node)) return derive_query(*query, expr.span, frame, value);
    if (is_of_queries(expr)) return derive_expression(expr, frame, value);
    return fault("E-EXPLAIN", std::string(what_is_explained), expr.span, "not a query");
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
