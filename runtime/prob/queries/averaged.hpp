#pragma once
// Evidence that gives a number by a distribution, P(mu | y ~ normal(3, 0.5)). By Jeffrey's rule (Jeffrey 1965, The Logic of Decision, ch.
// 11) the answer is the average over y of P(mu | y).

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// The base model with that evidence about the number `given`: its answers are averages of those of the base. It answers P and E, and draws
/// no rows.
ModelPtr averaged_over(ModelPtr base, VarId given, DistributionPtr distribution, Origin origin);

}  // namespace credence::rt
