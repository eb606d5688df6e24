#include "runtime/plot/png.hpp"

namespace credence::rt {

bool has_png() { return false; }

Result<std::string> png_of(std::string_view) {
    return Fault{.code = "E-FILE",
                 .message = "this build cannot write PNG: librsvg was missing when it was built",
                 .hint = "save as .svg instead; a program built where librsvg2-dev (Debian's name) is installed writes PNG"};
}

}  // namespace credence::rt
