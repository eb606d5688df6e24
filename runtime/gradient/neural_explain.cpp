// What `explain train neural(…)` and `explain predict` print: the numbers that flow through the units.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/gradient/neural.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_units_told = 12;
constexpr std::size_t most_inputs_told = 10;

std::string unit_name(const NetworkShape& shape, std::size_t layer, std::size_t unit) {
    if (layer + 1 == shape.layers.size()) return shape.outputs() == 1 ? "the output" : fmt::format("output {}", unit + 1);
    return shape.layers.size() == 2 ? fmt::format("hidden {}", unit + 1) : fmt::format("hidden {}.{}", layer + 1, unit + 1);
}

bool tellable(const NetworkShape& shape) {
    std::size_t units = 0;
    for (const auto& layer : shape.layers) units += layer.units;
    return units <= most_units_told && shape.widest() <= most_inputs_told;
}

Parts net_written(const double* weights, std::span<const double> inputs) {
    Parts out{Number::real(weights[0])};
    for (std::size_t k = 0; k < inputs.size(); ++k) append(out, {" + ", Number::real(weights[k + 1]), " * ", Number::real(inputs[k])});
    return out;
}

double net_of(const double* weights, std::span<const double> inputs) {
    double out = weights[0];
    for (std::size_t k = 0; k < inputs.size(); ++k) out += weights[k + 1] * inputs[k];
    return out;
}

/// Each unit: its net input, then its output.
void tell_forward(DerivationWriter& out, const NetworkShape& shape, std::span<const double> w, std::span<const double> x,
                  const std::vector<std::vector<double>>& outputs) {
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const auto& layer = shape.layers[l];
        const std::span<const double> inputs = l == 0 ? x : std::span<const double>(outputs[l - 1]);
        for (std::size_t u = 0; u < layer.units; ++u) {
            const double* unit = w.data() + layer.offset + u * layer.width();
            const double net = net_of(unit, inputs);
            out.note(fmt::format("net of {}:", unit_name(shape, l, u)));
            out.begin(net_written(unit, inputs));
            out.result(Number::real(net));
            switch (layer.activation) {
                case Activation::sigmoid:
                    out.begin({"1 / (1 + exp(-", Number::real(net), "))"});
                    out.result(Number::real(outputs[l][u]));
                    break;
                case Activation::tanh:
                    out.begin({"(exp(", Number::real(net), ") - exp(-", Number::real(net), ")) / (exp(", Number::real(net), ") + exp(-",
                               Number::real(net), "))"});
                    out.result(Number::real(outputs[l][u]));
                    break;
                case Activation::relu:
                    out.begin({"max(0, ", Number::real(net), ")"});
                    out.result(Number::real(outputs[l][u]));
                    break;
                case Activation::linear:
                case Activation::softmax:
                    break;
            }
        }
        if (layer.activation == Activation::softmax) {
            std::string shares;
            for (std::size_t u = 0; u < layer.units; ++u) shares += fmt::format("{}{:.6g}", u == 0 ? "" : ", ", outputs[l][u]);
            out.note(fmt::format("softmax of the nets: {}", shares));
        }
    }
}

/// f'(net) of a unit, written with its output.
Parts slope_written(Activation a, double o) {
    switch (a) {
        case Activation::sigmoid:
            return {Number::real(o), " * (1 - ", Number::real(o), ")"};
        case Activation::tanh:
            return {"(1 - ", Number::real(o), "^2)"};
        case Activation::relu:
            return {Number(o > 0 ? 1 : 0)};
        case Activation::linear:
        case Activation::softmax:
            return {Number(1)};
    }
    return {Number(1)};
}

void tell_backward(DerivationWriter& out, const NetworkShape& shape, std::span<const double> w, std::span<const double> t, Loss loss,
                   const std::vector<std::vector<double>>& outputs, const std::vector<std::vector<double>>& deltas) {
    for (std::size_t l = shape.layers.size(); l-- > 0;) {
        const auto& layer = shape.layers[l];
        const bool last = l + 1 == shape.layers.size();
        if (last && layer.activation == Activation::softmax && loss == Loss::squared) {
            for (std::size_t u = 0; u < layer.units; ++u) out.note(fmt::format("δ of {}: {:.6g}", unit_name(shape, l, u), -deltas[l][u]));
            continue;
        }
        for (std::size_t u = 0; u < layer.units; ++u) {
            const double o = outputs[l][u];
            out.note(fmt::format("δ of {}:", unit_name(shape, l, u)));
            Parts line;
            if (last) {
                if (loss == Loss::squared && layer.activation != Activation::linear) {
                    line = slope_written(layer.activation, o);
                    append(line, {" * "});
                }
                append(line, {"(", Number::real(t[u]), " - ", Number::real(o), ")"});
            } else {
                const auto& above = shape.layers[l + 1];
                line = slope_written(layer.activation, o);
                append(line, {" * ("});
                for (std::size_t k = 0; k < above.units; ++k)
                    append(line, {k == 0 ? "" : " + ", Number::real(w[above.offset + k * above.width() + u + 1]), " * ",
                                  Number::real(-deltas[l + 1][k])});
                append(line, {")"});
            }
            out.begin(line);
            out.result(Number::real(-deltas[l][u]));
        }
    }
}

void tell_weights(DerivationWriter& out, const NetworkShape& shape, std::span<const double> w) {
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const auto& layer = shape.layers[l];
        for (std::size_t u = 0; u < layer.units; ++u) {
            std::string numbers;
            for (std::size_t k = 0; k < layer.width(); ++k)
                numbers += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", w[layer.offset + u * layer.width() + k]);
            out.note(fmt::format("weights of {}: {}", unit_name(shape, l, u), numbers));
        }
    }
}

/// Which label the outputs speak for.
std::string verdict(const OutputField& field, const std::vector<double>& units, Activation activation) {
    const auto& labels = *field.field.domain;
    if (field.count == 1) {
        const double half = activation == Activation::tanh ? 0 : 0.5;
        const bool above = units[field.first] > half;
        return fmt::format("{} {}: {}.", above ? "Above" : "Not above", half, labels[above ? 1 : 0].text());
    }
    const auto first = units.begin() + static_cast<std::ptrdiff_t>(field.first);
    const auto best = std::max_element(first, first + static_cast<std::ptrdiff_t>(field.count)) - first;
    return fmt::format("The largest is output {}: {}.", best + 1, labels[static_cast<std::size_t>(best)].text());
}

}  // namespace

Derivation NetworkPart::told_prediction(const TableView& rows) const {
    DerivationWriter out;
    const auto outputs = network_.unit_outputs(rows);
    const Matrix x = numbers_of(rows, network_.terms);
    if (tellable(network_.shape)) {
        tell_forward(out, network_.shape, network_.weights, x.row(0), outputs);
    } else {
        out.note("The network is too large to write out; its outputs:");
        for (std::size_t u = 0; u < outputs.back().size(); ++u)
            out.note(fmt::format("{}: {:.6g}", unit_name(network_.shape, network_.shape.layers.size() - 1, u), outputs.back()[u]));
    }
    if (const OutputField& told = network_.outputs[0]; told.field.kind == ColumnKind::label)
        out.note(verdict(told, outputs.back(), network_.shape.layers.back().activation));
    return std::move(out).take();
}

Result<Derivation> explain_backpropagation(const NeuralOptions& options, const NeuralTask& task, const TrainedNetwork& trained,
                                           const Run& run) {
    constexpr std::size_t steps_told = 2;
    DerivationWriter out;
    const NetworkShape& shape = task.shape;
    const bool slopes = !task.data.slope_inputs.empty();
    out.formula(options.loss == Loss::squared ? "E = 1/2 * the sum of (t - o)^2"
                                              : "E = - the sum of t * ln(o) (and of (1 - t) * ln(1 - o) for sigmoid outputs)");
    out.formula(options.loss == Loss::squared
                    ? "δ of an output = f'(net) * (t - o);  δ of a hidden unit = f'(net) * the sum of w * δ above it"
                    : "δ of an output = t - o;  δ of a hidden unit = f'(net) * the sum of w * δ above it");
    const bool rolls = task.plan.optimizer == Optimizer::momentum && task.plan.momentum > 0;
    out.formula(rolls ? "each weight changes by rate * δ * its input + momentum * its last change"
                      : "each weight changes by rate * δ * its input");
    if (task.inputs_by) out.note("The columns are scaled to mean 0 and standard deviation 1; the numbers here are for the scaled columns.");
    if (slopes) out.note("The change for the wanted slopes is added to that of the values; only the latter is written out here.");
    if (tellable(shape) && !task.training.empty()) {
        const Rng rng = run.rng.child("restart").child(0);
        std::vector<double> w = task.start(options, rng);
        task.ties.tie_weights(w);
        std::vector<std::uint32_t> order = task.training;
        const std::size_t batch = task.plan.batch == 0 ? order.size() : std::min(task.plan.batch, order.size());
        Rng orders = rng.child("order");
        if (task.plan.shuffled && batch < order.size()) order_rows(order, orders);
        Backpropagation net(shape, 1);
        std::vector<double> g(w.size());
        out.note("At the start:");
        tell_weights(out, shape, w);
        const bool plain = task.plan.optimizer == Optimizer::momentum && !slopes && task.plan.decay == 0;
        std::vector<double> change(w.size());
        for (std::size_t step = 0; step < std::min(steps_told, order.size()); ++step) {
            net.gradient(w, task.data, std::span(order).subspan(step, 1), task.plan.error, g);
            std::vector<std::vector<double>> outputs;
            std::vector<std::vector<double>> deltas;
            for (std::size_t l = 0; l < shape.layers.size(); ++l) {
                outputs.emplace_back(net.layer_outputs(l).begin(), net.layer_outputs(l).end());
                deltas.emplace_back(net.deltas(l).begin(), net.deltas(l).end());
            }
            std::string cells;
            for (const double v : task.data.x.row(order[step])) cells += fmt::format("{}{:.6g}", cells.empty() ? "" : ", ", v);
            out.note(fmt::format("Row {}, <{}>:", order[step] + 1, cells));
            tell_forward(out, shape, w, task.data.x.row(order[step]), outputs);
            tell_backward(out, shape, w, task.data.t.row(order[step]), options.loss, outputs, deltas);
            if (batch > 1 || !plain) {
                if (batch > 1) continue;
                out.note("The change also has its share of the optimizer, decay or slopes; the steps that follow start from there.");
                break;
            }
            task.ties.tie_gradient(g);
            const double rate = task.plan.schedule.rate(task.plan.rate, 0, task.plan.epochs);
            for (std::size_t k = 0; k < w.size(); ++k) w[k] += change[k] = task.plan.momentum * change[k] - rate * g[k];
            tell_weights(out, shape, w);
        }
    }
    const auto& history = trained.history;
    for (std::size_t e = 0; e < history.size(); e += std::max<std::size_t>(1, history.size() / 8))
        out.note(fmt::format("Epoch {}: loss {:.6g}", e + 1, history[e]));
    out.note(fmt::format("At the end: loss {:.6g}", trained.loss));
    return std::move(out).take();
}

}  // namespace credence::rt
