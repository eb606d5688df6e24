// From a table to a network's numbers: which columns are inputs, outputs and slopes, and how they are coded and scaled.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/gradient/neural.hpp"

namespace credence::rt {

namespace {

/// The table without the columns that are slopes or further outputs, its target as labels where the loss classifies.
Result<Table> input_table(const NeuralOptions& options, const TableView& rows) {
    std::vector<std::string> out_of_features;
    for (const auto& [feature, column] : options.slope) out_of_features.push_back(column);
    for (const auto& column : options.outputs) out_of_features.push_back(column);
    Table table = *rows.table;
    if (!out_of_features.empty()) {
        const std::string target = table.columns[*table.target]->name;
        for (const auto& name : out_of_features)
            if (name == target) return Fault{.code = "E-PARAMETER", .message = fmt::format("{} is the target already", name)};
        auto without = TRY(drop(table, out_of_features));
        table = *without;
    }
    const Column& target = *table.columns[*table.target];
    if (options.loss != Loss::cross_entropy || target.kind == ColumnKind::label) return table;
    bool whole = true;
    bool shares = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double v = target.values[rows.row(i)];
        whole = whole && (v == 0 || v == 1);
        shares = shares && v >= 0 && v <= 1;
    }
    if (!shares)
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("cross-entropy needs labels, or numbers from 0 to 1, and {} has others", target.name),
                     .hint = fmt::format("as_labels(t, {}) to classify its numbers; loss: squared to predict them", target.name)};
    if (!whole) return table;
    auto labelled = TRY(as_labels(table, target.name));
    return *labelled;
}

/// Codes or values of a target column at the rows used, into its output units.
Status fill_targets(const Column& column, const OutputField& output, std::span<const std::uint32_t> from, Activation activation,
                    Matrix& t) {
    const double off = activation == Activation::tanh ? -1.0 : 0.0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (column.is_missing(from[i]))
            return Fault{.code = "E-MISSING", .message = fmt::format("{} has no value in row {}", column.name, from[i] + 1)};
        if (column.kind == ColumnKind::numeric) {
            t(i, output.first) = column.values[from[i]];
        } else if (output.count == 1) {
            t(i, output.first) = column.codes[from[i]] == 1 ? 1.0 : off;
        } else {
            for (std::size_t k = 0; k < output.count; ++k)
                t(i, output.first + k) = column.codes[from[i]] == static_cast<std::int32_t>(k) ? 1.0 : off;
        }
    }
    return Done{};
}

Result<Activation> output_activation(const NeuralOptions& options, std::span<const Field> targets) {
    const bool labels = std::all_of(targets.begin(), targets.end(), [](const Field& f) { return f.kind == ColumnKind::label; });
    const bool several = labels && targets.size() == 1 && targets[0].domain->size() > 2;
    Activation out = Activation::linear;
    if (options.output)
        out = *options.output;
    else if (options.loss == Loss::cross_entropy)
        out = several ? Activation::softmax : Activation::sigmoid;
    else if (labels)
        out = Activation::sigmoid;
    if (out == Activation::softmax && (targets.size() > 1 || !labels))
        return Fault{.code = "E-PARAMETER", .message = "softmax outputs are the labels of one target column"};
    if (options.loss == Loss::cross_entropy && out != Activation::softmax && out != Activation::sigmoid)
        return Fault{
            .code = "E-PARAMETER",
            .message = fmt::format("cross-entropy takes outputs as probabilities, and those of {} units are not", activation_name(out)),
            .hint = "output: sigmoid or softmax"};
    return out;
}

Status fill_slopes(const NeuralOptions& options, const Table& table, std::span<const std::uint32_t> from, NeuralTask& task) {
    if (options.slope.empty()) return Done{};
    if (task.shape.layers.back().activation == Activation::softmax || task.shape.outputs() != 1)
        return Fault{.code = "E-PARAMETER", .message = "slopes are learned for one output unit"};
    task.data.slopes = Matrix(from.size(), options.slope.size());
    for (std::size_t s = 0; s < options.slope.size(); ++s) {
        const auto& feature = options.slope[s].first;
        const auto& name = options.slope[s].second;
        const auto term =
            std::find_if(task.terms.begin(), task.terms.end(), [&](const DesignTerm& t) { return t.name == feature && t.label < 0; });
        if (term == task.terms.end())
            return Fault{.code = "E-PARAMETER", .message = fmt::format("slope names {}, which is not a numeric feature", feature)};
        task.data.slope_inputs.push_back(static_cast<std::size_t>(term - task.terms.begin()));
        auto column = TRY(find_numeric(table, name, "only numbers can be slopes"));
        for (std::size_t i = 0; i < from.size(); ++i) {
            const double v = table.columns[column]->values[from[i]];
            if (!std::isfinite(v))
                return Fault{.code = "E-MISSING", .message = fmt::format("{} has no value in row {}", name, from[i] + 1)};
            task.data.slopes(i, s) = v;
        }
    }
    return Done{};
}

/// Units of the hidden layer if no number was given: a tenth of the rows, 10 to 50, and for many columns half as many as inputs and
/// outputs, up to 100. Decay keeps a layer that is wider than needed from learning the noise.
std::size_t default_units(std::size_t inputs, std::size_t outputs, std::size_t rows) {
    return std::max(std::clamp<std::size_t>(rows / 10, 10, 50), std::min<std::size_t>((inputs + outputs) / 2, 100));
}

Status check_init(const NeuralOptions& options, const NetworkShape& shape) {
    if (!options.init) return Done{};
    bool fits = options.init->size() == shape.layers.size();
    for (std::size_t l = 0; fits && l < options.init->size(); ++l) {
        fits = (*options.init)[l].size() == shape.layers[l].units;
        for (const auto& unit : (*options.init)[l]) fits = fits && unit.size() == shape.layers[l].width();
    }
    if (fits) return Done{};
    std::string layers;
    for (const auto& layer : shape.layers)
        layers += fmt::format("{}{} of {} numbers", layers.empty() ? "" : ", then ", counted(layer.units, "unit"), layer.width());
    return Fault{.code = "E-PARAMETER", .message = "init has another shape than the network", .label = "it needs " + layers};
}

/// The rows to train on, and this share of all for validation, drawn at random.
Status hold_back(double share, const Run& run, NeuralTask& task) {
    task.training.resize(task.rows);
    std::iota(task.training.begin(), task.training.end(), 0U);
    if (!(share > 0)) return Done{};
    Rng rng = run.rng.child("validation");
    order_rows(task.training, rng);
    const auto kept = static_cast<std::size_t>(std::round(share * static_cast<double>(task.rows)));
    if (kept == 0 || kept >= task.rows)
        return Fault{
            .code = "E-PARAMETER",
            .message = fmt::format("a validation share of {:.6g} of {} rows leaves {} to train on", share, task.rows, task.rows - kept)};
    task.validation.assign(task.training.end() - static_cast<std::ptrdiff_t>(kept), task.training.end());
    task.training.resize(task.rows - kept);
    std::sort(task.validation.begin(), task.validation.end());
    std::sort(task.training.begin(), task.training.end());
    return Done{};
}

void choose_pace(const NeuralOptions& options, NeuralTask& task) {
    DescentPlan& plan = task.plan;
    plan.error = {options.loss, options.slope_weight};
    plan.optimizer = options.optimizer;
    plan.momentum = options.momentum;
    plan.batch = options.batch;
    plan.shuffled = options.shuffled;
    plan.patience = options.patience;
    plan.init_range = options.init_range;
    const std::size_t n = task.training.size();
    plan.epochs = options.epochs.value_or(std::clamp<std::size_t>(50'000 / n, 100, 10'000));
    plan.schedule = options.schedule.value_or(Schedule{});
    plan.decay = options.decay.value_or(0);
    if (options.rate) {
        plan.rate = *options.rate;
        return;
    }
    // Where the columns are standardised, weights are of comparable size: a normal prior on them (weight decay, Krogh & Hertz 1992) keeps
    // units from saturating on single rows. Steps that shrink to nothing end in a minimum, not in a walk around it.
    if (task.inputs_by) {
        if (!options.decay) plan.decay = std::min(0.1, 1e-4 * static_cast<double>(n));
        if (!options.schedule) plan.schedule.kind = Schedule::Kind::cosine;
    }
    // A step follows the sum over its batch, and momentum adds up 1 / (1 − momentum) of them.
    const auto batch = static_cast<double>(options.batch == 0 ? n : std::min(options.batch, n));
    const double base = task.shape.layers.back().activation == Activation::linear ? 0.02 : 0.1;
    plan.rate = options.optimizer == Optimizer::adam ? 0.01 : base * (1 - options.momentum) / std::max(1.0, batch / 2);
}

}  // namespace

Result<NeuralTask> neural_task(const NeuralOptions& options, const TableView& rows, std::span<const double> row_weights, Run& run) {
    auto table = TRY(input_table(options, rows));
    TableView view = rows;
    view.table = &table;
    auto data = TRY(training_rows(view, row_weights, Coding::full, run, options.scale));

    std::vector<ColumnPtr> columns{table.columns[*table.target]};
    if (columns[0]->kind == ColumnKind::label) {
        keep_seen_labels(data);
        auto seen = std::make_shared<Column>(*columns[0]);
        seen->domain = data.schema.target.domain;
        for (std::size_t i = 0; i < data.size(); ++i) seen->codes[data.from[i]] = data.codes[i];
        columns[0] = std::move(seen);
    }

    NeuralTask task;
    task.schema = data.schema;
    task.rows = data.size();
    task.terms = data.terms;
    std::vector<Field> targets{data.schema.target};
    for (const auto& name : options.outputs) {
        auto column = TRY(find_column(*rows.table, name));
        columns.push_back(rows.table->columns[column]);
        targets.push_back({columns.back()->name, columns.back()->kind, columns.back()->domain});
    }
    for (const auto& f : targets)
        if (f.kind == ColumnKind::label && f.domain->size() < 2)
            return Fault{.code = "E-TRAIN", .message = fmt::format("neural needs at least two labels, and {} has only one", f.name)};
    auto activation = TRY(output_activation(options, targets));
    std::size_t units = 0;
    for (const auto& f : targets) {
        const bool one = f.kind == ColumnKind::numeric || (f.domain->size() == 2 && activation != Activation::softmax);
        task.outputs.push_back({f, units, one ? 1 : f.domain->size()});
        units += task.outputs.back().count;
    }
    const std::vector<std::size_t> chosen{default_units(task.terms.size(), units, task.rows)};
    task.shape = NetworkShape(task.terms.size(), options.hidden.value_or(chosen), options.activation, units, activation);
    task.ties = TRY(WeightTies::make(task.shape, options.tie));
    task.data.t = Matrix(task.rows, units);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        TRY(fill_targets(*columns[k], task.outputs[k], data.from, activation, task.data.t));
    }
    if (options.loss == Loss::cross_entropy)
        for (const double t : task.data.t.values)
            if (t < 0 || t > 1) return Fault{.code = "E-TRAIN", .message = "cross-entropy needs targets from 0 to 1"};
    task.data.x = std::move(data.x);
    task.data.weights = std::move(data.weights);
    TRY(fill_slopes(options, *rows.table, data.from, task));

    TRY(check_init(options, task.shape));
    if (!options.rate && !options.init && options.slope.empty() && !task.ties.any()) {
        task.inputs_by = standard_of(task.data.x, task.data.weights);
        task.data.x = standardised(task.data.x, *task.inputs_by);
        if (activation == Activation::linear) {
            task.targets_by = standard_of(task.data.t, task.data.weights);
            task.data.t = standardised(task.data.t, *task.targets_by);
        }
    }
    TRY(hold_back(options.validation, run, task));
    choose_pace(options, task);
    return task;
}

std::vector<double> NeuralTask::start(const NeuralOptions& options, const Rng& restart) const {
    if (options.init) {
        std::vector<double> out;
        for (const auto& layer : *options.init)
            for (const auto& unit : layer) out.insert(out.end(), unit.begin(), unit.end());
        return out;
    }
    Rng rng = restart.child("init");
    return initial_weights(shape, plan.init_range, rng);
}

std::vector<double> NeuralTask::in_table_units(std::vector<double> w) const {
    if (inputs_by) {
        const auto& layer = shape.layers.front();
        for (std::size_t u = 0; u < layer.units; ++u) {
            const auto at = w.begin() + static_cast<std::ptrdiff_t>(layer.offset + u * layer.width());
            const auto unit = in_units(std::span<const double>(&*at, layer.width()), *inputs_by);
            std::copy(unit.begin(), unit.end(), at);
        }
    }
    if (targets_by) {
        const auto& layer = shape.layers.back();
        for (std::size_t u = 0; u < layer.units; ++u) {
            double* unit = w.data() + layer.offset + u * layer.width();
            for (std::size_t k = 0; k < layer.width(); ++k) unit[k] *= targets_by->spread[u];
            unit[0] += targets_by->mean[u];
        }
    }
    return w;
}

}  // namespace credence::rt
