#pragma once
// What any learner has to beat: the most frequent label, or the mean, whatever the row says.

#include "runtime/prob/model.hpp"

namespace credence::rt {

LearnerPtr make_baseline();
Result<ModelPtr> load_baseline(const Json& json);

}  // namespace credence::rt
