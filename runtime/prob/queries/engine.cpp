#include "runtime/prob/queries/engine.hpp"

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

Status check_engine(const Query& query, std::string_view who, std::span<const std::string_view> engines) {
    const Origin origin = query.by.origin == Origin::none ? query.origin : query.by.origin;
    if (!contains(engines, query.by.name))
        return Fault{.code = "E-ENGINE",
                     .message = fmt::format("{} cannot answer by {}", who, query.by.name),
                     .origin = origin,
                     .label = fmt::format("it can answer by {}", joined(engines, ", "))};
    if (!query.by.arguments.empty())
        return Fault{.code = "E-ARGUMENT", .message = fmt::format("{} takes no arguments", query.by.name), .origin = origin};
    return Done{};
}

}  // namespace credence::rt
