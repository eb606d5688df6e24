// Nodes that join labels and numbers: functions of numbers, labels that numbers decide, and tables whose rows are draws of numbers.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/distributions/by_cases.hpp"

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
    auto cases = label_cases(node, *value, expr.span, terms).or_nothing();
    if (!cases) return report(std::move(cases).fault());
    if (*cases) return draw_labels(node, **cases, expr.span);
    auto term = terms.as_number(*value, expr.span);
    if (!term) return report(std::move(term).fault());
    if (!only_parents(node, *term, expr.span)) return;
    node.known = true;
    if (is_condition(expr)) {  // true or false: a draw that is certain once the numbers are known
        node.drawn = Drawn{.family = rt::Family::bernoulli, .parameters = {*std::move(term)}, .spans = {expr.span}};
        node.domain = rt::boolean_domain();
        return;
    }
    node.computed = *std::move(term);
    node.continuous = true;
}

namespace {

using Cases = std::vector<std::pair<rt::Label, rt::Term>>;

rt::Term term_of(const Cases& cases, const rt::Label& label) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return one.first == label; });
    return found == cases.end() ? nullptr : found->second;
}

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

Attempt<NetDeclaration::LabelCases> NetDeclaration::label_cases(const Node& node, const Symbolic& value, Span span, TermLowering& terms) {
    auto cases = TRY(terms.probabilities(value, span).or_nothing());
    if (cases) return *std::move(cases);
    const auto* number = std::get_if<rt::Term>(&value.node);
    if (!node.decl->domain || !number) return rt::not_applicable;
    LabelCases out;
    if (add_cases(*number, rt::constant_term(1), out)) return out;
    return self_.fault("E-TYPE", fmt::format("{} has listed values, and this is a number that can be any", node.name), span, {},
                       fmt::format("choose among the values of {} with if … then … else, or leave in {{…}} out", node.name));
}

void NetDeclaration::draw_labels(Node& node, const LabelCases& cases, Span span) {
    for (const auto& [label, term] : cases)
        if (!only_parents(node, term, span)) return;
    Frame frame = frame_of(node);
    if (node.decl->domain && !declare_domain(node, frame)) return;
    Drawn out{.family = rt::Family::categorical};
    const auto add = [&](const rt::Label& label, const rt::Term& term) {
        out.labels.push_back(label);
        out.parameters.push_back(term);
        out.spans.push_back(span);
    };
    for (const auto& [label, term] : cases) {
        if (!node.domain)
            add(label, term);
        else if (!node.domain->find(label))
            return report(self_.at(no_such_label({node.name, node.domain}, label), span));
    }
    for (std::size_t v = 0; node.domain && v < node.domain->size(); ++v) {
        const auto term = term_of(cases, (*node.domain)[v]);
        add((*node.domain)[v], term ? term : rt::constant_term(0));
    }
    node.drawn = std::move(out);
    node.known = true;
    finish_drawn(node);
}

/// Where all parents are numbers, a block is a record: Result | Score : { pass: Score / 10, fail: 1 - Score / 10 }.
Result<NetDeclaration::LabelCases> NetDeclaration::cases_of_record(const Node& node, const CptBlock& block, TermLowering& terms) {
    LabelCases out;
    Frame values = frame_of(node);
    SymbolicFrame frame = symbolic_frame(node);
    for (const auto& row : block.rows) {
        if (row.is_else || row.keys.size() != 1 || row.keys[0].any)
            return self_.fault("E-TYPE", fmt::format("the parents of {} are numbers, which have no rows", node.name), row.span,
                               fmt::format("a value of {} is needed before the colon", node.name),
                               "write a record of probabilities, as in { yes: 1 / (1 + exp(-X)), no: … }, or if … then … else …");
        const RowKey& key = row.keys[0];
        rt::Label label = rt::Label::of_text(key.label.text);
        if (key.computed) {
            const auto value = TRY(self_.eval_label(*key.computed, values));
            const auto computed = value.as_label();
            if (!computed) return self_.fault("E-TYPE", fmt::format("a value of {} is needed here", node.name), key.computed->span);
            label = *computed;
        }
        out.emplace_back(label, TRY(terms.number(*row.value, frame)));
    }
    return out;
}

/// One row: a label, a record of probabilities or, as P(true), a number.
Result<NetDeclaration::LabelCases> NetDeclaration::cases_of_row(const Node& node, const Expr& row, TermLowering& terms) {
    SymbolicFrame frame = symbolic_frame(node);
    const auto value = TRY(terms.lower(row, frame));
    auto cases = TRY(label_cases(node, value, row.span, terms).or_nothing());
    if (cases) return *std::move(cases);
    const auto yes = TRY(terms.as_number(value, row.span));
    return LabelCases{{rt::Label::of_bool(true), yes},
                      {rt::Label::of_bool(false), rt::make_term(rt::TermOp::subtract, {rt::constant_term(1), yes})}};
}

/// A table under parents some of which are numbers: its keys are values of the others, its rows are functions of the numbers.
void NetDeclaration::tabulate_label_rows(Node& node, const CptBlock& block) {
    if (!node.known) {
        whole_ = false;
        return;
    }
    node.known = false;  // until nothing is wrong
    TermLowering terms = lowering(node, false);
    const auto keyed = keyed_parents(node);
    if (!keyed) return;
    if (keyed->parents.empty()) {
        auto cases = cases_of_record(node, block, terms);
        if (!cases) return report(std::move(cases).fault());
        return draw_labels(node, *cases, node.decl->span);
    }
    Frame frame = frame_of(node);
    const auto rows = rows_of_configurations(*keyed, block, frame);
    if (!rows) return;
    std::vector<LabelCases> said;
    LabelCases all;
    for (const auto& row : block.rows) {
        auto cases = cases_of_row(node, *row.value, terms);
        if (!cases) return report(std::move(cases).fault());
        for (const auto& [label, term] : *cases)
            if (!term_of(all, label)) all.emplace_back(label, term);
        said.push_back(*std::move(cases));
    }
    const rt::Term nothing = rt::constant_term(0);
    for (auto& [label, term] : all) {
        const rt::Label& one = label;
        term = by_configuration(keyed->parents, [&](std::size_t c) {
            const auto here = term_of(said[*(*rows)[c]], one);
            return here ? here : nothing;
        });
    }
    draw_labels(node, all, node.decl->span);
}

namespace {

/// The family that an expression calls; null if it calls none.
const rt::FamilyInfo* called_family(const Expr& expr) {
    if (const auto* within = std::get_if<Binary>(&expr.node))
        return within->op == BinaryOp::in && std::holds_alternative<Range>(within->right->node) ? called_family(*within->left) : nullptr;
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    return callee && callee->resolved.kind == Resolution::Kind::builtin ? rt::find_family(callee->name) : nullptr;
}

/// Whether some case is a call of a family.
bool draws(const Expr& expr) {
    if (const auto* choice = std::get_if<If>(&expr.node)) return draws(*choice->then_) || draws(*choice->else_);
    return called_family(expr) != nullptr;
}

/// A call of a family whose values cannot be listed.
bool draws_numbers(const Expr& expr) {
    if (const auto* choice = std::get_if<If>(&expr.node)) return draws_numbers(*choice->then_) || draws_numbers(*choice->else_);
    if (const auto* within = std::get_if<Binary>(&expr.node)) return called_family(expr) && draws_numbers(*within->left);
    const auto* info = called_family(expr);
    if (!info) return false;
    const auto* call = std::get_if<Call>(&expr.node);
    if (rt::Family(*info) == rt::Family::uniform) return call->arguments.size() == 2;
    return info->range != rt::ValueRange::counts || !info->top;
}

}  // namespace

bool NetDeclaration::is_drawn_by_rows(const NetNodeDecl& decl) {
    const auto* block = std::get_if<CptBlock>(&decl.table);
    return block && !decl.domain && !decl.parents.empty() &&
           std::any_of(block->rows.begin(), block->rows.end(), [](const CptRow& row) { return draws_numbers(*row.value); });
}

bool NetDeclaration::fit_together(const Drawn& a, const Drawn& b) {
    return a.family == b.family ? a.labels == b.labels : rt::can_be_case(*a.family) && rt::can_be_case(*b.family);
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
        } else if (const auto* first = node.drawn_rows.empty() ? nullptr : &node.drawn_rows[0]; first && !fit_together(*first, *one)) {
            fault = self_.fault("E-TYPE",
                                fmt::format("the rows of {} must be distributions of the same family, or all over real numbers", node.name),
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
rt::Term NetDeclaration::by_configuration(const std::vector<std::size_t>& parents, const std::function<rt::Term(std::size_t)>& term_at,
                                          std::size_t k, std::size_t configuration) const {
    if (k == parents.size()) return term_at(configuration);
    const auto& domain = *nodes_[parents[k]].domain;
    rt::Term out;
    for (std::size_t v = domain.size(); v-- > 0;) {
        const rt::Term here = by_configuration(parents, term_at, k + 1, configuration * domain.size() + v);
        if (!out)
            out = here;
        else if (here != out)
            out = rt::make_term(rt::TermOp::choose, {rt::is_term(static_cast<rt::VarId>(parents[k]), domain[v]), here, out});
    }
    return out;
}

/// The node with those of its parents that have values: the keys of its rows name them. Nothing if one is not known.
std::optional<NetDeclaration::Node> NetDeclaration::keyed_parents(const Node& node) {
    Node keyed = node;
    std::erase_if(keyed.parents, [&](std::size_t p) { return nodes_[p].continuous; });
    for (const auto p : keyed.parents) {
        if (is_open(nodes_[p])) report(open_fault(nodes_[p], fmt::format("the table of {} needs them", node.name)));
        if (nodes_[p].domain) continue;
        whole_ = false;
        return std::nullopt;
    }
    if (too_many_rows(keyed, node.decl->span)) return std::nullopt;
    return keyed;
}

/// The rows as one draw, whose parameters depend on the keyed parents; where the rows are of several families, so does the family.
NetDeclaration::Drawn NetDeclaration::joined_rows(const Node& node, const Node& keyed, const std::vector<std::size_t>& row_of) const {
    std::vector<const Drawn*> first;  // of each family
    std::vector<std::size_t> case_of;
    for (const auto& row : node.drawn_rows) {
        const auto found = std::find_if(first.begin(), first.end(), [&](const Drawn* one) { return one->family == row.family; });
        case_of.push_back(static_cast<std::size_t>(found - first.begin()));
        if (found == first.end()) first.push_back(&row);
    }
    std::vector<rt::FamilyCase> cases;
    for (std::size_t k = 0; k < first.size(); ++k) {
        auto& own = cases.emplace_back(rt::FamilyCase{first[k]->family, {}});
        for (std::size_t i = 0; i < first[k]->parameters.size(); ++i)
            own.parameters.push_back(by_configuration(keyed.parents, [&](std::size_t c) {
                const std::size_t row = row_of[c];
                return (case_of[row] == k ? node.drawn_rows[row] : *first[k]).parameters[i];
            }));
    }
    Drawn out = *first[0];
    if (cases.size() == 1) {
        out.parameters = std::move(cases[0].parameters);
        return out;
    }
    std::vector<rt::Term> number;
    for (std::size_t k = 0; k < cases.size(); ++k) number.push_back(rt::constant_term(static_cast<int>(k)));
    out.family = rt::by_cases_family;
    out.parameters =
        rt::parameters_of_cases(by_configuration(keyed.parents, [&](std::size_t c) { return number[case_of[row_of[c]]]; }), cases);
    out.spans.assign(out.parameters.size(), node.decl->span);
    return out;
}

/// Height | Sex : { man: normal(178, 7), woman: normal(165, 6) }. Parents that are numbers have no keys: the rows name them.
void NetDeclaration::tabulate_drawn_rows(Node& node) {
    if (node.known && !node.lowered) lower_rows(node);
    if (!node.known) {
        whole_ = false;
        return;
    }
    node.known = false;  // until nothing is wrong
    const auto keyed = keyed_parents(node);
    if (!keyed) return;
    Frame frame = frame_of(node);
    const auto rows = rows_of_configurations(*keyed, std::get<CptBlock>(node.decl->table), frame);
    if (!rows) return;
    for (const auto& row : node.drawn_rows)
        for (std::size_t i = 0; i < row.parameters.size(); ++i)
            if (!only_parents(node, row.parameters[i], row.spans[i])) return;
    std::vector<std::size_t> row_of;
    for (const auto& row : *rows) row_of.push_back(*row);
    node.drawn = joined_rows(node, *keyed, row_of);
    for (const auto& term : node.drawn->parameters) adopt(node, term);
    if (node.drawn->family == rt::Family(rt::by_cases_family)) {
        if (node.drawn->holes)
            return report(self_.fault("E-HOLE",
                                      fmt::format("the numbers of {} cannot be learned: its rows are of different families", node.name),
                                      node.decl->span, {}, "? needs rows of one family"));
        const std::size_t before = faults_.size();
        for (const auto& row : node.drawn_rows) {
            Node one = node;
            one.drawn = row;
            check_constants(one);
        }
        if (faults_.size() != before) return;
    }
    node.known = true;
    finish_drawn(node);
}

/// X | n : binomial(n, 0.1), where a table over n cannot be: n has no listed values, or the draw has none.
bool NetDeclaration::is_drawn_by_expression(const Node& node) const {
    const auto* expr = std::get_if<ExprPtr>(&node.decl->table);
    if (!expr || node.decl->domain || !draws(**expr)) return false;
    return draws_numbers(**expr) ||
           std::any_of(node.parents.begin(), node.parents.end(), [&](std::size_t p) { return nodes_[p].continuous; });
}

void NetDeclaration::draw_by_expression(Node& node) {
    const bool linked = node.decl->parents.empty() || node.parents.size() == node.decl->parents.size();
    if (!node.known || !linked) {
        node.known = false;
        whole_ = false;
        return;
    }
    node.known = false;  // until nothing is wrong
    const Expr& expr = *std::get<ExprPtr>(node.decl->table);
    SymbolicFrame frame = symbolic_frame(node);
    TermLowering terms = lowering(node, false);
    if (auto one = drawn(expr, terms, frame)) {
        for (std::size_t i = 0; i < one->parameters.size(); ++i)
            if (!only_parents(node, one->parameters[i], one->spans[i])) return;
        node.drawn = *std::move(one);
        node.known = true;
        return finish_drawn(node);
    } else if (!std::holds_alternative<If>(expr.node) || holes_ > 0) {
        return report(std::move(one).fault());
    }
    // Cases of several families: a draw of each, of which the value is one.
    auto value = drawn_case(node, expr, rt::constant_term(1), terms, frame);
    if (!value) return report(std::move(value).fault());
    if (!*value) return;  // reported
    node.computed = *std::move(value);
    node.known = true;
    node.continuous = true;
}

/// The value of an expression where the condition holds: a number, or a draw that is a hidden node. Null after a fault that was reported.
Result<rt::Term> NetDeclaration::drawn_case(Node& node, const Expr& expr, const rt::Term& condition, TermLowering& terms,
                                            SymbolicFrame& frame) {
    if (const auto* choice = std::get_if<If>(&expr.node)) {
        const auto own = TRY(terms.number(*choice->condition, frame));
        if (!only_parents(node, own, choice->condition->span)) return rt::Term();
        const auto both = [&](const rt::Term& other) { return rt::make_term(rt::TermOp::multiply, {condition, other}); };
        const auto zero = rt::constant_term(0);
        const auto one = rt::constant_term(1);
        const auto yes = TRY(drawn_case(node, *choice->then_, both(rt::make_term(rt::TermOp::choose, {own, one, zero})), terms, frame));
        const auto no = TRY(drawn_case(node, *choice->else_, both(rt::make_term(rt::TermOp::choose, {own, zero, one})), terms, frame));
        return yes && no ? rt::make_term(rt::TermOp::choose, {own, yes, no}) : rt::Term();
    }
    if (!draws(expr)) {
        const auto number = TRY(terms.number(expr, frame));
        return only_parents(node, number, expr.span) ? number : rt::Term();
    }
    auto draw = TRY(drawn(expr, terms, frame));
    for (std::size_t i = 0; i < draw.parameters.size(); ++i) {
        auto& parameter = draw.parameters[i];
        if (!only_parents(node, parameter, draw.spans[i])) return rt::Term();
        if (rt::is_constant(parameter)) continue;
        // Elsewhere it does not matter, and has a parameter that is always possible.
        const bool share = draw.family->parameters.size() != draw.parameters.size() || draw.family->parameters[i].learnable();
        parameter = rt::make_term(rt::TermOp::choose,
                                  {condition, parameter, rt::constant_term(share ? rt::Number(rt::Rational(1, 2)) : rt::Number(1))});
    }
    const std::size_t before = faults_.size();
    Node& hidden = nodes_.emplace_back();
    hidden.decl = node.decl;
    hidden.outer = node.outer;
    hidden.step = true;
    hidden.known = true;
    hidden.name = fmt::format("{}, draw {}", node.name, nodes_.size());
    hidden.drawn = std::move(draw);
    const auto place = static_cast<rt::VarId>(nodes_.size() - 1);
    for (const auto& term : hidden.drawn->parameters) adopt(hidden, term);
    finish_drawn(hidden);
    node.parents.push_back(rt::index(place));
    return faults_.size() == before ? rt::variable_term(place) : rt::Term();
}

}  // namespace credence::lang
