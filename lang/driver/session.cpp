#include "lang/driver/session.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "lang/eval/early_builder.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/eval/stack.hpp"
#include "lang/syntax/parse.hpp"
#include "lang/text/render_text.hpp"
#include "runtime/core/exact_memory.hpp"
#include "runtime/core/ranks.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::lang {

namespace {

struct Silent : Output {
    Diagnostics diagnostics;
    void value(const ValueEvent&) override {}
    void derivation(const DerivationEvent&) override {}
    void diagnostic(const Diagnostic& d) override { diagnostics.push_back(d); }
};

bool has_errors(const Diagnostics& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    return out;
}

bool matches(const Diagnostic& d, const std::string& wanted) {
    const std::string needle = lower(wanted);
    if (lower(std::string(d.code.text())) == needle) return true;
    std::string all = d.message + "\n" + d.label;
    for (const auto& help : d.help) all += "\n" + help;
    return lower(all).find(needle) != std::string::npos;
}

Diagnostic to_diagnostic(const rt::Fault& fault, const Place& place) {
    Diagnostic d;
    d.code = fault.code;
    d.message = fault.message;
    d.source = place.source;
    d.span = place.span;
    d.label = fault.label;
    if (!fault.hint.empty()) d.help.push_back(fault.hint);
    return d;
}

/// The text of a program as closures and models hold it, which keep the tree that they point into by it.
SourcePtr text_of(const std::shared_ptr<Program>& program) { return {program, program->source.get()}; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    return text;
}

}  // namespace

std::string imported_name(const Source& importing, const std::string& path) {
    return (std::filesystem::path(importing.name()).parent_path() / path).lexically_normal().string();
}

Session::Session(const Registry& registry) : world_(registry) {
    world_.stop = stop_.get_token();
    world_.stack_floor = stack_floor();
    world_.scope = &scope_;
}

Session::Session(const Registry& registry, const Settings& settings) : Session(registry) {
    world_.settings = settings;
    world_.rng = rt::Rng(settings.seed);
    load_prelude();
    settle(scope_.size());
    reachable_.begin(world_);
}

std::shared_ptr<Session> Session::successor() {
    auto next = std::shared_ptr<Session>(new Session(world_.registry));
    const std::lock_guard lock(world_.globals_mutex);
    next->scope_ = scope_.snapshot();
    next->scope_.rollback(standing_.scope_size);
    next->world_.globals = world_.globals;
    next->world_.programs = world_.programs;
    next->reachable_.begin(next->world_);
    next->world_.rng = standing_.rng;
    next->world_.settings = standing_.settings;
    next->world_.expectations_met = standing_.expectations_met;
    next->world_.expectations_failed = standing_.expectations_failed;
    next->running_ = running_;
    next->predecessor_ = shared_from_this();
    next->settle(next->scope_.size());
    return next;
}

void Session::settle(std::size_t scope_size) {
    const std::lock_guard lock(world_.globals_mutex);
    standing_ = {world_.rng, world_.settings, world_.expectations_met, world_.expectations_failed, scope_size};
}

void Session::load_prelude() {
    for (const auto& prelude : world_.registry.preludes()) {
        if (!prelude.automatic) continue;
        Unit unit;
        unit.scope = &scope_;
        Diagnostics diagnostics;
        Silent silent;
        prepare(unit, std::make_shared<Source>(prelude.name, prelude.text), diagnostics);
        world_.output = &silent;
        // A library that does not load is our own mistake, and nothing that a script does could mend it.
        if (has_errors(diagnostics) || !execute(unit, silent, true)) {
            for (const auto& d : silent.diagnostics) diagnostics.push_back(d);
            throw std::logic_error("the library does not load: " +
                                   (diagnostics.empty() ? prelude.name : render_text(diagnostics.front(), {})));
        }
    }
    world_.output = nullptr;
}

const Value* Session::value_of(std::string_view name) const {
    const Symbol* symbol = scope_.find(name);
    if (!symbol || symbol->slot >= world_.globals.size() || !world_.globals[symbol->slot]) return nullptr;
    return &*world_.globals[symbol->slot];
}

void Session::define(std::string name, Value value) {
    const Symbol* known = scope_.find(name);
    if (known && known->kind == Symbol::Kind::value) {
        const std::lock_guard lock(world_.globals_mutex);
        world_.globals[known->slot] = std::move(value);
        return;
    }
    const std::uint32_t slot = world_.new_slot();
    {
        const std::lock_guard lock(world_.globals_mutex);
        world_.globals[slot] = std::move(value);
    }
    scope_.declare({.name = std::move(name), .kind = Symbol::Kind::value, .slot = slot});
    settle(scope_.size());
}

void Session::forget_after(Scope& scope, std::size_t size) {
    const std::lock_guard lock(world_.globals_mutex);
    scope.rollback(size);
}

void Session::prepare(Unit& unit, const SourcePtr& source, Diagnostics& diagnostics) {
    unit.scope_before = unit.scope->size();
    unit.program = std::make_shared<Program>(parse(source, diagnostics));
    {
        const std::lock_guard lock(world_.globals_mutex);
        world_.programs.push_back(unit.program);
    }
    importing_.push_back(&unit);
    auto* const outside = unit.scope->note_uses(&unit.program->uses);
    EarlyBuilder builder(world_, text_of(unit.program), unit.folder);
    Checker checker(*unit.scope, world_, builder, source, diagnostics, unit.recorder);
    checker.announce(*unit.program);
    std::unordered_map<const Statement*, Diagnostics> expected;
    for (auto& statement : unit.program->statements) {
        if (const auto* import = std::get_if<ImportStmt>(&statement->node)) prepare_import(unit, *statement, *import, diagnostics);
        for (Statement* outer = statement.get(); const auto* expect = std::get_if<ExpectErrorStmt>(&outer->node);) {
            prepare_expected_import(unit, *expect->statement, expected[outer]);
            outer = expect->statement.get();
        }
        checker.check(*statement);
        unit.scope_after.push_back(unit.scope->size());
    }
    unit.expected = checker.expected();
    for (auto& [statement, found] : expected) unit.expected[statement].insert(unit.expected[statement].end(), found.begin(), found.end());
    unit.scope->note_uses(outside);
    importing_.pop_back();
}

/// `expect error: import "…"`: what is wrong with the file is what is expected, and nothing of it is known afterwards.
void Session::prepare_expected_import(Unit& unit, Statement& statement, Diagnostics& found) {
    const auto* import = std::get_if<ImportStmt>(&statement.node);
    if (!import) return;
    auto scope = std::make_unique<Scope>(*unit.scope);
    Scope* own = std::exchange(unit.scope, scope.get());
    prepare_import(unit, statement, *import, found);
    unit.scope = own;
    if (const auto inner = unit.imports.find(&statement); inner != unit.imports.end() && !import->as)
        inner->second->own_scope = std::move(scope);
    std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::error; });
}

/// The text of what is imported; nothing if that is reported.
SourcePtr Session::imported_text(Unit& unit, Unit& inner, const ImportStmt& import, Diagnostics& diagnostics) {
    for (const auto& prelude : world_.registry.preludes())
        if (prelude.name == import.path) {
            inner.path = prelude.name;
            return std::make_shared<Source>(prelude.name, prelude.text);
        }
    const auto refuse = [&](std::string message, std::string help) {
        Diagnostic d;
        d.code = "E-IMPORT";
        d.message = std::move(message);
        d.source = unit.program->source;
        d.span = import.path_span;
        if (!help.empty()) d.help.push_back(std::move(help));
        diagnostics.push_back(std::move(d));
        return nullptr;
    };
    Evaluator paths(world_, unit.program->source, unit.folder);
    const auto path = paths.file(import.path);
    if (!path) return refuse(path.fault().message, path.fault().label);
    const auto text = rt::read_file(*path, rt::Readable::files, rt::most_script_bytes);
    // The file is named as it is written, so that messages do not depend on where the program was started.
    if (!text) {
        const auto whole = paths.file(import.path + ".cred");
        std::error_code ignored;
        const bool short_name = whole && std::filesystem::is_regular_file(whole->path, ignored);
        return refuse(replaced(text.fault().message, path->path, import.path),
                      short_name ? fmt::format("a script is named with its ending: import \"{}.cred\"", import.path)
                                 : "paths start at the folder of the importing script");
    }
    inner.folder = std::filesystem::path(path->path).parent_path().string();
    inner.path = path->path;
    auto source = std::make_shared<const Source>(imported_name(*unit.program->source, import.path), std::string(text->view()));
    const auto first = std::find_if(importing_.begin(), importing_.end(), [&](const Unit* u) { return u->path == path->path; });
    if (first == importing_.end()) return source;
    std::string chain;
    for (auto on_the_way = first; on_the_way != importing_.end(); ++on_the_way)
        chain += (*on_the_way)->program->source->name() + (on_the_way == first ? " imports " : ", which imports ");
    return refuse(fmt::format("a circle of imports: {}{}", chain, source->name()), "");
}

void Session::prepare_import(Unit& unit, Statement& statement, const ImportStmt& import, Diagnostics& diagnostics) {
    auto inner = std::make_unique<Unit>();
    const SourcePtr source = imported_text(unit, *inner, import, diagnostics);
    inner->scope = unit.scope;
    if (import.as) {
        inner->own_scope = std::make_unique<Scope>();
        inner->scope = inner->own_scope.get();
        for (const auto& symbol : scope_.symbols())  // the library's names are known everywhere
            if (symbol.source && std::any_of(world_.registry.preludes().begin(), world_.registry.preludes().end(),
                                             [&](const Prelude& p) { return p.automatic && p.name == symbol.source->name(); }))
                inner->scope->declare(symbol);
    }
    if (source) prepare(*inner, source, diagnostics);
    // The name is known also where the file is not: one error is enough.
    if (import.as) {
        statement.slot = world_.new_slot();
        unit.scope->declare({.name = import.as->text,
                             .kind = Symbol::Kind::module,
                             .slot = statement.slot,
                             .source = unit.program->source,
                             .span = import.as->span});
    }
    if (source) unit.imports.emplace(&statement, std::move(inner));
}

void Session::report(const rt::Fault& fault, const Evaluator& evaluator, Span otherwise, Output& output) const {
    output.diagnostic(to_diagnostic(fault, evaluator.place_of(fault, otherwise)));
}

bool Session::execute_import(Unit& unit, const Statement& statement, const ImportStmt& import, Output& output) {
    Unit& inner = *unit.imports.at(&statement);
    if (!execute(inner, output, true)) return false;
    if (!import.as) return true;
    Record names;
    for (const auto& symbol : inner.scope->symbols())
        if (symbol.source == inner.program->source && world_.globals[symbol.slot])
            names.entries.emplace_back(symbol.name, *world_.globals[symbol.slot]);
    const std::lock_guard lock(world_.globals_mutex);
    world_.globals[statement.slot] = Value::record(std::move(names));
    return true;
}

void Session::execute_expect_error(Unit& unit, const Statement& statement, const ExpectErrorStmt& expect, Output& output) {
    Diagnostics found;
    if (const auto known = unit.expected.find(&statement); known != unit.expected.end()) found = known->second;
    if (found.empty()) {
        Silent silent;
        world_.output = &silent;
        const std::size_t met = world_.expectations_met;
        const std::size_t failed = world_.expectations_failed;
        execute_statement(unit, *expect.statement, silent, false);
        world_.output = &output;
        world_.expectations_met = met;
        world_.expectations_failed = failed;
        std::erase_if(silent.diagnostics, [](const Diagnostic& d) { return d.severity != Severity::error; });
        found = std::move(silent.diagnostics);
    }
    const bool met = !found.empty() && (!expect.text || std::any_of(found.begin(), found.end(),
                                                                    [&](const Diagnostic& d) { return matches(d, *expect.text); }));
    if (met) {
        ++world_.expectations_met;
        return;
    }
    ++world_.expectations_failed;
    Diagnostic d;
    d.code = "E-EXPECT";
    d.message = found.empty() ? "expectation failed: no error occurred"
                              : fmt::format("expectation failed: the error does not contain '{}'", *expect.text);
    d.source = unit.program->source;
    d.span = expect.statement->span;
    if (!found.empty()) d.label = fmt::format("it is {}: {}", found[0].code.text(), found[0].message);
    output.diagnostic(d);
}

bool Session::execute_statement(Unit& unit, const Statement& statement, Output& output, bool imported) {
    if (const auto* import = std::get_if<ImportStmt>(&statement.node)) return execute_import(unit, statement, *import, output);
    if (const auto* expect = std::get_if<ExpectErrorStmt>(&statement.node)) {
        execute_expect_error(unit, statement, *expect, output);
        return true;
    }
    Evaluator evaluator(world_, text_of(unit.program), unit.folder);
    const Status done = evaluator.execute(statement, imported);
    if (!done) report(done.fault(), evaluator, statement.span, output);
    return static_cast<bool>(done);
}

bool Session::execute(Unit& unit, Output& output, bool imported) {
    const auto& statements = unit.program->statements;
    const std::size_t failed_before = world_.expectations_failed;
    // Functions are there from the start: a script may use one above the line that defines it.
    for (const auto& statement : statements)
        if (std::holds_alternative<FnStmt>(statement->node)) {
            Evaluator evaluator(world_, text_of(unit.program), unit.folder);
            if (const Status done = evaluator.execute(*statement, true); !done) report(done.fault(), evaluator, statement->span, output);
        }
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!imported) {
            const std::lock_guard lock(world_.globals_mutex);
            running_ = {unit.program->source, statements[i]->span};
        }
        if (!execute_statement(unit, *statements[i], output, imported)) {
            forget_after(*unit.scope, i == 0 ? unit.scope_before : unit.scope_after[i - 1]);
            return false;
        }
        if (!imported) settle(unit.scope_after[i]);
    }
    return world_.expectations_failed == failed_before;
}

void Session::request_stop() {
    const std::lock_guard lock(stop_mutex_);
    stop_.request_stop();
}

bool Session::run(const SourcePtr& source, const std::string& folder, Output& output, Mode mode) {
    const bool ok = run_text(source, folder, output, mode);
    scope_.note_uses(nullptr);  // where it was left by an exception
    if (mode != Mode::run) return ok;
    world_.declared.clear();
    reachable_.tidy(world_, scope_);
    settle(scope_.size());
    return ok;
}

bool Session::run_text(const SourcePtr& source, const std::string& folder, Output& output, Mode mode) {
    {
        const std::lock_guard lock(stop_mutex_);
        stop_ = rt::StopSource();
        world_.stop = stop_.get_token();
    }
    for (Session* session = this; session; session = session->predecessor_.get()) session->world_.stack_floor = stack_floor();
    world_.output = &output;
    const std::size_t scope_before = scope_.size();
    Unit unit;
    unit.folder = folder;
    // Names that no file can have are used for what is not a file.
    const auto file = rt::inside(world_.settings.root, folder, std::filesystem::path(source->name()).filename().string());
    unit.path = file ? file->path : "";
    unit.scope = &scope_;
    importing_.clear();
    world_.declared.clear();
    Diagnostics diagnostics;
    bool executing = false;
    const auto give_up = [&](rt::FaultCode code, std::string message) {
        Diagnostic d;
        d.code = code;
        d.message = std::move(message);
        if (executing) {
            d.source = running_.source;
            d.span = running_.span;
        }
        output.diagnostic(d);
    };
    try {
        settle(scope_before);
        NameRecorder recorder;
        if (mode == Mode::look) unit.recorder = &recorder;
        prepare(unit, source, diagnostics);
        if (mode == Mode::look) names_ = recorder.finish(scope_);
        sort_diagnostics(diagnostics);
        for (const auto& d : diagnostics) output.diagnostic(d);
        if (has_errors(diagnostics) || mode != Mode::run) {
            const bool clean = !has_errors(diagnostics);
            if (!clean && mode != Mode::look) forget_after(scope_, scope_before);
            world_.output = nullptr;
            return clean;
        }
        executing = true;
        const bool ok = execute(unit, output, false);
        world_.output = nullptr;
        return ok;
    } catch (const rt::RanksEnded& error) { give_up(error.code(), error.what()); } catch (const rt::ExactNumberTooLong& error) {
        give_up("E-MEMORY", error.what());
    } catch (const std::bad_alloc&) { give_up("E-MEMORY", "out of memory"); } catch (const std::exception& error) {
        give_up("E-INTERNAL", fmt::format("the interpreter failed: {}", error.what()));
    }
    forget_after(scope_, scope_before);
    world_.output = nullptr;
    return false;
}

}  // namespace credence::lang
