// A goal of 20 influences against 10,000 cases of 5 to 15: searched by signatures, and with every case matched. Then the exact part alone,
// goals of 4 influences that are whole in some cases, by our search and by VF2 of Boost.Graph in turn.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/vf2_sub_graph_iso.hpp>

#include "runtime/core/rng.hpp"
#include "runtime/instance/casebase/match.hpp"
#include "runtime/instance/casebase/retrieve.hpp"

using namespace credence::rt;

namespace {

FunctionGraph random_graph(Rng& rng, std::size_t arcs) {
    static const char* const kinds[] = {"flow", "temperature", "signal", "pressure", "force"};
    FunctionGraph out;
    const std::size_t n = std::max<std::size_t>(3, arcs * 3 / 4);
    for (std::size_t q = 0; q < n; ++q) out.quantities.push_back({"q" + std::to_string(q), kinds[rng.below(5)]});
    while (out.influences.size() < arcs) {
        const FunctionGraph::Influence a{rng.below(n), rng.below(n), rng.below(4) == 0 ? -1 : 1};
        bool fresh = a.from != a.to;
        for (const auto& b : out.influences) fresh = fresh && !(a.from == b.from && a.to == b.to);
        if (fresh) out.influences.push_back(a);
    }
    return out;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::property<boost::vertex_name_t, int>,
                                    boost::property<boost::edge_name_t, int>>;

Graph as_boost(const CompiledGraph& g) {
    Graph out(g.kinds.size());
    for (std::size_t q = 0; q < g.kinds.size(); ++q) boost::put(boost::vertex_name, out, q, g.kinds[q]);
    for (const auto& a : g.arcs) boost::add_edge(a.from, a.to, boost::property<boost::edge_name_t, int>(a.sign), out);
    return out;
}

bool found_by_vf2(const Graph& small, const Graph& large) {
    bool found = false;
    const auto stop = [&](auto&&, auto&&) {
        found = true;
        return false;
    };
    const auto kinds = [&](auto s, auto l) {
        return kinds_match(boost::get(boost::vertex_name, small, s), boost::get(boost::vertex_name, large, l));
    };
    const auto signs = [&](auto s, auto l) { return boost::get(boost::edge_name, small, s) == boost::get(boost::edge_name, large, l); };
    boost::vf2_subgraph_mono(small, large, stop, boost::vertex_order_by_mult(small),
                             boost::edges_equivalent(signs).vertices_equivalent(kinds));
    return found;
}

/// The goal with only the quantities that its influences need.
FunctionGraph first_influences(const FunctionGraph& whole, std::size_t n) {
    FunctionGraph out;
    std::vector<std::size_t> number(whole.quantities.size(), whole.quantities.size());
    for (std::size_t i = 0; i < n; ++i) {
        auto arc = whole.influences[i];
        for (std::size_t* end : {&arc.from, &arc.to}) {
            if (number[*end] == whole.quantities.size()) {
                number[*end] = out.quantities.size();
                out.quantities.push_back(whole.quantities[*end]);
            }
            *end = number[*end];
        }
        out.influences.push_back(arc);
    }
    return out;
}

void compare_exact(const CaseLibrary& library) {
    KindNames names;
    std::vector<CompiledGraph> cases;
    std::vector<Graph> theirs;
    for (const auto& one : library.cases) {
        cases.push_back(compile_graph(*one.function, names));
        theirs.push_back(as_boost(cases.back()));
    }
    // Signatures leave out most cases before any search, as in retrieve(); VF2 is measured with and without them.
    constexpr const char* who[] = {"signatures and ours", "signatures and VF2", "VF2 alone"};
    double least[3] = {1e9, 1e9, 1e9};
    std::vector<char> said[3];
    std::size_t searched = 0;
    for (int round = 0; round < 7; ++round) {
        double total[3] = {0, 0, 0};
        for (auto& list : said) list.clear();
        searched = 0;
        for (std::size_t g = 0; g < 5; ++g) {
            const CompiledGraph goal = compile_graph(first_influences(*library.cases[g * 997].function, 4), names);
            const Graph small = as_boost(goal);
            constexpr long whole = 4 * rewrite_unit;
            for (int way = 0; way < 3; ++way) {
                const auto start = std::chrono::steady_clock::now();
                const MatchOptions plain;
                const GoalSignature signature(goal, names.size(), plain);
                for (std::size_t i = 0; i < cases.size(); ++i) {
                    bool found = false;
                    if (way == 2 || signature.bound(cases[i]) >= whole) {
                        searched += way == 0;
                        found = way == 0 ? best_match(cases[i], goal, plain, whole).value == whole : found_by_vf2(small, theirs[i]);
                    }
                    said[way].push_back(found);
                }
                total[way] += seconds_since(start);
            }
        }
        for (int way = 0; way < 3; ++way) least[way] = std::min(least[way], total[way]);
    }
    std::printf("exact, 5 goals of 4 influences in 10,000 cases (%zu searched, %td found):", searched,
                std::count(said[0].begin(), said[0].end(), 1));
    for (int way = 0; way < 3; ++way) std::printf("  %s %.4f s", who[way], least[way]);
    std::printf("  same answers: %s\n", said[0] == said[1] && said[1] == said[2] ? "yes" : "NO");
}

}  // namespace

int main() {
    Rng rng(8);
    CaseLibrary library;
    for (int i = 0; i < 10'000; ++i) {
        StoredCase one;
        one.label = "c" + std::to_string(i);
        one.function = std::make_shared<const FunctionGraph>(random_graph(rng, 5 + rng.below(11)));
        library.cases.push_back(std::move(one));
    }
    compare_exact(library);
    for (int g = 0; g < 5; ++g) {
        const FunctionGraph goal = random_graph(rng, 20);
        for (const std::size_t inserted : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
            std::vector<std::size_t> answers[2];
            double seconds[2];
            std::size_t matched[2];
            bool complete = true;
            for (int all = 0; all < 2; ++all) {
                Run run;
                RetrieveOptions options;
                options.inserted = inserted;
                options.index = all == 0;
                const auto start = std::chrono::steady_clock::now();
                const auto found = retrieve(library, goal, options, run);
                seconds[all] = seconds_since(start);
                matched[all] = found->matched;
                complete = complete && found->complete;
                for (const auto& hit : found->hits) {
                    answers[all].push_back(hit.place);
                    answers[all].push_back(hit.covered);
                    answers[all].push_back(hit.rewrites.size());
                }
            }
            std::printf(
                "goal %d, up to %zu put in: %.3f s (%zu matched), all matched %.3f s, best covers %zu, same answers: %s, complete: %s\n",
                g + 1, inserted, seconds[0], matched[0], seconds[1], answers[0].size() > 1 ? answers[0][1] : 0,
                answers[0] == answers[1] ? "yes" : "NO", complete ? "yes" : "NO");
            std::fflush(stdout);
        }
    }
}
