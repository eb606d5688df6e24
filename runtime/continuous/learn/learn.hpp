#pragma once
// Learning the holes of a net with real-valued nodes: at once where everything was observed, by EM where labels are hidden.

#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::continuous {

/// counting(m) or em(…); without a name, the first where the data are complete.
Result<LearnerPtr> real_net_trainer(std::shared_ptr<const ContinuousNet> net, const MethodCall& by);

}  // namespace credence::rt::continuous
