#pragma once
// Quantities computed from the variables of a net with real-valued nodes: computed nodes of a larger net.

#include "runtime/continuous/expanded.hpp"
#include "runtime/prob/quantity.hpp"

namespace credence::rt::continuous {

/// The net with a variable for each quantity after those of `base`. E-TYPE where a quantity of numbers is not an operation on numbers.
Result<ModelPtr> extend_real_net(const ModelPtr& base, const ContinuousNet& net, const std::vector<NamedQuantity>& quantities);

}  // namespace credence::rt::continuous
