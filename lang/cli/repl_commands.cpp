// The REPL's commands: one line each in the table, one function each.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "lang/cli/repl.hpp"
#include "lang/cli/run.hpp"
#include "lang/value/show.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

/// "a.cred" and a.cred are the same file.
std::string unquoted(const std::string& path) {
    const bool quoted = path.size() > 1 && path.front() == '"' && path.back() == '"';
    return quoted ? path.substr(1, path.size() - 2) : path;
}

std::string as_text_literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '{' || c == '}') out += c;
        out += c;
    }
    return out + "\"";
}

/// The first line, cut to a width.
std::string short_text(const std::string& text) {
    constexpr std::size_t width = 60;
    std::string out = text.substr(0, text.find('\n'));
    if (lang::text_width(out) <= width) return out;
    while (lang::text_width(out) > width) out.pop_back();
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80U) != 0) out.pop_back();  // no half characters
    return out + "…";
}

std::string about(const lang::Session& session, const lang::Symbol& symbol) {
    if (symbol.kind == lang::Symbol::Kind::function) return fmt::format("({})", rt::joined(symbol.parameters, ", "));
    if (symbol.shape) return rt::joined(symbol.shape->names(), ", ");
    const lang::Value* value = session.value_of(symbol.name);
    return value ? lang::show_inline(*value, {.digits = session.world().settings.digits}) : "";
}

std::string kind_of(const lang::Session& session, const lang::Symbol& symbol) {
    if (symbol.shape) return symbol.shape->kind;
    switch (symbol.kind) {
        case lang::Symbol::Kind::function:
            return "function";
        case lang::Symbol::Kind::module:
            return "module";
        case lang::Symbol::Kind::model:
            return "model";
        case lang::Symbol::Kind::value:
            break;
    }
    const lang::Value* value = session.value_of(symbol.name);
    std::string kind(value ? value->kind() : "");
    for (const std::string_view article : {"a ", "an "})
        if (kind.starts_with(article)) return kind.substr(article.size());
    return kind;
}

}  // namespace

std::span<const Repl::Command> Repl::commands() {
    static constexpr std::array table = {
        Command{":vars", "", "the names of this session", &Repl::vars},
        Command{":reset", "", "forget them all", &Repl::start_over},
        Command{":load", "FILE", "run a script in this session", &Repl::load},
        Command{":save", "FILE", "save the entries that ran without errors as a script", &Repl::save},
        Command{":time", "EXPR", "run a statement and show how long it took", &Repl::time},
        Command{":set", "[NAME VALUE]", "seed, digits, numbers, threads or lines (shown of a value); without a value: show all settings",
                &Repl::set},
        Command{":more", "", "show the lines that were cut from the last value", &Repl::more},
        Command{":help", "[NAME]", "this list, or help on NAME", &Repl::list_commands},
        Command{":quit", "", "leave, as Ctrl-D does", &Repl::quit},
    };
    return table;
}

std::vector<std::string> Repl::command_names() {
    std::vector<std::string> out;
    for (const auto& c : commands()) out.emplace_back(c.name);
    return out;
}

Repl::Next Repl::command(const std::string& entry) {
    const auto blank = entry.find_first_of(" \t\n");
    const std::string name = entry.substr(0, blank);
    const auto rest = blank == std::string::npos ? std::string::npos : entry.find_first_not_of(" \t\n", blank);
    const std::string argument = rest == std::string::npos ? "" : entry.substr(rest);
    for (const auto& c : commands()) {
        if (c.name != name) continue;
        if (c.argument.empty() == argument.empty() || c.argument.starts_with('[')) return (this->*c.act)(argument);
        fmt::print("{}: {}\n",
                   c.argument.empty() ? fmt::format("{} takes no argument", c.name)
                                      : fmt::format("{} needs an argument: {} {}", c.name, c.name, c.argument),
                   c.text);
        return Next::go_on;
    }
    const auto near = rt::nearest(name, command_names());
    fmt::print("there is no command {}; {}\n", name, near ? fmt::format("did you mean {}?", *near) : ":help lists them");
    return Next::go_on;
}

Repl::Next Repl::vars(const std::string&) {
    const auto& scope = session_->scope();
    const auto of_library = [&](const lang::Symbol& s) { return s.source && registry_.has_prelude(s.source->name()); };
    std::vector<std::vector<std::string>> rows;
    for (const auto& symbol : scope.symbols())
        if (symbol.name != "_" && !of_library(symbol) && scope.find(symbol.name) == &symbol)
            rows.push_back({lang::show_name(symbol.name), kind_of(*session_, symbol), short_text(about(*session_, symbol))});
    screen_.write((rows.empty() ? "no names yet" : lang::align_columns(rows, "lll", "")) + "\n");
    return Next::go_on;
}

Repl::Next Repl::start_over(const std::string&) {
    reset();
    return Next::go_on;
}

Repl::Next Repl::load(const std::string& argument) {
    const std::string path = unquoted(argument);
    const auto allowed = rt::inside(session_->world().settings.root, "", path);
    const auto text =
        allowed ? rt::read_file(*allowed, rt::Readable::files, rt::most_script_bytes) : rt::Result<rt::FileText>(allowed.fault());
    if (!text) {
        complain(text.fault().code, text.fault().message, text.fault().hint);
    } else if (run(path, std::string(text->view()), folder_of(path))) {
        script_.push_back("import " + as_text_literal(std::filesystem::absolute(path).string()));
    }
    return Next::go_on;
}

Repl::Next Repl::save(const std::string& argument) {
    const std::string path = unquoted(argument);
    std::string text;
    for (const auto& entry : script_) text += entry + '\n';
    const auto allowed = rt::inside(session_->world().settings.root, "", path);
    const rt::Status written = allowed ? rt::write_file(*allowed, text) : rt::Status(allowed.fault());
    if (!written) {
        complain(written.fault().code, written.fault().message);
    } else {
        fmt::print("{} {} in {}\n", script_.size(), script_.size() == 1 ? "entry" : "entries", path);
    }
    return Next::go_on;
}

Repl::Next Repl::time(const std::string& argument) {
    const auto start = std::chrono::steady_clock::now();
    run_entry(argument);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    fmt::print("{:.3f} s\n", elapsed.count());
    return Next::go_on;
}

Repl::Next Repl::set(const std::string& argument) {
    const auto& settings = session_->world().settings;
    if (argument.empty()) {
        static constexpr std::string_view modes[] = {"automatic", "exact", "real"};
        fmt::print("{}\n", lang::align_columns({{"seed", std::to_string(settings.seed)},
                                                {"digits", std::to_string(settings.digits)},
                                                {"numbers", std::string(modes[static_cast<std::size_t>(settings.numbers)])},
                                                {"threads", std::to_string(settings.threads)},
                                                {"lines", screen_.cut_text()}},
                                               "ll", ""));
        return Next::go_on;
    }
    constexpr std::string_view lines = "lines";
    if (argument != lines && !argument.starts_with("lines ")) {
        run_entry("set " + argument);
        return Next::go_on;
    }
    const auto at = argument.find_first_not_of(' ', lines.size());
    const std::string value = at == std::string::npos ? "" : argument.substr(at);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc{} && end == value.data() + value.size() && number > 0;
    constexpr std::size_t least_of_a_trace = 10;
    if (value == "auto" || value == "all" || (is_number && number >= least_of_a_trace)) run_entry("set lines " + value);
    if (value == "auto" || value == "all") {
        screen_.set_cut(value == "all" ? Screen::Cut::never : Screen::Cut::to_fit);
    } else if (is_number) {
        screen_.set_cut(Screen::Cut::to_number, number);
    } else {
        complain("E-SET", fmt::format("lines cannot be '{}'", value), "lines is a number above 0, auto (as many as fit) or all");
    }
    return Next::go_on;
}

Repl::Next Repl::more(const std::string&) {
    if (!screen_.write_rest()) fmt::print("nothing was cut\n");
    return Next::go_on;
}

Repl::Next Repl::list_commands(const std::string& argument) {
    if (!argument.empty()) {
        show_help(argument);
        return Next::go_on;
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& c : commands()) rows.push_back({fmt::format("{} {}", c.name, c.argument), std::string(c.text)});
    rows.push_back(
        {"help NAME, ?NAME", "on a builtin, a statement, an error code or a name that you defined; help alone lists everything"});
    rows.push_back({"_", "the last value printed"});
    rows.push_back(
        {"Tab",
         "completes names, labels, columns, parameters and file names; \\theta and Tab gives θ; inside a call, shows its parameters"});
    rows.push_back({"Up, Ctrl-R", "earlier entries, also of earlier sessions; Ctrl-R searches them"});
    rows.push_back({"Ctrl-C", "stops the running statement; at the prompt, discards the entry"});
    fmt::print("{}\nA session starts with {}, if that script exists.\n", lang::align_columns(rows, "ll", ""), startup_path());
    return Next::go_on;
}

Repl::Next Repl::quit(const std::string&) { return Next::leave; }

}  // namespace credence::cli
