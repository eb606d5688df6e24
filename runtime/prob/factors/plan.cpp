// The order of elimination: greedy triangulation of the graph whose edges join variables that share a table.

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

namespace {

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
void clear_bit(Bits& bits, std::size_t i) { bits[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

template <class Visit>
void for_each_bit(const Bits& bits, const Visit& visit) {
    for (std::size_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
}

struct Graph {
    std::vector<Slot> slots;  // vertex → slot, ascending
    std::vector<Bits> neighbours;
    std::vector<double> log_size;
};

Graph interaction_graph(std::span<const std::vector<Slot>> scopes, std::span<const std::vector<Slot>> stages, const Sizes& sizes) {
    Graph g;
    std::vector<char> used(sizes.size(), 0);
    for (const auto& scope : scopes)
        for (const auto slot : scope) used[slot] = 1;
    for (const auto& stage : stages)
        for (const auto slot : stage) used[slot] = 1;
    std::vector<std::size_t> vertex(sizes.size(), 0);
    for (Slot slot = 0; slot < sizes.size(); ++slot) {
        if (!used[slot]) continue;
        vertex[slot] = g.slots.size();
        g.slots.push_back(slot);
        g.log_size.push_back(std::log(static_cast<double>(sizes[slot])));
    }
    g.neighbours.assign(g.slots.size(), Bits((g.slots.size() + 63) / 64, 0));
    for (const auto& scope : scopes)
        for (const auto a : scope)
            for (const auto b : scope)
                if (a != b) set_bit(g.neighbours[vertex[a]], vertex[b]);
    return g;
}

struct Cost {
    double fill = 0;    // edges that eliminating the vertex would add
    double weight = 0;  // log of the table it would make
};

Cost cost_of(const Graph& g, std::size_t v) {
    Cost cost;
    cost.weight = g.log_size[v];
    const Bits& near = g.neighbours[v];
    for_each_bit(near, [&](std::size_t u) {
        cost.weight += g.log_size[u];
        for (std::size_t w = 0; w < near.size(); ++w) cost.fill += std::popcount(near[w] & ~g.neighbours[u][w]);
        cost.fill -= 1;  // u is not its own neighbour, and no edge is missing there
    });
    return cost;
}

enum class Heuristic { min_fill, min_weight };

bool cheaper(const Cost& a, const Cost& b, Heuristic heuristic) {
    if (heuristic == Heuristic::min_fill) return a.fill != b.fill ? a.fill < b.fill : a.weight < b.weight;
    return a.weight != b.weight ? a.weight < b.weight : a.fill < b.fill;
}

Plan greedy(Graph g, std::span<const std::vector<Slot>> stages, const Sizes& sizes, Heuristic heuristic) {
    Plan plan;
    const std::size_t n = g.slots.size();
    std::vector<std::size_t> stage_of(n, stages.size());
    std::vector<std::size_t> left_in(stages.size(), 0);
    for (std::size_t v = 0; v < n; ++v) {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            if (!contains(stages[s], g.slots[v])) continue;
            stage_of[v] = s;
            ++left_in[s];
        }
    }
    std::vector<Cost> cost(n);
    for (std::size_t v = 0; v < n; ++v) cost[v] = cost_of(g, v);
    // Of each stage, those that are left: the cheapest first, of equal ones the first.
    const auto before = [&](std::size_t a, std::size_t b) {
        if (cheaper(cost[a], cost[b], heuristic)) return true;
        return !cheaper(cost[b], cost[a], heuristic) && a < b;
    };
    using Queue = std::set<std::size_t, decltype(before)>;
    std::vector<Queue> waiting(stages.size(), Queue(before));
    for (std::size_t v = 0; v < n; ++v)
        if (stage_of[v] < stages.size()) waiting[stage_of[v]].insert(v);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (; left_in[stage] > 0; --left_in[stage]) {
            const std::size_t best = *waiting[stage].begin();
            waiting[stage].erase(waiting[stage].begin());
            stage_of[best] = stages.size();
            plan.order.push_back(g.slots[best]);

            const Bits near = g.neighbours[best];
            std::vector<Slot> table{g.slots[best]};
            Bits affected = near;
            for_each_bit(near, [&](std::size_t u) {
                table.push_back(g.slots[u]);
                for (std::size_t w = 0; w < near.size(); ++w) g.neighbours[u][w] |= near[w];
                clear_bit(g.neighbours[u], u);
                clear_bit(g.neighbours[u], best);
            });
            for_each_bit(near, [&](std::size_t u) {
                for (std::size_t w = 0; w < near.size(); ++w) affected[w] |= g.neighbours[u][w];
            });
            for_each_bit(affected, [&](std::size_t u) {
                if (stage_of[u] < stages.size()) waiting[stage_of[u]].erase(u);
                cost[u] = cost_of(g, u);
                if (stage_of[u] < stages.size()) waiting[stage_of[u]].insert(u);
            });

            const double size = table_size(table, sizes);
            plan.operations += size;
            if (size > plan.largest_size) {
                plan.largest_size = size;
                std::sort(table.begin(), table.end());
                plan.largest = std::move(table);
            }
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
    const Graph g = interaction_graph(scopes, stages, sizes);
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
