// The program: its commands and options.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/options.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::cli {

namespace {

/// "512M", "2G", "1000000": bytes.
std::optional<std::size_t> parse_size(const std::string& text) {
    std::size_t end = 0;
    double number = 0;
    try {
        number = std::stod(text, &end);
    } catch (const std::exception&) { return std::nullopt; }
    const std::string unit = text.substr(end);
    const double factor = unit.empty()                 ? 1
                          : unit == "K" || unit == "k" ? 1024.0
                          : unit == "M"                ? 1048576.0
                          : unit == "G"                ? 1073741824.0
                                                       : -1;
    if (factor < 0 || number <= 0) return std::nullopt;
    return static_cast<std::size_t>(number * factor);
}

/// A hard limit behind the estimates: what is allocated beyond it fails, and the failure is reported.
void limit_memory(std::size_t bytes) {
    constexpr std::size_t own = std::size_t{768} << 20U;  // stacks, libraries and the interpreter itself
    const rlimit limit{bytes + own, bytes + own};
    setrlimit(RLIMIT_AS, &limit);
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

}  // namespace
}  // namespace credence::cli

int main(int argc, char** argv) {
    using namespace credence;
    using namespace credence::cli;
    Options options;
    std::string color = "auto";
    std::string memory;
    std::vector<std::string> definitions;

    CLI::App app{"Credence: a small declarative language for probabilistic modelling", "credence"};
    app.set_version_flag("--version", version_text());
    app.add_option("files", options.paths, "Scripts to run; none: a REPL on a terminal, else standard input");
    app.add_option("--seed", options.settings.seed, "Seed of the random numbers")->check([](const std::string& text) {
        const bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return whole ? std::string{} : fmt::format("'{}' is no whole number from 0 on", text);
    });
    app.add_option("--digits", options.settings.digits, "Significant digits of decimals")->check(CLI::Range(1, 17));
    app.add_option("--threads", options.settings.threads, "Threads to use; the answers are the same for any number")
        ->check(CLI::Range(1, 256));
    app.add_flag("--json", options.json, "One JSON object a printed value; diagnostics too, on stderr");
    app.add_option("--color", color, "Colour: auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
    app.add_flag("-q,--quiet", options.quiet, "Print no values, only errors");
    app.add_option("--timeout", options.timeout, "Stop after so many seconds")->check(CLI::PositiveNumber);
    app.add_option("--max-memory", memory, "Memory limit, such as 512M or 2G");
    app.add_option("--root", options.settings.root, "Refuse files outside this folder")->check(CLI::ExistingDirectory);
    app.add_flag("!--no-startup", options.startup, "Do not run the REPL's start-up file");
    bool json_repl_wanted = false;
    app.add_flag("--json-repl", json_repl_wanted, "One JSON request and one reply a line, for notebooks");
    app.add_option("--set", definitions, "name=value: define a name before the script runs")->allow_extra_args(false);

    CLI::App* run = app.add_subcommand("run", "Run scripts");
    run->add_option("files", options.paths, "Scripts")->required();
    CLI::App* check = app.add_subcommand("check", "Parse and check scripts without running them");
    check->add_option("files", options.paths, "Scripts")->required();
    CLI::App* test = app.add_subcommand("test", "Golden tests: run each x.cred and compare with x.out");
    test->add_option("paths", options.paths, "Scripts or folders")->required();
    test->add_flag("--update", options.update, "Rewrite the .out files (never where an expectation fails)");
    CLI::App* format = app.add_subcommand("fmt", "Canonical formatting, in place");
    format->add_option("files", options.paths, "Scripts; - is standard input to standard output")->required();
    format->add_flag("--check", options.check, "Change nothing; fail where something would change");
    CLI::App* help_command = app.add_subcommand("help", "Documentation of a builtin, statement or error code");
    help_command->add_option("topic", options.topic, "NAME or CODE; none: a map");
    bool topics = false;
    bool reference = false;
    bool man = false;
    help_command->add_flag("--topics", topics, "All names there is help on, a line each");
    help_command->add_flag("--reference", reference, "All help as one page of Markdown");
    help_command->add_flag("--man", man, "The manual page, for man");
    CLI::App* new_command = app.add_subcommand("new", "A folder with a first script, data for it and its golden");
    new_command->add_option("name", options.paths, "The folder to make")->required()->expected(1);
    CLI::App* completion_command = app.add_subcommand("completion", "A completion script for a shell");
    completion_command->add_option("shell", options.shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    CLI::App* convert_command = app.add_subcommand("convert", "A net or a table from one file format to another");
    convert_command->add_option("files", options.paths, "IN OUT: nets .bif .xml .net .uai .dsc .cred, tables .csv .tsv .arff .jsonl")
        ->required()
        ->expected(2);
    CLI::App* report_command = app.add_subcommand("report", "Run a script and write one page: source, results, plots");
    report_command->add_option("file", options.paths, "Script")->required()->expected(1);
    report_command->add_option("-o,--output", options.output, "The page (HTML); none, or -: standard output");
    CLI::App* lsp_command = app.add_subcommand("lsp", "Language server on standard input and output, for editors");
    bool stdio = false;  // many editors add it
    lsp_command->add_flag("--stdio", stdio, "Through standard input and output, as always");
    for (CLI::App* command :
         {run, check, test, format, help_command, new_command, completion_command, convert_command, report_command, lsp_command})
        command->fallthrough();
    app.require_subcommand(0, 1);  // what follows a command is no other one: help report, run test

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? fine : usage; }
    options.color = color == "always" ? Color::always : color == "never" ? Color::never : Color::automatic;
    if (!memory.empty()) {
        const auto bytes = parse_size(memory);
        if (!bytes) {
            std::fprintf(stderr, "credence: --max-memory takes a size such as 512M or 2G, found %s\n", memory.c_str());
            return usage;
        }
        options.settings.limits.memory_bytes = *bytes;
        limit_memory(*bytes);
    }
    for (const auto& definition : definitions) {
        const auto equals = definition.find('=');
        if (equals == std::string::npos || equals == 0) {
            std::fprintf(stderr, "credence: --set takes name=value, found %s\n", definition.c_str());
            return usage;
        }
        options.definitions.emplace_back(definition.substr(0, equals), definition.substr(equals + 1));
    }
    if (*completion_command) {
        std::fputs(shell_completion(describe(app), options.shell).c_str(), stdout);
        return fine;
    }
    options.help_form = topics ? HelpForm::topics : reference ? HelpForm::reference : man ? HelpForm::man : HelpForm::topic;
    const lang::Registry registry = std_::make_registry();
    if (*check) return check_files(registry, options);
    if (*test) return test_paths(registry, options);
    if (*format) return format_files(options);
    if (*help_command) return help(registry, options, describe(app));
    if (*new_command) return new_project(registry, options);
    if (*convert_command) return convert(registry, options);
    if (*lsp_command) return language_server(registry, options);
    if (*report_command) return report(registry, options);
    if (json_repl_wanted) return json_repl(registry, options);
    if (!options.paths.empty()) return run_files(registry, options);
    return isatty(STDIN_FILENO) ? repl(registry, options) : run_standard_input(registry, options);
}
