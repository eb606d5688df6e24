#pragma once
// Networks as learners of tables: what the columns become, and the models that training gives.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gradient/network_training.hpp"
#include "runtime/prob/learning/training_rows.hpp"
#include "runtime/prob/models/predictor_of.hpp"

namespace credence::rt {

using LayerWeights = std::vector<std::vector<std::vector<double>>>;  ///< layers of units of weights, the bias first

struct NeuralOptions {
    std::optional<std::vector<std::size_t>> hidden;  ///< none: one layer, see default_units
    Activation activation = Activation::sigmoid;
    std::optional<Activation> output;  ///< none: softmax or sigmoid for labels, linear for numbers
    Loss loss = Loss::squared;
    std::optional<double> rate;  ///< none: columns are standardised and a rate is chosen
    double momentum = 0;
    Optimizer optimizer = Optimizer::momentum;
    std::optional<Schedule> schedule;  ///< none: constant; cosine where the rate is chosen
    std::optional<double> decay;       ///< none: 0; where the rate is chosen, 0.0001 for each row, 0.1 at most
    std::optional<std::size_t> epochs;
    std::size_t batch = 1;  ///< 0: all rows
    bool shuffled = true;
    std::optional<double> init_range;
    std::optional<LayerWeights> init;
    std::size_t restarts = 1;
    double validation = 0;  ///< share of the rows kept for early stopping
    std::size_t patience = 20;
    std::vector<std::pair<std::string, std::string>> slope;  ///< feature, column of the wanted ∂target/∂feature
    double slope_weight = 1;
    Ties tie;
    std::vector<std::string> outputs;  ///< target columns besides the table's target
    std::optional<Scaling> scale;      ///< of the numeric columns
};

/// What some output units represent.
struct OutputField {
    Field field;
    std::size_t first = 0;
    std::size_t count = 1;  ///< 1: a number, or P(last label) of two; else one for each label
};

/// The table made ready: what fit and its trace share.
struct NeuralTask {
    Schema schema;
    std::size_t rows = 0;
    std::vector<DesignTerm> terms;
    std::vector<OutputField> outputs;
    NetworkShape shape;
    WeightTies ties;
    NetworkData data;
    DescentPlan plan;
    std::optional<Standard> inputs_by;   ///< where the inputs are standardised
    std::optional<Standard> targets_by;  ///< where the (linear) targets are
    std::vector<std::uint32_t> training;
    std::vector<std::uint32_t> validation;

    std::vector<double> start(const NeuralOptions& options, const Rng& restart) const;
    /// Weights for standardised columns as weights for the table's.
    std::vector<double> in_table_units(std::vector<double> weights) const;
};
Result<NeuralTask> neural_task(const NeuralOptions& options, const TableView& rows, std::span<const double> row_weights, Run& run);

/// The network behind both models.
struct TrainedNetwork {
    NetworkShape shape;
    std::vector<DesignTerm> terms;
    std::vector<OutputField> outputs;
    std::vector<double> weights;
    double loss = 0;
    std::vector<double> history;
    std::vector<double> validation;

    Matrix apply(const TableView& rows) const;                                  ///< rows × output units
    std::vector<std::vector<double>> unit_outputs(const TableView& row) const;  ///< of one row, layer by layer
    LayerWeights layers() const;
};

class NetworkPart {
public:
    static constexpr const char* part_kind = "neural";
    static constexpr const char* part_key = "network";
    static constexpr bool needs_all_cells = true;
    explicit NetworkPart(TrainedNetwork network) : network_(std::move(network)) {}
    virtual ~NetworkPart() = default;
    const TrainedNetwork& network() const { return network_; }

protected:
    Result<Json> saved_part() const;
    ModelParts listed_parts(const Schema& schema, std::size_t rows) const;
    Result<Derivation> explained(const Predictor& model, const TableView& row, Run& run) const;
    TrainedNetwork network_;
};

class NeuralClassifier final : public PredictorOf<Classifier, NetworkPart> {
public:
    using PredictorOf::PredictorOf;
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
};

class NeuralRegressor final : public PredictorOf<Regressor, NetworkPart> {
public:
    using PredictorOf::PredictorOf;
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
};

LearnerPtr make_neural(NeuralOptions options);
Result<ModelPtr> load_neural(const Json& json);

/// The first steps of backpropagation, unit by unit.
Result<Derivation> explain_backpropagation(const NeuralOptions& options, const NeuralTask& task, const TrainedNetwork& trained,
                                           const Run& run);

}  // namespace credence::rt
