#pragma once
// What the registry knows about a call that is being written.

#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/service/cursor.hpp"

namespace credence::lang {

/// All forms of the builtin, the members of that name of any kind, or after `by` the engine or training method.
std::vector<const Builtin*> forms_of(const Registry& registry, const OpenCall& call);
/// The parameter that the cursor is at; null if there is none.
const Parameter* parameter_at(const Builtin& builtin, const OpenCall& call);

}  // namespace credence::lang
