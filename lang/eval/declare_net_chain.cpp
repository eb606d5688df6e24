// Aggregates of many variables as nodes, `S : sum(D)`: a chain of steps in place of one table over all of them.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/hypothesis_outcomes.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t few_rows = 50'000;  // of one table, which is then preferred

/// Nothing if there are both numbers and labels: their meaning is then decided row by row.
std::optional<NumberMeans> meaning_of(const rt::Domain& domain) {
    NumberReading reading;
    std::size_t numbers = 0;
    for (const auto& label : domain.labels()) {
        if (!label.is_number()) continue;
        reading.number(*label.number());
        ++numbers;
    }
    if (numbers == 0) return NumberMeans::label;
    return numbers == domain.size() ? std::optional(reading.meaning()) : std::nullopt;
}

}  // namespace

/// The expression as a quantity, parent k being variable k; nothing if it cannot be taken apart.
rt::QuantityPtr NetDeclaration::quantity_of(const Node& node, const Expr& expr) {
    Frame frame = frame_of(node);
    Evaluator::Indexed named;
    for (std::size_t k = 0; k < node.parents.size(); ++k) {
        const Value value(Value::Node(rt::variable_quantity(static_cast<rt::VarId>(k))));
        if (has_slot(node, k))
            frame[node.outer.size() + node.slots[k]] = value;
        else
            named.values[nodes_[node.parents[k]].name] = value;
    }
    bind_together(node, named);
    auto variables = std::exchange(self_.variable_of_, [&](rt::VarId id) {
        const Node& parent = nodes_[node.parents[rt::index(id)]];
        return rt::Variable{parent.name, parent.domain};
    });
    auto* outer = std::exchange(self_.indexed_, &named);
    const auto value = self_.traced(expr, frame);
    self_.indexed_ = outer;
    self_.variable_of_ = std::move(variables);
    const auto* quantity = value ? value->get<rt::QuantityPtr>() : nullptr;
    return quantity ? *quantity : nullptr;
}

/// Whether it is large enough for a chain, and could be made one.
bool NetDeclaration::tabulate_chain(Node& node, const Expr& expr) {
    if (node.decl->distributed || node.domain || holes_ > 0 || configurations(node) <= few_rows) return false;
    const auto quantity = quantity_of(node, expr);
    if (!quantity) return false;
    rt::Net parents;
    for (const auto p : node.parents) {
        rt::NetNode root;
        root.variable = {nodes_[p].name, nodes_[p].domain};
        parents.nodes.push_back(std::move(root));
    }
    const auto chain = rt::net_with_node(parents, {node.name, quantity, false});
    if (!chain) return false;
    const std::size_t own = node.parents.size();
    const auto meaning = meaning_of(*(*chain)->nodes[own].variable.domain);
    if (!meaning) return false;
    const bool probability = *meaning == NumberMeans::probability;
    // Where its value is P(true), the chain's own node is one step more.
    const std::vector<std::size_t> listed = node.parents;
    const std::size_t itself = by_name_.at(node.name);
    const std::size_t first = nodes_.size();
    const auto place = [&](rt::VarId id) {
        const std::size_t k = rt::index(id);
        if (k < own) return listed[k];
        if (probability) return first + k - own;
        return k == own ? itself : first + k - own - 1;
    };
    for (std::size_t k = own; k < (*chain)->nodes.size(); ++k) {
        const rt::NetNode& step = (*chain)->nodes[k];
        Node* out = &node;
        if (k > own || probability) {
            out = &nodes_.emplace_back();
            out->decl = node.decl;
            out->outer = node.outer;
            out->step = true;
            out->name = fmt::format("{} step {}", node.name, probability ? k - own + 1 : k - own);
        }
        out->parents.clear();
        for (const auto parent : step.parents) out->parents.push_back(place(parent));
        out->domain = step.variable.domain;
        for (const auto& p : std::get<std::vector<rt::Rational>>(step.table)) out->table.emplace_back(p);
    }
    if (probability) {
        node.parents = {first};
        node.domain = rt::boolean_domain();
        const bool yes_first = (*node.domain)[0] == rt::Label::of_bool(true);
        for (const auto& label : nodes_[first].domain->labels()) {
            const rt::Number yes = *label.number();
            const rt::Number no = rt::Number(1) - yes;
            node.table.push_back(yes_first ? yes : no);
            node.table.push_back(yes_first ? no : yes);
        }
    }
    return true;
}

}  // namespace credence::lang
