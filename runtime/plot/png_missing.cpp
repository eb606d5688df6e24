#include "runtime/plot/png.hpp"

namespace credence::rt {

bool has_png() { return false; }

Result<std::string> png_of(std::string_view) {
    return Fault{.code = "E-FILE",
                 .message = "this build cannot write PNG: librsvg was missing when it was built",
                 .hint = "save as .svg; or install librsvg2-dev (Debian's name) and build again"};
}

}  // namespace credence::rt
