#pragma once
// The options of the command line, for all commands.

#include <optional>
#include <string>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/cli/command_line.hpp"
#include "lang/driver/session.hpp"

namespace credence::cli {

enum class Color { automatic, always, never };

enum class HelpForm { topic, topics, reference, man };  ///< `help NAME`, `help --topics`, …

struct Options {
    lang::Settings settings;
    bool json = false;
    bool quiet = false;
    bool stats = false;
    Color color = Color::automatic;
    std::optional<unsigned> threads;                               ///< where it is given: settings.threads, and scripts tested at a time
    std::optional<double> timeout;                                 ///< seconds
    std::vector<std::pair<std::string, std::string>> definitions;  ///< --set name=value
    std::vector<std::string> paths;
    std::optional<std::string> expression = {};  ///< -e
    std::string output;                          ///< report -o
    bool watch = false;                          ///< report --watch
    bool update = false;                         ///< test --update
    bool complete = false;                       ///< test --complete
    bool check = false;                          ///< fmt --check
    std::vector<std::string> topic;              ///< help
    HelpForm help_form = HelpForm::topic;
    bool startup = true;                                     ///< the REPL runs its start-up file
    std::string shell;                                       ///< completion
    std::optional<lang::Diagnostic>* first_error = nullptr;  ///< where the first error is kept, for other processes; may be null
};

/// Exit statuses of the program.
enum Exit : int { fine = 0, failed = 1, usage = 2 };

int run_files(const lang::Registry& registry, const Options& options);
int check_files(const lang::Registry& registry, const Options& options);
int run_expression(const lang::Registry& registry, const Options& options);
int run_standard_input(const lang::Registry& registry, const Options& options);
int test_paths(const lang::Registry& registry, const Options& options);
int format_files(const Options& options);
int convert(const lang::Registry& registry, const Options& options);
int help(const lang::Registry& registry, const Options& options, const CommandLine& line);
int new_project(const lang::Registry& registry, const Options& options);
int report(const lang::Registry& registry, const Options& options);
int json_repl(const lang::Registry& registry, const Options& options);
int language_server(const lang::Registry& registry, const Options& options);
int repl(const lang::Registry& registry, const Options& options);

bool use_color(Color choice, int descriptor);  ///< NO_COLOR, TERM, --color and whether it is a terminal
std::string version_number();                  ///< "0.1.0"
std::string version_text();

}  // namespace credence::cli
