#include <algorithm>

#include "runtime/plot/layered_steps.hpp"

namespace credence::rt::layered {

namespace {

std::vector<std::vector<std::size_t>> outgoing(std::size_t nodes, const Arcs& arcs) {
    std::vector<std::vector<std::size_t>> out(nodes);
    for (std::size_t a = 0; a < arcs.size(); ++a) out[arcs[a].first].push_back(a);
    return out;
}

/// Sources first, ties by the order of the nodes.
std::vector<std::size_t> sorted_topologically(std::size_t nodes, const Arcs& arcs) {
    const auto out = outgoing(nodes, arcs);
    std::vector<std::size_t> waiting(nodes, 0);
    for (const auto& [from, to] : arcs) ++waiting[to];
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n < nodes; ++n)
        if (waiting[n] == 0) order.push_back(n);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::size_t a : out[order[i]])
            if (--waiting[arcs[a].second] == 0) order.push_back(arcs[a].second);
    return order;
}

}  // namespace

std::vector<bool> arcs_to_reverse(std::size_t nodes, const Arcs& arcs) {
    const auto out = outgoing(nodes, arcs);
    enum class State { unseen, open, done };
    std::vector<State> state(nodes, State::unseen);
    std::vector<bool> reverse(arcs.size(), false);
    std::vector<bool> entered(nodes, false);
    for (const auto& [from, to] : arcs)
        if (from != to) entered[to] = true;
    std::vector<std::pair<std::size_t, std::size_t>> stack;  // node, next of its arcs
    const auto walk = [&](std::size_t start) {
        if (state[start] != State::unseen) return;
        state[start] = State::open;
        stack.emplace_back(start, 0);
        while (!stack.empty()) {
            auto& [node, next] = stack.back();
            if (next == out[node].size()) {
                state[node] = State::done;
                stack.pop_back();
                continue;
            }
            const std::size_t arc = out[node][next++];
            const std::size_t to = arcs[arc].second;
            if (state[to] == State::open) reverse[arc] = true;
            if (state[to] == State::unseen) {
                state[to] = State::open;
                stack.emplace_back(to, 0);
            }
        }
    };
    for (std::size_t n = 0; n < nodes; ++n)
        if (!entered[n]) walk(n);  // from the sources, where there are any: fewer arcs are turned
    for (std::size_t n = 0; n < nodes; ++n) walk(n);
    return reverse;
}

std::vector<std::size_t> layer_nodes(std::size_t nodes, const Arcs& arcs, std::size_t span) {
    const auto order = sorted_topologically(nodes, arcs);
    std::vector<std::vector<std::size_t>> before(nodes);
    std::vector<std::vector<std::size_t>> after(nodes);
    for (const auto& [from, to] : arcs) {
        before[to].push_back(from);
        after[from].push_back(to);
    }
    std::vector<std::size_t> layer(nodes, 0);
    for (const std::size_t n : order)
        for (const std::size_t p : before[n]) layer[n] = std::max(layer[n], layer[p] + span);
    // A node with more arcs down than up shortens the sum by moving down, and the other way round.
    constexpr int rounds = 8;
    for (int round = 0; round < rounds; ++round) {
        bool moved = false;
        const auto settle = [&](std::size_t n) {
            std::size_t target = layer[n];
            if (after[n].size() > before[n].size()) {
                std::size_t lowest = layer[after[n][0]];
                for (const std::size_t s : after[n]) lowest = std::min(lowest, layer[s]);
                target = lowest - span;
            } else if (before[n].size() > after[n].size()) {
                std::size_t highest = 0;
                for (const std::size_t p : before[n]) highest = std::max(highest, layer[p]);
                target = highest + span;
            }
            moved = moved || target != layer[n];
            layer[n] = target;
        };
        for (auto n = order.rbegin(); n != order.rend(); ++n) settle(*n);
        for (const std::size_t n : order) settle(n);
        if (!moved) break;
    }
    if (nodes > 0) {
        const std::size_t first = *std::min_element(layer.begin(), layer.end());
        for (auto& l : layer) l -= first;
    }
    return layer;
}

}  // namespace credence::rt::layered
