#pragma once
// Help texts, for the command and for the REPL.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/builtin/registry.hpp"

namespace credence::cli {

struct StatementHelp {
    std::string_view name;
    std::string_view form;
    std::string_view text;
    std::string_view example;  ///< a script that runs clean
};
std::span<const StatementHelp> statements();

/// The text on a topic; an empty topic is the map of everything; nothing where there is no such topic.
std::optional<std::string> help_text(const lang::Registry& registry, std::string_view topic);
std::vector<std::string> help_topics(const lang::Registry& registry);

/// Names that a part of the library defines, and what its `##` lines say of one.
std::vector<std::string> defined_in(const lang::Prelude& prelude);
std::optional<std::string> documentation_in(const lang::Prelude& prelude, std::string_view name);

}  // namespace credence::cli
