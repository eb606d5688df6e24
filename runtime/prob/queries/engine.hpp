#pragma once
// The checks that every model makes of `by`.

#include <span>
#include <string_view>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// E-ENGINE where the model has no engine of that name (`who` is what cannot answer: "this net"), E-ARGUMENT where arguments were
/// given: none of the exact engines takes any.
Status check_engine(const Query& query, std::string_view who, std::span<const std::string_view> engines);

}  // namespace credence::rt
