// `credence help`.

#include <cstdio>

#include <fmt/format.h>

#include "lang/cli/options.hpp"
#include "lang/cli/screen.hpp"
#include "lang/service/help.hpp"
#include "lang/text/width.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

/// How a command of the program is called; nothing if it has none of that name.
std::optional<std::string> command_text(const CommandLine& line, std::string_view name) {
    for (const auto& command : line.commands) {
        if (command.name != name) continue;
        std::string out =
            fmt::format("credence {}{}{}\n  {}.\n", command.name, command.arguments.empty() ? "" : " ", command.arguments, command.text);
        for (const auto& option : command.options) out += fmt::format("    {}: {}\n", rt::joined(option.names, ", "), option.text);
        return out;
    }
    return std::nullopt;
}

}  // namespace

int help(const lang::Registry& registry, const Options& options, const CommandLine& line) {
    switch (options.help_form) {
        case HelpForm::topics:
            std::puts(rt::joined(lang::help_topics(registry), "\n").c_str());
            return fine;
        case HelpForm::reference:
            std::fputs(lang::reference_markdown(registry).c_str(), stdout);
            return fine;
        case HelpForm::man:
            std::fputs(man_page(line, registry, version_text().substr(0, version_text().find(" ("))).c_str(), stdout);
            return fine;
        case HelpForm::topic:
            break;
    }
    const std::string topic = rt::joined(options.topic, " ");
    const auto command = command_text(line, topic);
    const auto text = lang::help_text(registry, topic, help_width());
    if (text) std::fputs(text->c_str(), stdout);
    if (command) std::fputs(command->c_str(), stdout);
    auto topics = lang::help_topics(registry);
    for (const auto& c : line.commands) topics.push_back(c.name);
    if (topic.empty()) {
        std::vector<std::string> names;
        for (const auto& c : line.commands) names.push_back(c.name);
        std::puts(lang::wrapped_words(fmt::format("Commands: {} (help report).", rt::joined(names, " ")), help_width(), "  ").c_str());
    }
    // Of a word that is only the name of a member, such as precision or tree, more may be meant.
    if (text && text->starts_with("member of")) std::fputs(lang::search_help(registry, topic, help_width()).c_str(), stdout);
    if (text || command) return fine;
    if (const std::string found = lang::search_help(registry, topic, help_width()); !found.empty()) {
        std::fputs(found.c_str(), stdout);
        return fine;
    }
    const auto near = rt::nearest(topic, topics);
    std::fprintf(stderr, "credence: there is no help on '%s'%s\n", topic.c_str(),
                 near ? fmt::format("; did you mean '{}'?", *near).c_str() : "");
    return failed;
}

}  // namespace credence::cli
