// The manual page: commands and options from the command line itself, names from the registry.

#include <map>

#include <fmt/format.h>

#include "lang/cli/command_line.hpp"
#include "lang/service/help.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

/// Text for roff: backslashes, hyphens that are meant as such, and no line that looks like a request.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
            out += c;
        } else {
            out += c;
        }
    }
    return out;
}

std::string item(std::string_view term, std::string_view text) { return fmt::format(".TP\n.B {}\n{}\n", roff(term), roff(text)); }

std::string option_item(const CommandOption& option) {
    const std::string names = rt::joined(option.names, ", ");
    return item(option.takes_value ? names + " " + (option.choices.empty() ? "VALUE" : rt::joined(option.choices, "|")) : names,
                option.text);
}

}  // namespace

std::string man_page(const CommandLine& line, const lang::Registry& registry, std::string_view version) {
    std::string out = fmt::format(".TH CREDENCE 1 \"\" \"{}\" \"User Commands\"\n", roff(version));
    out += ".SH NAME\ncredence \\- a small declarative language for probabilistic modelling\n";
    out += ".SH SYNOPSIS\n.B credence\n[OPTIONS] [FILES]\n.br\n.B credence\nCOMMAND [OPTIONS] [ARGUMENTS]\n";
    out +=
        ".SH DESCRIPTION\nRuns the given files as scripts. Without files, it is interactive on a terminal; otherwise it runs a script from "
        "standard input.\n";
    out += ".SH COMMANDS\n";
    for (const auto& c : line.commands) {
        out += item(c.arguments.empty() ? c.name : c.name + " " + c.arguments, c.text + ".");
        for (const auto& o : c.options) out += ".RS\n" + option_item(o) + ".RE\n";
    }
    out += ".SH OPTIONS\n";
    for (const auto& o : line.options) out += option_item(o);
    out += ".SH EXIT STATUS\n0: success. 1: a script, a test or an expectation failed. 2: wrong usage.\n";
    out += ".SH ENVIRONMENT\n" + item("NO_COLOR", "set to anything: no colour.") +
           item("XDG_CONFIG_HOME, XDG_STATE_HOME", "the folders of the files below, instead of ~/.config and ~/.local/state.");
    out += ".SH FILES\n" + item("~/.config/credence/startup.cred", "a script that runs at the start of every interactive session.") +
           item("~/.local/state/credence/history", "the entries of earlier sessions.");
    out += ".SH STATEMENTS\n";
    for (const auto& s : lang::statements()) out += item(s.form, s.text);
    for (const auto use : {lang::MethodUse::answering, lang::MethodUse::training}) {
        out += use == lang::MethodUse::training ? ".SH TRAINING METHODS\n" : ".SH ENGINES\n";
        for (const auto& [name, forms] : registry.methods(use))
            for (const auto& form : forms) out += item(lang::method_text(use, form.form), form.form.summary);
    }
    out += ".SH LIBRARY\n";
    std::map<std::string, std::vector<std::string>> subjects;
    for (const auto& [name, overloads] : registry.builtins()) subjects[overloads.forms.front().subject].push_back(name);
    for (const auto& [subject, names] : subjects) out += item(subject, rt::joined(names, ", "));
    out += ".P\n.B credence help NAME\nexplains each of them, with an example.\n";
    return out;
}

}  // namespace credence::cli
