#pragma once
// Distributions inside models that are saved: the families of one variable by name and numbers.

#include "runtime/prob/model.hpp"

namespace credence::rt {

Result<Json> saved_distribution(const Distribution& distribution);
Result<DistributionPtr> load_distribution(const Json& json);

}  // namespace credence::rt
