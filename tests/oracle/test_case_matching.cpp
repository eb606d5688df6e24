// Exact sub-graphs of function graphs: our search against VF2 of Boost.Graph (Cordella et al. 2004).

#include <catch2/catch.hpp>

#include <algorithm>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/vf2_sub_graph_iso.hpp>

#include "runtime/core/rng.hpp"
#include "runtime/instance/casebase/match.hpp"

using namespace credence::rt;

namespace {

using Kind = boost::property<boost::vertex_name_t, int>;
using Sign = boost::property<boost::edge_name_t, int>;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Kind, Sign>;

Graph as_boost(const CompiledGraph& g) {
    Graph out(g.kinds.size());
    for (std::size_t q = 0; q < g.kinds.size(); ++q) boost::put(boost::vertex_name, out, q, g.kinds[q]);
    for (const auto& a : g.arcs) boost::add_edge(a.from, a.to, Sign(a.sign), out);
    return out;
}

/// Whether every influence of the small graph is one of the large graph, under some assignment of quantities of matching kinds.
bool found_by_vf2(const Graph& small, const Graph& large) {
    bool found = false;
    const auto callback = [&](auto&&, auto&&) {
        found = true;
        return false;  // one is enough
    };
    const auto kinds = [&](auto s, auto l) {
        return kinds_match(boost::get(boost::vertex_name, small, s), boost::get(boost::vertex_name, large, l));
    };
    const auto signs = [&](auto s, auto l) { return boost::get(boost::edge_name, small, s) == boost::get(boost::edge_name, large, l); };
    boost::vf2_subgraph_mono(small, large, callback, boost::vertex_order_by_mult(small),
                             boost::edges_equivalent(signs).vertices_equivalent(kinds));
    return found;
}

/// At most one influence from a quantity to another, and no quantity without one.
CompiledGraph random_graph(Rng& rng, std::size_t quantities, std::size_t arcs, bool some_without_kind) {
    CompiledGraph out;
    for (std::size_t q = 0; q < quantities; ++q) {
        const bool without = some_without_kind && rng.below(4) == 0;
        out.kinds.push_back(without ? -1 : static_cast<int>(rng.below(3)));
        out.kindless = out.kindless || without;
    }
    const auto add = [&](std::size_t from, std::size_t to) {
        const bool fresh = std::none_of(out.arcs.begin(), out.arcs.end(), [&](const auto& a) { return a.from == from && a.to == to; });
        if (fresh && from != to)
            out.arcs.push_back(
                {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to), rng.below(3) == 0 ? std::int8_t{-1} : std::int8_t{1}, 1});
    };
    for (std::size_t q = 0; q < quantities; ++q) add(q, (q + 1 + rng.below(quantities - 1)) % quantities);
    while (out.arcs.size() < arcs) add(rng.below(quantities), rng.below(quantities));
    return out;
}

/// Some of the influences, with the quantities they need under new numbers.
CompiledGraph part_of(Rng& rng, const CompiledGraph& whole, std::size_t arcs) {
    CompiledGraph out;
    std::vector<int> number(whole.kinds.size(), -1);
    std::vector<CompiledGraph::Arc> left = whole.arcs;
    while (out.arcs.size() < arcs && !left.empty()) {
        const std::size_t pick = rng.below(left.size());
        CompiledGraph::Arc arc = left[pick];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
        for (std::uint8_t* end : {&arc.to, &arc.from}) {
            if (number[*end] < 0) {
                number[*end] = static_cast<int>(out.kinds.size());
                out.kinds.push_back(whole.kinds[*end]);
                out.kindless = out.kindless || whole.kinds[*end] < 0;
            }
            *end = static_cast<std::uint8_t>(number[*end]);
        }
        out.arcs.push_back(arc);
    }
    return out;
}

}  // namespace

TEST_CASE("a goal is covered wholly exactly where VF2 finds it in the case") {
    Rng rng(17);
    std::size_t found = 0;
    std::size_t absent = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const bool kindless = trial % 3 == 0;
        const CompiledGraph stored = random_graph(rng, 5 + rng.below(6), 8 + rng.below(9), kindless);
        // a part of the case, which is there; the same with one sign turned; a graph of its own
        CompiledGraph goal = trial % 3 == 2 ? random_graph(rng, 3, 3, kindless) : part_of(rng, stored, 3 + rng.below(5));
        if (trial % 2 == 0) goal.arcs[rng.below(goal.arcs.size())].sign *= -1;
        const bool theirs = found_by_vf2(as_boost(goal), as_boost(stored));
        const auto whole = static_cast<long>(goal.arcs.size()) * rewrite_unit;
        const Match ours = best_match(stored, goal, {}, whole);
        INFO("trial " << trial);
        REQUIRE(ours.complete);
        CHECK((ours.value == whole) == theirs);
        ++(theirs ? found : absent);
        if (ours.value != whole) continue;
        // the mapping itself
        for (const auto& arc : goal.arcs) {
            const auto holds = [&](const CompiledGraph::Arc& a) {
                return ours.goal_of[a.from] == arc.from && ours.goal_of[a.to] == arc.to && a.sign == arc.sign;
            };
            CHECK(std::any_of(stored.arcs.begin(), stored.arcs.end(), holds));
        }
    }
    CHECK(found > 150);
    CHECK(absent > 150);
}
