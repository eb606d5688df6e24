#pragma once
// A node such as w ~ dirichlet([1, 1, 1]) has several numbers; what takes one number is asked of one of them.

#include <optional>

#include <fmt/format.h>

#include "runtime/continuous/unroll/expanded.hpp"

namespace credence::rt::continuous {

inline Fault several_numbers(const std::string& name, Origin origin) {
    return {.code = "E-TYPE",
            .message = fmt::format("{} has several numbers, and one is needed here", name),
            .origin = origin,
            .hint = fmt::format("name one of them: {}[1]", name)};
}

/// A variable of the term that stands for several numbers.
inline std::optional<VarId> several_numbers_in(const Expanded& net, const Term& term) {
    std::optional<VarId> out;
    (void)rewrite(term, [&](const TermNode& leaf) -> Term {
        if (leaf.op == TermOp::variable && net.is_vector(net.visible[index(leaf.variable)].node)) out = leaf.variable;
        return nullptr;
    });
    return out;
}

}  // namespace credence::rt::continuous
