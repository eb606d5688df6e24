#include "runtime/prob/declared/net.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

VarId id(std::size_t i) { return static_cast<VarId>(i); }

}  // namespace

Number NetNode::entry(std::size_t i) const {
    if (is_exact()) return std::get<std::vector<Rational>>(table)[i];
    return Number::real(std::get<std::vector<double>>(table)[i]);
}

std::optional<VarId> Net::find(std::string_view node) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].variable.name == node) return id(i);
    return std::nullopt;
}

std::vector<VarId> Net::children(VarId node) const {
    std::vector<VarId> out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto& parents = nodes[i].parents;
        if (contains(parents, node)) out.push_back(id(i));
    }
    return out;
}

std::vector<VarId> Net::ancestors(VarId node) const {
    std::vector<char> in(nodes.size(), 0);
    std::vector<VarId> stack = nodes[index(node)].parents;
    while (!stack.empty()) {
        const VarId next = stack.back();
        stack.pop_back();
        if (in[index(next)]) continue;
        in[index(next)] = 1;
        stack.insert(stack.end(), nodes[index(next)].parents.begin(), nodes[index(next)].parents.end());
    }
    std::vector<VarId> out;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (in[i]) out.push_back(id(i));
    return out;
}

Net without_steps(const Net& net) {
    Net out{.name = net.name, .nodes = {}, .history = net.history, .score = net.score};
    std::vector<VarId> place(net.nodes.size());
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        if (net.nodes[i].step) continue;
        place[i] = static_cast<VarId>(out.nodes.size());
        out.nodes.push_back(net.nodes[i]);
    }
    const std::function<void(VarId, std::vector<VarId>&)> add = [&](VarId parent, std::vector<VarId>& to) {
        if (net.nodes[index(parent)].step) {
            for (const auto further : net.nodes[index(parent)].parents) add(further, to);
        } else if (std::find(to.begin(), to.end(), place[index(parent)]) == to.end()) {
            to.push_back(place[index(parent)]);
        }
    };
    for (auto& node : out.nodes) {
        const auto declared = std::exchange(node.parents, {});
        for (const auto parent : declared) {
            if (net.nodes[index(parent)].step) node.table = std::vector<Rational>();
            add(parent, node.parents);
        }
    }
    return out;
}

std::vector<VarId> Net::markov_blanket(VarId node) const {
    std::vector<VarId> out = nodes[index(node)].parents;
    for (const auto child : children(node)) {
        out.push_back(child);
        const auto& others = nodes[index(child)].parents;
        out.insert(out.end(), others.begin(), others.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    std::erase(out, node);
    return out;
}

std::vector<VarId> Net::topological_order() const {
    // Kahn's algorithm; taking the lowest ready node each time keeps the order of declaration where the arcs allow it.
    std::vector<std::size_t> waiting(nodes.size());
    std::vector<std::vector<VarId>> children_of(nodes.size());
    std::vector<VarId> ready;  // a heap with the lowest on top
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        waiting[i] = nodes[i].parents.size();
        for (const auto parent : nodes[i].parents) children_of[index(parent)].push_back(id(i));
        if (waiting[i] == 0) ready.push_back(id(i));
    }
    const auto later = [](VarId a, VarId b) { return a > b; };
    std::make_heap(ready.begin(), ready.end(), later);
    std::vector<VarId> out;
    while (!ready.empty()) {
        std::pop_heap(ready.begin(), ready.end(), later);
        const VarId next = ready.back();
        ready.pop_back();
        out.push_back(next);
        for (const auto child : children_of[index(next)]) {
            if (--waiting[index(child)] != 0) continue;
            ready.push_back(child);
            std::push_heap(ready.begin(), ready.end(), later);
        }
    }
    return out;
}

Status check_known(const Net& net) {
    for (const auto& node : net.nodes)
        if (node.hole)
            return Fault{.code = "E-HOLE",
                         .message = fmt::format("{} of net {} is unknown (?): train it first", node.variable.name, net.name),
                         .hint = fmt::format("train {} on a table gives a net with numbers in place of ?", net.name)};
    return Done{};
}

std::vector<VarId> find_cycle(const Net& net) {
    // Depth first along the arcs from child to parent; a node met again on the path closes a cycle.
    enum class Mark : char { fresh, open, done };
    std::vector<Mark> mark(net.nodes.size(), Mark::fresh);
    struct Frame {
        VarId node;
        std::size_t next_parent = 0;
    };
    for (std::size_t start = 0; start < net.nodes.size(); ++start) {
        if (mark[start] != Mark::fresh) continue;
        std::vector<Frame> path{{id(start)}};
        mark[start] = Mark::open;
        while (!path.empty()) {
            auto& frame = path.back();
            const auto& parents = net.nodes[index(frame.node)].parents;
            if (frame.next_parent == parents.size()) {
                mark[index(frame.node)] = Mark::done;
                path.pop_back();
                continue;
            }
            const VarId parent = parents[frame.next_parent++];
            if (mark[index(parent)] == Mark::fresh) {
                mark[index(parent)] = Mark::open;
                path.push_back({parent});
            } else if (mark[index(parent)] == Mark::open) {
                std::vector<VarId> cycle;  // from parent to child: the path backwards
                for (std::size_t i = path.size(); i-- > 0;) {
                    cycle.push_back(path[i].node);
                    if (path[i].node == parent) break;
                }
                // begin with the node declared first
                std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
                return cycle;
            }
        }
    }
    return {};
}

bool d_separated(const Net& net, std::span<const VarId> x, std::span<const VarId> y, std::span<const VarId> given) {
    std::vector<std::vector<VarId>> children_of(net.nodes.size());
    for (std::size_t i = 0; i < net.nodes.size(); ++i)
        for (const auto parent : net.nodes[i].parents) children_of[index(parent)].push_back(id(i));

    std::vector<char> observed(net.nodes.size(), 0);
    for (const auto z : given) observed[index(z)] = 1;
    // phase 1: a v-structure is open when its middle, or a descendant of it, is observed
    std::vector<char> leads_to_observed(net.nodes.size(), 0);
    std::vector<VarId> stack(given.begin(), given.end());
    while (!stack.empty()) {
        const auto node = index(stack.back());
        stack.pop_back();
        if (leads_to_observed[node]) continue;
        leads_to_observed[node] = 1;
        for (const auto parent : net.nodes[node].parents) stack.push_back(parent);
    }
    // phase 2: all nodes an active trail from x reaches, with the direction of arrival
    enum Direction : std::size_t { up, down };
    std::vector<char> visited[2] = {std::vector<char>(net.nodes.size(), 0), std::vector<char>(net.nodes.size(), 0)};
    std::vector<std::pair<VarId, Direction>> trail;
    for (const auto start : x) trail.emplace_back(start, up);
    std::vector<char> reachable(net.nodes.size(), 0);
    while (!trail.empty()) {
        const auto [at, direction] = trail.back();
        trail.pop_back();
        const auto node = index(at);
        if (visited[direction][node]) continue;
        visited[direction][node] = 1;
        if (!observed[node]) reachable[node] = 1;
        if (direction == up && !observed[node]) {
            for (const auto parent : net.nodes[node].parents) trail.emplace_back(parent, up);
            for (const auto child : children_of[node]) trail.emplace_back(child, down);
        } else if (direction == down) {
            if (!observed[node])
                for (const auto child : children_of[node]) trail.emplace_back(child, down);
            if (leads_to_observed[node])
                for (const auto parent : net.nodes[node].parents) trail.emplace_back(parent, up);
        }
    }
    return std::none_of(y.begin(), y.end(), [&](VarId v) { return reachable[index(v)] != 0; });
}

}  // namespace credence::rt
