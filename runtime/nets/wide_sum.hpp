#pragma once
// Sums over everything for which the cliques of every tree are too large: from an arithmetic circuit, or case by case over a few variables.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/number.hpp"
#include "runtime/core/run.hpp"
#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

class NetTrees;

/// How a sum is made: on trees and, where they are too large, by whatever else can (any); or in one way alone.
enum class SumBy { any, trees, circuit, conditioning };

class WideSum {
public:
    virtual ~WideSum() = default;
    /// The joint distribution of open variables, the last fastest; one that no table has is uniform.
    Result<std::vector<double>> joint(std::span<const Slot> variables, const Sizes& sizes, const Run& run) const;

    double log_total = 0;       ///< −∞ where nothing is possible
    SumBy by = SumBy::circuit;  ///< what made it
    std::vector<std::pair<std::string, Number>> counts;
    std::vector<char> covered;  ///< by variable: it and its ancestors are part of the sum

private:
    virtual bool has(Slot variable) const = 0;
    /// The same for variables that the tables have.
    virtual Result<std::vector<double>> joint_of(std::span<const Slot> variables, const Run& run) const = 0;
};

/// By the means asked for, or by the first that is affordable; else the fault, which is `too_large` where that is why.
Result<std::unique_ptr<WideSum>> wide_sum(const NetTrees& trees, std::vector<char> covered, SumBy by, Fault too_large, const Run& run);

}  // namespace credence::rt
