#pragma once
// A trained decision tree as a model, and the learner that makes it.

#include "runtime/classify/rules.hpp"
#include "runtime/classify/tree.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

class DecisionTree final : public Classifier {
public:
    /// `rules` where the tree was made into rules: those then predict.
    DecisionTree(Schema schema, std::size_t rows, Tree tree, std::optional<RuleList> rules);

    std::string_view kind() const override { return "decision_tree"; }
    bool takes_missing() const override { return true; }
    /// A cell marked missing is dealt with; a column that is not given at all must not be tested on the way.
    std::vector<std::size_t> columns_needed(const Table& rows, std::size_t row, std::span<const char> given) const override;
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;  ///< the tree, and the rules where they predict

    const Tree& tree() const { return tree_; }
    /// Those that predict, or one for each leaf.
    RuleList rules() const { return rules_ ? *rules_ : rules_of(tree_); }
    bool predicts_by_rules() const { return rules_.has_value(); }

private:
    std::vector<LeafPart> exact_parts(const Table& table, std::size_t row) const;
    Tree tree_;
    std::optional<RuleList> rules_;
};

LearnerPtr make_decision_tree(TreeSettings settings);
Result<ModelPtr> load_decision_tree(const Json& json);

/// Finds a smallest tree (fewest tests) that gets every row right, trying all trees of 0, 1, 2 … tests. Small tables only: E-COST beyond.
/// E-TRAIN if two equal rows have different labels, E-MISSING if a cell is missing.
LearnerPtr make_shortest_tree();

}  // namespace credence::rt
