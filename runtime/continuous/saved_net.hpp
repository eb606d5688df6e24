#pragma once
// Nets with real-valued nodes in files.

#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt {

Json save_real_net(const ContinuousNet& net);
/// E-FILE if the file is damaged.
Result<ModelPtr> load_real_net(const Json& json);

}  // namespace credence::rt
