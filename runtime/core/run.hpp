#pragma once
// All that an engine may touch besides its arguments: no globals, no clock, no output.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "runtime/core/result.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/core/stop.hpp"

namespace credence::rt {

enum class NumberMode { automatic, exact, real };  ///< `set numbers`

/// Budgets are counts, never clocks, so that two runs cannot differ.
struct Limits {
    std::size_t exact_bits = 1U << 16U;        ///< of one exact number inside a query
    std::size_t exact_operations = 4'000'000;  ///< exact multiplications and additions of one query
    std::size_t table_entries = 200'000'000;   ///< of one factor
    std::size_t list_items = 50'000'000;       ///< of one range or sample
    std::size_t memory_bytes = 0;              ///< --max-memory; 0: no limit
};

/// How far a long piece of work has come, in counted steps.
struct ProgressReport {
    std::string_view name;  ///< "EM"
    std::size_t done = 0;   ///< of `total`
    std::size_t total = 1;
    std::string_view units;        ///< "iterations"
    std::string_view figure = {};  ///< what the figure of the moment is: "log-likelihood"; empty if there is none
    double value = 0;              ///< the figure
    double part = 0;               ///< of the step that is under way, where that is known

    double share() const { return (static_cast<double>(done) + part) / static_cast<double>(total); }
};

class Ranks;

struct Run {
    Rng rng{0};
    NumberMode numbers = NumberMode::automatic;
    unsigned threads = 1;
    Ranks* ranks = nullptr;  ///< the processes that run the script side by side; none: this one alone
    Limits limits;
    StopToken stop;
    std::function<void(const ProgressReport&)> progress;  ///< may be empty
    std::function<void(std::string)> note;  ///< one line the user should know (rows left out, …); may be empty; not called from threads

    bool stopped() const { return stop.stop_requested(); }
};

/// What an engine returns when it saw the stop request.
inline Fault stopped_fault() { return {.code = "E-STOP", .message = "stopped"}; }

}  // namespace credence::rt
