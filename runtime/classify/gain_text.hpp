#pragma once
// The gain of a test in words: "H − 4/10·H(2, 2) − 6/10·H(5, 1)".

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::rt {

using BranchCounts = std::vector<double>;  ///< rows of a branch, by class

/// What is left of the impurity ("H", "Gini") of `at_node` rows; where the branches hold fewer, the others have no value of the column,
/// and the gain among the known ones counts for their share. Empty if there are too many numbers to read.
std::string gain_text(std::string_view measure, std::span<const BranchCounts> branches, double at_node);

/// In bits.
double entropy_of_counts(std::span<const double> counts);

}  // namespace credence::rt
