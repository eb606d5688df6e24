#pragma once
// Growing a decision tree from rows, and what was weighed at each node.

#include <optional>
#include <span>
#include <vector>

#include "runtime/classify/tree.hpp"

namespace credence::rt {

/// What a column offered at a node.
struct ColumnScore {
    std::int32_t column = 0;
    double gain = 0;        ///< of information in bits; of Gini's measure for that criterion
    double split_info = 0;  ///< the entropy of the branches, in bits
    double score = 0;       ///< by the criterion
    double threshold = 0;   ///< of a numeric column
    std::int32_t label = -1;
};

/// The branches of a test at a node, for a trace: rows by class in each. Rows without a value are in none.
struct BranchesTrace {
    std::vector<std::vector<double>> counts;
    /// A numeric column's thresholds between numbers whose rows differ in class: the best test is one of them.
    struct Threshold {
        double value = 0;
        std::vector<double> below, above;
    };
    std::vector<Threshold> thresholds;  ///< the first of them
    std::size_t more_thresholds = 0;
    bool filled = false;  ///< missing cells are taken to have a value, so the counts are not all that the gain comes from
};

/// A node's growth: the tests weighed in the order of the columns, and which was made (an index into them), if any.
struct NodeTrace {
    std::uint32_t node = 0;
    std::vector<ColumnScore> scores;
    std::vector<BranchesTrace> branches;  ///< one for each score, of the first and last nodes that grew; else empty
    std::optional<std::size_t> chosen;
    std::optional<double> p_value;  ///< of the best test, where significance stops the growth
};

/// Rows as `Learner::fit` has them: the target is a label column without missing cells.
Result<Tree> grow_tree(const TableView& rows, std::span<const double> weights, const TreeSettings& settings, const Run& run,
                       std::vector<NodeTrace>* trace = nullptr);

}  // namespace credence::rt
