#pragma once
// A learner as one record, which is all that scripts, files and help need to know of it. Its file writes the record; learners.def lists it.

#include "runtime/core/method.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct LearnerInfo {
    std::string_view subject = "learning";  ///< the page of the reference that lists it
    MethodInfo call;                        ///< its example is an expression that is true
    Result<LearnerPtr> (*make)(const MethodCall& call) = nullptr;
    Result<ModelPtr> (*load)(const Json& json) = nullptr;  ///< a model of this kind from what `save` gave
};

/// The same parameter, whose default the algorithm finds; `text` says how.
template <class O>
constexpr Option<O> found(Option<O> parameter, std::string (*text)()) {
    parameter.fallback = text;
    return parameter;
}

#define LEARNER(name) extern const LearnerInfo name##_learner;
#include "runtime/prob/learning/learners.def"
#undef LEARNER

}  // namespace credence::rt
