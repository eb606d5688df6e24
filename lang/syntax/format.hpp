#pragma once
// The formatter behind `credence fmt`: canonical layout, comments kept, idempotent.

#include <string>
#include <string_view>

namespace credence::lang {

/// The text must parse; what does not is returned unchanged by the caller.
std::string format(std::string_view text);

}  // namespace credence::lang
