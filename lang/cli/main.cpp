// The program: its commands and options.

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "lang/cli/limits.hpp"
#include "lang/cli/options.hpp"
#include "lang/cli/run.hpp"
#include "lang/cli/screen.hpp"
#include "lang/cli/side_by_side.hpp"
#include "lang/cli/usage.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_formats.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::cli {

namespace {

/// What `convert` takes.
std::string files_text() {
    std::string out = "IN OUT: nets";
    for (const auto& format : rt::net_formats()) out += " " + std::string(format.ending);
    out += ", tables";
    for (const auto& format : rt::table_formats())
        if (!format.name.empty()) out += " " + std::string(format.ending);
    return out;
}

CommandOption describe(const CLI::Option& option) {
    CommandOption out;
    for (const auto& name : option.get_lnames()) out.names.push_back("--" + name);
    for (const auto& name : option.get_snames()) out.names.push_back("-" + name);
    out.text = option.get_description();
    out.takes_value = option.get_expected_max() > 0;
    return out;
}

/// Options, without those that only `--help` of everything needs.
std::vector<CommandOption> options_of(const CLI::App& app) {
    std::vector<CommandOption> out;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_lnames().empty() || !option->get_snames().empty()) {
            out.push_back(describe(*option));
            if (out.back().names.front() == "--color") out.back().choices = {"auto", "always", "never"};
        }
    return out;
}

CommandLine describe(const CLI::App& app) {
    CommandLine out{app.get_description(), options_of(app), {}};
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        CommandInfo info{command->get_name(), command->get_description(), "", options_of(*command)};
        std::erase_if(info.options, [](const CommandOption& o) { return o.names.front() == "--help"; });
        for (const CLI::Option* option : command->get_options())
            if (option->get_positional()) {
                std::string name = option->get_name();
                for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
                info.arguments += (info.arguments.empty() ? "" : " ") + (option->get_required() ? name : "[" + name + "]");
            }
        out.commands.push_back(std::move(info));
    }
    return out;
}

/// What the command line asks for, and the commands and options that it can use.
class Arguments {
public:
    Arguments() {
        add_options();
        add_commands_for_scripts();
        add_other_commands();
        for (CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) command->fallthrough();
        app_.require_subcommand(0, 1);  // what follows a command is not read as another: help report, run test
    }

    /// The status to leave with at once: the arguments are wrong, or ask for no more than --version and --help.
    std::optional<Exit> read(int argc, char** argv);
    int carry_out();  ///< together with the other processes that mpirun started
    const Options& options() const { return options_; }

private:
    void add_options();
    void add_commands_for_scripts();
    void add_other_commands();
    int carry_out_here();
    std::string command_alone() const;
    std::optional<std::string> wrong();  ///< what CLI11 cannot check
    std::optional<std::string> wrong_file() const;
    std::string meant_option(int argc, char** argv) const;

    Options options_;
    std::string color_ = "auto";
    std::string memory_;
    std::vector<std::string> definitions_;
    bool json_repl_ = false;
    bool topics_ = false;
    bool reference_ = false;
    bool man_ = false;
    bool stdio_ = false;  ///< many editors add it

    CLI::App app_{"Credence: a small declarative language for probabilistic modelling", "credence"};
    CLI::App* run_ = nullptr;
    CLI::App* check_ = nullptr;
    CLI::App* test_ = nullptr;
    CLI::App* format_ = nullptr;
    CLI::App* help_ = nullptr;
    CLI::App* new_ = nullptr;
    CLI::App* completion_ = nullptr;
    CLI::App* convert_ = nullptr;
    CLI::App* report_ = nullptr;
    CLI::App* lsp_ = nullptr;
};

void Arguments::add_options() {
    app_.set_version_flag("--version", version_text());
    app_.add_option("files", options_.paths, "Scripts to run, - is standard input; none: a REPL on a terminal, else standard input");
    app_.add_option("--seed", options_.settings.seed, "Seed of the random numbers")->check(wrong_seed);
    app_.add_option("--digits", options_.settings.digits, "Significant digits of decimals")->check(CLI::Range(1, 17));
    app_.add_option("--threads", options_.threads, "Number of threads; the answers do not depend on it")->check(CLI::Range(1, 256));
    app_.add_flag("--json", options_.json, "Print each value as a JSON object; diagnostics too, on stderr");
    app_.add_option("--color", color_, "Colour: auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
    app_.add_flag("-q,--quiet", options_.quiet, "Print only errors, no values and no notes");
    app_.add_flag("--stats", options_.stats, "Tell on standard error how much time and memory a script took, and what ranks exchanged");
    app_.add_option("--timeout", options_.timeout, "Stop after this many seconds")->check(wrong_seconds);
    app_.add_option(
        "--max-memory", memory_,
        fmt::format("Memory for data and answers, such as 512M or 2G; the program itself may use up to {}M more", own_memory >> 20U));
    app_.add_option("--root", options_.settings.root, "Refuse files outside this folder")->check(CLI::ExistingDirectory);
    app_.add_flag("!--no-startup", options_.startup, "Do not run the REPL's start-up file");
    app_.add_flag("--json-repl", json_repl_, "One JSON request and one reply a line, for notebooks");
    app_.add_option("-e,--evaluate", options_.expression, "Run this text in place of a script");
    app_.add_option("--set", definitions_, "name=value: define a name before the script runs")->allow_extra_args(false);
}

void Arguments::add_commands_for_scripts() {
    run_ = app_.add_subcommand("run", "Run scripts");
    run_->add_option("files", options_.paths, "Scripts; - is standard input; or -e and a text");
    check_ = app_.add_subcommand("check", "Parse and check scripts without running them");
    check_->add_option("files", options_.paths, "Scripts; - is standard input")->required();
    test_ = app_.add_subcommand("test", "Golden tests: run each x.cred and compare with x.out");
    test_->add_option("paths", options_.paths, "Scripts or folders")->required();
    test_->add_flag("--update", options_.update, "Rewrite the .out files, except where an expectation fails");
    test_->add_flag("--complete", options_.complete, "A script without an .out file fails");
    format_ = app_.add_subcommand("fmt", "Canonical formatting, in place");
    format_->add_option("files", options_.paths, "Scripts; - is standard input to standard output")->required();
    format_->add_flag("--check", options_.check, "Change nothing; fail if something would change");
}

void Arguments::add_other_commands() {
    help_ = app_.add_subcommand("help", "Documentation of a builtin, statement or error code");
    help_->add_option("topic", options_.topic, "NAME, CODE or words to search for; none: a map");
    help_->add_flag("--topics", topics_, "All names there is help on, a line each");
    help_->add_flag("--reference", reference_, "All help as one page of Markdown");
    help_->add_flag("--man", man_, "The manual page, for man");
    new_ = app_.add_subcommand("new", "A folder with a first script, data for it and its golden");
    new_->add_option("name", options_.paths, "The folder to make")->required()->expected(1);
    completion_ = app_.add_subcommand("completion", "A completion script for a shell");
    completion_->add_option("shell", options_.shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    convert_ = app_.add_subcommand("convert", "A net or a table from one file format to another");
    convert_->add_option("files", options_.paths, files_text())->required()->expected(2);
    report_ = app_.add_subcommand("report", "Run a script and write one page: source, results, plots");
    report_->add_option("file", options_.paths, "Script; - is standard input")->required()->expected(1);
    report_->add_option("-o,--output", options_.output, "The page (HTML); none, or -: standard output");
    report_->add_flag("--watch", options_.watch, "Write the page again when a file beside the script changes; the page reloads itself");
    lsp_ = app_.add_subcommand("lsp", "Language server on standard input and output, for editors");
    lsp_->add_flag("--stdio", stdio_, "Use standard input and output (always on)");
}

/// A misspelt command looks like a script; what follows it is not meant to be run then.
std::optional<std::string> Arguments::wrong_file() const {
    if (!app_.get_subcommands().empty() || options_.paths.empty()) return std::nullopt;
    const std::string& first = options_.paths.front();
    std::error_code ignored;
    if (first.find_first_of("./-") != std::string::npos || std::filesystem::exists(first, ignored)) return std::nullopt;
    std::vector<std::string> commands;
    for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) commands.push_back(command->get_name());
    const auto near = rt::nearest(first, commands);
    if (!near && options_.paths.size() > 1) return std::nullopt;
    if (!near) return fmt::format("there is no file '{}' and no such command; the commands are {}", first, rt::joined(commands, ", "));
    return fmt::format("there is no file '{}'; did you mean the command '{}'?", first, *near);
}

std::optional<std::string> Arguments::wrong() {
    if (!memory_.empty()) {
        const auto bytes = parse_size(memory_);
        if (!bytes) return fmt::format("--max-memory takes a size such as 512M or 2G, found {}", memory_);
        options_.settings.limits.memory_bytes = *bytes;
        limit_memory(*bytes);
    }
    for (const auto& definition : definitions_) {
        const auto equals = definition.find('=');
        if (equals == std::string::npos || equals == 0) return fmt::format("--set takes name=value, found {}", definition);
        options_.definitions.emplace_back(definition.substr(0, equals), definition.substr(equals + 1));
    }
    for (const CLI::App* command : {test_, help_, new_, completion_})
        if (*command && options_.json) return fmt::format("{} has no JSON output", command->get_name());
    for (const CLI::App* command : {format_, help_, new_, completion_, convert_, lsp_})
        if (*command && !definitions_.empty())
            return fmt::format("{} runs no script that --set could define names for", command->get_name());
    const bool other_command = !app_.get_subcommands().empty() && !*run_;
    if (options_.expression && (other_command || !options_.paths.empty()))
        return "-e is in place of a script: no file or other command goes with it";
    if (*run_ && options_.paths.empty() && !options_.expression) return "run needs a script: credence run FILE, or -e and a text";
    return wrong_file();
}

/// Of the first option that is not known, the one that is near.
std::string Arguments::meant_option(int argc, char** argv) const {
    std::vector<std::string> known;
    const auto add = [&](const CLI::App& app) {
        for (const CLI::Option* option : app.get_options())
            for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    };
    add(app_);
    for (const CLI::App* command : app_.get_subcommands()) add(*command);
    for (int i = 1; i < argc; ++i) {
        const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
        if (!word.starts_with("--") || rt::contains(known, word)) continue;
        const auto near = rt::nearest(word, known);
        return near ? fmt::format("Did you mean {}?\n", *near) : "";
    }
    return {};
}

std::optional<Exit> Arguments::read(int argc, char** argv) {
    try {
        app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream said;
        std::ostringstream complained;
        const Exit status = app_.exit(error, said, complained) == 0 ? fine : usage;
        const auto screen = screen_size(STDOUT_FILENO);
        std::fputs((screen ? fitted_usage(said.str(), screen->columns) : said.str()).c_str(), stdout);
        std::fputs((complained.str() + meant_option(argc, argv)).c_str(), stderr);
        return status;
    }
    options_.color = color_ == "always" ? Color::always : color_ == "never" ? Color::never : Color::automatic;
    options_.help_form = topics_ ? HelpForm::topics : reference_ ? HelpForm::reference : man_ ? HelpForm::man : HelpForm::topic;
    options_.settings.threads = options_.threads.value_or(options_.settings.threads);
    const auto problem = wrong();
    if (!problem) return std::nullopt;
    std::fprintf(stderr, "credence: %s\n", problem->c_str());
    return usage;
}

/// The command that runs in one process only; empty where scripts are run.
std::string Arguments::command_alone() const {
    if (json_repl_) return "--json-repl";
    for (const CLI::App* command : app_.get_subcommands())
        if (command != run_) return command->get_name();
    return {};
}

int Arguments::carry_out() {
    if (!started_with_others()) return carry_out_here();
    const std::string alone = command_alone();
    if (alone.empty()) return run_side_by_side(options_, [this] { return carry_out_here(); });
    std::fprintf(stderr, "credence: %s runs in one process: start it without mpirun\n", alone.c_str());
    return usage;
}

int Arguments::carry_out_here() {
    if (*completion_) {
        std::fputs(shell_completion(describe(app_), options_.shell).c_str(), stdout);
        return fine;
    }
    const lang::Registry registry = std_::make_registry();
    if (*check_) return check_files(registry, options_);
    if (*test_) return test_paths(registry, options_);
    if (*format_) return format_files(options_);
    if (*help_) return help(registry, options_, describe(app_));
    if (*new_) return new_project(registry, options_);
    if (*convert_) return convert(registry, options_);
    if (*lsp_) return language_server(registry, options_);
    if (*report_) return report(registry, options_);
    if (json_repl_) return json_repl(registry, options_);
    const Stats stats(options_);
    if (options_.expression) return run_expression(registry, options_);
    if (!options_.paths.empty()) return run_files(registry, options_);
    return isatty(STDIN_FILENO) ? repl(registry, options_) : run_standard_input(registry, options_);
}

/// What was printed must have arrived: a full disk is a failure, whatever the script said.
int delivered(int status, const Options& options) {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    const int error = errno;
    if (flushed && std::ferror(stdout) == 0) return status;
    std::string message = "cannot write standard output";
    if (error != 0) message += ": " + std::generic_category().message(error);
    say_error(placeless({.code = "E-FILE", .message = std::move(message)}), options);
    return status == fine ? failed : status;
}

}  // namespace
}  // namespace credence::cli

int main(int argc, char** argv) {
    using namespace credence::cli;
    std::signal(SIGPIPE, SIG_DFL);  // whoever reads no longer ends us, even where our parent ignores it
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, not the end
    be_silent_unless_first();
    try {
        Arguments arguments;
        const auto left = arguments.read(argc, argv);
        return delivered(left ? *left : arguments.carry_out(), arguments.options());
    } catch (const std::bad_alloc&) {  // before a session was there to say so
        constexpr std::string_view text = "error[E-MEMORY]: out of memory\n";
        static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
        return failed;
    }
}
