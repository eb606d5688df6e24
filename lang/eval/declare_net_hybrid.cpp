// Nodes that join labels and numbers: functions of numbers, labels that numbers decide, and tables whose rows are draws of numbers.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

bool NetDeclaration::is_condition(const Expr& expr) {
    if (std::holds_alternative<BoolLit>(expr.node)) return true;
    if (const auto* unary = std::get_if<Unary>(&expr.node)) return unary->op == UnaryOp::not_;
    if (const auto* choice = std::get_if<If>(&expr.node)) return is_condition(*choice->then_) && is_condition(*choice->else_);
    const auto* binary = std::get_if<Binary>(&expr.node);
    return binary && binary->op < BinaryOp::add;
}

bool NetDeclaration::only_parents(const Node& node, const rt::Term& term, Span span) {
    for (const auto id : rt::variables_of(term)) {
        if (rt::index(id) >= nodes_.size() || rt::contains(node.parents, rt::index(id))) continue;
        report(self_.fault("E-VARIABLE",
                           fmt::format("{} is a variable of the net, but not a parent of {}", nodes_[rt::index(id)].name, node.name), span,
                           {}, "list the parents after the |"));
        return false;
    }
    return check_leaves(node, term, span);
}

void NetDeclaration::compute(Node& node, const Expr& expr) {
    if (!node.known) {
        whole_ = false;
        return;
    }
    node.known = false;  // until nothing is wrong
    SymbolicFrame frame = symbolic_frame(node);
    TermLowering terms = lowering(node, false);
    auto value = terms.lower(expr, frame);
    if (!value) return report(std::move(value).fault());
    auto labels = labels_drawn(node, *value, expr, terms).or_nothing();
    if (!labels) return report(std::move(labels).fault());
    if (*labels) {
        for (const auto& term : (*labels)->parameters)
            if (!only_parents(node, term, expr.span)) return;
        node.known = true;
        node.drawn = **std::move(labels);
        return finish_drawn(node);
    }
    auto term = terms.as_number(*value, expr.span);
    if (!term) return report(std::move(term).fault());
    if (!only_parents(node, *term, expr.span)) return;
    node.known = true;
    if (is_condition(expr)) {  // true or false: a draw that is certain once the numbers are known
        node.drawn = Drawn{rt::Family::bernoulli, {*std::move(term)}, {}, {expr.span}};
        node.domain = rt::boolean_domain();
        return;
    }
    node.computed = *std::move(term);
    node.continuous = true;
}

namespace {

using Cases = std::vector<std::pair<rt::Label, rt::Term>>;

/// if s > 80 then 3 else if s > 60 then 2 else 1, where 1, 2 and 3 are labels: false if some value is not a constant.
bool add_cases(const rt::Term& term, const rt::Term& condition, Cases& out) {
    if (term->op == rt::TermOp::choose) {
        const auto& part = term->parts;
        const auto yes = rt::make_term(
            rt::TermOp::multiply, {condition, rt::make_term(rt::TermOp::choose, {part[0], rt::constant_term(1), rt::constant_term(0)})});
        const auto no = rt::make_term(
            rt::TermOp::multiply, {condition, rt::make_term(rt::TermOp::choose, {part[0], rt::constant_term(0), rt::constant_term(1)})});
        return add_cases(part[1], yes, out) && add_cases(part[2], no, out);
    }
    if (!rt::is_constant(term)) return false;
    const auto label = rt::Label::of_number(term->value);
    for (auto& [known, weight] : out)
        if (known == label) {
            weight = rt::make_term(rt::TermOp::add, {weight, condition});
            return true;
        }
    out.emplace_back(label, condition);
    return true;
}

}  // namespace

Attempt<NetDeclaration::Drawn> NetDeclaration::labels_drawn(Node& node, const Symbolic& value, const Expr& expr, TermLowering& terms) {
    auto cases = TRY(terms.probabilities(value, expr.span).or_nothing());
    const auto* number = std::get_if<rt::Term>(&value.node);
    if (!cases && !(node.decl->domain && number)) return rt::not_applicable;
    if (!cases) {
        cases.emplace();
        if (!add_cases(*number, rt::constant_term(1), *cases))
            return self_.fault("E-TYPE", fmt::format("{} has listed values, and this is a number that can be any", node.name), expr.span,
                               {}, fmt::format("choose among the values of {} with if … then … else, or leave in {{…}} out", node.name));
    }
    Drawn out{.family = rt::Family::categorical};
    const auto add = [&](const rt::Label& label, rt::Term term) {
        out.labels.push_back(label);
        out.parameters.push_back(std::move(term));
        out.spans.push_back(expr.span);
    };
    if (!node.decl->domain) {
        for (auto& [label, term] : *cases) add(label, std::move(term));
        return out;
    }
    Frame frame = frame_of(node);
    const std::size_t before = faults_.size();
    if (!declare_domain(node, frame)) {
        if (faults_.size() == before) return rt::not_applicable;
        Fault fault = std::move(faults_.back());
        faults_.pop_back();
        return fault;
    }
    for (const auto& [label, term] : *cases)
        if (!node.domain->find(label)) return self_.at(no_such_label({node.name, node.domain}, label), expr.span);
    for (const auto& label : node.domain->labels()) {
        const auto found = std::find_if(cases->begin(), cases->end(), [&](const auto& one) { return one.first == label; });
        add(label, found == cases->end() ? rt::constant_term(0) : found->second);
    }
    return out;
}

namespace {

/// A call of a family whose values cannot be listed.
bool draws_numbers(const Expr& expr) {
    if (const auto* choice = std::get_if<If>(&expr.node)) return draws_numbers(*choice->then_);
    if (const auto* within = std::get_if<Binary>(&expr.node))
        return within->op == BinaryOp::in && std::holds_alternative<Range>(within->right->node) && draws_numbers(*within->left);
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const auto* info = callee && callee->resolved.kind == Resolution::Kind::builtin ? rt::find_family(callee->name) : nullptr;
    if (!info) return false;
    if (rt::Family(*info) == rt::Family::uniform) return call->arguments.size() == 2;
    return info->range != rt::ValueRange::counts || !info->top;
}

}  // namespace

bool NetDeclaration::is_drawn_by_rows(const NetNodeDecl& decl) {
    const auto* block = std::get_if<CptBlock>(&decl.table);
    return block && !decl.domain && !decl.parents.empty() &&
           std::any_of(block->rows.begin(), block->rows.end(), [](const CptRow& row) { return draws_numbers(*row.value); });
}

/// Each row's parameters as terms.
void NetDeclaration::lower_rows(Node& node) {
    node.lowered = true;
    const auto& block = std::get<CptBlock>(node.decl->table);
    for (const auto& row : block.rows) {
        SymbolicFrame frame = symbolic_frame(node);
        TermLowering terms = lowering(node, true);
        auto one = drawn(*row.value, terms, frame);
        Fault fault;
        if (!one) {
            fault = std::move(one).fault();
        } else if (const auto* first = node.drawn_rows.empty() ? nullptr : &node.drawn_rows[0];
                   first && (first->family != one->family || first->labels != one->labels)) {
            fault = self_.fault("E-TYPE", fmt::format("the rows of {} must be distributions of the same family", node.name),
                                row.value->span, fmt::format("{}, and {} before it", one->family->name, first->family->name));
        } else {
            node.drawn_rows.push_back(*std::move(one));
            continue;
        }
        report(std::move(fault));
        node.known = false;
        whole_ = false;
        return;
    }
}

/// if A is a1 then (if B is b1 then … else …) else …; a part that all cases share stays without a condition.
rt::Term NetDeclaration::by_configuration(const std::vector<std::size_t>& parents, const std::function<rt::Term(std::size_t)>& term_of,
                                          std::size_t k, std::size_t configuration) const {
    if (k == parents.size()) return term_of(configuration);
    const auto& domain = *nodes_[parents[k]].domain;
    rt::Term out;
    for (std::size_t v = domain.size(); v-- > 0;) {
        const rt::Term here = by_configuration(parents, term_of, k + 1, configuration * domain.size() + v);
        if (!out)
            out = here;
        else if (here != out)
            out = rt::make_term(rt::TermOp::choose, {rt::is_term(static_cast<rt::VarId>(parents[k]), domain[v]), here, out});
    }
    return out;
}

/// Height | Sex : { man: normal(178, 7), woman: normal(165, 6) }. Parents that are numbers have no keys: the rows name them.
void NetDeclaration::tabulate_drawn_rows(Node& node) {
    if (node.known && !node.lowered) lower_rows(node);
    Node keyed = node;
    std::erase_if(keyed.parents, [&](std::size_t p) { return nodes_[p].continuous; });
    for (const auto p : keyed.parents) {
        if (is_open(nodes_[p])) report(open_fault(nodes_[p], fmt::format("the table of {} needs them", node.name)));
        node.known = node.known && nodes_[p].domain;
    }
    if (!node.known || node.parents.size() != node.decl->parents.size()) {
        whole_ = false;
        return;
    }
    node.known = false;  // until nothing is wrong
    if (too_many_rows(keyed, node.decl->span)) return;
    Frame frame = frame_of(node);
    const auto rows = rows_of_configurations(keyed, std::get<CptBlock>(node.decl->table), frame);
    if (!rows) return;
    for (const auto& row : node.drawn_rows)
        for (std::size_t i = 0; i < row.parameters.size(); ++i)
            if (!only_parents(node, row.parameters[i], row.spans[i])) return;
    Drawn all = node.drawn_rows[0];
    for (std::size_t i = 0; i < all.parameters.size(); ++i)
        all.parameters[i] = by_configuration(
            keyed.parents, [&](std::size_t c) { return node.drawn_rows[*(*rows)[c]].parameters[i]; }, 0, 0);
    node.drawn = std::move(all);
    for (const auto& term : node.drawn->parameters) adopt(node, term);
    node.known = true;
    finish_drawn(node);
}

}  // namespace credence::lang
