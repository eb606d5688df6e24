#pragma once
// Boosted trees: each tree follows the gradient of the loss of those before it (Friedman 2001). Squared error for numbers, the logistic
// loss for two labels, softmax with a tree for each label for several.

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/ensembles/shared.hpp"
#include "runtime/prob/models/predictor_of.hpp"

namespace credence::rt {

struct BoostedOptions {
    std::size_t rounds = 100;
    double rate = 0.1;
    std::optional<std::size_t> depth;   ///< most tests on a path; 1: stumps
    std::optional<std::size_t> leaves;  ///< most leaves of a tree; none: 31, or as many as the depth allows
    std::optional<double> min_rows;     ///< of a leaf, by weight; none: a twentieth of the rows, 1 to 20
    double ridge = 0;
    double sample = 1;      ///< share of the rows that each round draws
    double validation = 0;  ///< share of the rows kept for early stopping
    std::size_t patience = 10;
};

struct BoostedTree {
    BinnedTree tree;
    std::vector<double> values;  ///< of the leaves, by the rate
};

struct BoostedModel {
    Bins bins;
    std::vector<double> start;                     ///< of each output
    std::vector<std::vector<BoostedTree>> rounds;  ///< a tree for each output
    std::vector<double> importance;                ///< of each feature: its share of all gains
    std::vector<double> history;                   ///< mean loss of the training rows at the start and after each round
    std::vector<double> validation;                ///< the same of the rows kept back, where there are any

    std::size_t outputs() const { return start.size(); }
    /// rows × outputs, before the sigmoid or softmax.
    Matrix scores(const TableView& rows, unsigned threads) const;
};

class BoostedPart {
public:
    static constexpr const char* part_kind = "boosted_trees";
    static constexpr const char* part_key = "boosted";
    explicit BoostedPart(BoostedModel model) : boosted_(std::move(model)) {}
    virtual ~BoostedPart() = default;
    const BoostedModel& boosted() const { return boosted_; }

protected:
    Result<Json> saved_part() const;
    ModelParts listed_parts(const Schema& schema, std::size_t rows) const;
    Result<Derivation> explained(const Predictor& model, const TableView& row, Run& run) const;
    BoostedModel boosted_;
};

class BoostedClassifier final : public PredictorOf<Classifier, BoostedPart> {
public:
    using PredictorOf::PredictorOf;
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
};

class BoostedRegressor final : public PredictorOf<Regressor, BoostedPart> {
public:
    using PredictorOf::PredictorOf;
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
};

LearnerPtr make_boosted_trees(BoostedOptions options);

Result<BoostedModel> boost(const BoostedOptions& options, const TableView& rows, std::span<const double> weights,
                           const EnsembleTarget& target, Run& run);

}  // namespace credence::rt
