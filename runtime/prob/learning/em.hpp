#pragma once
// Expectation–maximisation, written once: what differs between mixtures, nets, hidden Markov models and grammars is the step.
//
// The Q function of the textbook is Q(h' | h) = E[ln P(Y | h') | h, X]. A step computes the expected counts under h (E) and the h' that
// maximises Q (M); the log-likelihood of the observed X never falls (Dempster, Laird and Rubin 1977).

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runtime/core/progress.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct EmOptions {
    std::size_t iterations = 1000;
    double tolerance = 1e-9;  ///< stop when a step gains less than this share of the log-likelihood
    std::size_t restarts = 1;
    std::size_t more_starts = 0;  ///< to try where every start so far ended in something spurious
};

template <class Parameters>
struct EmOutcome {
    Parameters parameters;
    std::vector<double> history;  ///< log-likelihood of the parameters that each iteration started from, and of the last
    bool converged = false;
    std::size_t start = 0;     ///< which of the starts it came from
    std::size_t spurious = 0;  ///< how many starts ended in what is not an answer
    bool is_spurious = false;  ///< and so did this one, there being no other
};

/// A problem may have bool spurious(const Parameters&): an end that is not an answer, such as a component that shrank onto one value. It
/// yields to any other end.
template <class Parameters, class Problem>
bool ends_spuriously(const Problem& problem, const Parameters& parameters) {
    if constexpr (requires { problem.spurious(parameters); })
        return problem.spurious(parameters);
    else
        return false;
}

/// The best end of the starts, the first among equals. `climb` goes from the start of that number to an end.
template <class Parameters, class Problem, class Climb>
Result<EmOutcome<Parameters>> best_of_starts(const Problem& problem, const EmOptions& options, Run& run, Climb climb) {
    EmOutcome<Parameters> best;
    double best_end = -std::numeric_limits<double>::infinity();
    std::size_t spurious = 0;
    for (std::size_t r = 0; r < options.restarts || (best.is_spurious && r < options.restarts + options.more_starts); ++r) {
        Rng rng = run.rng.child("em").child(r);
        Result<EmOutcome<Parameters>> end = climb(r, problem.start(r, rng));
        if (!end) return end;
        EmOutcome<Parameters>& now = *end;
        now.start = r;
        now.is_spurious = ends_spuriously(problem, now.parameters);
        spurious += now.is_spurious ? 1 : 0;
        // Ends that differ by no more than where a step stopped are equal.
        const double margin = std::max(100 * options.tolerance, 1e-12) * std::abs(best_end);
        const bool better = now.is_spurious == best.is_spurious ? now.history.back() > best_end + margin : best.is_spurious;
        if (r == 0 || better) {
            best_end = now.history.back();
            best = std::move(now);
        }
    }
    best.spurious = spurious;
    return best;
}

/// `problem` has: Parameters start(std::size_t restart, Rng&), and Result<double> step(const Parameters&, Parameters&, Run&), which gives
/// the log-likelihood of what it was given.
template <class Parameters, class Problem>
Result<EmOutcome<Parameters>> run_em(Problem& problem, const EmOptions& options, Run& run) {
    Progress progress(run, "EM", options.restarts * options.iterations, "iterations", 100'000);
    return best_of_starts<Parameters>(problem, options, run, [&](std::size_t r, Parameters start) -> Result<EmOutcome<Parameters>> {
        EmOutcome<Parameters> now;
        now.parameters = std::move(start);
        Parameters next = now.parameters;
        for (std::size_t i = 0;; ++i) {
            if (run.stopped()) return stopped_fault();
            auto likelihood = TRY(problem.step(now.parameters, next, run));
            now.history.push_back(likelihood);
            const std::size_t n = now.history.size();
            if (n > 1 && now.history[n - 1] - now.history[n - 2] <= options.tolerance * (std::abs(now.history[n - 1]) + 1e-300)) {
                now.converged = true;
                break;
            }
            if (i == options.iterations) break;
            std::swap(now.parameters, next);
            progress.reach(r * options.iterations + i + 1, "log-likelihood", likelihood);
        }
        return now;
    });
}

}  // namespace credence::rt
