#pragma once
// The joint Bayes classifier: P(class | x) ∝ P(class) · P(x | class), P(x | class) counted over whole rows, nothing taken as independent.
// With m > 0 the m-estimate (n_x + m·p) / (n + m), p uniform over all rows that the columns allow.

#include "runtime/prob/model.hpp"

namespace credence::rt {

LearnerPtr make_joint_bayes(const Number& m);
Result<ModelPtr> load_joint_bayes(const Json& json);

}  // namespace credence::rt
