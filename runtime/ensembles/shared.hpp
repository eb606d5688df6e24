#pragma once
// What the ensembles share.

#include <functional>

#include "runtime/ensembles/binned_tree.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

/// The target of the rows: codes of `labels` labels, or numbers.
struct EnsembleTarget {
    std::size_t labels = 0;
    std::vector<std::int32_t> codes;
    std::vector<double> numbers;
};
/// Labels that no row has are left out of the schema, and codes count without them, unless only one is left. E-RANGE if the squares of
/// numbers would not be numbers.
Result<EnsembleTarget> ensemble_target(const TableView& rows, Schema& schema);

/// What a file of any ensemble has: how its columns are cut, and the importance of each.
Status read_columns(const Json& json, const Schema& schema, Bins& bins, std::vector<double>& importance);

/// The last lines of the derivation of a prediction: P of each label, or the number.
Status tell_outcome(DerivationWriter& out, const Predictor& model, const TableView& row, Run& run);

/// A table of the features and their importance, in the order of the columns.
ModelPart importance_part(const Schema& schema, std::span<const double> importance);

/// The tree as lines of text, its first levels only where it is large.
std::vector<std::string> binned_tree_lines(const Schema& schema, const Bins& bins, const BinnedTree& tree,
                                           const std::function<std::string(std::uint32_t leaf)>& leaf_text);

}  // namespace credence::rt
