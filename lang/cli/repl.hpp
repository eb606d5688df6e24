#pragma once
// The interactive session: entries in, values out, whatever goes wrong.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/options.hpp"
#include "lang/cli/repl_assistant.hpp"
#include "lang/cli/repl_interrupt.hpp"
#include "lang/cli/screen.hpp"

namespace credence::cli {

class Repl {
public:
    Repl(const lang::Registry& registry, const Options& options);
    /// Reads entries and runs them until the end of input or :quit.
    void loop();
    /// Whether something that was stopped has not ended yet.
    bool busy() const { return interrupts_.busy(); }

private:
    enum class Next { go_on, leave };
    struct Command {
        std::string_view name;
        std::string_view argument;  ///< "FILE"; in brackets where it may be left out; empty: takes none
        std::string_view text;
        Next (Repl::*act)(const std::string& argument);
    };
    static std::span<const Command> commands();  // repl_commands.cpp
    static std::vector<std::string> command_names();

    void reset();
    void run_startup_file();
    LineEditor::Read read_entry();
    static bool goes_on(const std::string& text);
    Next enter(const std::string& entry);
    Next command(const std::string& entry);
    /// The topic, where the entry asks for help: `help NAME`, `?NAME`.
    std::optional<std::string> asks_help(const std::string& entry) const;
    void show_help(const std::string& topic);
    /// True when all of the text ran without an error.
    bool run(const std::string& name, std::string text, const std::string& folder);
    /// A stopped statement that has not ended yet keeps its session. Where there is no memory for another one, the next entry tries again.
    void leave_abandoned();
    bool run_entry(const std::string& text);
    void complain(rt::FaultCode code, std::string message, std::string help = {});

    Next vars(const std::string& argument);
    Next start_over(const std::string& argument);
    Next load(const std::string& argument);
    Next save(const std::string& argument);
    Next time(const std::string& argument);
    Next set(const std::string& argument);
    Next more(const std::string& argument);
    Next list_commands(const std::string& argument);
    Next quit(const std::string& argument);

    const lang::Registry& registry_;
    const Options& options_;
    Interrupts interrupts_;  ///< before all that starts threads
    std::shared_ptr<lang::Session> session_;
    bool abandoned_ = false;  ///< the session belongs to what was stopped
    Screen screen_;
    std::unique_ptr<lang::Output> output_;  ///< for the REPL's own messages
    ReplAssistant assistant_;
    std::unique_ptr<LineEditor> editor_;
    std::vector<std::string> script_;  ///< what ran well, for :save
    std::size_t entries_ = 0;
};

/// The script that every interactive session begins with: $XDG_CONFIG_HOME/credence/startup.cred, else
/// ~/.config/credence/startup.cred; empty without a home.
std::string startup_path();

}  // namespace credence::cli
