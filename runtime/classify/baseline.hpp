#pragma once
// The baseline for other learners: the most frequent label, or the mean, regardless of the row.

#include "runtime/prob/model.hpp"

namespace credence::rt {

LearnerPtr make_baseline();
Result<ModelPtr> load_baseline(const Json& json);

}  // namespace credence::rt
