#pragma once
// Branch and bound over a weighted constraint network: depth first in pieces, the pieces best first, so that there is a bound for the
// whole at any time (hybrid best-first search; Allouche, de Givry, Katsirelos, Schiex & Zytnicki 2015).

#include <functional>

#include "runtime/core/run.hpp"
#include "runtime/nets/search/cost_net.hpp"

namespace credence::rt {

struct SearchLimits {
    std::size_t nodes = 0;               ///< 0: none
    std::size_t effort = 0;              ///< entries of tables looked at; 0: any number
    double gap = 0;                      ///< in nats: so close to the bound is close enough
    std::function<bool()> stopped = {};  ///< asked at every node
    std::function<void(const ProgressReport&)> progress = {};
};

struct SearchResult {
    bool found = false;                 ///< there is an assignment
    std::vector<std::uint32_t> values;  ///< of the cheapest one found
    Cost cost = forbidden;
    Cost lower = 0;  ///< no assignment costs less
    bool proved = false;
    bool stopped = false;
    std::size_t nodes = 0;
    std::size_t backtracks = 0;
};

SearchResult best_first_search(const CostNet& net, const SearchLimits& limits);

}  // namespace credence::rt
