// `credence help`.

#include <cstdio>

#include <fmt/format.h>

#include "lang/cli/options.hpp"
#include "lang/service/help.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::cli {

int help(const lang::Registry& registry, const Options& options, const CommandLine& line) {
    switch (options.help_form) {
        case HelpForm::topics:
            fmt::print("{}\n", fmt::join(lang::help_topics(registry), "\n"));
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
    const std::string topic = options.topic.empty() ? "" : options.topic.front();
    if (const auto text = lang::help_text(registry, topic)) {
        std::fputs(text->c_str(), stdout);
        return fine;
    }
    const auto near = rt::nearest(topic, lang::help_topics(registry));
    std::fprintf(stderr, "credence: there is no help on '%s'%s\n", topic.c_str(),
                 near ? fmt::format("; did you mean '{}'?", *near).c_str() : "");
    return failed;
}

}  // namespace credence::cli
