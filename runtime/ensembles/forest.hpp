#pragma once
// Random forests: the mean of trees that were grown from bootstrap samples, each test chosen among some columns only (Breiman 2001).

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/ensembles/forest_grow.hpp"

namespace credence::rt {

struct ForestOptions {
    std::size_t trees = 100;
    std::optional<std::size_t> columns;  ///< for each test; none: √ of their number for labels, all for numbers
    std::optional<std::size_t> depth;
    double min_rows = 1;
    double sample = 1;  ///< rows drawn for a tree, with replacement, as a share of all
};

/// How the forest does on rows that a tree was not grown from: each row is predicted by those trees alone.
struct OutOfBag {
    double rows = 0;   ///< by weight: those that some tree did not see
    double score = 0;  ///< the accuracy, or the root of the mean squared error
};

struct ForestModel {
    Bins bins;
    std::size_t labels = 0;
    std::vector<ForestTree> trees;
    std::vector<double> importance;  ///< of each feature: its share of the fall of the impurity
    OutOfBag out_of_bag;

    /// rows × labels (or × 1), the mean of the trees.
    Matrix means(const TableView& rows, unsigned threads) const;
};

class ForestPart {
public:
    explicit ForestPart(ForestModel model) : forest_(std::move(model)) {}
    virtual ~ForestPart() = default;
    const ForestModel& forest() const { return forest_; }

protected:
    Json saved_forest() const;
    ModelParts forest_parts(const Schema& schema, std::size_t rows) const;
    Derivation told_trees(const Schema& schema, const TableView& row) const;
    ForestModel forest_;
};

class ForestClassifier final : public Classifier, public ForestPart {
public:
    ForestClassifier(Schema schema, std::size_t rows, ForestModel model)
        : Classifier(std::move(schema), rows), ForestPart(std::move(model)) {}
    std::string_view kind() const override { return "random_forest"; }
    bool takes_missing() const override { return true; }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override { return forest_parts(schema_, rows_seen_); }
};

class ForestRegressor final : public Regressor, public ForestPart {
public:
    ForestRegressor(Schema schema, std::size_t rows, ForestModel model)
        : Regressor(std::move(schema), rows), ForestPart(std::move(model)) {}
    std::string_view kind() const override { return "random_forest"; }
    bool takes_missing() const override { return true; }
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override { return forest_parts(schema_, rows_seen_); }
};

LearnerPtr make_random_forest(ForestOptions options);
Result<ModelPtr> load_random_forest(const Json& json);

Result<ForestModel> grow_forest(const ForestOptions& options, const TableView& rows, std::span<const double> weights,
                                const ForestTarget& target, Run& run);

}  // namespace credence::rt
