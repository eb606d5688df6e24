#include "runtime/gradient/network.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/lanes.hpp"
#include "runtime/core/products.hpp"

namespace credence::rt {

std::string_view activation_name(Activation a) {
    switch (a) {
        case Activation::sigmoid:
            return "sigmoid";
        case Activation::tanh:
            return "tanh";
        case Activation::relu:
            return "relu";
        case Activation::linear:
            return "linear";
        case Activation::softmax:
            return "softmax";
    }
    return {};
}

double slope_at(Activation a, double out) {
    switch (a) {
        case Activation::sigmoid:
            return out * (1 - out);
        case Activation::tanh:
            return 1 - out * out;
        case Activation::relu:
            return out > 0 ? 1 : 0;
        case Activation::linear:
        case Activation::softmax:
            return 1;
    }
    return 1;
}

double curvature_at(Activation a, double out) {
    switch (a) {
        case Activation::sigmoid:
            return out * (1 - out) * (1 - 2 * out);
        case Activation::tanh:
            return -2 * out * (1 - out * out);
        case Activation::relu:
        case Activation::linear:
        case Activation::softmax:
            return 0;
    }
    return 0;
}

NetworkShape::NetworkShape(std::size_t inputs, std::span<const std::size_t> hidden, Activation activation, std::size_t outputs,
                           Activation output) {
    std::size_t before = inputs;
    const auto add = [&](std::size_t units, Activation a) {
        layers.push_back({before, units, a, weight_count});
        weight_count += units * (before + 1);
        before = units;
    };
    for (const std::size_t units : hidden) add(units, activation);
    add(outputs, output);
}

std::size_t NetworkShape::widest() const {
    std::size_t out = inputs();
    for (const auto& layer : layers) out = std::max(out, layer.units);
    return out;
}

namespace {

void soft_max(double* row, std::size_t n) {
    const double largest = *std::max_element(row, row + n);
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) total += row[k] = std::exp(row[k] - largest);
    for (std::size_t k = 0; k < n; ++k) row[k] /= total;
}

void activate(Activation a, double* values, std::size_t n) {
    switch (a) {
        case Activation::sigmoid:
            sigmoid_all(values, n);
            return;
        case Activation::tanh:
            // tanh(x) = 2·sigmoid(2x) − 1
            for (std::size_t k = 0; k < n; ++k) values[k] *= 2;
            sigmoid_all(values, n);
            for (std::size_t k = 0; k < n; ++k) values[k] = 2 * values[k] - 1;
            return;
        case Activation::relu:
            for (std::size_t k = 0; k < n; ++k) values[k] = values[k] > 0 ? values[k] : 0;
            return;
        case Activation::linear:
        case Activation::softmax:
            return;
    }
}

void times_slope(Activation a, double* delta, const double* out, std::size_t n) {
    switch (a) {
        case Activation::sigmoid:
            for (std::size_t k = 0; k < n; ++k) delta[k] *= out[k] * (1 - out[k]);
            return;
        case Activation::tanh:
            for (std::size_t k = 0; k < n; ++k) delta[k] *= 1 - out[k] * out[k];
            return;
        case Activation::relu:
            for (std::size_t k = 0; k < n; ++k) delta[k] = out[k] > 0 ? delta[k] : 0;
            return;
        case Activation::linear:
        case Activation::softmax:
            return;
    }
}

/// ln that a rounded 0 does not make infinite.
double safe_log(double p) { return std::log(std::max(p, 1e-300)); }

double row_error(const double* o, const double* t, std::size_t n, Activation activation, Loss loss) {
    double out = 0;
    for (std::size_t k = 0; k < n; ++k) {
        if (loss == Loss::squared)
            out += 0.5 * (t[k] - o[k]) * (t[k] - o[k]);
        else if (activation == Activation::softmax)
            out -= t[k] > 0 ? t[k] * safe_log(o[k]) : 0;
        else
            out -= (t[k] > 0 ? t[k] * safe_log(o[k]) : 0) + (t[k] < 1 ? (1 - t[k]) * safe_log(1 - o[k]) : 0);
    }
    return out;
}

}  // namespace

Backpropagation::Backpropagation(const NetworkShape& shape, std::size_t largest_batch)
    : shape_(&shape), batch_(std::max<std::size_t>(largest_batch, 1)) {
    tangent_.emplace_back(shape.inputs());
    for (const auto& layer : shape.layers) {
        out_.emplace_back(batch_ * layer.units);
        delta_.emplace_back(batch_ * layer.units);
        tangent_.emplace_back(layer.units);
        net_tangent_.emplace_back(layer.units);
    }
    x_.resize(batch_ * shape.inputs());
    t_.resize(batch_ * shape.outputs());
    row_weights_.resize(batch_);
}

void Backpropagation::forward(std::span<const double> w, const double* x, std::size_t rows) {
    const double* from = x;
    for (std::size_t l = 0; l < shape_->layers.size(); ++l) {
        const auto& layer = shape_->layers[l];
        const double* weights = w.data() + layer.offset;
        double* to = out_[l].data();
        if (rows == 1) {
            for (std::size_t u = 0; u < layer.units; ++u)
                to[u] = weights[u * layer.width()] + dot(weights + u * layer.width() + 1, from, layer.inputs);
        } else {
            product_transposed({from, rows, layer.inputs, layer.inputs}, {weights + 1, layer.units, layer.inputs, layer.width()},
                               {to, rows, layer.units, layer.units});
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t u = 0; u < layer.units; ++u) to[r * layer.units + u] += weights[u * layer.width()];
        }
        activate(layer.activation, to, rows * layer.units);
        if (layer.activation == Activation::softmax)
            for (std::size_t r = 0; r < rows; ++r) soft_max(to + r * layer.units, layer.units);
        from = to;
    }
}

/// ∂E/∂net of the output units, each row times its weight; the error of the rows.
double Backpropagation::output_deltas(const double* t, const double* row_weights, std::size_t rows, Loss loss) {
    const auto& last = shape_->layers.back();
    const std::size_t n = last.units;
    double error = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const double* o = out_.back().data() + r * n;
        double* d = delta_.back().data() + r * n;
        error += row_weights[r] * row_error(o, t + r * n, n, last.activation, loss);
        for (std::size_t k = 0; k < n; ++k) d[k] = row_weights[r] * (o[k] - t[r * n + k]);
        if (loss == Loss::cross_entropy) continue;
        if (last.activation == Activation::softmax) {
            double mean = 0;
            for (std::size_t k = 0; k < n; ++k) mean += d[k] * o[k];
            for (std::size_t k = 0; k < n; ++k) d[k] = o[k] * (d[k] - mean);
        } else {
            times_slope(last.activation, d, o, n);
        }
    }
    return error;
}

void Backpropagation::backward(std::span<const double> w, const double* x, std::size_t rows, std::span<double> gradient) {
    for (std::size_t l = shape_->layers.size(); l-- > 0;) {
        const auto& layer = shape_->layers[l];
        const double* weights = w.data() + layer.offset;
        const double* from = l == 0 ? x : out_[l - 1].data();
        const double* d = delta_[l].data();
        double* g = gradient.data() + layer.offset;
        if (rows == 1) {
            for (std::size_t u = 0; u < layer.units; ++u) {
                double* row = g + u * layer.width();
                row[0] = d[u];
                set_scaled(row + 1, d[u], from, layer.inputs);
            }
        } else {
            transposed_product({d, rows, layer.units, layer.units}, {from, rows, layer.inputs, layer.inputs},
                               {g + 1, layer.units, layer.inputs, layer.width()});
            for (std::size_t u = 0; u < layer.units; ++u) {
                double total = 0;
                for (std::size_t r = 0; r < rows; ++r) total += d[r * layer.units + u];
                g[u * layer.width()] = total;
            }
        }
        if (l == 0) return;
        double* below = delta_[l - 1].data();
        if (rows == 1) {
            std::fill(below, below + layer.inputs, 0.0);
            for (std::size_t u = 0; u < layer.units; ++u) add_scaled(below, d[u], weights + u * layer.width() + 1, layer.inputs);
        } else {
            product({d, rows, layer.units, layer.units}, {weights + 1, layer.units, layer.inputs, layer.width()},
                    {below, rows, layer.inputs, layer.inputs});
        }
        times_slope(shape_->layers[l - 1].activation, below, out_[l - 1].data(), rows * layer.inputs);
    }
}

/// The slopes of one row whose outputs are in out_: forward the tangents ∂a/∂x_j, back the adjoints of both (a and ∂a/∂x_j), since
/// a tangent depends on the weights through f'(net) too. Adds to the gradient; returns weight · ½ Σ (wanted − ∂o/∂x)².
double Backpropagation::slope_part(std::span<const double> w, const NetworkData& data, std::size_t row, double weight,
                                   std::span<double> gradient) {
    const auto& layers = shape_->layers;
    const std::size_t outputs = shape_->outputs();
    double error = 0;
    std::vector<double> adjoint(shape_->widest());
    std::vector<double> tangent_adjoint(shape_->widest());
    std::vector<double> below(shape_->widest());
    std::vector<double> tangent_below(shape_->widest());
    for (std::size_t s = 0; s < data.slope_inputs.size(); ++s) {
        std::fill(tangent_[0].begin(), tangent_[0].end(), 0.0);
        tangent_[0][data.slope_inputs[s]] = 1;
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const double* weights = w.data() + layers[l].offset;
            for (std::size_t u = 0; u < layers[l].units; ++u) {
                net_tangent_[l][u] = dot(weights + u * layers[l].width() + 1, tangent_[l].data(), layers[l].inputs);
                tangent_[l + 1][u] = slope_at(layers[l].activation, out_[l][u]) * net_tangent_[l][u];
            }
        }
        for (std::size_t k = 0; k < outputs; ++k) {
            const double miss = tangent_.back()[k] - data.slopes(row, s * outputs + k);
            error += 0.5 * weight * miss * miss;
            adjoint[k] = 0;
            tangent_adjoint[k] = weight * miss;
        }
        for (std::size_t l = layers.size(); l-- > 0;) {
            const auto& layer = layers[l];
            const double* weights = w.data() + layer.offset;
            const double* from = l == 0 ? data.x.row(row).data() : out_[l - 1].data();
            std::fill(below.begin(), below.end(), 0.0);
            std::fill(tangent_below.begin(), tangent_below.end(), 0.0);
            for (std::size_t u = 0; u < layer.units; ++u) {
                const double o = out_[l][u];
                const double slope = slope_at(layer.activation, o);
                const double net = adjoint[u] * slope + tangent_adjoint[u] * curvature_at(layer.activation, o) * net_tangent_[l][u];
                const double net_tangent = tangent_adjoint[u] * slope;
                double* g = gradient.data() + layer.offset + u * layer.width();
                g[0] += net;
                add_scaled(g + 1, net, from, layer.inputs);
                add_scaled(g + 1, net_tangent, tangent_[l].data(), layer.inputs);
                add_scaled(below.data(), net, weights + u * layer.width() + 1, layer.inputs);
                add_scaled(tangent_below.data(), net_tangent, weights + u * layer.width() + 1, layer.inputs);
            }
            std::swap(adjoint, below);
            std::swap(tangent_adjoint, tangent_below);
        }
    }
    return error;
}

void Backpropagation::outputs(std::span<const double> w, const Matrix& x, Matrix& out) {
    const std::size_t n = shape_->outputs();
    for (std::size_t begin = 0; begin < x.rows; begin += batch_) {
        const std::size_t rows = std::min(batch_, x.rows - begin);
        forward(w, x.row(begin).data(), rows);
        std::copy(out_.back().begin(), out_.back().begin() + static_cast<std::ptrdiff_t>(rows * n), out.row(begin).begin());
    }
}

double Backpropagation::error(std::span<const double> w, const NetworkData& data, std::span<const std::uint32_t> rows,
                              const NetworkError& e) {
    const std::size_t n = shape_->outputs();
    double out = 0;
    for (std::size_t begin = 0; begin < rows.size(); begin += batch_) {
        const std::size_t count = std::min(batch_, rows.size() - begin);
        for (std::size_t r = 0; r < count; ++r)
            std::copy_n(data.x.row(rows[begin + r]).begin(), shape_->inputs(),
                        x_.begin() + static_cast<std::ptrdiff_t>(r * shape_->inputs()));
        forward(w, x_.data(), count);
        for (std::size_t r = 0; r < count; ++r) {
            const auto row = rows[begin + r];
            out += data.weights[row] *
                   row_error(out_.back().data() + r * n, data.t.row(row).data(), n, shape_->layers.back().activation, e.loss);
        }
    }
    if (data.slope_inputs.empty()) return out;
    std::vector<double> unused(shape_->weight_count);
    for (const auto row : rows) {
        forward(w, data.x.row(row).data(), 1);
        out += slope_part(w, data, row, e.slope_weight * data.weights[row], unused);
    }
    return out;
}

double Backpropagation::gradient(std::span<const double> w, const NetworkData& data, std::span<const std::uint32_t> rows,
                                 const NetworkError& e, std::span<double> gradient) {
    const std::size_t inputs = shape_->inputs();
    const std::size_t outputs = shape_->outputs();
    double out = 0;
    if (rows.size() == 1) {
        const auto row = rows[0];
        forward(w, data.x.row(row).data(), 1);
        out = output_deltas(data.t.row(row).data(), data.weights.data() + row, 1, e.loss);
        backward(w, data.x.row(row).data(), 1, gradient);
    } else {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::copy_n(data.x.row(rows[r]).begin(), inputs, x_.begin() + static_cast<std::ptrdiff_t>(r * inputs));
            std::copy_n(data.t.row(rows[r]).begin(), outputs, t_.begin() + static_cast<std::ptrdiff_t>(r * outputs));
            row_weights_[r] = data.weights[rows[r]];
        }
        forward(w, x_.data(), rows.size());
        out = output_deltas(t_.data(), row_weights_.data(), rows.size(), e.loss);
        backward(w, x_.data(), rows.size(), gradient);
    }
    if (data.slope_inputs.empty()) return out;
    for (const auto row : rows) {
        forward(w, data.x.row(row).data(), 1);
        out += slope_part(w, data, row, e.slope_weight * data.weights[row], gradient);
    }
    return out;
}

}  // namespace credence::rt
