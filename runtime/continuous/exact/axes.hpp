#pragma once
// What terms over the numbers of a subproblem come down to: functions of one number, or of two.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/continuous/unroll/subproblem.hpp"

namespace credence::rt::continuous {

/// A number with a known distribution. Jointly normal numbers are turned until they are independent of each other.
struct Axis {
    DistributionPtr own;
    /// Of the second axis, where it depends on the first: its distribution when that has this value. Null if they are independent.
    std::function<Slice(double)> given = {};
    std::string name = {};  ///< for people
};

/// Terms in which a VarId is the position of an axis: none, one or two of them.
struct OnAxes {
    std::vector<Axis> axes;
    std::vector<Term> terms;
};

/// Nothing if more than two numbers are left, or their distributions are not known.
std::optional<OnAxes> on_axes(const Subproblem& subproblem, const Posterior& posterior, std::span<const Term> terms, const Run& run);

/// A number drawn with parameters that depend on one other number, given that one's value.
std::function<Slice(double)> drawn_given(const DensityFactor& drawn);

/// Whether a term is true (1) or false (0), and nothing else.
bool is_truth(const Term& term);

}  // namespace credence::rt::continuous
