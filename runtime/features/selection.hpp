#pragma once
// Searching for the set of columns of least error. The error of a set is a function: a learner's on rows it has not seen, or any other.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/core/number.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

using FeatureSet = std::vector<std::size_t>;  ///< positions of columns, ascending
/// The errors of several sets, in order: they may be worked out side by side.
using SubsetErrors = std::function<Result<std::vector<Number>>(std::span<const FeatureSet>)>;

/// A step of a search: what changed, and what else was tried.
struct SelectionStep {
    std::optional<std::size_t> feature;  ///< added or removed; none: the set as a whole
    bool added = true;
    FeatureSet features;  ///< after the step
    Number error;
    std::vector<std::pair<FeatureSet, Number>> tried;  ///< the sets compared in this step
};

struct Selection {
    FeatureSet features;  ///< in the order of the columns
    Number error;
    std::vector<SelectionStep> history;
    std::optional<SelectionStep> start;    ///< the set that a search from all columns begins with
    std::optional<SelectionStep> refused;  ///< the step after the last: it did not gain enough
    std::size_t evaluations = 0;           ///< sets whose error was asked for
};

/// Adds the column that leaves the least error, as long as the error falls by more than `threshold`. The first
/// column is always taken.
Result<Selection> forward_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run);
/// From all columns, removes the one without which the error is least, as long as it rises by `threshold` at most.
Result<Selection> backward_elimination(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run);
/// Forward, but after each column added those are removed again, one by one, without which the error rises by `threshold` at most and
/// falls below what that many columns had.
Result<Selection> stepwise_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run);
/// Sequential forward floating search (Pudil, Novovičová & Kittler 1994): goes back after each column added as long as the smaller set
/// beats the best one known of its size, and goes on past a rise; the answer is the best set of any size, a larger one only where it
/// gains `threshold`.
Result<Selection> floating_selection(std::size_t columns, const SubsetErrors& error, const Number& threshold, const Run& run);

enum class ExhaustiveMethod {
    all,              ///< every set
    branch_and_bound  ///< every set of a given size that could still win if no set is better than one it is part of (Narendra & Fukunaga
                      ///< 1977)
};
/// `size`: sets of that many columns only; none: of any number. E-COST beyond a million sets.
Result<Selection> exhaustive_selection(std::size_t columns, std::optional<std::size_t> size, ExhaustiveMethod method,
                                       const SubsetErrors& error, const Run& run);
/// Sets drawn at random, each improved by changing one column as long as that lowers the error; the best of all.
Result<Selection> random_selection(std::size_t columns, std::size_t tries, const SubsetErrors& error, Rng rng, const Run& run);

}  // namespace credence::rt
