#include "runtime/gradient/neural.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/parcels.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

// --- models -----------------------------------------------------------------------------------------------------------

Matrix TrainedNetwork::apply(const TableView& rows) const {
    const Matrix x = numbers_of(rows, terms);
    Matrix out(x.rows, shape.outputs());
    Backpropagation(shape, std::min<std::size_t>(x.rows, 256)).outputs(weights, x, out);
    return out;
}

std::vector<std::vector<double>> TrainedNetwork::unit_outputs(const TableView& row) const {
    const Matrix x = numbers_of(row, terms);
    Matrix last(1, shape.outputs());
    Backpropagation net(shape, 1);
    net.outputs(weights, x, last);
    std::vector<std::vector<double>> out;
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const auto layer = net.layer_outputs(l);
        out.emplace_back(layer.begin(), layer.end());
    }
    return out;
}

LayerWeights TrainedNetwork::layers() const {
    LayerWeights out;
    for (const auto& layer : shape.layers) {
        auto& units = out.emplace_back();
        for (std::size_t u = 0; u < layer.units; ++u) {
            const double* from = weights.data() + layer.offset + u * layer.width();
            units.emplace_back(from, from + layer.width());
        }
    }
    return out;
}

Result<Json> NetworkPart::saved_part() const {
    Json layers = Json::array();
    for (const auto& layer : network_.shape.layers)
        layers.push_back(Json{{"units", layer.units}, {"activation", activation_name(layer.activation)}});
    Schema outputs;
    for (std::size_t k = 1; k < network_.outputs.size(); ++k) outputs.features.push_back(network_.outputs[k].field);
    outputs.target = network_.outputs[0].field;
    return Json{{"layers", std::move(layers)},
                {"outputs", saved(outputs)},
                {"weights", saved(std::span<const double>(network_.weights))},
                {"loss", network_.loss},
                {"history", saved(std::span<const double>(network_.history))},
                {"validation", saved(std::span<const double>(network_.validation))}};
}

Status NeuralClassifier::probabilities(const TableView& rows, std::span<double> out, Run&) const {
    const Matrix o = network_.apply(rows);
    const std::size_t labels = schema_.target.domain->size();
    const bool tanh = network_.shape.layers.back().activation == Activation::tanh;
    const auto share = [&](double v) { return std::clamp(tanh ? (v + 1) / 2 : v, 0.0, 1.0); };
    for (std::size_t i = 0; i < o.rows; ++i) {
        const auto row = out.subspan(i * labels, labels);
        if (network_.outputs[0].count == 1) {
            row[1] = share(o(i, 0));
            row[0] = 1 - row[1];
            continue;
        }
        double total = 0;
        for (std::size_t k = 0; k < labels; ++k) total += row[k] = share(o(i, k));
        for (double& p : row) p = total > 0 ? p / total : 1 / static_cast<double>(labels);
    }
    return Done{};
}

Status NeuralRegressor::predict(const TableView& rows, std::span<double> out, Run&) const {
    const Matrix o = network_.apply(rows);
    for (std::size_t i = 0; i < o.rows; ++i) out[i] = o(i, 0);
    return Done{};
}

namespace {

// --- learner ----------------------------------------------------------------------------------------------------------

/// How one of several descents ended.
struct Restart {
    std::optional<Descended> end;
    std::optional<Fault> fault;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.end);
        visit(self.fault);
    }
};

class Neural final : public Learner {
public:
    explicit Neural(NeuralOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "neural"; }
    TargetKind target() const override { return TargetKind::either; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        auto task = TRY(neural_task(options_, rows, row_weights, run));
        const std::size_t restarts = options_.init ? 1 : std::max<std::size_t>(options_.restarts, 1);
        std::vector<Restart> runs(restarts);
        spread_chunks(run, {.n = restarts}, runs, [&](std::size_t i, std::size_t, std::size_t) {
            const Rng rng = run.rng.child("restart").child(i);
            auto descended = descend(task.shape, task.ties, task.data, task.training, task.validation, task.start(options_, rng), task.plan,
                                     rng.child("order"), run);
            if (descended)
                runs[i].end = *std::move(descended);
            else
                runs[i].fault = std::move(descended).fault();
        });
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < restarts; ++i)
            if (runs[i].end && (!best || judged(*runs[i].end) < judged(*runs[*best].end))) best = i;
        if (!best) return *std::move(runs[0].fault);
        Descended& done = *runs[*best].end;
        if (run.note && !task.validation.empty() && done.best_epoch < done.validation.size())
            run.note(
                fmt::format("training ended after {} epochs; the weights are those of epoch {}, which had the smallest validation loss",
                            done.validation.size(), done.best_epoch));
        TrainedNetwork network{task.shape,
                               task.terms,
                               task.outputs,
                               task.in_table_units(std::move(done.weights)),
                               done.loss,
                               std::move(done.history),
                               std::move(done.validation)};
        if (task.targets_by && task.shape.outputs() == 1) {
            const double unit = task.targets_by->spread[0] * task.targets_by->spread[0];
            network.loss *= unit;
            for (double& loss : network.history) loss *= unit;
            for (double& loss : network.validation) loss *= unit;
        }
        return predictor_for<NeuralClassifier, NeuralRegressor>(task.schema, task.rows, std::move(network));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> row_weights, const Model& fitted,
                                   Run& run) const override {
        auto task = TRY(neural_task(options_, rows, row_weights, run));
        return explain_backpropagation(options_, task, dynamic_cast<const NetworkPart&>(fitted).network(), run);
    }

private:
    static double judged(const Descended& d) {
        return d.validation.empty() ? d.loss : *std::min_element(d.validation.begin(), d.validation.end());
    }
    NeuralOptions options_;
};

Result<Activation> activation_of(const std::string& name) {
    for (const auto a : {Activation::sigmoid, Activation::tanh, Activation::relu, Activation::linear, Activation::softmax})
        if (activation_name(a) == name) return a;
    return damaged(fmt::format("'{}' is not an activation", name));
}

Result<TrainedNetwork> read_network(const Json& json, std::vector<DesignTerm> terms) {
    TrainedNetwork out;
    auto outputs = TRY(read_schema(json, "outputs"));
    auto layers = TRY(read_member(json, "layers"));
    if (!layers->is_array() || layers->empty()) return damaged("there are no layers");
    std::size_t before = terms.size();
    for (const auto& item : *layers) {
        auto units = TRY(read_count(item, "units"));
        auto name = TRY(read_text(item, "activation"));
        auto activation = TRY(activation_of(name));
        if (units == 0 || units > 1'000'000) return damaged("a layer has no units");
        out.shape.layers.push_back({before, units, activation, out.shape.weight_count});
        out.shape.weight_count += units * (before + 1);
        before = units;
    }
    auto weights = TRY(read_reals(json, "weights"));
    if (weights.size() != out.shape.weight_count) return damaged("the weights do not fit the layers");
    out.weights = std::move(weights);
    out.loss = TRY(read_real(json, "loss"));
    out.history = TRY(read_reals(json, "history"));
    out.validation = TRY(read_reals(json, "validation"));
    std::vector<Field> fields{outputs.target};
    fields.insert(fields.end(), outputs.features.begin(), outputs.features.end());
    std::size_t at = 0;
    const bool softmax = out.shape.layers.back().activation == Activation::softmax;
    for (const auto& f : fields) {
        const bool one = f.kind == ColumnKind::numeric || (f.domain->size() == 2 && !softmax);
        out.outputs.push_back({f, at, one ? 1 : f.domain->size()});
        at += out.outputs.back().count;
    }
    if (at != out.shape.outputs()) return damaged("the outputs do not fit the layers");
    out.terms = std::move(terms);
    return out;
}

}  // namespace

LearnerPtr make_neural(NeuralOptions options) { return std::make_shared<const Neural>(std::move(options)); }

Result<ModelPtr> load_neural(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto part = TRY(read_member(json, "network"));
    auto network = TRY(read_network(*part, terms_of(schema, Coding::full)));
    return predictor_for<NeuralClassifier, NeuralRegressor>(std::move(schema), rows, std::move(network));
}

}  // namespace credence::rt
