#pragma once
// HTML as text.

#include <string>
#include <string_view>

namespace credence::cli {

/// & < > " and ' as entities; control characters that HTML forbids as U+FFFD.
std::string html_escaped(std::string_view text);

/// <tag class="…">inner</tag>; `inner` is HTML already. No class where it is empty.
std::string html_element(std::string_view tag, std::string_view classes, std::string_view inner);

}  // namespace credence::cli
