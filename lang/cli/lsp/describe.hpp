#pragma once
// The description of a name, for hovers and for the details of completions.

#include <optional>
#include <string>

#include "lang/cli/lsp/document.hpp"

namespace credence::cli::lsp {

/// As code: "fn gain(action, sky)", "net Clinic", "Test in {pos, neg}".
std::string headline(const Analysis& analysis, const lang::Definition& entity);
/// Markdown: the headline as code, what it is, its documentation.
std::string description(const Analysis& analysis, const lang::Definition& entity);
/// The variables that have this label, as Markdown; empty if none has.
std::string label_description(const Analysis& analysis, const std::string& label);
/// Help of the program on a topic, as Markdown.
std::optional<std::string> help_markdown(const lang::Registry& registry, std::string_view topic);

}  // namespace credence::cli::lsp
