#pragma once
// The program as one of several processes that mpirun started on the same script.

#include <chrono>
#include <functional>

#include "lang/cli/options.hpp"

namespace credence::cli {

/// Whether mpirun or srun started more processes than this one.
bool started_with_others();
/// Only the first process reads standard input and prints.
void be_silent_unless_first();
/// Runs what the command line asks for as one rank of several. The status to leave with is failed where any rank failed.
int run_side_by_side(Options& options, const std::function<int()>& run);

/// --stats: tells at its end what was used since its begin.
class Stats {
public:
    explicit Stats(const Options& options) : options_(options) {}
    Stats(const Stats&) = delete;
    Stats& operator=(const Stats&) = delete;
    ~Stats();

private:
    const Options& options_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace credence::cli
