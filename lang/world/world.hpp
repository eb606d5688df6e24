#pragma once
// What lives as long as a session: the values of names, the settings, the random stream, the programs that closures point into.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/value/show.hpp"
#include "lang/value/value.hpp"
#include "lang/world/output.hpp"
#include "lang/world/scope.hpp"
#include "runtime/core/run.hpp"

namespace credence::lang {

struct Settings {
    std::uint64_t seed = 0;
    int digits = 6;
    rt::NumberMode numbers = rt::NumberMode::automatic;
    unsigned threads = 1;
    std::size_t lines = 80;      ///< of a trace of training; longer ones are cut
    rt::Limits limits;           ///< limits.memory_bytes is --max-memory
    std::string root = {};       ///< files outside are refused; empty: no limit
    rt::Ranks* ranks = nullptr;  ///< the processes that run the same script; none: this one alone
};

struct World {
    explicit World(const Registry& known) : registry(known) {}

    const Registry& registry;
    Settings settings;
    rt::Rng rng{0};
    std::vector<std::optional<Value>> globals;       ///< by slot; empty until the statement has run, and when nothing can name it
    std::vector<std::shared_ptr<Program>> programs;  ///< of the library, and those that closures and models of the session point into
    /// Declarations that were built before the run, until they run themselves; under other settings they would be others.
    std::unordered_map<const Statement*, Value> declared;
    std::set<std::string, std::less<>> data_labels;  ///< words that were found to be labels of loaded tables or trained models
    rt::StopToken stop;
    Output* output = nullptr;
    const Scope* scope = nullptr;  ///< what is declared, for builtins that look for a model
    std::size_t expectations_met = 0;
    std::size_t expectations_failed = 0;
    std::atomic<std::uintptr_t> stack_floor = 0;  ///< how deep the running thread may recurse
    std::mutex globals_mutex;                     ///< held when globals or programs change: another thread may be copying them

    std::uint32_t new_slot() {
        const std::lock_guard lock(globals_mutex);
        globals.emplace_back();
        return static_cast<std::uint32_t>(globals.size() - 1);
    }
};

}  // namespace credence::lang
