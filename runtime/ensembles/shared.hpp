#pragma once
// What the ensembles share.

#include <functional>

#include "runtime/ensembles/binned_tree.hpp"

namespace credence::rt {

/// The labels of the target at the rows of a view. Labels that no row has are left out of the schema, and codes count without them,
/// unless only one is left.
std::vector<std::int32_t> seen_codes(const TableView& rows, Schema& schema);

/// The target's numbers at the rows of a view; E-RANGE where their squares would not be numbers.
Result<std::vector<double>> target_numbers(const TableView& rows);

/// A table of the features and their importance, in the order of the columns.
ModelPart importance_part(const Schema& schema, std::span<const double> importance);

/// The tree as lines of text, its first levels only where it is large.
std::vector<std::string> binned_tree_lines(const Schema& schema, const Bins& bins, const BinnedTree& tree,
                                           const std::function<std::string(std::uint32_t leaf)>& leaf_text);

}  // namespace credence::rt
