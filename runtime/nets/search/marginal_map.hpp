#pragma once
// The most probable values of some variables, the others summed out (marginal MAP): depth first over those that elimination cannot keep in
// the right order, with bounds from an order that mixes sums and maxima (Park & Darwiche 2003, "Solving MAP exactly using systematic
// search").

#include <functional>

#include "runtime/core/run.hpp"
#include "runtime/nets/search/cost_net.hpp"

namespace credence::rt {

struct MapLimits {
    std::size_t nodes = 0;               ///< 0: none
    double effort = 0;                   ///< entries of tables looked at; 0: any number
    double gap = 0;                      ///< in nats: so close to the bound is close enough
    double largest = 0;                  ///< entries of a table
    std::function<bool()> stopped = {};  ///< asked at every node
    std::function<void(const ProgressReport&)> progress = {};
};

struct MapResult {
    bool too_large = false;             ///< no table could be held; nothing has been searched
    bool found = false;                 ///< there is an assignment of positive weight
    std::vector<std::uint32_t> values;  ///< of the heaviest one found, by slot; those summed out are 0
    double log_weight = 0;
    double log_bound = 0;  ///< no assignment weighs more
    bool proved = false;
    std::size_t nodes = 0;
    std::size_t branched = 0;  ///< variables that had to be branched on
};

/// `maximised`: by slot, whether its value is sought.
MapResult marginal_map(const Sizes& sizes, std::span<const WeightTable> tables, const std::vector<char>& maximised,
                       const MapLimits& limits);

}  // namespace credence::rt
