#include "runtime/continuous/unroll/expanded.hpp"
#include "runtime/core/member_name.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace credence::rt {

std::vector<VarId> ContinuousNode::parents() const {
    if (kind == Kind::table) return table.parents;
    std::vector<VarId> out;
    for (const auto& term : parameters)
        for (const auto id : variables_of(term)) out.push_back(id);
    if (value)
        for (const auto id : variables_of(value)) out.push_back(id);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace credence::rt

namespace credence::rt::continuous {

namespace {

/// 1 − x[1] − … − x[before], as counts of a multinomial write what the outcomes before them leave.
bool is_rest(const Term& term, VarId vector, std::size_t before) {
    for (const Term* t = &term;; t = &(*t)->parts[0], --before) {
        if (before == 0) return is_constant(*t) && (*t)->value == Number(1);
        if ((*t)->op != TermOp::subtract) return false;
        const TermNode& taken = *(*t)->parts[1];
        if (taken.op != TermOp::component || taken.variable != vector || taken.component != before) return false;
    }
}

/// A vector as sticks broken off what is left, and its components computed from them.
struct Sticks {
    std::vector<ContinuousNode> pieces;
    std::vector<ContinuousNode> components;
};

/// `first`: the id of the first piece.
Sticks break_sticks(const ContinuousNode& vector, std::size_t first) {
    Sticks out;
    Term rest = constant_term(1);
    const auto add_component = [&](const Term& value) {
        auto& component = out.components.emplace_back();
        component.kind = ContinuousNode::Kind::computed;
        component.variable = {member_name(vector.variable.name, out.components.size()), nullptr};
        component.origin = vector.origin;
        component.value = value;
    };
    for (const auto& [a, b] : vector.family->vector->sticks(vector.parameters)) {
        const Term stick = variable_term(static_cast<VarId>(first + out.pieces.size()));
        auto& piece = out.pieces.emplace_back();
        piece.variable = {fmt::format("{}.stick[{}]", vector.variable.name, out.pieces.size()), nullptr};
        piece.family = Family::beta;
        piece.parameters = {a, b};
        piece.origin = vector.origin;
        add_component(make_term(TermOp::multiply, {rest, stick}));
        rest = make_term(TermOp::multiply, {rest, make_term(TermOp::subtract, {constant_term(1), stick})});
    }
    add_component(rest);
    return out;
}

}  // namespace

Expanded expand(ContinuousNet net) {
    Expanded out;
    out.declared = net.nodes.size();
    std::vector<std::vector<Term>> components(net.nodes.size());
    out.parts.resize(net.nodes.size());
    std::vector<std::size_t> vectors;
    for (std::size_t i = 0; i < out.declared; ++i)
        if (net.nodes[i].is_vector()) vectors.push_back(i);
    std::size_t stick = out.declared;
    for (const auto i : vectors) stick += net.nodes[i].parameters.size();
    std::vector<ContinuousNode> named;
    std::vector<ContinuousNode> sticks;
    for (const auto i : vectors) {
        auto broken = break_sticks(net.nodes[i], stick);
        for (std::size_t j = 0; j < broken.components.size(); ++j) {
            if (j < broken.pieces.size()) out.parts[i].push_back(static_cast<VarId>(stick++));
            out.parts.push_back(out.parts[i]);
            components[i].push_back(broken.components[j].value);
        }
        std::move(broken.components.begin(), broken.components.end(), std::back_inserter(named));
        std::move(broken.pieces.begin(), broken.pieces.end(), std::back_inserter(sticks));
    }
    out.net = std::move(net);
    for (auto& node : named) out.net.nodes.push_back(std::move(node));
    for (auto& node : sticks) out.net.nodes.push_back(std::move(node));
    out.parts.resize(out.net.nodes.size());
    const auto without_components = [&](const Term& term) {
        return rewrite(term, [&](const TermNode& leaf) -> Term {
            return leaf.op == TermOp::component ? components[index(leaf.variable)][leaf.component - 1] : nullptr;
        });
    };
    // The share of a component in what those before it leave is its stick.
    const auto as_stick = [&](const Term& term) -> Term {
        if (term->op != TermOp::divide || term->parts[0]->op != TermOp::component) return term;
        const TermNode& part = *term->parts[0];
        const auto& pieces = out.parts[index(part.variable)];
        if (part.component > pieces.size() || !is_rest(term->parts[1], part.variable, part.component - 1)) return term;
        return variable_term(pieces[part.component - 1]);
    };
    for (auto& node : out.net.nodes) {
        for (auto& term : node.parameters) term = without_components(as_stick(term));
        if (node.value) node.value = without_components(node.value);
    }
    for (std::size_t i = 0; i < out.net.nodes.size(); ++i)
        out.parents.push_back(out.is_vector(i) ? out.parts[i] : out.net.nodes[i].parents());
    for (std::size_t i = 0; i < out.declared + named.size(); ++i) {
        out.variables.push_back({.variable = out.net.nodes[i].variable, .is_step = out.net.nodes[i].table.step});
        out.visible.push_back({i, false});
    }
    for (std::size_t i = 0; i < out.declared; ++i) {
        const auto& node = out.net.nodes[i];
        if (node.kind == ContinuousNode::Kind::computed || out.is_vector(i)) continue;
        Variable next = node.variable;
        next.name = "next " + next.name;
        out.variables.push_back({std::move(next), true});
        out.visible.push_back({i, true});
    }
    return out;
}

}  // namespace credence::rt::continuous
