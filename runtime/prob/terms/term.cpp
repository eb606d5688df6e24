#include "runtime/prob/terms/term.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "runtime/core/triangle.hpp"

namespace credence::rt {

namespace {

Term leaf_node(TermNode node) {
    node.has_variables = node.op != TermOp::constant;
    return std::make_shared<const TermNode>(std::move(node));
}

bool is_number(const Term& term, int value) { return is_constant(term) && term->value.is_exact() && term->value == Number(value); }

bool is_zero(const Term& term) { return is_constant(term) && term->value.is_zero(); }

/// What changes nothing; null if there is something to compute.
Term simplified(TermOp op, const std::vector<Term>& parts) {
    const auto& operation = operation_of(op);
    if (operation.neutral) {
        if (operation.commutes && is_number(parts[0], *operation.neutral)) return parts[1];
        if (is_number(parts[1], *operation.neutral)) return parts[0];
    }
    if (op == TermOp::negate && parts[0]->op == TermOp::negate) return parts[0]->parts[0];
    if (op == TermOp::multiply && (is_number(parts[0], 0) || is_number(parts[1], 0))) return constant_term(0);
    if (op == TermOp::choose && is_constant(parts[0])) return is_zero(parts[0]) ? parts[2] : parts[1];
    if (op == TermOp::and_ && (is_zero(parts[0]) || is_zero(parts[1]))) return constant_term(0);
    const auto holds = [](const Term& term) { return is_constant(term) && !term->value.is_zero(); };
    if (op == TermOp::or_ && (holds(parts[0]) || holds(parts[1]))) return constant_term(1);
    return nullptr;
}

using SeenTerms = std::unordered_set<const TermNode*>;

void collect_variables(const Term& term, std::vector<VarId>& out, SeenTerms& seen) {
    if (!term->has_variables) return;
    if (is_shared_part(term) && !seen.insert(term.get()).second) return;
    if (term->parts.empty()) out.push_back(term->variable);
    for (const auto& part : term->parts) collect_variables(part, out, seen);
}

class Rewriter {
public:
    explicit Rewriter(const std::function<Term(const TermNode&)>& leaf) : leaf_(leaf) {}

    Term operator()(const Term& term) {
        if (!term->has_variables) return term;
        if (term->parts.empty()) {
            Term out = leaf_(*term);
            return out ? out : term;
        }
        const bool shared = is_shared_part(term);
        if (shared)
            if (const auto known = known_.find(term.get()); known != known_.end()) return known->second;
        std::vector<Term> parts;
        parts.reserve(term->parts.size());
        bool same = true;
        for (const auto& part : term->parts) {
            parts.push_back((*this)(part));
            same = same && parts.back() == part;
        }
        Term out = same ? term : make_term(term->op, std::move(parts));
        if (shared) known_.emplace(term.get(), out);
        return out;
    }

private:
    const std::function<Term(const TermNode&)>& leaf_;
    std::unordered_map<const TermNode*, Term> known_;
};

/// An operation on constants whose result is a list. A term holds one number, so it cannot be folded.
Term constant_list(TermOp op, std::vector<Term> parts) {
    if (op == TermOp::factor) {
        std::vector<double> values;
        for (const auto& part : parts) values.push_back(part->value.real());
        factor_triangle(values);
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = constant_term(Number::real(values[i]));
    }
    TermNode node;
    node.op = TermOp::list;
    node.size = static_cast<std::uint32_t>(parts.size());
    node.parts = std::move(parts);
    return std::make_shared<const TermNode>(std::move(node));
}

/// Of a list whose entries are known; null of another.
Term known_entry(const Term& list, const Term& place) {
    if (list->op != TermOp::list || !is_constant(place)) return nullptr;
    const double at = place->value.real();
    const bool inside = at >= 0 && at < static_cast<double>(list->parts.size());
    return inside ? list->parts[static_cast<std::size_t>(at)] : constant_term(Number::real(std::nan("")));
}

}  // namespace

Number number_value(TermOp op, const Number& a, const Number& b) {
    const auto& operation = operation_of(op);
    if (operation.exact)
        if (auto exact = operation.exact(a, b)) return *std::move(exact);
    return Number::real(operation.value(a.real(), b.real()));
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
    if (op == TermOp::entry)
        if (Term known = known_entry(parts[0], parts[1])) return known;
    if (constant && (op == TermOp::factor || op == TermOp::list)) return constant_list(op, std::move(parts));
    if (constant && op != TermOp::choose)
        return constant_term(number_value(op, parts[0]->value, parts.size() > 1 ? parts[1]->value : Number(0)));
    TermNode node;
    node.op = op;
    node.parts = std::move(parts);
    for (const auto& part : node.parts) node.size = std::min(most_term_size, node.size + part->size);
    node.has_variables = std::any_of(node.parts.begin(), node.parts.end(), [](const Term& part) { return part->has_variables; });
    return std::make_shared<const TermNode>(std::move(node));
}

std::vector<VarId> variables_of(const Term& term) {
    std::vector<VarId> out;
    SeenTerms seen;
    collect_variables(term, out, seen);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Term rewrite(const Term& term, const std::function<Term(const TermNode&)>& leaf) { return Rewriter(leaf)(term); }

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

}  // namespace credence::rt
