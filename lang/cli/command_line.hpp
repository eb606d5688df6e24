#pragma once
// The commands and options of the program as data: shell completion and the man page are made of it.

#include <string>
#include <string_view>
#include <vector>

#include "lang/builtin/registry.hpp"

namespace credence::cli {

struct CommandOption {
    std::vector<std::string> names;  ///< "--seed", "-q"
    std::string text;
    bool takes_value = false;
    std::vector<std::string> choices;  ///< where only these will do
};

struct CommandInfo {
    std::string name;
    std::string text;
    std::string arguments;  ///< "FILES…"; empty: none
    std::vector<CommandOption> options;
};

struct CommandLine {
    std::string text;
    std::vector<CommandOption> options;  ///< of all commands
    std::vector<CommandInfo> commands;
};

/// A completion script for "bash", "zsh" or "fish".
std::string shell_completion(const CommandLine& line, std::string_view shell);
/// For man(1).
std::string man_page(const CommandLine& line, const lang::Registry& registry, std::string_view version);

}  // namespace credence::cli
