#include "lang/eval/declare_net.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "lang/syntax/walk.hpp"
#include "lang/value/table_value.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/member_name.hpp"

namespace credence::lang {

void NetDeclaration::build() {
    build_nodes();
    drop_repeated();
}

void NetDeclaration::build_nodes() {
    std::vector<Value> outer = arguments_;
    expand(statement_.items, outer);
    if (!faults_.empty() && nodes_.empty()) return;
    link();
    order();
    for (const auto index : order_) tabulate(nodes_[index]);
    for (auto& [key, fault] : unmatched_)
        if (fault && whole_) report(*std::move(fault));
    if (std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.continuous; }))
        for (const auto& node : nodes_)
            if (is_open(node)) report(open_fault(node, "in a net with real-valued nodes ? needs them"));
    if (holes_ == 0 || !whole_ || !faults_.empty()) return;
    if (auto fine = rt::check_holes(continuous_net()); !fine) report(std::move(fine).fault());
}

void NetDeclaration::drop_repeated() {
    std::set<std::tuple<rt::FaultCode, std::size_t, std::size_t>> said;
    std::erase_if(faults_, [&](const Fault& fault) {
        const Span span = self_.place_of(fault, {}).span;
        return fault.origin != rt::Origin::none && !said.emplace(fault.code, span.begin, span.end).second;
    });
}

rt::NetNode NetDeclaration::table_of(const Node& node) const {
    rt::NetNode out;
    out.variable = {node.name, node.domain};
    for (const auto parent : node.parents) out.parents.push_back(static_cast<rt::VarId>(parent));
    out.hole = node.hole;
    out.step = node.step;
    out.noisy = node.decl && noisy_call(*node.decl);
    out.known = node.known_rows;
    const bool exact = std::all_of(node.table.begin(), node.table.end(), [](const rt::Number& n) { return n.is_exact(); });
    if (exact) {
        std::vector<rt::Rational> table;
        table.reserve(node.table.size());
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
    net->nodes.reserve(nodes_.size());
    for (const auto& node : nodes_) net->nodes.push_back(table_of(node));
    return rt::make_net_model(std::move(net));
}

ModelShape NetDeclaration::shape() const {
    ModelShape out;
    out.kind = "net";
    out.complete = whole_;
    for (const auto& [name, members] : plates_) out.plates.push_back(name);
    for (const auto& name : open_)
        if (!plates_.contains(name)) out.plates.push_back(name);
    for (const auto& node : nodes_) {
        VariableShape variable{.name = node.name, .labels = std::nullopt, .numeric = node.continuous && node.dimension == 0};
        if (node.domain) variable.labels = label_texts(*node.domain);
        out.variables.push_back(std::move(variable));
        for (std::size_t k = 1; k <= node.dimension; ++k)
            out.variables.push_back({.name = rt::member_name(node.name, k), .labels = std::nullopt, .numeric = true});
    }
    // A net without nodes knows the engines and training methods of all nets.
    const bool real = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.continuous; });
    const rt::ModelPtr empty =
        real ? rt::ModelPtr(rt::make_continuous_model({})) : rt::ModelPtr(rt::make_net_model(std::make_shared<rt::Net>()));
    out.engines = empty->engines();
    out.training_methods = empty->training_methods();
    return out;
}

void NetDeclaration::expand(const std::vector<NetItem>& items, std::vector<Value>& outer) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item))
            expand_plate(**plate, outer);
        else
            expand_node(std::get<NetNodeDecl>(item), outer);
    }
}

namespace {

void names_declared(const std::vector<NetItem>& items, std::set<std::string>& out) {
    for (const auto& item : items) {
        if (const auto* plate = std::get_if<std::unique_ptr<Plate>>(&item))
            names_declared((*plate)->items, out);
        else
            out.insert(std::get<NetNodeDecl>(item).name.name.text);
    }
}

}  // namespace

void NetDeclaration::expand_plate(const Plate& plate, std::vector<Value>& outer) {
    if (!evaluable(*plate.range)) {
        whole_ = false;
        names_declared(plate.items, open_);
        return;
    }
    Frame frame = outer;
    auto range = self_.eval(*plate.range, frame);
    if (!range) {
        report(std::move(range).fault());
        return;
    }
    List rows;
    const List* values = range->items();
    if (const auto* table = range->get<rt::TablePtr>()) {
        for (std::size_t r = 0; r < (*table)->rows(); ++r) rows.push_back(row_value(**table, r));
        values = &rows;
    }
    if (!values) {
        report(self_.fault("E-TYPE", fmt::format("a plate runs over a range, a list, a set or a table's rows, not {}", range->kind()),
                           plate.range->span));
        return;
    }
    if (values->size() * std::max<std::size_t>(1, plate.items.size()) > 1'000'000) {
        report(self_.fault("E-COST", "this plate declares more than a million variables", plate.range->span));
        return;
    }
    for (const auto& value : *values) {
        if (self_.run_.stopped()) {
            report(rt::stopped_fault());
            return;
        }
        outer.push_back(value);
        expand(plate.items, outer);
        outer.pop_back();
    }
}

void NetDeclaration::expand_node(const NetNodeDecl& decl, const std::vector<Value>& outer) {
    Node node;
    node.decl = &decl;
    node.outer = outer;
    node.name = decl.name.name.text;
    if (decl.name.index) {
        if (!evaluable(*decl.name.index)) {
            whole_ = false;
            open_.insert(node.name);
            return;
        }
        Frame frame = outer;
        auto index = self_.index_text(*decl.name.index, frame);
        if (!index) {
            report(std::move(index).fault());
            return;
        }
        node.name += "[" + *index + "]";
    }
    if (expand_joint(decl, node)) return;
    if (by_name_.contains(node.name)) {
        report(self_.fault("E-DUPLICATE", fmt::format("{} is declared twice in net {}", node.name, statement_.name.text), decl.name.span,
                           "declared already",
                           decl.name.index || outer.size() == arguments_.size()
                               ? ""
                               : fmt::format("inside a plate each variable has an index: {}[…]", node.name)));
        return;
    }
    by_name_.emplace(node.name, nodes_.size());
    if (decl.name.index) plates_[decl.name.name.text].push_back(nodes_.size());
    nodes_.push_back(std::move(node));
}

namespace {

bool has_hole(const Expr& expr) {
    bool out = false;
    walk(expr, [&](const Expr& part) {
        out = out || std::holds_alternative<HoleLit>(part.node);
        return !out;
    });
    return out;
}

}  // namespace

void NetDeclaration::link() {
    const auto is_vector = [](const NetNodeDecl& decl) {
        const auto* family = family_of(decl);
        return family && family->has_sticks();
    };
    // Those with several components first, because others name them; then those with holes, whose order is that of the holes.
    // All others become terms when the values of their parents are known: a variable may pick one of several (mu[z]).
    for (auto& node : nodes_)
        if (is_vector(*node.decl)) lower_first(node);
    for (auto& node : nodes_)
        if (node.decl->distributed && !is_vector(*node.decl) && (node.joint || has_hole(*std::get<ExprPtr>(node.decl->table))))
            lower_first(node);
    for (auto& node : nodes_) {
        if (!is_drawn_by_rows(*node.decl)) continue;
        const auto& rows = std::get<CptBlock>(node.decl->table).rows;
        if (std::none_of(rows.begin(), rows.end(), [](const CptRow& row) { return has_hole(*row.value); })) continue;
        node.known = evaluable(node);
        link_listed(node);
        if (node.known) lower_rows(node);
    }
    for (auto& node : nodes_) {
        if (node.lowered) continue;
        node.known = evaluable(node);
        if (slots_for_parents(node))
            link_listed(node);
        else
            read_parents(node);
    }
}

void NetDeclaration::link_listed(Node& node) {
    for (std::size_t slot = 0; slot < node.decl->parents.size(); ++slot) {
        const VariableRef& ref = node.decl->parents[slot];
        std::string name = ref.name.text;
        if (ref.index) {
            if (!evaluable(*ref.index)) {
                node.known = false;
                whole_ = false;
                continue;
            }
            Frame frame = frame_of(node);
            auto index = self_.index_text(*ref.index, frame);
            if (!index) {
                report(std::move(index).fault());
                node.known = false;
                continue;
            }
            name += "[" + *index + "]";
        }
        if (link_named(node, ref, slot, name)) continue;
        node.known = false;
        whole_ = false;
    }
}

bool NetDeclaration::link_named(Node& node, const VariableRef& ref, std::size_t slot, const std::string& name) {
    std::vector<std::size_t> meant;
    const auto found = by_name_.find(name);
    const auto plate = plates_.find(name);
    if (found != by_name_.end()) {
        meant = {found->second};
    } else if (!ref.index && plate != plates_.end()) {
        for (const auto member : plate->second)
            if (&nodes_[member] != &node) meant.push_back(member);
        node.together.push_back(name);
    } else {
        if (!ref.index && open_.contains(name)) return false;
        std::vector<std::string> names;
        for (const auto& other : nodes_) names.push_back(other.name);
        if (whole_ || !ref.index) report(self_.at(no_such_variable("net " + statement_.name.text, names, name), ref.span));
        return false;
    }
    for (const auto parent : meant) {
        if (rt::contains(node.parents, parent)) {
            report(self_.fault("E-DUPLICATE", fmt::format("{} is a parent of {} twice", nodes_[parent].name, node.name), ref.span));
            return false;
        }
        node.parents.push_back(parent);
        node.slots.push_back(slot);
    }
    return true;
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
                // The stack runs from child to parent; arcs go the other way. The cycle is reported from its first declared node.
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
