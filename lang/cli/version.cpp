#include "lang/cli/line_editor.hpp"
#include "lang/cli/options.hpp"

namespace credence::cli {

std::string version_text() {
    return std::string("credence ") + CREDENCE_VERSION + " (line editor: " + std::string(line_editor_name()) + ")";
}

}  // namespace credence::cli
