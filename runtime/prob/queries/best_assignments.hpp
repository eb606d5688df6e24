#pragma once
// The k most probable joint assignments of a model's variables, one after the other.

#include <span>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct BestAssignments {
    std::vector<Assignment> assignments;  ///< the most probable first; fewer where no more are possible
    std::string engine;                   ///< of the searches for them
};

/// Other variables are summed out.
Result<BestAssignments> best_assignments(const Model& model, std::span<const VarId> over, std::size_t k, Origin origin, Run& run);

}  // namespace credence::rt
