// Completion in shells: generated from the commands and options themselves.

#include <fmt/format.h>

#include "lang/cli/command_line.hpp"
#include "runtime/core/text.hpp"

namespace credence::cli {

namespace {

std::vector<std::string> names_of(const std::vector<CommandOption>& options) {
    std::vector<std::string> out;
    for (const auto& option : options) out.insert(out.end(), option.names.begin(), option.names.end());
    return out;
}

/// 'text' in single quotes for a shell; [ ] and : mean something to zsh and are left out.
std::string quoted(std::string text, bool zsh) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else if (zsh && (c == '[' || c == ']' || c == ':')) {
            out += c == ':' ? " -" : "";
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string bash(const CommandLine& line) {
    std::vector<std::string> commands;
    for (const auto& c : line.commands) commands.push_back(c.name);
    std::string out = "# bash completion of credence: source it, or keep it in ~/.local/share/bash-completion/completions/credence\n";
    out += "_credence() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' i\n";
    out += "  for ((i = 1; i < COMP_CWORD; i++)); do\n    case ${COMP_WORDS[i]} in\n";
    out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n    esac\n  done\n", rt::joined(commands, "|"));
    out += "  case $before in\n";
    std::vector<const CommandOption*> all;
    for (const auto& o : line.options) all.push_back(&o);
    for (const auto& c : line.commands)
        for (const auto& o : c.options) all.push_back(&o);
    for (const auto* o : all) {
        if (!o->takes_value) continue;
        const std::string names = rt::joined(o->names, "|");
        if (!o->choices.empty()) {
            out += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", names, rt::joined(o->choices, " "));
        } else if (o->names.front() == "--root") {
            out += fmt::format("    {}) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n", names);
        } else {
            out += fmt::format("    {}) return ;;\n", names);
        }
    }
    out += "  esac\n  if [[ $word == -* ]]; then\n    case $command in\n";
    for (const auto& c : line.commands)
        if (!c.options.empty())
            out += fmt::format("      {}) COMPREPLY=($(compgen -W '{} {}' -- \"$word\")) ;;\n", c.name,
                               rt::joined(names_of(c.options), " "), rt::joined(names_of(line.options), " "));
    out += fmt::format("      *) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n    esac\n    return\n  fi\n",
                       rt::joined(names_of(line.options), " "));
    out += "  case $command in\n";
    out += "    help) COMPREPLY=($(compgen -W \"$(credence help --topics 2>/dev/null)\" -- \"$word\")) ;;\n";
    out += "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n";
    out += "    new) ;;\n";
    out += fmt::format(
        "    '') COMPREPLY=($(compgen -W '{}' -- \"$word\") $(compgen -f -X '!*.cred' -- \"$word\") $(compgen -d -- \"$word\")) ;;\n",
        rt::joined(commands, " "));
    out += "    run|check|fmt|report|test) COMPREPLY=($(compgen -f -X '!*.cred' -- \"$word\") $(compgen -d -- \"$word\")) ;;\n";
    out += "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}\n";
    out += "complete -o filenames -F _credence credence\n";
    return out;
}

std::string zsh_options(const std::vector<CommandOption>& options, std::string_view indent) {
    std::string out;
    for (const auto& o : options)
        for (const auto& name : o.names) {
            std::string spec = name + (o.takes_value && name.starts_with("--") ? "=" : "") + "[";
            std::string text = quoted(o.text, true);
            spec += text.substr(1, text.size() - 2) + "]";
            if (o.takes_value)
                spec += o.choices.empty() ? (name == "--root" ? ":folder:_files -/" : ":value: ")
                                          : fmt::format(":value:({})", rt::joined(o.choices, " "));
            out += fmt::format("{}'{}' \\\n", indent, spec);
        }
    return out;
}

std::string zsh(const CommandLine& line) {
    std::string out = "#compdef credence\n# zsh completion of credence: keep it as _credence in a folder of $fpath\n_credence() {\n";
    out += "  local -a commands\n  local context state state_descr line\n  typeset -A opt_args\n  commands=(\n";
    for (const auto& c : line.commands) {
        const std::string text = quoted(c.text, true);
        out += fmt::format("    '{}:{}\n", c.name, text.substr(1));
    }
    out += "  )\n  _arguments -C \\\n" + zsh_options(line.options, "    ");
    out += "    '1: :->first' \\\n    '*:: :->rest'\n  case $state in\n";
    out += "    first) _describe command commands; _files -g '*.cred' ;;\n    rest)\n      case $words[1] in\n";
    for (const auto& c : line.commands) {
        const std::string_view rest = c.name == "help"         ? "'*:topic:(${(f)\"$(credence help --topics 2>/dev/null)\"})'"
                                      : c.name == "completion" ? "'*:shell:(bash zsh fish)'"
                                      : c.name == "convert"    ? "'*:file:_files'"
                                      : c.arguments.empty() || c.name == "new" ? ""
                                                                               : "'*:script:_files -g \"*.cred\"'";
        out += fmt::format("        {}) _arguments \\\n{}{}          {} ;;\n", c.name, zsh_options(c.options, "          "),
                           zsh_options(line.options, "          "), rest.empty() ? "'*: :'" : rest);
    }
    out += "        *) _files -g '*.cred' ;;\n      esac ;;\n  esac\n}\n";
    // Found in $fpath, the whole file is the function and this its first call; sourced, it only registers.
    out += "if [[ $funcstack[1] == _credence ]]; then _credence \"$@\"; else compdef _credence credence; fi\n";
    return out;
}

std::string fish_option(const CommandOption& o, std::string_view condition) {
    std::string out = "complete -c credence";
    if (!condition.empty()) out += fmt::format(" -n '{}'", condition);
    for (const auto& name : o.names) out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (o.takes_value) out += " -x";  // needs a value, which is not a file
    if (!o.choices.empty()) out += fmt::format(" -a '{}'", rt::joined(o.choices, " "));
    if (o.names.front() == "--root") out += " -a '(__fish_complete_directories)'";
    return out + " -d " + quoted(o.text, false) + "\n";
}

std::string fish(const CommandLine& line) {
    std::vector<std::string> commands;
    for (const auto& c : line.commands) commands.push_back(c.name);
    std::string out = "# fish completion of credence: keep it as ~/.config/fish/completions/credence.fish\n";
    out += "complete -c credence -f\n";
    for (const auto& o : line.options) out += fish_option(o, "");
    for (const auto& c : line.commands) {
        out += fmt::format("complete -c credence -n __fish_use_subcommand -a {} -d {}\n", c.name, quoted(c.text, false));
        for (const auto& o : c.options) out += fish_option(o, "__fish_seen_subcommand_from " + c.name);
    }
    const auto offer = [&](std::string_view condition, std::string_view what) {
        out += fmt::format("complete -c credence -n '{}' -a '{}'\n", condition, what);
    };
    constexpr std::string_view scripts = "(__fish_complete_suffix .cred | string match -r \".*(?:\\\\.cred|/)\\$\")";
    offer("__fish_use_subcommand", scripts);
    offer("__fish_seen_subcommand_from run check fmt report test", scripts);
    offer("__fish_seen_subcommand_from convert", "(__fish_complete_path)");
    offer("__fish_seen_subcommand_from help", "(credence help --topics 2>/dev/null)");
    offer("__fish_seen_subcommand_from completion", "bash zsh fish");
    return out;
}

}  // namespace

std::string shell_completion(const CommandLine& line, std::string_view shell) {
    return shell == "bash" ? bash(line) : shell == "zsh" ? zsh(line) : fish(line);
}

}  // namespace credence::cli
