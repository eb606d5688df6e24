#pragma once

#include <vector>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

/// "samples": the distribution of equally probable draws. Its density is a normal kernel estimate (Silverman's width).
DistributionPtr make_samples(std::vector<double> values);

}  // namespace credence::rt
