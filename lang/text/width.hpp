#pragma once
// How much room text takes on a terminal.

#include <cstddef>
#include <string_view>

namespace credence::lang {

/// Cells of a UTF-8 text: two for wide characters (East Asian scripts, most pictures), none for marks that sit on another.
std::size_t display_width(std::string_view text);

}  // namespace credence::lang
