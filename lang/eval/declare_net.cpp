#include "lang/eval/declare_net.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/messages.hpp"

namespace credence::lang {

void NetDeclaration::build() {
    std::vector<Value> plate_values;
    expand(statement_.items, plate_values);
    if (!faults_.empty() && nodes_.empty()) return;
    link();
    order();
    for (const auto index : order_) tabulate(nodes_[index]);
    if (std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.continuous; }))
        for (const auto& node : nodes_)
            if (is_open(node)) report(open_fault(node, "in a net with real-valued nodes ? needs them"));
    if (holes_ == 0 || !whole_ || !faults_.empty()) return;
    if (auto fine = rt::check_holes(continuous_net()); !fine) report(std::move(fine).fault());
}

rt::NetNode NetDeclaration::table_of(const Node& node) const {
    rt::NetNode out;
    out.variable = {node.name, node.domain};
    for (const auto parent : node.parents) out.parents.push_back(static_cast<rt::VarId>(parent));
    out.hole = node.hole;
    out.known = node.known_rows;
    const bool exact = std::all_of(node.table.begin(), node.table.end(), [](const rt::Number& n) { return n.is_exact(); });
    if (exact) {
        std::vector<rt::Rational> table;
        for (const auto& n : node.table) table.push_back(n.exact());
        out.table = std::move(table);
    } else {
        std::vector<double> table;
        for (const auto& n : node.table) table.push_back(n.real());
        out.table = std::move(table);
    }
    out.origin = self_.origin(node.decl->span);
    return out;
}

std::optional<rt::ModelPtr> NetDeclaration::model() const {
    if (!faults_.empty() || !whole_) return std::nullopt;
    if (std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.drawn || n.computed; }))
        return rt::make_continuous_model(continuous_net());
    auto net = std::make_shared<rt::Net>();
    net->name = statement_.name.text;
    for (const auto& node : nodes_) net->nodes.push_back(table_of(node));
    return rt::make_net_model(std::move(net));
}

ModelShape NetDeclaration::shape() const {
    ModelShape out;
    out.kind = "net";
    out.complete = whole_;
    for (const auto& node : nodes_) {
        VariableShape variable{.name = node.name, .labels = std::nullopt, .numeric = node.continuous && node.dimension == 0};
        if (node.domain) variable.labels = label_texts(*node.domain);
        out.variables.push_back(std::move(variable));
        for (std::size_t k = 1; k <= node.dimension; ++k)
            out.variables.push_back({.name = fmt::format("{}[{}]", node.name, k), .labels = std::nullopt, .numeric = true});
    }
    // A net without nodes knows the engines of all nets.
    const bool real = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.continuous; });
    const rt::ModelPtr empty =
        real ? rt::ModelPtr(rt::make_continuous_model({})) : rt::ModelPtr(rt::make_net_model(std::make_shared<rt::Net>()));
    for (const auto engine : empty->engines()) out.engines.emplace_back(engine);
    return out;
}

void NetDeclaration::expand(const std::vector<NetItem>& items, std::vector<Value>& plate_values) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item)) {
            const Plate& p = **plate;
            if (!is_evaluable(*p.range, self_.world_)) {
                whole_ = false;
                continue;
            }
            Frame frame = plate_values;
            auto range = self_.eval(*p.range, frame);
            if (!range) {
                report(std::move(range).fault());
                continue;
            }
            const List* values = range->items();
            if (!values) {
                report(self_.fault("E-TYPE", fmt::format("a plate goes through a range or a list, not {}", range->kind()), p.range->span));
                continue;
            }
            if (values->size() * std::max<std::size_t>(1, p.items.size()) > 1'000'000) {
                report(self_.fault("E-COST", "this plate declares more than a million variables", p.range->span));
                continue;
            }
            for (const auto& value : *values) {
                plate_values.push_back(value);
                expand(p.items, plate_values);
                plate_values.pop_back();
            }
            continue;
        }
        const auto& decl = std::get<NetNodeDecl>(item);
        Node node;
        node.decl = &decl;
        node.plate_values = plate_values;
        node.name = decl.name.name.text;
        if (decl.name.index) {
            Frame frame = plate_values;
            auto index = self_.eval(*decl.name.index, frame);
            if (!index) {
                report(std::move(index).fault());
                continue;
            }
            const auto label = index->as_label();
            if (!label) {
                report(self_.fault("E-TYPE", fmt::format("the index of a variable is a number or a label, not {}", index->kind()),
                                   decl.name.index->span));
                continue;
            }
            node.name += "[" + label->text() + "]";
        }
        if (expand_joint(decl, node)) continue;
        if (by_name_.contains(node.name)) {
            report(self_.fault("E-DUPLICATE", fmt::format("{} is declared twice in net {}", node.name, statement_.name.text),
                               decl.name.span, "declared already"));
            continue;
        }
        by_name_.emplace(node.name, nodes_.size());
        nodes_.push_back(std::move(node));
    }
}

void NetDeclaration::link() {
    std::vector<std::string> names;
    for (const auto& node : nodes_) names.push_back(node.name);
    // Those with several components first: others name them.
    const auto is_vector = [](const NetNodeDecl& decl) {
        const auto* expr = std::get_if<ExprPtr>(&decl.table);
        const auto* call = expr ? std::get_if<Call>(&(*expr)->node) : nullptr;
        const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
        return decl.distributed && callee && callee->name == "dirichlet";
    };
    for (const bool vectors : {true, false})
        for (auto& node : nodes_)
            if (node.decl->distributed && is_vector(*node.decl) == vectors) lower_drawn(node);
    for (auto& node : nodes_) {
        if (node.decl->distributed) continue;
        node.known = is_evaluable(*node.decl, self_.world_);
        for (const auto& ref : node.decl->parents) {
            std::string name = ref.name.text;
            if (ref.index) {
                Frame frame = frame_of(node);
                auto index = self_.eval(*ref.index, frame);
                if (!index) {
                    report(std::move(index).fault());
                    continue;
                }
                if (const auto label = index->as_label()) name += "[" + label->text() + "]";
            }
            const auto found = by_name_.find(name);
            if (found == by_name_.end()) {
                if (whole_ || !ref.index) report(self_.at(no_such_variable("net " + statement_.name.text, names, name), ref.span));
                node.known = false;
                whole_ = false;
                continue;
            }
            if (std::find(node.parents.begin(), node.parents.end(), found->second) != node.parents.end()) {
                report(self_.fault("E-DUPLICATE", fmt::format("{} is a parent of {} twice", name, node.name), ref.span));
                continue;
            }
            node.parents.push_back(found->second);
        }
    }
}

void NetDeclaration::order() {
    enum class Mark { none, open, done, in_cycle };  // in_cycle: also whatever depends on such a node
    std::vector<Mark> marks(nodes_.size(), Mark::none);
    // An explicit stack: chains of a million nodes must not exhaust the call stack.
    struct Step {
        std::size_t node;
        std::size_t next;
    };
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
        if (marks[start] != Mark::none) continue;
        std::vector<Step> stack{{start, 0}};
        marks[start] = Mark::open;
        while (!stack.empty()) {
            auto& step = stack.back();
            const auto& parents = nodes_[step.node].parents;
            if (step.next == parents.size()) {
                const bool free = std::all_of(parents.begin(), parents.end(), [&](std::size_t p) { return marks[p] == Mark::done; });
                marks[step.node] = free ? Mark::done : Mark::in_cycle;
                if (free) order_.push_back(step.node);
                stack.pop_back();
                continue;
            }
            const std::size_t parent = parents[step.next++];
            if (marks[parent] == Mark::open) {
                whole_ = false;
                // The stack runs from child to parent; arcs go the other way. The first declared node opens the telling.
                const auto from = std::find_if(stack.begin(), stack.end(), [&](const Step& s) { return s.node == parent; });
                std::vector<std::size_t> cycle;
                for (auto it = stack.end(); it != from;) cycle.push_back((--it)->node);
                std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
                std::string arcs;
                for (const auto node : cycle) arcs += nodes_[node].name + " -> ";
                report(self_.fault(
                    "E-CYCLE", fmt::format("the arcs of net {} form a cycle: {}{}", statement_.name.text, arcs, nodes_[cycle.front()].name),
                    nodes_[cycle.front()].decl->name.span, "a Bayes net has no directed cycle"));
                continue;
            }
            if (marks[parent] == Mark::none) {
                marks[parent] = Mark::open;
                stack.push_back({parent, 0});
            }
        }
    }
}

}  // namespace credence::lang
