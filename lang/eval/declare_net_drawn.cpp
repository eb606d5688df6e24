// Nodes `X ~ family(…)`: their parents are the variables named in the parameters, which become terms of the runtime.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

std::optional<rt::Term> NetDeclaration::variable_named(const std::string& name) const {
    if (const auto found = by_name_.find(name); found != by_name_.end()) return rt::variable_term(static_cast<rt::VarId>(found->second));
    const auto comma = name.rfind(", ");  // p[3, 1] is a component of p[3]
    const auto bracket = comma == std::string::npos ? name.rfind('[') : comma;
    if (bracket == std::string::npos) return std::nullopt;
    const auto base = by_name_.find(name.substr(0, bracket) + (comma == std::string::npos ? "" : "]"));
    if (base == by_name_.end() || nodes_[base->second].dimension == 0) return std::nullopt;
    const auto first = bracket + (comma == std::string::npos ? 1 : 2);
    const auto k = rt::Rational::parse(name.substr(first, name.size() - first - 1));
    const auto position = k ? k->to_int64() : std::nullopt;
    if (!position || *position < 1 || static_cast<std::size_t>(*position) > nodes_[base->second].dimension) return std::nullopt;
    return rt::component_term(static_cast<rt::VarId>(base->second), static_cast<std::size_t>(*position));
}

std::vector<rt::Term> NetDeclaration::members_of(const Node& node, const std::string& plate) const {
    std::vector<rt::Term> out;
    if (const auto found = plates_.find(plate); found != plates_.end())
        for (const auto member : found->second)
            if (&nodes_[member] != &node) out.push_back(rt::variable_term(static_cast<rt::VarId>(member)));
    return out;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_value(const rt::Distribution& d, Span span) {
    const auto* info = rt::find_family(d.name());
    Drawn out;
    if (info) out.family = *info;
    for (const auto& parameter : d.parameters()) {
        if (const auto* n = std::get_if<rt::Number>(&parameter.value))
            out.parameters.push_back(rt::constant_term(*n));
        else if (const auto* list = std::get_if<std::vector<rt::Number>>(&parameter.value); list && info && info->has_sticks())
            for (const auto& entry : *list) out.parameters.push_back(rt::constant_term(entry));
        else if (const auto* weights = std::get_if<std::vector<std::pair<rt::Label, rt::Number>>>(&parameter.value))
            for (const auto& [label, weight] : *weights) {
                out.labels.push_back(label);
                out.parameters.push_back(rt::constant_term(weight));
            }
        else
            info = nullptr;
    }
    if (!info) return self_.fault("E-TYPE", fmt::format("a variable of a net cannot be drawn from a {}", d.name()), span);
    out.spans.assign(out.parameters.size(), span);
    return out;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_call(const rt::FamilyInfo& info, const Call& call, Span span, TermLowering& lowering,
                                                         SymbolicFrame& frame) {
    Drawn out;
    out.family = info;
    if (info.has_parts()) {
        std::vector<std::string> forms;
        for (const auto& p : info.parameters)
            forms.emplace_back(p.form == rt::Form::matrix ? "[[…], …]" : p.form == rt::Form::list ? "[…]" : p.name);
        return self_.fault("E-TYPE", fmt::format("a {} has several values at once", info.name), span, "it must be all that follows ~",
                           fmt::format("X ~ {}({}) declares X[1], X[2], …", info.name, rt::joined(forms, ", ")));
    }
    const auto names = info.names();
    std::vector<const Expr*> arguments(names.size(), nullptr);
    std::size_t position = 0;
    for (const auto& argument : call.arguments) {
        std::size_t at = position++;
        if (argument.name) { at = static_cast<std::size_t>(std::find(names.begin(), names.end(), argument.name->text) - names.begin()); }
        if (at >= arguments.size() || arguments[at])
            return self_.fault("E-ARGUMENT", fmt::format("{} takes {}", info.name, rt::joined(names, ", ")), span);
        arguments[at] = argument.value.get();
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (!arguments[i] && !info.parameters[i].fallback)
            return self_.fault("E-ARGUMENT", fmt::format("{} takes {}", info.name, rt::joined(names, ", ")), span);
    const auto add = [&](rt::Term term, Span where) {
        out.parameters.push_back(std::move(term));
        out.spans.push_back(where);
    };
    if (rt::Family(info) != rt::Family::categorical && !info.has_sticks()) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!arguments[i]) {
                add(rt::constant_term(*info.parameters[i].fallback), span);
                continue;
            }
            auto term = TRY(lowering.number(*arguments[i], frame));
            add(std::move(term), arguments[i]->span);
        }
        return out;
    }
    const Expr& argument = *arguments[0];
    auto value = TRY(lowering.lower(argument, frame));
    if (info.has_sticks()) {
        Symbolic::List items;
        if (const auto* list = std::get_if<Symbolic::List>(&value.node)) items = *list;
        if (const List* plain = value.is_value() ? value.value().items() : nullptr)
            for (const auto& item : *plain) items.push_back(Symbolic{item});
        if (items.size() < 2)
            return self_.fault("E-TYPE", fmt::format("{} takes a list of at least two numbers", info.name), argument.span);
        for (const auto& item : items) {
            auto term = TRY(lowering.as_number(item, argument.span));
            add(std::move(term), argument.span);
        }
        return out;
    }
    if (const auto* record = std::get_if<Symbolic::Record>(&value.node)) {
        for (const auto& [key, entry] : *record) {
            auto term = TRY(lowering.as_number(entry, argument.span));
            out.labels.push_back(rt::Label::of_text(key));
            add(std::move(term), argument.span);
        }
        return out;
    }
    const auto* vector = std::get_if<rt::Term>(&value.node);
    if (vector && (*vector)->op == rt::TermOp::variable && nodes_[rt::index((*vector)->variable)].dimension > 0) {
        for (std::size_t k = 1; k <= nodes_[rt::index((*vector)->variable)].dimension; ++k) {
            out.labels.push_back(rt::Label::of_number(rt::Number(static_cast<int>(k))));
            add(rt::component_term((*vector)->variable, k), argument.span);
        }
        return out;
    }
    return self_.fault("E-TYPE", "categorical takes a record of probabilities by label, or a variable drawn from a dirichlet",
                       argument.span);
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn(const Expr& expr, TermLowering& lowering, SymbolicFrame& frame) {
    if (const auto* choice = std::get_if<If>(&expr.node)) {
        auto condition = TRY(lowering.number(*choice->condition, frame));
        auto yes = drawn(*choice->then_, lowering, frame);
        if (!yes) return yes;
        auto no = drawn(*choice->else_, lowering, frame);
        if (!no) return no;
        if (yes->family != no->family || yes->labels != no->labels)
            return self_.fault("E-TYPE", "both sides of this if must be distributions of the same family", expr.span,
                               fmt::format("{} and {}", yes->family->name, no->family->name),
                               "rows may be of different families of real numbers: X | K : { a: normal(0, 1), b: exponential(1) }");
        for (std::size_t i = 0; i < yes->parameters.size(); ++i)
            yes->parameters[i] = rt::make_term(rt::TermOp::choose, {condition, yes->parameters[i], no->parameters[i]});
        return yes;
    }
    if (const auto* within = std::get_if<Binary>(&expr.node);
        within && within->op == BinaryOp::in && std::holds_alternative<Range>(within->right->node))
        return drawn_within(*within, expr.span, lowering, frame);
    if (ordered_call(expr))
        return self_.fault("E-TYPE", "ordered(…) must be all that follows ~", expr.span, {},
                           "as in for k in 1..3 { mu[k] ~ ordered(normal(0, 1)) }");
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const auto* info = callee && callee->resolved.kind == Resolution::Kind::builtin ? rt::find_family(callee->name) : nullptr;
    if (info && rt::Family(*info) == rt::Family::uniform && call->arguments.size() == 1)
        info = &rt::categorical_family;  // uniform(1..6): the values of a list
    if (info && rt::Family(*info) != rt::Family::categorical) return drawn_call(*info, *call, expr.span, lowering, frame);
    auto value = info ? Result<Symbolic>(Symbolic{Symbolic::List{}}) : lowering.lower(expr, frame);
    if (info) {
        // Constant weights may be written in all the ways the builtin takes; with variables, as a record.
        auto lowered = lowering.lower(*call->arguments[0].value, frame);
        if (!lowered && std::holds_alternative<Range>(call->arguments[0].value->node))
            return self_.fault("E-TYPE", "the ends of this range depend on a number that can be any", call->arguments[0].value->span, {},
                               "they may depend on variables with listed values, such as N : uniform(1..100)");
        const auto weights = TRY(std::move(lowered));
        if (!weights.is_value()) return drawn_call(*info, *call, expr.span, lowering, frame);
        value = lowering.lower(expr, frame);
    }
    if (!value) return std::move(value).fault();
    const auto* d = value->is_value() ? value->value().get<rt::DistributionPtr>() : nullptr;
    if (d) return drawn_value(**d, expr.span);
    std::vector<std::string_view> names;
    for (const auto* family : rt::all_families()) names.push_back(family->name);
    if (std::holds_alternative<RecordLit>(expr.node) || std::holds_alternative<SetLit>(expr.node))
        return self_.fault("E-TYPE", "a distribution is needed after ~", expr.span, "not a distribution",
                           "a table of probabilities follows a colon: X : { a: 1/2, b: 1/2 }");
    return self_.fault("E-TYPE", "a distribution is needed after ~", expr.span, "not a distribution",
                       fmt::format("one of {}", rt::joined(names, ", ")));
}

TermLowering NetDeclaration::lowering(const Node& node, bool holes) {
    TermLowering::Hole hole;
    if (holes) hole = [this] { return rt::variable_term(static_cast<rt::VarId>(nodes_.size() + holes_++)); };
    return {self_, [this](const std::string& name) { return variable_named(name); }, std::move(hole),
            [this](rt::VarId id) { return rt::index(id) < nodes_.size() ? nodes_[rt::index(id)].domain : nullptr; },
            [this, &node](const std::string& plate) { return members_of(node, plate); }};
}

/// What has a slot in its expressions: values of the plates round it, then the parents after the bar.
SymbolicFrame NetDeclaration::symbolic_frame(const Node& node) const {
    SymbolicFrame out;
    for (const auto& value : node.outer) out.push_back(Symbolic{value});
    if (node.decl->distributed) return out;
    out.resize(out.size() + node.decl->parents.size());
    for (std::size_t k = 0; k < node.slots.size(); ++k)
        if (has_slot(node, k))
            out[node.outer.size() + node.slots[k]] = Symbolic{rt::variable_term(static_cast<rt::VarId>(node.parents[k]))};
    return out;
}

void NetDeclaration::adopt(Node& node, const rt::Term& term) {
    for (const auto id : rt::variables_of(term)) {
        const std::size_t parent = rt::index(id);
        if (parent >= nodes_.size())
            node.drawn->holes = true;
        else if (!rt::contains(node.parents, parent))
            node.parents.push_back(parent);
    }
}

/// What only its variables leave open: parameters and, from them, the parents.
std::optional<Fault> NetDeclaration::lower_drawn(Node& node) {
    const Expr& expr = *std::get<ExprPtr>(node.decl->table);
    node.lowered = true;
    node.known = evaluable(node);
    if (!node.known) {
        whole_ = false;
        return std::nullopt;
    }
    SymbolicFrame frame = symbolic_frame(node);
    TermLowering terms = lowering(node, true);
    if (node.part != Part::whole) {
        node.parents.clear();
        if (auto wrong = lower_part(node, terms, frame)) return wrong;
        if (node.computed) adopt(node, node.computed);
        for (std::size_t k = 0; node.drawn && k < node.drawn->parameters.size(); ++k) adopt(node, node.drawn->parameters[k]);
        return std::nullopt;
    }
    const Call* in_order = ordered_call(expr);
    node.drawn = TRY(node.joint ? drawn_part(node, terms, frame)
                     : in_order ? drawn_in_order(node, *in_order, expr.span, terms, frame)
                                : drawn(expr, terms, frame));
    node.parents.clear();
    if (node.drawn->family->has_sticks()) node.dimension = node.drawn->parameters.size();
    for (const auto& term : node.drawn->parameters) adopt(node, term);
    std::sort(node.parents.begin(), node.parents.end());
    return std::nullopt;
}

void NetDeclaration::lower_first(Node& node) {
    auto wrong = lower_drawn(node);
    if (!wrong) return;
    report(*std::move(wrong));
    node.known = false;
    whole_ = false;
}

rt::ContinuousNet NetDeclaration::continuous_net() const {
    rt::ContinuousNet net;
    net.name = statement_.name.text;
    net.holes = holes_;
    for (const auto& node : nodes_) {
        rt::ContinuousNode out;
        out.variable = {node.name, node.domain};
        out.origin = self_.origin(node.decl->span);
        if (node.drawn) {
            out.kind = rt::ContinuousNode::Kind::drawn;
            out.family = node.drawn->family;
            out.parameters = node.drawn->parameters;
            out.labels = node.drawn->labels;
            out.table.step = node.step;
        } else if (node.computed) {
            out.kind = rt::ContinuousNode::Kind::computed;
            out.value = node.computed;
            out.table.step = node.step;
        } else {
            out.kind = rt::ContinuousNode::Kind::table;
            out.table = table_of(node);
        }
        net.nodes.push_back(std::move(out));
    }
    return net;
}

}  // namespace credence::lang
