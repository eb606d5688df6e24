#pragma once

#include <vector>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

/// "samples": the distribution of equally probable draws. Its density is a normal kernel estimate (Silverman's width).
DistributionPtr make_samples(std::vector<double> values);
/// The draws in the order in which they were given, chain after chain; null for every other distribution.
const std::vector<double>* drawn_values(const Distribution& distribution);

}  // namespace credence::rt
