// What `explain train neural(…)` and `explain predict` print: the numbers that flow through the units.

#include <algorithm>
#include <cmath>
#include <optional>

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

void tell_backward(DerivationWriter& out, const NetworkShape& shape, std::span<const double> w, std::span<const double> t,
                   double row_weight, Loss loss, const std::vector<std::vector<double>>& outputs,
                   const std::vector<std::vector<double>>& deltas) {
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
                if (row_weight != 1) append(line, {" * ", Number::real(row_weight)});
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

Result<Derivation> NetworkPart::explained(const Predictor&, const TableView& row, Run&) const {
    DerivationWriter out;
    const auto outputs = network_.unit_outputs(row);
    const Matrix x = numbers_of(row, network_.terms);
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

namespace {

/// ∂o/∂x of the one output for an input, from the outputs of the units.
double input_slope(const NetworkShape& shape, std::span<const double> w, const std::vector<std::vector<double>>& outputs,
                   std::size_t input) {
    std::vector<double> below;
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const auto& layer = shape.layers[l];
        std::vector<double> here(layer.units);
        for (std::size_t u = 0; u < layer.units; ++u) {
            const double* unit = w.data() + layer.offset + u * layer.width() + 1;
            double net = l == 0 ? unit[input] : 0;
            for (std::size_t k = 0; k < below.size(); ++k) net += unit[k] * below[k];
            here[u] = slope_at(layer.activation, outputs[l][u]) * net;
        }
        below = std::move(here);
    }
    return below[0];
}

/// The steps at the beginning of a training, as `descend` takes them, with every part of every change.
class BackpropagationTrace {
public:
    BackpropagationTrace(const NeuralTask& task, const NeuralOptions& options, std::vector<double> start, DerivationWriter& out)
        : task_(task),
          plan_(task.plan),
          loss_(options.loss),
          out_(out),
          net_(task.shape, 1),
          w_(std::move(start)),
          last_(w_.size()),
          second_(w_.size()) {}

    /// One step: what flows through the units for each row of it, then each weight with all that moves it.
    void step(std::span<const std::uint32_t> rows, std::size_t epoch) {
        const bool ahead = plan_.optimizer == Optimizer::nesterov && plan_.momentum > 0;
        std::vector<double> at = w_;
        for (std::size_t k = 0; ahead && k < at.size(); ++k) at[k] += plan_.momentum * last_[k];
        if (ahead && steps_ > 0) {
            out_.note("The slope is taken where the last change leads, at w + momentum * the last change:");
            tell_weights(out_, task_.shape, at);
        }
        std::vector<RowPart> parts;
        for (const auto row : rows) add_parts(at, row, parts);
        const double decay = plan_.decay * static_cast<double>(rows.size()) / static_cast<double>(task_.training.size());
        std::vector<double> decayed(w_.size(), 0.0);
        for (const auto& layer : task_.shape.layers)
            for (std::size_t u = 0; u < layer.units; ++u)
                for (std::size_t k = 1; k < layer.width(); ++k) {
                    const std::size_t weight = layer.offset + u * layer.width() + k;
                    decayed[weight] = decay * at[weight];
                }
        if (task_.ties.any()) {
            out_.note("Tied weights move together: the parts of each are the sums over its ties.");
            for (auto& part : parts) task_.ties.tie_gradient(part.gradient);
            task_.ties.tie_gradient(decayed);
        }
        ++steps_;
        move(parts, decay > 0 ? decayed : std::vector<double>{}, plan_.schedule.rate(plan_.rate, epoch, plan_.epochs));
        tell_weights(out_, task_.shape, w_);
    }

private:
    /// What a row adds to the gradient: by its value, or by a wanted slope, which is `miss` times d slope / dw.
    struct RowPart {
        std::vector<double> gradient;
        std::optional<double> miss = std::nullopt;
    };

    /// The parts of one row, and what gives them.
    void add_parts(std::span<const double> at, std::uint32_t row, std::vector<RowPart>& parts) {
        NetworkData values = task_.data;
        values.slope_inputs.clear();
        std::vector<double> g(w_.size());
        net_.gradient(at, values, std::span(&row, 1), plan_.error, g);
        std::vector<std::vector<double>> outputs;
        std::vector<std::vector<double>> deltas;
        for (std::size_t l = 0; l < task_.shape.layers.size(); ++l) {
            outputs.emplace_back(net_.layer_outputs(l).begin(), net_.layer_outputs(l).end());
            deltas.emplace_back(net_.deltas(l).begin(), net_.deltas(l).end());
        }
        std::string cells;
        for (const double v : task_.data.x.row(row)) cells += fmt::format("{}{:.6g}", cells.empty() ? "" : ", ", v);
        const double weight = task_.data.weights[row];
        out_.heading(fmt::format("Row {}, <{}>{}:", row + 1, cells, weight == 1 ? "" : fmt::format(", counted {:.6g} times", weight)));
        tell_forward(out_, task_.shape, at, task_.data.x.row(row), outputs);
        tell_backward(out_, task_.shape, at, task_.data.t.row(row), weight, loss_, outputs, deltas);
        parts.push_back({g});
        for (std::size_t s = 0; s < task_.data.slope_inputs.size(); ++s) {
            const std::size_t input = task_.data.slope_inputs[s];
            const double slope = input_slope(task_.shape, at, outputs, input);
            const double wanted = task_.data.slopes(row, s);
            out_.note(fmt::format("the slope of the output over {} is {:.6g}, wanted {:.6g}", task_.terms[input].name, slope, wanted));
            parts.push_back({slope_gradient(at, row, s, g), plan_.error.slope_weight * weight * (wanted - slope)});
        }
    }

    /// The part of one wanted slope alone: the gradient with it, less the gradient without.
    std::vector<double> slope_gradient(std::span<const double> at, std::uint32_t row, std::size_t slope, std::span<const double> value) {
        NetworkData one = task_.data;
        one.slope_inputs = {task_.data.slope_inputs[slope]};
        one.slopes = Matrix(task_.data.x.rows, 1);
        one.slopes(row, 0) = task_.data.slopes(row, slope);
        std::vector<double> out(w_.size());
        net_.gradient(at, one, std::span(&row, 1), plan_.error, out);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] -= value[k];
        return out;
    }

    /// Every weight: the old value and, with their numbers, all parts of its change.
    void move(const std::vector<RowPart>& parts, const std::vector<double>& decayed, double rate) {
        out_.note(fmt::format("Each weight, with rate * {}:", !decayed.empty()   ? "(the part of each row, and of decay)"
                                                              : parts.size() > 1 ? "(the part of each row)"
                                                                                 : "the part of the row"));
        for (std::size_t l = 0; l < task_.shape.layers.size(); ++l)
            for (std::size_t u = 0; u < task_.shape.layers[l].units; ++u)
                for (std::size_t k = 0; k < task_.shape.layers[l].width(); ++k) {
                    const auto& layer = task_.shape.layers[l];
                    const std::size_t weight = layer.offset + u * layer.width() + k;
                    out_.note(fmt::format("{} of {}:", k == 0 ? "bias" : fmt::format("weight {}", k), unit_name(task_.shape, l, u)));
                    Parts sum;
                    double slope = 0;
                    for (const auto& part : parts) {
                        const double g = part.gradient[weight];
                        if (!sum.empty()) append(sum, {" + "});
                        if (part.miss && *part.miss != 0)
                            append(sum, {Number::real(*part.miss), " * ", Number::real(-g / *part.miss)});
                        else
                            append(sum, {Number::real(-g)});
                        slope += g;
                    }
                    if (!decayed.empty() && k > 0) append(sum, {" - ", Number::real(decayed[weight])});
                    if (!decayed.empty()) slope += decayed[weight];
                    out_.begin(plan_.optimizer == Optimizer::adam ? by_adam(weight, slope, rate) : by_momentum(weight, sum, slope, rate));
                    out_.result(Number::real(w_[weight]));
                }
    }

    Parts by_momentum(std::size_t weight, const Parts& sum, double slope, double rate) {
        Parts line{Number::real(w_[weight]), " + ", Number::real(rate), " * ("};
        append(line, sum);
        append(line, {")"});
        if (plan_.momentum > 0) append(line, {" + ", Number::real(plan_.momentum), " * ", Number::real(last_[weight])});
        last_[weight] = plan_.momentum * last_[weight] - rate * slope;
        w_[weight] += last_[weight];
        return line;
    }

    /// Means of the slope and of its square, each over what it would be if every slope had been 1 (Kingma & Ba 2015).
    Parts by_adam(std::size_t weight, double slope, double rate) {
        const double b1 = plan_.momentum > 0 ? plan_.momentum : 0.9;
        constexpr double b2 = 0.999;
        const double c1 = 1 - std::pow(b1, static_cast<double>(steps_));
        const double c2 = 1 - std::pow(b2, static_cast<double>(steps_));
        Parts line{Number::real(w_[weight]),
                   " - ",
                   Number::real(rate),
                   " * ((",
                   Number::real(b1),
                   " * ",
                   Number::real(last_[weight]),
                   " + ",
                   Number::real(1 - b1),
                   " * ",
                   Number::real(slope),
                   ") / ",
                   Number::real(c1),
                   ") / (sqrt((",
                   Number::real(b2),
                   " * ",
                   Number::real(second_[weight]),
                   " + ",
                   Number::real(1 - b2),
                   " * ",
                   Number::real(slope),
                   "^2) / ",
                   Number::real(c2),
                   ") + 0.00000001)"};
        last_[weight] = b1 * last_[weight] + (1 - b1) * slope;
        second_[weight] = b2 * second_[weight] + (1 - b2) * slope * slope;
        w_[weight] -= rate * (last_[weight] / c1) / (std::sqrt(second_[weight] / c2) + 1e-8);
        return line;
    }

    const NeuralTask& task_;
    const DescentPlan& plan_;
    Loss loss_;
    DerivationWriter& out_;
    Backpropagation net_;
    std::vector<double> w_;
    std::vector<double> last_;    ///< change; for adam the mean of the slopes
    std::vector<double> second_;  ///< for adam the mean of their squares
    std::size_t steps_ = 0;
};

void tell_error(DerivationWriter& out, const NeuralOptions& options, const NeuralTask& task) {
    std::string error = options.loss == Loss::squared ? "E = 1/2 * the sum of (t - o)^2"
                                                      : "E = - the sum of t * ln(o) (and of (1 - t) * ln(1 - o) for sigmoid outputs)";
    if (!task.data.slope_inputs.empty())
        error += fmt::format(" + {:.6g} * 1/2 * the sum of (wanted slope - slope)^2", task.plan.error.slope_weight);
    if (task.plan.decay > 0) error += fmt::format(" + {:.6g} * 1/2 * the sum of w^2, the biases left out", task.plan.decay);
    out.formula(std::move(error));
    out.formula(options.loss == Loss::squared
                    ? "δ of an output = f'(net) * (t - o);  δ of a hidden unit = f'(net) * the sum of w * δ above it"
                    : "δ of an output = t - o;  δ of a hidden unit = f'(net) * the sum of w * δ above it");
    std::string change = "each weight changes by rate * δ * its input";
    if (task.plan.batch != 1) change = "each weight changes by rate * the sum of δ * its input over the rows of a step";
    if (task.plan.decay > 0) change += fmt::format(" - rate * {:.6g} * w * (rows of the step / all rows)", task.plan.decay);
    if (task.plan.optimizer == Optimizer::adam)
        change = "w changes by rate * m / (sqrt(v) + 1e-8), m and v running means of the slope and of its square";
    else if (task.plan.momentum > 0)
        change += fmt::format(" + {:.6g} * its last change", task.plan.momentum);
    out.formula(std::move(change));
    if (!task.data.slope_inputs.empty())
        out.note(fmt::format("The parts of a row are δ * its input and, for each wanted slope, {}(wanted - slope) * d slope / dw.",
                             task.plan.error.slope_weight == 1 ? "" : fmt::format("{:.6g} * ", task.plan.error.slope_weight)));
}

}  // namespace

Result<Derivation> explain_backpropagation(const NeuralOptions& options, const NeuralTask& task, const TrainedNetwork& trained,
                                           const Run& run) {
    constexpr std::size_t rows_told = 12;   // of the first epoch
    constexpr std::size_t epochs_told = 2;  // where a step takes all rows
    DerivationWriter out;
    tell_error(out, options, task);
    if (task.inputs_by) out.note("The columns are scaled to mean 0 and standard deviation 1; the numbers here are for the scaled columns.");
    if (tellable(task.shape) && !task.training.empty()) {
        const Rng rng = run.rng.child("restart").child(0);
        std::vector<double> w = task.start(options, rng);
        task.ties.tie_weights(w);
        std::vector<std::uint32_t> order = task.training;
        const std::size_t batch = task.plan.batch == 0 ? order.size() : std::min(task.plan.batch, order.size());
        Rng orders = rng.child("order");
        if (task.plan.shuffled && batch < order.size()) order_rows(order, orders);
        out.note("At the start:");
        tell_weights(out, task.shape, w);
        BackpropagationTrace trace(task, options, std::move(w), out);
        if (batch > rows_told) out.note(fmt::format("A step sums over {} rows, too many to write out.", batch));
        // Where a step takes all rows, the next epoch goes on in the same order.
        if (batch == order.size() && batch <= rows_told)
            for (std::size_t epoch = 0; epoch < std::min(epochs_told, task.plan.epochs); ++epoch) trace.step(order, epoch);
        std::size_t told = 0;
        for (; batch < order.size() && told < order.size() && told + batch <= rows_told && task.plan.epochs > 0; told += batch)
            trace.step(std::span(order).subspan(told, std::min(batch, order.size() - told)), 0);
        if (told > 0 && told < order.size())
            out.note(fmt::format("The other {} rows of the epoch follow in the same way.", order.size() - told));
    }
    const auto& history = trained.history;
    for (std::size_t e = 0; e < history.size(); e += std::max<std::size_t>(1, history.size() / 8))
        out.note(fmt::format("Epoch {}: loss {:.6g}", e + 1, history[e]));
    out.note(fmt::format("At the end: loss {:.6g}", trained.loss));
    return std::move(out).take();
}

}  // namespace credence::rt
