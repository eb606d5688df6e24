#pragma once
// How much room text takes on a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::lang {

/// Cells of a UTF-8 text: two for wide characters (East Asian scripts, most pictures), none for marks that sit on another.
std::size_t display_width(std::string_view text);

/// As much of the text as fits before a `…`, all of it in so many cells.
std::string cut_to_width(std::string_view text, std::size_t width);

/// Lines that are too long are broken between words; what follows starts below the line's own indentation and `indent`.
std::string wrapped_words(std::string_view text, std::size_t width, std::string_view indent = "");

}  // namespace credence::lang
