#pragma once
// A weighted constraint network: the negative logarithms of tables as integers. Least cost is largest product.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

/// Units of −log p. Sums are exact, so that a bound never cuts off what is equal to it but for rounding.
using Cost = std::int64_t;
constexpr Cost forbidden = std::numeric_limits<Cost>::max() / 4;  ///< probability zero; any sum of finite costs is below

/// Costs over variables, row-major, the last variable fastest.
struct CostFunction {
    std::vector<Slot> scope;
    std::vector<Cost> costs;
};

struct CostNet {
    Sizes sizes;
    std::vector<CostFunction> functions;
    Cost base = 0;            ///< of every assignment
    double log_scale = 0;     ///< of the product, added to −cost · unit
    double unit = 1;          ///< nats of one unit
    bool impossible = false;  ///< some table has no weight at all

    double log_weight(Cost cost) const { return log_scale - static_cast<double>(cost) * unit; }
};

/// A table of weights, as the net is made of.
struct WeightTable {
    std::span<const Slot> variables;
    std::span<const double> weights;
};
/// The unit is as fine as sums over all tables allow.
CostNet cost_net(const Sizes& sizes, std::span<const WeightTable> tables);

Cost cost_of(const CostNet& net, std::span<const std::uint32_t> values);
inline Cost plus(Cost a, Cost b) { return a >= forbidden || b >= forbidden ? forbidden : a + b; }

}  // namespace credence::rt
