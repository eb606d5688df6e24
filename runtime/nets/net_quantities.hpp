#pragma once
// Quantities computed from the variables of a net.

#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

/// The net as a model (`base`) with a variable for each quantity: folds are carried along the elimination (accumulate.hpp); engines
/// other than the default see the quantities as added nodes.
ModelPtr extend_net(ModelPtr base, NetPtr net, const std::vector<NamedQuantity>& quantities);

/// The net with a node for each quantity after its own, and nodes for the steps of folds after those. `domains` are those of the
/// quantities. E-COST if their tables would be too large.
Result<NetPtr> net_with_quantities(const Net& net, const std::vector<NamedQuantity>& quantities, const std::vector<DomainPtr>& domains);

}  // namespace credence::rt
