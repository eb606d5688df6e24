#pragma once
// Gradient ascent on the log-likelihood, written once for nets, mixtures, hidden Markov models and grammars: rows of probabilities climb
// along their simplex, and a step that would lead down is halved.
//
// By Fisher's identity the gradient of ln P(data | θ) is that of the expected complete-data log-likelihood: of an entry of a row of
// probabilities the expected count over the entry (Russell et al. 1995).

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/core/progress.hpp"
#include "runtime/prob/learning/em.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

struct GradientOptions {
    std::optional<double> rate;  ///< of every step; none: each finds its own, from how the gradient changed
    std::size_t iterations = 1000;
    bool halving = true;  ///< whether a step that would lower the likelihood is halved
};

/// Least probability on the way: an entry that reached 0 could never come back.
constexpr double least_climbing = 1e-9;

/// Of a row of probabilities the gradient by their expected counts, without what would change the row's sum or lead out of it.
void row_slope(std::span<const double> counts, std::span<const double> row, std::span<double> slope);
/// The nearest row with the same sum to row + rate · slope, no entry below the least.
void move_row(std::span<double> row, std::span<const double> slope, double rate);

/// How far to go along the gradient by default: the step that fits how it changed along the last one (Barzilai & Borwein 1988).
double next_rate(double rate, std::span<const double> before, std::span<const double> now, bool longer);

/// `problem` has: Result<double> slope(const Parameters&, std::vector<double>& slope, Run&), the log-likelihood and its gradient; and
/// void move(const Parameters& from, std::span<const double> slope, double rate, Parameters& to). `rows`: the data's, by weight.
template <class Parameters, class Problem>
Result<EmOutcome<Parameters>> run_gradient(Problem& problem, Parameters start, const GradientOptions& options, double rows, Run& run) {
    constexpr int most_halvings = 60;
    constexpr std::size_t steps_at_rest = 10;  // that gain nothing: it has arrived
    EmOutcome<Parameters> out;
    out.parameters = std::move(start);
    const double least_rate = std::numeric_limits<double>::min();
    double rate = options.rate.value_or(0.05 / std::max(1.0, rows));
    Parameters next = out.parameters;
    std::vector<double> slope;
    std::vector<double> next_slope;
    auto likelihood = TRY(problem.slope(out.parameters, slope, run));
    out.history.push_back(likelihood);
    Progress progress(run, "gradient", options.iterations, "iterations", 100'000);
    std::size_t at_rest = 0;
    for (std::size_t i = 0; i < options.iterations && !out.converged; ++i) {
        const double here = out.history.back();
        Result<double> there = here;
        for (int halvings = 0;; ++halvings) {
            if (run.stopped()) return stopped_fault();
            problem.move(out.parameters, slope, rate, next);
            there = problem.slope(next, next_slope, run);
            if (!there && there.fault().code != "E-ZERO") return std::move(there).fault();
            if (there && (!options.halving || *there >= here)) break;
            if (!options.halving) return std::move(there).fault();
            if (halvings == most_halvings) {  // no step leads up
                out.converged = true;
                return out;
            }
            rate = std::max(rate / 2, least_rate);
        }
        std::swap(out.parameters, next);
        out.history.push_back(*there);
        progress.reach(i + 1, "log-likelihood", *there);
        at_rest = *there - here <= 1e-15 * std::abs(here) ? at_rest + 1 : 0;
        if (options.rate) {
            rate = std::min(*options.rate, 2 * rate);
        } else {
            rate = next_rate(rate, slope, next_slope, i % 2 == 0);
            out.converged = at_rest == steps_at_rest;
        }
        std::swap(slope, next_slope);
    }
    if (options.rate) out.converged = true;  // as far as its options allow
    return out;
}

/// Says so where a climb that finds its own steps had not arrived.
void note_unsettled(bool converged, const GradientOptions& options, const Run& run);

/// "of 5 starts, start 2 gave the best result"; nothing where there was one alone.
void tell_starts(std::size_t starts, std::size_t best, DerivationWriter& out);
/// The log-likelihood by iteration; of a long climb its first and last iterations.
void tell_climb(std::span<const double> history, DerivationWriter& out);

/// "iteration 3: ln P(data) = -12.5".
std::string iteration_text(std::span<const double> history, std::size_t i);

/// EM again from the start that was the best: each iteration with its log-likelihood and `values(parameters)` by name. Where there are
/// too many for a line, the first and the last iteration alone have them.
template <class Parameters, class Problem, class Values>
Status tell_iterations(Problem& problem, const EmOutcome<Parameters>& best, std::span<const std::string> names, Values values,
                       DerivationWriter& out, Run& run) {
    constexpr std::size_t most_told = 12;
    Rng rng = run.rng.child("em").child(best.start);
    Parameters now = problem.start(best.start, rng);
    Parameters next = now;
    for (std::size_t i = 0; i < best.history.size(); ++i) {
        std::string line = iteration_text(best.history, i);
        if (names.size() <= most_told || i == 0 || i + 1 == best.history.size()) {
            const std::vector<double> numbers = values(now);
            for (std::size_t p = 0; p < names.size(); ++p) line += fmt::format("{} {} {:.4g}", p ? "," : ";", names[p], numbers[p]);
        }
        out.note(std::move(line));
        if (i + 1 == best.history.size()) break;
        TRY(problem.step(now, next, run));
        std::swap(now, next);
    }
    return Done{};
}

}  // namespace credence::rt
