#pragma once
// Help texts: for the command, the REPL and editors.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/builtin/registry.hpp"

namespace credence::lang {

struct StatementHelp {
    std::string_view name;
    std::string_view form;
    std::string_view text;
    std::string_view example;  ///< a script that runs clean
};
std::span<const StatementHelp> statements();

/// "QUERY by gibbs(n: 100000, burn: 1000)", "train MODEL on DATA by em(…)".
std::string method_text(MethodUse use, const Builtin& method);

/// Names that someone who reads about this one may want next: said in its text, of the same word, of the same subject. At most eight.
std::vector<std::string> related_names(const Registry& registry, std::string_view name);

/// Everything there is help on as one page of Markdown.
std::string reference_markdown(const Registry& registry);

/// The text on a topic, or the list of all topics if the topic is empty; nothing if the topic is unknown. Lines are broken to fit the
/// width.
std::optional<std::string> help_text(const Registry& registry, std::string_view topic, std::size_t width = 90);
/// Names whose texts have all the words of the query, with a sentence each, wrapped to the width; empty if there are none.
std::string search_help(const Registry& registry, std::string_view query, std::size_t width = 90);
std::vector<std::string> help_topics(const Registry& registry);

/// What a parameter takes, with its default in brackets: "a whole number, 0 or more [5]".
std::string parameter_text(const Parameter& parameter);

/// Names that a part of the library defines, and the `##` lines that describe one.
std::vector<std::string> defined_in(const Prelude& prelude);
std::optional<std::string> documentation_in(const Prelude& prelude, std::string_view name);

}  // namespace credence::lang
