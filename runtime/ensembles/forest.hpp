#pragma once
// Random forests: the mean of trees that were grown from bootstrap samples, each test chosen among some columns only (Breiman 2001).

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/ensembles/forest_grow.hpp"
#include "runtime/prob/models/predictor_of.hpp"

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
    static constexpr const char* part_kind = "random_forest";
    static constexpr const char* part_key = "forest";
    explicit ForestPart(ForestModel model) : forest_(std::move(model)) {}
    virtual ~ForestPart() = default;
    const ForestModel& forest() const { return forest_; }

protected:
    Result<Json> saved_part() const;
    ModelParts listed_parts(const Schema& schema, std::size_t rows) const;
    Result<Derivation> explained(const Predictor& model, const TableView& row, Run& run) const;
    ForestModel forest_;
};

class ForestClassifier final : public PredictorOf<Classifier, ForestPart> {
public:
    using PredictorOf::PredictorOf;
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
};

class ForestRegressor final : public PredictorOf<Regressor, ForestPart> {
public:
    using PredictorOf::PredictorOf;
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
};

LearnerPtr make_random_forest(ForestOptions options);

Result<ForestModel> grow_forest(const ForestOptions& options, const TableView& rows, std::span<const double> weights,
                                const EnsembleTarget& target, Run& run);

}  // namespace credence::rt
