#pragma once
// What an unfinished word may become.

#include <string>
#include <string_view>
#include <vector>

#include "lang/driver/session.hpp"

namespace credence::cli {

/// Words that the end of the text may become, sorted, each once: names in scope, variables and labels of models, words of the
/// language, builtins; at the start of a line also the commands given; after a dot, members.
std::vector<std::string> completions(const lang::Session& session, const std::vector<std::string>& commands,
                                     std::string_view before_cursor);

}  // namespace credence::cli
