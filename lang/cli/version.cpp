#include "lang/cli/line_editor.hpp"
#include "lang/cli/options.hpp"

namespace credence::cli {

std::string version_number() { return CREDENCE_VERSION; }

std::string version_text() { return "credence " + version_number() + " (line editor: " + std::string(line_editor_name()) + ")"; }

}  // namespace credence::cli
