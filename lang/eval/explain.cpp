// explain: the derivation of a query as lines of text. Every begin, step and result line is an expression of the language.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "runtime/prob/continuous_net.hpp"
#include "runtime/prob/learning.hpp"

namespace credence::lang {

namespace {

using Kind = DerivationText::Kind;

std::string shown_variable(std::string_view name) {
    constexpr std::string_view next = "next ";
    if (name.starts_with(next)) return std::string(next) + show_name(name.substr(next.size()));
    return show_name(name);
}

std::string shown_events(const std::vector<std::pair<std::string, rt::Label>>& events) {
    std::string out;
    for (const auto& [name, label] : events)
        out += (out.empty() ? "" : ", ") + shown_variable(name) + " = " + (label.is_number() ? label.text() : show_label(label.text()));
    return out;
}

std::string plain_number(const rt::Number& n, int digits) {
    if (!n.is_exact()) return show_decimal(n, std::max(digits, 6));
    if (auto decimal = n.exact().decimal(8); decimal && !n.exact().is_integer()) return *decimal;
    const std::string fraction = n.exact().text();
    return fraction.size() <= 24 ? fraction : show_decimal(n, std::max(digits, 6));
}

/// Drops the parentheses that a reader does not need: doubled ones, those round a plain number, and those round a fraction that
/// stands in a sum. What is left means the same.
std::string tidy(std::string text) {
    const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t open = 0; open < text.size() && !changed; ++open) {
            if (text[open] != '(' || (open > 0 && is_word(text[open - 1]))) continue;
            std::size_t close = open + 1;
            int depth = 1;
            for (; close < text.size() && depth > 0; ++close) depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
            if (depth != 0) continue;
            --close;
            const std::string_view inside = std::string_view(text).substr(open + 1, close - open - 1);
            const bool plain = !inside.empty() && inside.find_first_not_of("0123456789.") == std::string_view::npos;
            const bool doubled = inside.size() > 1 && inside.front() == '(' && inside.find(')') == inside.size() - 1;
            const bool fraction = inside.find_first_not_of("0123456789/") == std::string_view::npos;
            const bool summand = (open == 0 || (open > 1 && text.compare(open - 2, 2, "+ ") == 0) || text[open - 1] == '(') &&
                                 (close + 1 == text.size() || text.compare(close + 1, 2, " +") == 0 || text[close + 1] == ')');
            if (!plain && !doubled && !(fraction && summand)) continue;
            text.erase(close, 1);
            text.erase(open, 1);
            changed = true;
        }
    }
    return text;
}

DerivationText rendered(const rt::DerivationLine& line, std::string_view in_model, const ShowOptions& options) {
    DerivationText out;
    out.kind = static_cast<Kind>(line.kind);
    const bool expression = out.kind != Kind::note && out.kind != Kind::formula;
    for (const auto& part : line.parts) {
        if (const auto* text = std::get_if<std::string>(&part))
            out.text += *text;
        else if (const auto* label = std::get_if<rt::Label>(&part))
            out.text += show_label(label->text());
        else if (const auto* n = std::get_if<rt::Number>(&part)) {
            out.text +=
                expression && line.parts.size() > 1 ? "(" + plain_number(*n, options.digits) + ")" : plain_number(*n, options.digits);
            if (out.kind == Kind::result) {
                out.value = *n;
                out.text = n->is_exact() ? n->exact().text() : show_decimal(*n, options.digits);
            }
        } else {
            const auto& term = std::get<rt::ProbabilityTerm>(part);
            out.text += "P(" + shown_events(term.event) + (term.given.empty() ? "" : " | " + shown_events(term.given)) + ")";
            if (expression) out.text += in_model;
        }
    }
    if (expression) out.text = tidy(std::move(out.text));
    return out;
}

/// What a `by` did: "Answered by enumeration: terms 2."
std::string engine_text(const rt::Answer& answer, const ShowOptions& options) {
    std::string out = "Answered by " + answer.engine;
    std::string figures;
    for (const auto& [name, number] : answer.counts)
        figures += fmt::format("{}{} {}", figures.empty() ? ": " : ", ", name, show_decimal(number, options.digits));
    out += figures;
    if (answer.standard_error) out += fmt::format("; standard error {}", show_decimal(*answer.standard_error, 2));
    return out + ".";
}

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

std::string sum_text(const std::vector<std::string>& terms) {
    std::string out;
    for (const auto& t : terms) out += (out.empty() ? "" : " + ") + t;
    return out;
}

}  // namespace

Result<std::vector<DerivationText>> Evaluator::derive_training(const Train& train, Span span, Frame& frame, Value& value) {
    auto training = training_of(train, span, frame);
    if (!training) return std::move(training).fault();
    auto model = fit(*training, span);
    if (!model) return std::move(model).fault();
    value = Value(Value::Node(ModelValue{*model, {}}));
    run_.rng = world_.rng.child("train");
    run_.note = {};
    auto told = rt::explain_training(*training->learner, {.table = training->table.get(), .rows = {}}, {}, **model, run_);
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
        return fault(
            "E-EXPLAIN",
            "explain tells of queries (P, E, H, I, L, argmax), of train, of predict and of functions such as filter, viterbi and retrieve",
            span, "this has no derivation");
    auto passed = pass(call.arguments, frame, nullptr, {});
    if (!passed) return std::move(passed).fault();
    rt::Derivation told;
    auto result = apply_builtin(forms, overloads->name, *passed, span, &told);
    if (!result) return std::move(result).fault();
    value = *std::move(result);
    std::vector<DerivationText> out;
    for (const auto& line : told) out.push_back(rendered(line, "", show_));
    return shortened(std::move(out));
}

Result<std::vector<DerivationText>> Evaluator::derive(const Expr& expr, Frame& frame, Value& value) {
    std::vector<DerivationText> out;
    const std::string text(source_->text(expr.span));
    const auto add = [&](Kind kind, std::string line) { out.push_back({kind, std::move(line)}); };
    const auto result = [&](const rt::Number& n) {
        out.push_back({Kind::result, n.is_exact() ? n.exact().text() : show_decimal(n, show_.digits), n});
    };

    if (const auto* u = std::get_if<Unary>(&expr.node); u && (u->op == UnaryOp::argmax || u->op == UnaryOp::argmin)) {
        auto inner = derive(*u->operand, frame, value);
        if (!inner) return inner;
        auto best = extreme_of(value, u->op == UnaryOp::argmax, expr.span);
        if (!best) return std::move(best).fault();
        inner->push_back(
            {Kind::note, fmt::format("The {} is at {}.", u->op == UnaryOp::argmax ? "largest" : "smallest", show_inline(*best, show_))});
        value = *std::move(best);
        return inner;
    }
    if (const auto* i = std::get_if<Index>(&expr.node)) {
        auto inner = derive(*i->base, frame, value);
        if (!inner) return inner;
        auto indexed = eval(expr, frame);
        if (!indexed) return std::move(indexed).fault();
        value = *std::move(indexed);
        return inner;
    }
    if (const auto* train = std::get_if<Train>(&expr.node)) return derive_training(*train, expr.span, frame, value);
    if (const auto* call = std::get_if<Call>(&expr.node)) return derive_call(*call, expr.span, frame, value);
    const auto* query = std::get_if<QueryExpr>(&expr.node);
    if (!query)
        return fault(
            "E-EXPLAIN",
            "explain tells of queries (P, E, H, I, L, argmax), of train, of predict and of functions such as filter, viterbi and retrieve",
            expr.span, "not a query");
    const std::string in_model = query->model ? " in " + std::string(source_->text(query->model->span)) : "";

    if (query->head == QueryHead::P || query->head == QueryHead::L) {
        rt::Query lowered;
        ModelValue model;
        auto answer = ask(*query, expr.span, frame, rt::Goal::probability, &lowered, &model);
        if (!answer) return std::move(answer).fault();
        auto derivation = model.model->explain(lowered, *answer, run_);
        if (!derivation) return at(std::move(derivation).fault(), expr.span);
        for (const auto& line : *derivation) out.push_back(rendered(line, in_model, show_));
        auto evaluated = eval_query(*query, expr.span, frame);
        if (!evaluated) return std::move(evaluated).fault();
        value = *std::move(evaluated);
        if (query->engine) add(Kind::note, engine_text(*answer, show_));
        if (query->head == QueryHead::L) {
            add(Kind::formula, "L(x | y) = -log2 P(x | y)");
            const auto* p = std::get_if<rt::Number>(&answer->value);
            const auto* f = std::get_if<rt::Factor>(&answer->value);
            if (p && !p->is_zero()) {
                add(Kind::begin, text);
                add(Kind::step, fmt::format("-log2({})", plain_number(*p, show_.digits)));
                result(*value.get<rt::Number>());
            }
            for (std::size_t k = 0; f && k < f->size() && k < 12; ++k) {
                if (f->at(k).is_zero()) continue;
                std::string labels;
                for (const auto& label : f->labels(k)) labels += (labels.empty() ? "" : ", ") + show_label(label.text());
                add(Kind::begin, fmt::format("({})[{}]", text, labels));
                add(Kind::step, fmt::format("-log2({})", plain_number(f->at(k), show_.digits)));
                result((*value.get<FactorPtr>())->at(k));
            }
        }
        return out;
    }
    auto evaluated = eval_query(*query, expr.span, frame);
    if (!evaluated) return std::move(evaluated).fault();
    value = *std::move(evaluated);
    const auto* number_value = value.get<rt::Number>();

    if (query->head == QueryHead::E) {
        auto asked = model_of(*query, expr.span, frame);
        if (asked && dynamic_cast<const rt::ContinuousModel*>(asked->model.get()) && last_answer_ && number_value) {
            add(Kind::formula, "E(f(X) | e) = integral of f(x) * p(x | e) over x");
            add(Kind::note, "Answered by " + last_answer_->engine + ".");
            add(Kind::begin, text);
            result(*number_value);
            return out;
        }
        add(Kind::formula, "E(f(X) | e) = sum over x of f(x) * P(X = x | e)");
        if (!number_value) {
            add(Kind::note, "One expectation for each value of what is free in the evidence.");
            return out;
        }
        auto found = expectation(*query, expr.span, frame);
        if (!found) return std::move(found).fault();
        const auto& terms = found->terms;
        for (std::size_t k = 0; k < terms.size() && k < 12; ++k)
            add(Kind::note, fmt::format("{}: worth {}, probability {}", terms[k].name, plain_number(terms[k].worth, show_.digits),
                                        plain_number(terms[k].weight, show_.digits)));
        if (terms.size() > 12) add(Kind::note, fmt::format("… and {} more", terms.size() - 12));
        add(Kind::begin, text);
        if (!terms.empty() && terms.size() <= 12) {
            std::vector<std::string> products;
            for (const auto& t : terms)
                products.push_back(fmt::format("({}) * ({})", plain_number(t.worth, show_.digits), plain_number(t.weight, show_.digits)));
            add(Kind::step, tidy(sum_text(products)));
        }
        result(*number_value);
        return out;
    }
    // Entropies: from the joint over all the variables named.
    const bool mutual = query->head == QueryHead::I;
    add(Kind::formula, mutual ? "I(X; Y | Z) = sum of P(x, y, z) * log2(P(x, y | z) / (P(x | z) * P(y | z)))"
                              : "H(X | Y) = - sum of P(x, y) * log2 P(x | y)");
    add(Kind::begin, text);
    if (!mutual) {
        rt::Query lowered;
        ModelValue model;
        auto answer = ask(*query, expr.span, frame, rt::Goal::probability, &lowered, &model);
        if (!answer) return std::move(answer).fault();
        const auto* f = std::get_if<rt::Factor>(&answer->value);
        if (f && f->size() <= 24) {
            // What was free in the evidence comes last in the joint: conditioning divides by its marginal.
            std::size_t targets = f->variables().size();
            for (const auto& item : query->given)
                if (const auto* event = std::get_if<EventItem>(&item.node);
                    event && std::holds_alternative<EventName>(event->event->node) && targets > 1)
                    --targets;
            std::vector<std::string> terms;
            std::size_t rest = 1;
            for (std::size_t v = targets; v < f->variables().size(); ++v) rest *= f->variables()[v].size();
            for (std::size_t k = 0; k < f->size(); ++k) {
                if (f->at(k).is_zero()) continue;
                rt::Number marginal = 0;
                for (std::size_t j = k % rest; j < f->size(); j += rest) marginal += f->at(j);
                const rt::Number conditional = rest == 1 ? f->at(k) : f->at(k) / marginal;
                terms.push_back(
                    fmt::format("({}) * log2({})", plain_number(f->at(k), show_.digits), plain_number(conditional, show_.digits)));
            }
            if (!terms.empty()) add(Kind::step, "-(" + tidy(sum_text(terms)) + ")");
        }
    } else {
        const auto side = [&](const std::vector<QueryItem>& items) {
            return std::string(source_->text({items.front().span.begin, items.back().span.end}));
        };
        const std::string x = side(query->targets);
        const std::string y = side(query->second);
        const std::string z = query->given.empty() ? "" : " | " + side(query->given);
        add(Kind::step, fmt::format("H({0}{2}){3} + H({1}{2}){3} - H({0}, {1}{2}){3}", x, y, z, in_model));
    }
    if (number_value) result(*number_value);
    return out;
}

Status Evaluator::explain(const Expr& operand, std::size_t line, Frame& frame) {
    DerivationEvent event;
    event.line = line;
    event.query = std::string(source_->text(operand.span));
    auto lines = derive(operand, frame, event.value);
    if (!lines) return std::move(lines).fault();
    event.lines = *std::move(lines);
    event.answer = last_answer_;
    if (world_.output) world_.output->derivation(event);
    return rt::Done{};
}

}  // namespace credence::lang
