#pragma once
// Texts of digits that are codes and not numbers.

#include <string_view>

namespace credence::rt {

/// "007", "-01.5": digits that begin with a zero are a code, and not the spelling of a number.
bool has_leading_zero(std::string_view text);

}  // namespace credence::rt
