#pragma once
// The probability or density of the evidence, from draws of the posterior, by bridge sampling.

#include "runtime/continuous/sample/draws.hpp"

namespace credence::rt::continuous {

/// ln of an integral with the standard error of that logarithm.
struct BridgeEstimate {
    double log = 0;
    double error = 0;
};
Result<BridgeEstimate> bridge_sampling(const Unrolled& problem, const Query& query, const SamplerOptions& options, Run& run);

}  // namespace credence::rt::continuous
