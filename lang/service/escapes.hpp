#pragma once
// \theta and its like: signs that keyboards lack, by the names TeX gave them.

#include <string_view>
#include <utility>
#include <vector>

namespace credence::lang {

/// Name (with its backslash) and sign of all that the typed text may become; only the one where it is whole.
std::vector<std::pair<std::string_view, std::string_view>> escapes_for(std::string_view typed);

}  // namespace credence::lang
