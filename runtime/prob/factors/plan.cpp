// The order of elimination: greedy triangulation of the graph whose edges join variables that share a table.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "runtime/prob/factors/elimination_graph.hpp"

namespace credence::rt {

namespace {

struct Cost {
    double fill = 0;    // edges that eliminating the vertex would add, counted twice
    double weight = 0;  // log of the table it would make
};

using Vertex = EliminationGraph::Vertex;

Cost cost_of(const EliminationGraph& g, std::span<const double> log_size, Vertex v) {
    constexpr std::size_t out_of_reach = 128;  // the table of so many variables is: any large cost will do
    const auto degree = static_cast<double>(g.degree(v));
    if (g.degree(v) > out_of_reach) return {degree * (degree - 1), degree};
    Cost cost{0, log_size[v]};
    g.each_missing_edge(v, [&](Vertex, Vertex) { cost.fill += 2; });
    g.each_neighbour(v, [&](Vertex u) { cost.weight += log_size[u]; });
    return cost;
}

enum class Heuristic { min_fill, min_weight };

bool cheaper(const Cost& a, const Cost& b, Heuristic heuristic) {
    if (heuristic == Heuristic::min_fill) return a.fill != b.fill ? a.fill < b.fill : a.weight < b.weight;
    return a.weight != b.weight ? a.weight < b.weight : a.fill < b.fill;
}

/// Of one stage after the other, the cheapest vertex first; of equal ones the first.
Plan greedy(EliminationGraph g, std::span<const std::vector<Slot>> stages, const Sizes& sizes, Heuristic heuristic) {
    Plan plan;
    const std::size_t n = g.count();
    std::vector<std::size_t> stage_of_slot(sizes.size(), stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s)
        for (const auto slot : stages[s]) stage_of_slot[slot] = s;
    std::vector<double> log_size(n);
    for (Vertex v = 0; v < n; ++v) log_size[v] = std::log(g.size(v));
    std::vector<Cost> cost(n);
    const auto before = [&](Vertex a, Vertex b) {
        if (cheaper(cost[a], cost[b], heuristic)) return true;
        return !cheaper(cost[b], cost[a], heuristic) && a < b;
    };
    using Queue = std::set<Vertex, decltype(before)>;
    std::vector<Queue> waiting(stages.size(), Queue(before));
    const auto stage_of = [&](Vertex v) { return stage_of_slot[g.slot(v)]; };
    for (Vertex v = 0; v < n; ++v) {
        if (stage_of(v) == stages.size()) continue;
        cost[v] = cost_of(g, log_size, v);
        waiting[stage_of(v)].insert(v);
    }
    const auto consider_again = [&](Vertex u) {
        if (stage_of(u) == stages.size()) return;
        auto& queue = waiting[stage_of(u)];
        queue.erase(u);
        cost[u] = cost_of(g, log_size, u);
        queue.insert(u);
    };
    for (auto& queue : waiting) {
        while (!queue.empty()) {
            const Vertex best = *queue.begin();
            queue.erase(queue.begin());
            plan.order.push_back(g.slot(best));
            g.eliminate(best);
            double size = g.size(best);
            for (const auto u : g.last_neighbours()) size *= g.size(u);
            plan.operations += size;
            if (size > plan.largest_size) {
                plan.largest_size = size;
                plan.largest.assign(1, g.slot(best));
                for (const auto u : g.last_neighbours()) plan.largest.push_back(g.slot(u));
                std::sort(plan.largest.begin(), plan.largest.end());
            }
            for (const auto u : g.last_neighbours()) consider_again(u);
            g.each_witness(consider_again);
        }
    }
    return plan;
}

std::string some_names(std::span<const Slot> slots, const SlotNames& names) {
    constexpr std::size_t shown = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(slots.size(), shown); ++i) out += (i == 0 ? "" : ", ") + names[slots[i]];
    if (slots.size() > shown) out += fmt::format(" and {} more", slots.size() - shown);
    return out;
}

}  // namespace

double table_size(std::span<const Slot> variables, const Sizes& sizes) {
    double n = 1;
    for (const auto v : variables) n *= static_cast<double>(sizes[v]);
    return n;
}

std::vector<std::size_t> strides_in(std::span<const Slot> variables, std::span<const Slot> scope, const Sizes& sizes) {
    std::vector<std::size_t> out(scope.size(), 0);
    std::size_t step = 1;
    for (std::size_t i = variables.size(); i-- > 0;) {
        for (std::size_t s = 0; s < scope.size(); ++s)
            if (scope[s] == variables[i]) out[s] = step;
        step *= sizes[variables[i]];
    }
    return out;
}

Plan plan_elimination(std::span<const std::vector<Slot>> scopes, std::span<const std::vector<Slot>> stages, const Sizes& sizes) {
    const EliminationGraph g(scopes, stages, sizes);
    Plan by_fill = greedy(g, stages, sizes, Heuristic::min_fill);
    Plan by_weight = greedy(g, stages, sizes, Heuristic::min_weight);
    return by_weight.operations < by_fill.operations ? by_weight : by_fill;
}

std::optional<Fault> too_large(const Plan& plan, std::span<const Slot> keep, const Sizes& sizes, const SlotNames& names,
                               std::size_t entry_bytes, const Run& run) {
    double limit = static_cast<double>(run.limits.table_entries);
    if (run.limits.memory_bytes != 0) limit = std::min(limit, static_cast<double>(run.limits.memory_bytes / entry_bytes));
    const double answer = table_size(keep, sizes);
    const bool of_answer = answer >= plan.largest_size;
    const double size = std::max(answer, plan.largest_size);
    if (size <= limit) return std::nullopt;
    const std::span<const Slot> over = of_answer ? keep : std::span<const Slot>(plan.largest);
    return Fault{.code = "E-COST",
                 .message = fmt::format("this needs a table of {:.3g} entries over {}", size, some_names(over, names)),
                 .label = fmt::format("the limit is {:.3g} entries", limit),
                 .hint = of_answer ? "ask for fewer variables at once"
                                   : "sample instead, as in by likelihood_weighting(100000) or by gibbs(100000)"};
}

}  // namespace credence::rt
