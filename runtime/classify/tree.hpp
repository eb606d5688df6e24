#pragma once
// Decision trees as data: nodes with their tests and the training rows counted in them.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

enum class SplitCriterion {
    gain,         ///< Gain(S, A) = H(S) − Σ |S_v|/|S| H(S_v)
    gain_ratio,   ///< Gain / SplitInformation, among the tests of at least average gain (Quinlan 1986)
    gini,         ///< the fall of 1 − Σ p²
    cost_square,  ///< Gain² / Cost (Tan & Schlimmer 1990)
    cost_power,   ///< (2^Gain − 1) / (Cost + 1)^w (Núñez 1988)
};
enum class LabelSplits {
    multiway,  ///< a branch a label
    binary,    ///< one label against the others
};
enum class MissingCells {
    common,        ///< as the most common label of the column among the rows at the node (of numbers: the median)
    class_common,  ///< the same among the rows of its class
    fractional,    ///< down every branch, with the share of the weight that took it (Quinlan 1993)
};
enum class Pruning { none, significance, reduced_error, rules, mdl };

/// What codes of the script see: a tree, and how well it does on the rows it was grown from.
struct TreeFigures {
    double tests = 0;
    double leaves = 0;
    double depth = 0;
    double columns = 0;  ///< features
    double labels = 0;   ///< of the target
    double rows = 0;     ///< by weight
    double errors = 0;   ///< rows that its leaves get wrong
};
/// Bits: C1 of the tree, C2 of the rows it gets wrong. An empty one is the code of Quinlan & Rivest.
struct TreeCodes {
    using Code = std::function<Result<double>(const TreeFigures&)>;
    Code tree;
    Code exceptions;

    bool any() const { return tree || exceptions; }
};

/// Rows above which a branch for each label costs accuracy: it cuts the rows into many small parts.
constexpr double many_rows = 200;

struct TreeSettings {
    SplitCriterion criterion = SplitCriterion::gain;
    double cost_exponent = 0.5;                           ///< w of cost_power, in 0 … 1
    std::vector<std::pair<std::string, double>> costs{};  ///< by column, positive; those not named cost 1
    std::optional<LabelSplits> splits = {};               ///< none: multiway, or binary for more than `many_rows` (by weight)
    MissingCells missing = MissingCells::common;
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    double min_rows = 1;  ///< two branches of a test must have as many (or as much weight)
    Pruning prune = Pruning::none;
    double significance = 0.05;               ///< a test of a p-value above this is not made
    std::optional<Rational> validation = {};  ///< share of the rows kept back for pruning
    TablePtr validation_rows = {};            ///< or the rows to prune by
    TreeCodes codes = {};                     ///< of prune: mdl
};

struct TreeNode {
    std::int32_t column = -1;  ///< of the features; −1: a leaf
    std::int32_t label = -1;   ///< binary test of a label column: branch 0 has this label, branch 1 the others
    double threshold = 0;      ///< numeric column: branch 0 is ≤, branch 1 is >
    std::uint32_t first = 0;   ///< the branches' nodes: first … first + branches − 1, after this one
    std::uint32_t branches = 0;
    std::int32_t majority = 0;  ///< the most frequent label here; among equals that of more rows in the parent, then the first declared
    double weight = 0;          ///< of the training rows that came here; 0 for a branch that none took

    bool is_leaf() const { return column < 0; }
};

struct Tree {
    std::size_t labels = 0;       ///< of the target
    std::vector<TreeNode> nodes;  ///< the root first
    /// Rows by label, node by node. A branch that no row took has its parent's.
    std::vector<double> counts;
    /// The same as fractions, where rows were cut into parts and the table is small; else empty.
    std::vector<Rational> fractions;
    std::vector<std::size_t> choices;  ///< a feature: its labels, or the thresholds between its distinct numbers
    std::vector<char> numeric;         ///< a feature

    std::span<const double> at(std::size_t node) const { return std::span(counts).subspan(node * labels, labels); }
    std::size_t depth() const;  ///< tests on the longest path
    std::size_t leaves() const;
};

/// The branch of a row that has a value in the node's column (codes: the column's, numbers: its values).
inline std::uint32_t branch_of(const TreeNode& node, const Column& column, std::size_t row) {
    if (column.kind == ColumnKind::numeric) return column.values[row] <= node.threshold ? 0 : 1;
    if (node.label >= 0) return column.codes[row] == node.label ? 0 : 1;
    return static_cast<std::uint32_t>(column.codes[row]);
}

/// The test on the way to a branch: "Humidity = High", "Temperature <= 54", "Colour != red".
std::string branch_text(const Schema& schema, const TreeNode& node, std::uint32_t branch);
/// "Temperature", "Colour = red": what the node asks.
std::string test_text(const Schema& schema, const TreeNode& node);
/// Lines of text, indented by depth, without a line end after the last.
std::string tree_text(const Schema& schema, const Tree& tree);

/// The node made a leaf; what hung below is dropped by `compacted`.
void make_leaf(Tree& tree, std::size_t node);
/// Only the nodes that can be reached, in the same order.
Tree compacted(const Tree& tree);

/// Σ over its leaves of the bits to write down the tree, and of those for the rows it gets wrong (Quinlan & Rivest 1989): a bit says leaf
/// or test, a test names its column among those that may still be tested and a number's threshold among its distinct values, a leaf its
/// label; exceptions among n rows cost log2(n + 1) + log2 C(n, k) + k log2(labels − 1).
struct DescriptionLength {
    double tree = 0;
    double exceptions = 0;
};
Result<DescriptionLength> description_length(const Tree& tree, const TreeCodes& codes = {});
Status prune_by_description_length(Tree& tree, const TreeCodes& codes = {});
/// Bottom up: a node becomes a leaf where that costs the rows kept back no accuracy (Quinlan 1987).
/// A node that might become a leaf, as it was weighed: rows kept back that come right below it, and at it as a leaf; then the share of all
/// those rows that the whole tree gets right with the leaf.
struct PruneTrace {
    std::size_t node = 0;
    double below = 0;
    double as_leaf = 0;
    double reached = 0;  ///< rows that come to it
    double accuracy_before = 0;
    double accuracy = 0;
    bool pruned = false;
};
void prune_by_reduced_error(Tree& tree, const TableView& kept_back, std::span<const double> weights,
                            std::vector<PruneTrace>* trace = nullptr);

/// Shares of the labels for a row; a missing cell goes down every branch with the share of the training weight that took it.
void tree_shares(const Tree& tree, const Table& table, std::size_t row, std::span<double> out);
/// A leaf that a row reaches, or a part of it.
struct LeafPart {
    Rational share;
    std::vector<Rational> counts;
};
/// In fractions; nothing if the counts are not exact.
std::vector<LeafPart> exact_leaf_parts(const Tree& tree, const Table& table, std::size_t row);

}  // namespace credence::rt
