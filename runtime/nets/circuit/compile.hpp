#pragma once
// From tables to a circuit: a search over the values of one variable after the other that splits what is left into independent parts,
// and knows a part again that it has met before (Darwiche 2002; Sang, Beame & Kautz 2005; Chavira & Darwiche 2008).

#include <functional>
#include <memory>
#include <optional>

#include "runtime/nets/circuit/circuit.hpp"
#include "runtime/nets/circuit/partial_problem.hpp"

namespace credence::rt {

struct CompileLimits {
    std::size_t steps = 0;  ///< tables and variables looked at, about ten nanoseconds each
    std::size_t size = 0;   ///< of the circuit
    std::function<bool()> stopped = {};
};

/// The sum of the product of the tables over all variables. Its root has no branches where the sum is zero. Empty where the limits do not
/// suffice, or a variable has too many values.
std::optional<Circuit> compile_circuit(const Sizes& sizes, std::vector<CircuitTable> tables, const CompileLimits& limits);

}  // namespace credence::rt
