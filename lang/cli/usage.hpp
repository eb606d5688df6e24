#pragma once
// The text of --help, fitted to the terminal.

#include <string>
#include <string_view>

namespace credence::cli {

/// Lines that are wider than the screen go on under their descriptions; on a narrow screen the descriptions are below the options.
std::string fitted_usage(std::string_view text, std::size_t columns);

}  // namespace credence::cli
