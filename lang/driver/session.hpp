#pragma once
// Text in, events and diagnostics out: what the program, the REPL, the tests and the fuzzers all run on.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lang/check/checker.hpp"
#include "lang/driver/reachable.hpp"
#include "lang/world/output.hpp"
#include "lang/world/scope.hpp"
#include "lang/world/world.hpp"

namespace credence::lang {

class Evaluator;

/// The name of an imported file in messages, relative to the name of the importing text.
std::string imported_name(const Source& importing, const std::string& path);

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(const Registry& registry, const Settings& settings);

    /// look: as check, but what a text with errors declares stays known, and what its names mean is recorded, for editors.
    enum class Mode { run, check, look };
    /// Parses and checks all of the text; if nothing is wrong, runs it statement by statement. False when there was an error or a failed
    /// expectation. Names survive from one text to the next; those of statements that did not complete do not.
    bool run(const SourcePtr& source, const std::string& folder, Output& output, Mode mode = Mode::run);

    /// Stops the running statement; may be called from another thread or a signal handler's helper.
    void request_stop();
    /// A session with the names of all statements that have completed, to go on with while the running one still ends (values are immutable
    /// and shared): the other thing that another thread may call. It keeps this one, whose world some functions remember.
    std::shared_ptr<Session> successor();
    /// The statement that was running when the successor was made.
    struct Running {
        SourcePtr source;
        Span span;
    };
    const Running& stopped_in() const { return running_; }

    const Scope& scope() const { return scope_; }
    /// Of the text that was looked at last.
    const NameTable& names() const { return names_; }
    const World& world() const { return world_; }
    std::size_t expectations_met() const { return world_.expectations_met; }
    std::size_t expectations_failed() const { return world_.expectations_failed; }
    /// The value of a name, for the REPL.
    const Value* value_of(std::string_view name) const;
    /// Defines a name from outside a script: `_` in the REPL.
    void define(std::string name, Value value);

private:
    explicit Session(const Registry& registry);

    /// What a successor of this moment knows.
    struct Standing {
        rt::Rng rng{0};
        Settings settings;
        std::size_t expectations_met = 0;
        std::size_t expectations_failed = 0;
        std::size_t scope_size = 0;
    };
    void settle(std::size_t scope_size);
    void forget_after(Scope& scope, std::size_t size);

    /// A parsed text with what its checks found and what it imports.
    struct Unit {
        std::shared_ptr<Program> program;
        std::string folder;
        std::string path;  ///< of its file, where it is one
        Scope* scope = nullptr;
        std::unique_ptr<Scope> own_scope;  ///< of a file imported under a name
        std::unordered_map<const Statement*, Diagnostics> expected;
        std::unordered_map<const Statement*, std::unique_ptr<Unit>> imports;
        std::size_t scope_before = 0;
        std::vector<std::size_t> scope_after;  ///< size of the scope after each statement
        NameRecorder* recorder = nullptr;
    };
    void load_prelude();
    bool run_text(const SourcePtr& source, const std::string& folder, Output& output, Mode mode);
    void prepare(Unit& unit, const SourcePtr& source, Diagnostics& diagnostics);
    void prepare_import(Unit& unit, Statement& statement, const ImportStmt& import, Diagnostics& diagnostics);
    void prepare_expected_import(Unit& unit, Statement& statement, Diagnostics& found);
    SourcePtr imported_text(Unit& unit, Unit& inner, const ImportStmt& import, Diagnostics& diagnostics);
    bool execute(Unit& unit, Output& output, bool imported);
    bool execute_statement(Unit& unit, const Statement& statement, Output& output, bool imported);
    bool execute_import(Unit& unit, const Statement& statement, const ImportStmt& import, Output& output);
    void execute_expect_error(Unit& unit, const Statement& statement, const ExpectErrorStmt& expect, Output& output);
    void report(const rt::Fault& fault, const Evaluator& evaluator, Span otherwise, Output& output) const;

    World world_;
    Scope scope_;
    NameTable names_;
    std::mutex stop_mutex_;  ///< a stop may come while the next run begins
    rt::StopSource stop_;
    std::vector<const Unit*> importing_;  ///< texts on the way, each imported by the one before: against circles
    Standing standing_;                   ///< these two: under world_.globals_mutex
    Running running_;
    Reachable reachable_;
    std::shared_ptr<Session> predecessor_;
};

}  // namespace credence::lang
