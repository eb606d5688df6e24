#pragma once
// An engine of nets with real-valued nodes is one record: what `by` calls it, and what may then be used.

#include "runtime/continuous/ask.hpp"

namespace credence::rt::continuous {

struct RealEngine {
    MethodInfo method;
    Allowed allowed = {};
    bool exact = true;                                          ///< whether the exact engines that are allowed are tried
    SamplerOptions (*sampler)(const MethodCall& by) = nullptr;  ///< of an engine that draws
    bool peak = false;                                          ///< tells the most probable point alone
    std::string_view refusal = {};                              ///< why it has no answer
};

/// The place of an engine in the table: the later, the rougher. Of an unknown one, the end.
std::size_t roughness(std::string_view engine);

#define ENGINE(name) extern const RealEngine name##_real_engine;
#include "runtime/continuous/engines.def"
#undef ENGINE

}  // namespace credence::rt::continuous
