#pragma once
// What can be decided before any search: values of probability zero, tables that belong together, variables that few others touch.

#include <functional>

#include "runtime/nets/search/cost_net.hpp"

namespace credence::rt {

struct PresolveLimits {
    std::size_t arity = 6;  ///< of the table that takes the place of an eliminated variable
    double entries = 1024;  ///< in it
};

/// A smaller network with the same optimum, and the way back.
class Presolved {
public:
    Presolved(CostNet net, const PresolveLimits& limits, const std::function<bool()>& stopped);

    const CostNet& net() const { return reduced_; }  ///< its variables renumbered
    /// The assignment of all variables that belongs to one of the reduced network.
    std::vector<std::uint32_t> restored(std::span<const std::uint32_t> values) const;

private:
    struct Step {  // the best value of a variable, given the others in these functions
        Slot variable;
        std::vector<CostFunction> functions;
        std::vector<std::vector<std::vector<std::uint32_t>>> values;  // by function and place in its scope: what its axis stands for
    };
    friend class Presolver;

    CostNet reduced_;
    std::vector<Slot> variables_;                     // of the reduced network: the variable it was
    std::vector<std::vector<std::uint32_t>> values_;  // by original variable: the values left
    std::vector<Step> steps_;
};

}  // namespace credence::rt
