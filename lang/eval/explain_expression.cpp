// explain of expressions over queries: the derivation of each query, then the expression with their values.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/derivation_lines.hpp"
#include "lang/eval/evaluator.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_entries = 12;  // of a table that is written out

bool asks(const Expr& expr);

bool any_asks(const std::vector<Argument>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return asks(*a.value); });
}

/// Whether its value is computed from queries within it.
bool asks(const Expr& expr) {
    if (std::holds_alternative<QueryExpr>(expr.node)) return true;
    if (const auto* u = std::get_if<Unary>(&expr.node)) return asks(*u->operand);
    if (const auto* b = std::get_if<Binary>(&expr.node)) return asks(*b->left) || asks(*b->right);
    if (const auto* c = std::get_if<Call>(&expr.node)) return any_asks(c->arguments);
    if (const auto* p = std::get_if<Pipe>(&expr.node)) return asks(*p->left) || asks(*p->right);
    if (const auto* i = std::get_if<Index>(&expr.node)) return asks(*i->base);
    if (const auto* l = std::get_if<ListLit>(&expr.node))
        return std::any_of(l->items.begin(), l->items.end(), [](const ExprPtr& item) { return asks(*item); });
    return false;
}

void collect_queries(const Expr& expr, std::vector<const Expr*>& out) {
    if (!asks(expr)) return;
    if (std::holds_alternative<QueryExpr>(expr.node)) out.push_back(&expr);
    if (const auto* u = std::get_if<Unary>(&expr.node)) collect_queries(*u->operand, out);
    if (const auto* b = std::get_if<Binary>(&expr.node))
        for (const auto* side : {&b->left, &b->right}) collect_queries(**side, out);
    if (const auto* c = std::get_if<Call>(&expr.node))
        for (const auto& a : c->arguments) collect_queries(*a.value, out);
    if (const auto* p = std::get_if<Pipe>(&expr.node))
        for (const auto* side : {&p->left, &p->right}) collect_queries(**side, out);
    if (const auto* i = std::get_if<Index>(&expr.node)) collect_queries(*i->base, out);
    if (const auto* l = std::get_if<ListLit>(&expr.node))
        for (const auto& item : l->items) collect_queries(*item, out);
}

/// The operands of the arithmetic that are computed from queries: a query, or a function of one.
void collect_operands(const Expr& expr, std::vector<const Expr*>& out) {
    if (!asks(expr)) return;
    if (const auto* b = std::get_if<Binary>(&expr.node)) {
        collect_operands(*b->left, out);
        collect_operands(*b->right, out);
    } else if (const auto* u = std::get_if<Unary>(&expr.node); u && u->op == UnaryOp::negate) {
        collect_operands(*u->operand, out);
    } else if (const auto* l = std::get_if<ListLit>(&expr.node)) {
        for (const auto& item : l->items) collect_operands(*item, out);
    } else {
        out.push_back(&expr);
    }
}

/// The entry of one table at the k-th case of another that is over all its variables.
std::optional<rt::Number> entry_at(const rt::Factor& of, const rt::Factor& over, std::size_t k) {
    const auto labels = over.labels(k);
    std::size_t at = 0;
    for (const auto& v : of.variables()) {
        const auto place = over.find(v.name);
        const auto value = place ? v.domain->find(labels[*place]) : std::nullopt;
        if (!value) return std::nullopt;
        at = at * v.size() + *value;
    }
    return of.at(at);
}

struct Operand {
    const Expr* expr = nullptr;
    Value value;
    std::string numbers;  ///< of a function: the function with the numbers of its arguments
};

/// A number or a table as an argument of a function; empty if it is neither, or long.
std::string value_text(const Value& value, const DerivationLines& lines) {
    if (const auto* n = value.get<rt::Number>()) return lines.number(*n);
    const auto* f = value.get<FactorPtr>();
    if (!f || (*f)->size() > most_entries) return {};
    std::string entries;
    for (std::size_t k = 0; k < (*f)->size(); ++k) entries += (k == 0 ? "" : ", ") + lines.number((*f)->at(k));
    return "[" + entries + "]";
}

}  // namespace

/// Each query in the expression, once.
Result<std::vector<DerivationText>> Evaluator::derive_queries(const Expr& expr, Frame& frame) {
    std::vector<const Expr*> queries;
    collect_queries(expr, queries);
    std::vector<DerivationText> out;
    std::vector<std::string_view> told;
    for (const auto* query : queries) {
        const auto text = source_->text(query->span);
        if (std::find(told.begin(), told.end(), text) != told.end()) continue;
        told.push_back(text);
        Value own;
        auto lines = TRY(derive(*query, frame, own));
        if (queries.size() > 1) out.push_back({DerivationText::Kind::formula, fmt::format("{}:", folded(text))});
        out.insert(out.end(), lines.begin(), lines.end());
    }
    return out;
}

Result<std::vector<DerivationText>> Evaluator::derive_expression(const Expr& expr, Frame& frame, Value& value) {
    auto out = TRY(derive_queries(expr, frame));
    value = TRY(eval(expr, frame));
    const std::string whole = folded(source_->text(expr.span));
    DerivationLines lines(whole, "", show_);
    std::vector<const Expr*> parts;
    collect_operands(expr, parts);
    // The text of a call with the values of what its arguments compute from queries; empty if one cannot be written there.
    const auto in_arguments = [&](const Call& call, const Expr& part) -> Result<std::string> {
        std::vector<const Expr*> places;
        for (const auto& a : call.arguments) collect_operands(*a.value, places);
        std::string text;
        auto at = part.span.begin;
        for (const auto* place : places) {
            const Value own = TRY(eval(*place, frame));
            const std::string number = value_text(own, lines);
            if (number.empty()) return std::string();
            text += std::string(source_->text({at, place->span.begin})) + number;
            at = place->span.end;
        }
        return folded(text + std::string(source_->text({at, part.span.end})));
    };
    std::vector<Operand> operands;
    for (const auto* part : parts) {
        Operand one{.expr = part, .value = TRY(eval(*part, frame)), .numbers = {}};
        if (const auto* call = std::get_if<Call>(&part->node)) one.numbers = TRY(in_arguments(*call, *part));
        operands.push_back(std::move(one));
    }
    // The text with numbers in place of the operands, for one case of the answer; empty if one has no number there.
    const auto written = [&](const std::function<std::string(const Operand&)>& number) {
        std::string text;
        auto at = expr.span.begin;
        for (const auto& one : operands) {
            const std::string in_numbers = number(one);
            if (in_numbers.empty()) return std::string();
            text += std::string(source_->text({at, one.expr->span.begin})) + in_numbers;
            at = one.expr->span.end;
        }
        return folded(text + std::string(source_->text({at, expr.span.end})));
    };
    const auto in_numbers = [&](std::string begin, const std::function<std::string(const Operand&)>& number) {
        lines.begin(std::move(begin));
        const bool functions = std::any_of(operands.begin(), operands.end(), [](const Operand& o) { return !o.numbers.empty(); });
        std::vector<std::string> texts;
        if (functions) texts.push_back(written([&](const Operand& o) { return o.numbers.empty() ? number(o) : o.numbers; }));
        texts.push_back(written(number));
        const bool only_number = parts.size() == 1 && parts[0] == &expr;  // the result shows it
        if (only_number) texts.pop_back();
        for (const auto& text : texts)
            if (!text.empty()) lines.sum({text});
    };
    const auto steps = [&](std::string begin, const rt::Number& result, const std::function<std::string(const Operand&)>& number) {
        in_numbers(std::move(begin), number);
        lines.result(result);
    };
    const auto in_parentheses = [&](const rt::Number& n) { return "(" + lines.number(n) + ")"; };
    const auto alone = [&](const Operand& o) {
        const auto* own = o.value.get<rt::Number>();
        return own ? in_parentheses(*own) : std::string();
    };
    if (const auto* n = value.get<rt::Number>()) {
        steps(whole, *n, alone);
    } else if (const auto* holds = value.get<bool>()) {
        in_numbers(whole, alone);
        lines.step(*holds ? "true" : "false");
    } else if (std::holds_alternative<ListLit>(expr.node)) {
        in_numbers(whole, [&](const Operand& o) { return value_text(o.value, lines); });
        lines.step(show_inline(value, show_));
    } else if (const auto* table = value.get<FactorPtr>(); table && expr.node.index() != Expr::Node(QueryExpr{}).index()) {
        const rt::Factor& f = **table;
        for (std::size_t k = 0; k < f.size() && k < most_entries; ++k) {
            std::string labels;
            for (const auto& label : f.labels(k)) labels += (labels.empty() ? "" : ", ") + show_label(label.text());
            steps(fmt::format("({})[{}]", whole, labels), f.at(k), [&](const Operand& o) {
                if (const auto* own = o.value.get<rt::Number>()) return in_parentheses(*own);
                const auto* own = o.value.get<FactorPtr>();
                const auto entry = own ? entry_at(**own, f, k) : std::nullopt;
                return entry ? in_parentheses(*entry) : std::string();
            });
        }
        if (f.size() > most_entries) lines.note(fmt::format("… and {} more", f.size() - most_entries));
    }
    auto last = std::move(lines).take();
    out.insert(out.end(), last.begin(), last.end());
    return out;
}

bool Evaluator::is_of_queries(const Expr& expr) { return asks(expr); }

}  // namespace credence::lang
