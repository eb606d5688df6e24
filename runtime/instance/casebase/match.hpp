#pragma once
// The largest part of a goal's function graph that a case has too: branch and bound over assignments of quantities. A goal that is whole in
// a case is its best outcome, so that exact and partial matches are one search with one order among equals.
//
// VF2 of Boost.Graph finds exact matches only, says nothing of parts or chains, and gains no time: 5 goals of 4 influences in 10,000 cases
// of 5 to 15 took 0.048 s by signatures and this search, 0.050 s by signatures and VF2, 0.056 s by VF2 alone (tests/bench/cases.cpp). It is
// the judge of our exact matches in tests/oracle/test_case_matching.cpp.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/core/function_graph.hpp"

namespace credence::rt {

/// Kinds of quantities as numbers, the same for all graphs that are compared.
class KindNames {
public:
    int number(const std::string& kind);  ///< −1 for none: it matches any
    std::size_t size() const { return numbers_.size(); }

private:
    std::map<std::string, int, std::less<>> numbers_;
};

/// A graph as the search reads it.
struct CompiledGraph {
    struct Arc {
        std::uint8_t from = 0;
        std::uint8_t to = 0;
        std::int8_t sign = 1;
        int weight = 1;  ///< of a goal's arc
    };
    std::vector<int> kinds;  ///< one for each quantity
    std::vector<Arc> arcs;
    bool kindless = false;  ///< some quantity has no kind
};
constexpr std::size_t most_quantities = 64;

CompiledGraph compile_graph(const FunctionGraph& graph, KindNames& names);
inline bool kinds_match(int a, int b) { return a == b || a < 0 || b < 0; }

struct MatchOptions {
    std::size_t inserted = 0;  ///< quantities that rewriting may put into one influence: A ->s B as A ->s1 x ->s2 B …
    bool consistent = false;   ///< no influence of the case may run against the goal's
    std::size_t budget = 2'000'000;
};

/// How a case meets a goal.
struct Match {
    struct Cover {
        std::size_t arc = 0;                ///< of the goal
        std::vector<std::uint8_t> through;  ///< quantities of the case from tail to head, ends included
    };
    long value = 0;  ///< the weights of what is covered, times 64, less the rewrites
    std::size_t rewrites = 0;
    std::vector<Cover> covers;  ///< in the order of the goal's arcs
    std::vector<int> goal_of;   ///< the goal's quantity of each of the case's, or −1
    bool complete = true;       ///< the search was not cut short
};
constexpr long rewrite_unit = 64;

/// The best match of all, the first found among equals; only those of a value of at least `floor` are looked for.
Match best_match(const CompiledGraph& stored, const CompiledGraph& goal, const MatchOptions& options, long floor);

/// Signatures of a goal: how many influences of each class (kinds of the ends, sign) it has, and how they meet in its quantities. From the
/// same counts of a case follows what a match can be worth at most.
class GoalSignature {
public:
    GoalSignature(const CompiledGraph& goal, std::size_t kinds, const MatchOptions& options);
    /// At least the value of the best match with this case.
    long bound(const CompiledGraph& stored) const;

private:
    std::size_t class_of(const CompiledGraph& graph, const CompiledGraph::Arc& arc, bool by_sign) const;
    long worth(std::size_t arcs) const { return best_weights_[std::min(arcs, best_weights_.size() - 1)] * rewrite_unit; }
    std::size_t degree_bound(const CompiledGraph& stored, bool out) const;

    const CompiledGraph& goal_;
    std::size_t kinds_;
    bool chains_;
    std::vector<int> classes_;        ///< counts by kinds and sign
    std::vector<int> signs_;          ///< counts by sign alone, for graphs with quantities that match any kind
    std::vector<long> best_weights_;  ///< of the heaviest 0, 1, 2 … influences
};

}  // namespace credence::rt
