#pragma once
// Factors over one variable, whatever its name.

#include <string>

#include "runtime/prob/factors/factor.hpp"

namespace credence::lang {

/// The same numbers over a variable of another name (a factor over one variable).
rt::Factor renamed(const rt::Factor& f, std::string name);

}  // namespace credence::lang
