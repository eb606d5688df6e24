#include "lang/cli/repl.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "lang/cli/repl_entry.hpp"
#include "lang/cli/run.hpp"
#include "lang/service/help.hpp"
#include "lang/syntax/parse.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

}  // namespace

Repl::Repl(const lang::Registry& registry, const Options& options)
    : registry_(registry),
      options_(options),
      assistant_([this]() -> const lang::Session& { return *session_; }, command_names(), use_color(options.color, STDOUT_FILENO)),
      editor_(make_line_editor(assistant_)) {
    // Once interrupts are caught: whoever sees the greeting may press Ctrl-C.
    if (!options.quiet) fmt::print("{}\n:help lists the commands, Ctrl-D leaves\n", version_text());
    reset();
}

void Repl::reset() {
    output_.reset();  // it reads the settings of its session
    session_ = std::make_shared<lang::Session>(registry_, options_.settings);
    output_ = make_output(*session_, options_);
    script_.clear();
    if (options_.startup) run_startup_file();
    for (const auto& [name, value] : options_.definitions) run("--set " + name, "let " + name + " = " + value, "");
}

void Repl::run_startup_file() {
    const std::string path = startup_path();
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) return;
    const auto text = rt::read_file(path);
    if (!text) return complain(text.fault().code, text.fault().message, text.fault().hint);
    run(path, std::string(text->view()), folder_of(path));
}

void Repl::loop() {
    for (Next next = Next::go_on; next == Next::go_on;) {
        std::fflush(stdout);
        const auto [event, text] = read_entry();
        switch (event) {
            case LineEditor::Event::interrupted:
                break;
            case LineEditor::Event::end:
                std::fputc('\n', stdout);
                return;
            case LineEditor::Event::line:
                if (const std::string entry = trimmed(text); !entry.empty()) {
                    editor_->add_history(entry);
                    try {
                        leave_abandoned();
                        next = enter(entry);
                    } catch (const std::bad_alloc&) { complain("E-MEMORY", "out of memory"); }
                }
                break;
        }
    }
}

LineEditor::Read Repl::read_entry() {
    assistant_.set_lines_above("");
    LineEditor::Read entry = editor_->read("> ");
    while (entry.event == LineEditor::Event::line && goes_on(entry.line)) {
        assistant_.set_lines_above(entry.line + "\n");
        auto more = editor_->read("… ");
        entry = {more.event, entry.line + "\n" + more.line};
    }
    return entry;
}

bool Repl::goes_on(const std::string& text) {
    constexpr std::string_view timed = ":time ";
    if (text.starts_with(timed)) return lang::is_incomplete(std::string_view(text).substr(timed.size()));
    if (text.starts_with(':') || text.starts_with('?')) return false;
    const auto last_line = text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
    return last_line.starts_with("##") || lang::is_incomplete(text);
}

Repl::Next Repl::enter(const std::string& entry) {
    if (entry.starts_with(':')) return command(entry);
    if (const auto topic = asks_help(entry)) {
        show_help(*topic);
    } else {
        run_entry(entry);
    }
    return Next::go_on;
}

std::optional<std::string> Repl::asks_help(const std::string& entry) const {
    if (entry.starts_with('?')) return trimmed(std::string_view(entry).substr(1));
    if (entry == "help" && !session_->scope().find("help")) return "";
    constexpr std::string_view word = "help ";
    if (!entry.starts_with(word)) return std::nullopt;
    const std::string topic = trimmed(std::string_view(entry).substr(word.size()));
    if (topic.size() > 2 && topic.front() == '"' && topic.back() == '"') return topic.substr(1, topic.size() - 2);
    return topic.find_first_of(" \t\n()+*/^=<>|") == std::string::npos ? std::optional(topic) : std::nullopt;
}

void Repl::show_help(const std::string& topic) {
    const lang::Symbol* own = session_->scope().find(topic);
    if (own && own->kind == lang::Symbol::Kind::function) fmt::print("{}({})\n", own->name, rt::joined(own->parameters, ", "));
    if (own && !own->doc.empty()) fmt::print("{}\n", own->doc);
    if (own && own->kind != lang::Symbol::Kind::function && session_->value_of(topic)) {
        run(topic, topic, "");  // shown as if it had been entered
        return;
    }
    if (own && !own->doc.empty()) return;
    if (const auto text = lang::help_text(registry_, topic, help_width())) return screen_.write(*text);
    if (own) return fmt::print("there is no text on {}; lines with ## before a declaration document it\n", topic);
    if (const std::string found = lang::search_help(registry_, topic, help_width()); !found.empty()) return screen_.write(found);
    const auto near = rt::nearest(topic, lang::help_topics(registry_));
    fmt::print("there is no help on '{}'{}\n", topic, near ? fmt::format("; did you mean '{}'?", *near) : "");
}

void Repl::leave_abandoned() {
    if (!abandoned_) return;
    auto next = session_->successor();
    output_ = make_output(*next, options_);
    session_ = std::move(next);
    abandoned_ = false;
}

bool Repl::run(const std::string& name, std::string text, const std::string& folder) {
    const auto entry = std::make_shared<RunningEntry>(session_, options_, [this](std::string_view block) { screen_.write(block); });
    const auto source = std::make_shared<lang::Source>(name, std::move(text));
    const bool ended = interrupts_.during(*session_, options_.timeout, [entry, source, folder] {
        supervised(*entry->session, {}, [&] {
            if (entry->is_open()) entry->ok = entry->session->run(source, folder, *entry);
        });
    });
    const auto tell_late = [&] { complain("E-TIMEOUT", fmt::format("stopped after {} seconds (--timeout)", *options_.timeout)); };
    if (!ended) {
        entry->close();
        abandoned_ = true;
        leave_abandoned();
        if (interrupts_.in_time())
            output_->diagnostic(stopped_diagnostic(session_->stopped_in()));
        else
            tell_late();
        return false;
    }
    if (!interrupts_.in_time()) tell_late();
    if (interrupts_.out_of_memory()) complain("E-MEMORY", "out of memory");
    if (entry->last) session_->define("_", *entry->last);
    return entry->ok && interrupts_.in_time();
}

bool Repl::run_entry(const std::string& text) {
    const bool ok = run(fmt::format("entry {}", ++entries_), text, "");
    if (ok) script_.push_back(text);
    return ok;
}

void Repl::complain(rt::FaultCode code, std::string message, std::string help) {
    lang::Diagnostic d;
    d.code = code;
    d.message = std::move(message);
    if (!help.empty()) d.help.push_back(std::move(help));
    output_->diagnostic(d);
}

std::string startup_path() {
    const auto from_environment = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (const auto config = from_environment("XDG_CONFIG_HOME"); !config.empty()) return config + "/credence/startup.cred";
    if (const auto home = from_environment("HOME"); !home.empty()) return home + "/.config/credence/startup.cred";
    return "";
}

int repl(const lang::Registry& registry, const Options& options) {
    Repl session(registry, options);
    session.loop();
    if (session.busy()) {  // what still ends by itself may touch anything: nothing is destroyed
        std::fflush(nullptr);
        std::_Exit(fine);
    }
    return fine;
}

}  // namespace credence::cli
