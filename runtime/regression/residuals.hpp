#pragma once
// What a linear regression leaves of its target.

#include <optional>

#include "runtime/prob/model.hpp"
#include "runtime/prob/models/residuals.hpp"

namespace credence::rt {

/// Nothing for models of other kinds.
std::optional<Residuals> residuals_of(const Model& model);

}  // namespace credence::rt
