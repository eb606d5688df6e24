#include "runtime/prob/learning/climb.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

void row_slope(std::span<const double> counts, std::span<const double> row, std::span<double> slope) {
    for (std::size_t j = 0; j < row.size(); ++j) slope[j] = counts[j] / std::max(row[j], least_climbing);
    // Entries at the bound that would go below it stay, and the others share the sum.
    std::vector<char> held(row.size());
    double mean = 0;
    for (bool changed = true; changed;) {
        changed = false;
        double sum = 0;
        double free = 0;
        for (std::size_t j = 0; j < row.size(); ++j)
            if (!held[j]) {
                sum += slope[j];
                ++free;
            }
        mean = free > 0 ? sum / free : 0;
        for (std::size_t j = 0; j < row.size(); ++j)
            if (!held[j] && row[j] <= 2 * least_climbing && slope[j] < mean) {
                held[j] = 1;
                changed = true;
            }
    }
    for (std::size_t j = 0; j < row.size(); ++j) slope[j] = held[j] ? 0 : slope[j] - mean;
}

void move_row(std::span<double> row, std::span<const double> slope, double rate) {
    double mass = 0;
    for (const double w : row) mass += w;
    const double least = std::min(least_climbing, mass / static_cast<double>(row.size()));
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += rate * slope[j];
    // The projection onto the simplex takes the same from all that stay above the bound (Held, Wolfe and Crowder 1974).
    std::vector<double> sorted(row.begin(), row.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double rest = mass - least * static_cast<double>(row.size());
    double sum = 0;
    double taken = 0;
    for (std::size_t j = 0; j < sorted.size(); ++j) {
        sum += sorted[j] - least;
        const double t = (sum - rest) / static_cast<double>(j + 1);
        if (j > 0 && sorted[j] - least <= t) break;
        taken = t;
    }
    for (double& w : row) w = std::max(least, w - taken);
}

double next_rate(double rate, std::span<const double> before, std::span<const double> now, bool longer) {
    constexpr double most_change = 100;
    double squares = 0;
    double product = 0;
    double change = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double y = before[i] - now[i];
        squares += before[i] * before[i];
        product += before[i] * y;
        change += y * y;
    }
    if (!(product > 0)) return 4 * rate;  // the slope grew: the top is further off
    const double factor = longer ? squares / product : product / change;
    return std::isfinite(factor) ? rate * std::clamp(factor, 1 / most_change, most_change) : rate;
}

void note_unsettled(bool converged, const GradientOptions& options, const Run& run) {
    if (converged || !run.note) return;
    run.note(fmt::format("gradient ascent stopped after {} before it converged", counted(options.iterations, "iteration")));
}

void tell_starts(std::size_t starts, std::size_t best, DerivationWriter& out) {
    if (starts > 1) out.note(fmt::format("of {} starts, start {} gave the best result", starts, best + 1));
}

std::string iteration_text(std::span<const double> history, std::size_t i) {
    return fmt::format("{}: ln P(data) = {:.6f}", i == 0 ? "start" : fmt::format("iteration {}", i), history[i]);
}

void tell_climb(std::span<const double> history, DerivationWriter& out) {
    constexpr std::size_t most_told = 40;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const bool told = history.size() <= most_told || i < most_told / 2 || i + most_told / 2 >= history.size();
        if (told)
            out.note(iteration_text(history, i));
        else if (i == most_told / 2)
            out.note(fmt::format("… {} iterations …", history.size() - most_told));
    }
}

}  // namespace credence::rt
