#include "runtime/nets/search/cost_net.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt {

namespace {

/// Of a table divided by its largest weight: the costs in nats from 0 up.
double largest_cost(const WeightTable& table, double high) {
    double out = 0;
    for (const double w : table.weights)
        if (w > 0) out = std::max(out, std::log(high / w));
    return out;
}

}  // namespace

CostNet cost_net(const Sizes& sizes, std::span<const WeightTable> tables) {
    constexpr double room = 0x1p60;    // for a sum of the largest costs of all tables
    constexpr double finest = 0x1p40;  // units of a nat
    CostNet net;
    net.sizes = sizes;
    std::vector<double> highs;
    double total = 1;
    for (const auto& table : tables) {
        const double high = *std::max_element(table.weights.begin(), table.weights.end());
        highs.push_back(high);
        if (high <= 0) net.impossible = true;
        if (net.impossible) return net;
        total += largest_cost(table, high);
    }
    const double units = std::min(finest, room / total);
    net.unit = 1 / units;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        net.log_scale += std::log(highs[i]);
        CostFunction f{{tables[i].variables.begin(), tables[i].variables.end()}, {}};
        f.costs.reserve(tables[i].weights.size());
        for (const double w : tables[i].weights)
            f.costs.push_back(w > 0 ? static_cast<Cost>(std::llround(std::log(highs[i] / w) * units)) : forbidden);
        net.functions.push_back(std::move(f));
    }
    return net;
}

Cost cost_of(const CostNet& net, std::span<const std::uint32_t> values) {
    Cost total = net.base;
    for (const auto& f : net.functions) {
        std::size_t at = 0;
        for (const auto v : f.scope) at = at * net.sizes[v] + values[v];
        total = plus(total, f.costs[at]);
    }
    return total;
}

}  // namespace credence::rt
