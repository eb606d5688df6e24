#pragma once
// Pixels in place of SVG, where the build has librsvg (png_rsvg.cpp; png_missing.cpp replaces it elsewhere).

#include <string>
#include <string_view>

#include "runtime/core/result.hpp"

namespace credence::rt {

/// Whether the build can write PNG where the library is there at run time.
bool has_png();
/// The bytes of a PNG file on a white ground, two pixels for each point of the SVG; fewer where that would be more than 100 million pixels.
/// The letters are those of the fonts of the machine. E-FILE if librsvg is missing.
Result<std::string> png_of(std::string_view svg);

}  // namespace credence::rt
