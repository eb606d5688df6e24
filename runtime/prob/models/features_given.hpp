#pragma once
// Which columns of a predictor the evidence of a query speaks of.

#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// One flag for each feature.
std::vector<char> features_given(const Schema& schema, const Clause& given);

}  // namespace credence::rt
