#include "lang/service/calls.hpp"

#include <algorithm>

namespace credence::lang {

const Parameter* parameter_at(const Builtin& builtin, const OpenCall& call) {
    const std::size_t self = call.member ? 1 : 0;  // a member's first parameter is the value before the dot
    if (!call.parameter.empty()) {
        const auto found = std::find_if(builtin.parameters.begin(), builtin.parameters.end(),
                                        [&](const Parameter& p) { return p.name == call.parameter; });
        return found == builtin.parameters.end() ? nullptr : &*found;
    }
    const std::size_t i = call.position + self;
    if (i < builtin.parameters.size()) return &builtin.parameters[i];
    return !builtin.parameters.empty() && builtin.parameters.back().rest ? &builtin.parameters.back() : nullptr;
}

std::vector<const Builtin*> forms_of(const Registry& registry, const OpenCall& call) {
    if (call.member) return registry.members_named(call.function);
    if (call.method) return registry.methods_named(call.training ? MethodUse::training : MethodUse::answering, call.function);
    std::vector<const Builtin*> out;
    if (const auto* overloads = registry.find(call.function))
        for (const auto& form : overloads->forms) out.push_back(&form);
    return out;
}

}  // namespace credence::lang
