#include "runtime/prob/terms/term.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"

namespace credence::rt {

double real_value(TermOp op, double a, double b) {
    switch (op) {
        case TermOp::negate:
            return -a;
        case TermOp::add:
            return a + b;
        case TermOp::subtract:
            return a - b;
        case TermOp::multiply:
            return a * b;
        case TermOp::divide:
            return a / b;
        case TermOp::power:
            return b == 2 ? a * a : std::pow(a, b);
        case TermOp::exp:
            return std::exp(a);
        case TermOp::ln:
            return std::log(a);
        case TermOp::sqrt:
            return std::sqrt(a);
        case TermOp::abs:
            return std::abs(a);
        case TermOp::sin:
            return std::sin(a);
        case TermOp::cos:
            return std::cos(a);
        case TermOp::tan:
            return std::tan(a);
        case TermOp::log_gamma:
            return log_gamma(a);
        case TermOp::min:
            return b < a ? b : a;
        case TermOp::max:
            return a < b ? b : a;
        case TermOp::mod:
            return a - b * std::floor(a / b);
        case TermOp::floor:
            return std::floor(a);
        case TermOp::ceil:
            return std::ceil(a);
        case TermOp::round:
            return std::round(a);
        case TermOp::less:
            return a < b ? 1 : 0;
        case TermOp::less_equal:
            return a <= b ? 1 : 0;
        case TermOp::equal:
            return a == b ? 1 : 0;
        case TermOp::not_:
            return a == 0 ? 1 : 0;
        case TermOp::and_:
            return a != 0 && b != 0 ? 1 : 0;
        case TermOp::or_:
            return a != 0 || b != 0 ? 1 : 0;
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::is:
        case TermOp::choose:
            break;
    }
    return std::nan("");
}

namespace {

Term leaf_node(TermNode node) {
    node.has_variables = node.op != TermOp::constant;
    return std::make_shared<const TermNode>(std::move(node));
}

std::optional<Rational> exact_root(const Rational& x) {
    if (x.sign() < 0) return std::nullopt;
    const auto root = [](const Rational& whole) -> std::optional<Rational> {
        const auto n = whole.to_int64();
        if (!n) return std::nullopt;
        const auto r = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(*n))));
        if (r > 3'000'000'000 || r * r != *n) return std::nullopt;
        return Rational(r);
    };
    const auto above = root(x.numerator());
    const auto below = root(x.denominator());
    if (!above || !below) return std::nullopt;
    return *above / *below;
}

bool is_number(const Term& term, int value) { return is_constant(term) && term->value.is_exact() && term->value == Number(value); }

/// What changes nothing; null where there is something to compute.
Term simplified(TermOp op, const std::vector<Term>& parts) {
    switch (op) {
        case TermOp::negate:
            if (parts[0]->op == TermOp::negate) return parts[0]->parts[0];
            break;
        case TermOp::add:
            if (is_number(parts[0], 0)) return parts[1];
            if (is_number(parts[1], 0)) return parts[0];
            break;
        case TermOp::subtract:
            if (is_number(parts[1], 0)) return parts[0];
            break;
        case TermOp::multiply:
            if (is_number(parts[0], 1)) return parts[1];
            if (is_number(parts[1], 1)) return parts[0];
            if (is_number(parts[0], 0) || is_number(parts[1], 0)) return constant_term(0);
            break;
        case TermOp::divide:
        case TermOp::power:
            if (is_number(parts[1], 1)) return parts[0];
            break;
        case TermOp::choose:
            if (is_constant(parts[0])) return parts[0]->value.is_zero() ? parts[2] : parts[1];
            break;
        case TermOp::and_:
            if ((is_constant(parts[0]) && parts[0]->value.is_zero()) || (is_constant(parts[1]) && parts[1]->value.is_zero()))
                return constant_term(0);
            break;
        case TermOp::or_:
            if ((is_constant(parts[0]) && !parts[0]->value.is_zero()) || (is_constant(parts[1]) && !parts[1]->value.is_zero()))
                return constant_term(1);
            break;
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::is:
        case TermOp::exp:
        case TermOp::ln:
        case TermOp::sqrt:
        case TermOp::abs:
        case TermOp::sin:
        case TermOp::cos:
        case TermOp::tan:
        case TermOp::log_gamma:
        case TermOp::min:
        case TermOp::max:
        case TermOp::mod:
        case TermOp::floor:
        case TermOp::ceil:
        case TermOp::round:
        case TermOp::less:
        case TermOp::less_equal:
        case TermOp::equal:
        case TermOp::not_:
            break;
    }
    return nullptr;
}

void collect_variables(const Term& term, std::vector<VarId>& out) {
    if (!term->has_variables) return;
    if (term->parts.empty()) out.push_back(term->variable);
    for (const auto& part : term->parts) collect_variables(part, out);
}
}  // namespace

Number number_value(TermOp op, const Number& a, const Number& b) {
    switch (op) {
        case TermOp::negate:
            return -a;
        case TermOp::add:
            return a + b;
        case TermOp::subtract:
            return a - b;
        case TermOp::multiply:
            return a * b;
        case TermOp::divide:
            if (!b.is_zero()) return a / b;
            break;
        case TermOp::power:
            if (a.is_exact() && b.is_exact()) {
                const auto n = b.exact().to_int64();
                if (n && std::abs(*n) <= 64 && (*n >= 0 || !a.is_zero())) return a.exact().pow(*n);
            }
            break;
        case TermOp::sqrt:
            if (a.is_exact())
                if (auto root = exact_root(a.exact())) return *root;
            break;
        case TermOp::abs:
            return a.sign() < 0 ? -a : a;
        case TermOp::min:
            return b < a ? b : a;
        case TermOp::max:
            return a < b ? b : a;
        case TermOp::mod:
            if (a.is_exact() && b.is_exact() && !b.is_zero()) return a.exact() - b.exact() * (a.exact() / b.exact()).floor();
            break;
        case TermOp::floor:
            if (a.is_exact()) return a.exact().floor();
            break;
        case TermOp::ceil:
            if (a.is_exact()) return -(-a.exact()).floor();
            break;
        case TermOp::round:
            if (a.is_exact()) return a.sign() < 0 ? -(Rational(1, 2) - a.exact()).floor() : (a.exact() + Rational(1, 2)).floor();
            break;
        case TermOp::less:
            return a < b ? 1 : 0;
        case TermOp::less_equal:
            return a <= b ? 1 : 0;
        case TermOp::equal:
            return a == b ? 1 : 0;
        case TermOp::not_:
            return a.is_zero() ? 1 : 0;
        case TermOp::and_:
            return !a.is_zero() && !b.is_zero() ? 1 : 0;
        case TermOp::or_:
            return !a.is_zero() || !b.is_zero() ? 1 : 0;
        case TermOp::exp:
        case TermOp::ln:
        case TermOp::sin:
        case TermOp::cos:
        case TermOp::tan:
        case TermOp::log_gamma:
        case TermOp::constant:
        case TermOp::variable:
        case TermOp::component:
        case TermOp::is:
        case TermOp::choose:
            break;
    }
    return Number::real(real_value(op, a.real(), b.real()));
}

Term constant_term(Number value) {
    TermNode node;
    node.value = std::move(value);
    return leaf_node(std::move(node));
}

Term variable_term(VarId variable) {
    TermNode node;
    node.op = TermOp::variable;
    node.variable = variable;
    return leaf_node(std::move(node));
}

Term component_term(VarId variable, std::size_t component) {
    TermNode node;
    node.op = TermOp::component;
    node.variable = variable;
    node.component = component;
    return leaf_node(std::move(node));
}

Term is_term(VarId variable, Label label) {
    TermNode node;
    node.op = TermOp::is;
    node.variable = variable;
    node.label = std::move(label);
    return leaf_node(std::move(node));
}

Term make_term(TermOp op, std::vector<Term> parts) {
    if (Term simple = simplified(op, parts)) return simple;
    const bool constant = std::all_of(parts.begin(), parts.end(), [](const Term& part) { return is_constant(part); });
    if (constant && op != TermOp::choose)
        return constant_term(number_value(op, parts[0]->value, parts.size() > 1 ? parts[1]->value : Number(0)));
    TermNode node;
    node.op = op;
    node.parts = std::move(parts);
    node.has_variables = std::any_of(node.parts.begin(), node.parts.end(), [](const Term& part) { return part->has_variables; });
    return std::make_shared<const TermNode>(std::move(node));
}

std::vector<VarId> variables_of(const Term& term) {
    std::vector<VarId> out;
    collect_variables(term, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Term rewrite(const Term& term, const std::function<Term(const TermNode&)>& leaf) {
    if (!term->has_variables) return term;
    if (term->parts.empty()) {
        Term out = leaf(*term);
        return out ? out : term;
    }
    std::vector<Term> parts;
    parts.reserve(term->parts.size());
    bool same = true;
    for (const auto& part : term->parts) {
        parts.push_back(rewrite(part, leaf));
        same = same && parts.back() == part;
    }
    return same ? term : make_term(term->op, std::move(parts));
}

Term with_variables(const Term& term, const std::function<VarId(VarId)>& place) {
    return rewrite(term, [&](const TermNode& leaf) -> Term {
        const VarId own = place(leaf.variable);
        if (leaf.op == TermOp::component) return component_term(own, leaf.component);
        return leaf.op == TermOp::is ? is_term(own, leaf.label) : variable_term(own);
    });
}

Term leaf_value(const TermNode& leaf, const Outcome& value) {
    if (leaf.op == TermOp::component) {
        const auto* point = std::get_if<Point>(&value);
        return constant_term(point && leaf.component <= point->size() ? (*point)[leaf.component - 1] : Number::real(std::nan("")));
    }
    const auto* label = std::get_if<Label>(&value);
    const auto* number = std::get_if<Number>(&value);
    if (leaf.op == TermOp::is) {
        const Label own = label ? *label : number ? Label::of_number(*number) : Label();
        return constant_term(own == leaf.label ? 1 : 0);
    }
    if (number) return constant_term(*number);
    if (label && label->number()) return constant_term(*label->number());
    if (label && label->text() == "true") return constant_term(1);
    if (label && label->text() == "false") return constant_term(0);
    return constant_term(Number::real(std::nan("")));
}

double evaluate(const Term& term, const std::function<double(const TermNode&)>& leaf) {
    if (is_constant(term)) return term->value.real();
    if (term->parts.empty()) return leaf(*term);
    if (term->op == TermOp::choose) return evaluate(term->parts[evaluate(term->parts[0], leaf) != 0 ? 1 : 2], leaf);
    const double a = evaluate(term->parts[0], leaf);
    const double b = term->parts.size() > 1 ? evaluate(term->parts[1], leaf) : 0;
    return real_value(term->op, a, b);
}
}  // namespace credence::rt
