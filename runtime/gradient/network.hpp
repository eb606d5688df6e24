#pragma once
// Feed-forward networks: layers of units, their outputs, and the gradient of the error by backpropagation (Rumelhart, Hinton & Williams
// 1986). Weights are one array: layer after layer, unit after unit, the bias first.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/core/linalg.hpp"

namespace credence::rt {

enum class Activation { sigmoid, tanh, relu, linear, softmax };
enum class Loss { squared, cross_entropy };

std::string_view activation_name(Activation a);
double slope_at(Activation a, double out);      ///< f' where f is `out`; not softmax
double curvature_at(Activation a, double out);  ///< f'' where f is `out`; not softmax

struct NetworkLayer {
    std::size_t inputs = 0;
    std::size_t units = 0;
    Activation activation = Activation::sigmoid;
    std::size_t offset = 0;  ///< of its first weight

    std::size_t width() const { return inputs + 1; }
};

struct NetworkShape {
    std::vector<NetworkLayer> layers;
    std::size_t weight_count = 0;

    NetworkShape() = default;
    NetworkShape(std::size_t inputs, std::span<const std::size_t> hidden, Activation activation, std::size_t outputs, Activation output);
    std::size_t inputs() const { return layers.front().inputs; }
    std::size_t outputs() const { return layers.back().units; }
    std::size_t widest() const;
};

/// Rows to learn from. `slopes` has, for each row, slope_inputs.size() × outputs wanted derivatives ∂output/∂input.
struct NetworkData {
    Matrix x;
    Matrix t;
    std::vector<double> weights;
    std::vector<std::size_t> slope_inputs;
    Matrix slopes;
};

/// The error summed over rows: ½ Σ (t − o)², or −Σ t ln o (softmax) and −Σ t ln o + (1 − t) ln(1 − o) (sigmoid); with slopes, plus
/// slope_weight · ½ Σ (wanted − ∂o/∂x)².
struct NetworkError {
    Loss loss = Loss::squared;
    double slope_weight = 1;
};

/// Outputs and gradients with the arrays they need: one for each thread.
class Backpropagation {
public:
    Backpropagation(const NetworkShape& shape, std::size_t largest_batch);

    /// Outputs of rows × outputs.
    void outputs(std::span<const double> w, const Matrix& x, Matrix& out);
    double error(std::span<const double> w, const NetworkData& data, std::span<const std::uint32_t> rows, const NetworkError& e);
    /// The error of these rows; its gradient replaces `gradient`.
    double gradient(std::span<const double> w, const NetworkData& data, std::span<const std::uint32_t> rows, const NetworkError& e,
                    std::span<double> gradient);

    /// After gradient() of one row: ∂E/∂net of the units of a layer, and their outputs. For traces.
    std::span<const double> deltas(std::size_t layer) const { return {delta_[layer].data(), shape_->layers[layer].units}; }
    std::span<const double> layer_outputs(std::size_t layer) const { return {out_[layer].data(), shape_->layers[layer].units}; }

private:
    void forward(std::span<const double> w, const double* x, std::size_t rows);
    double output_deltas(const double* t, const double* row_weights, std::size_t rows, Loss loss);
    void backward(std::span<const double> w, const double* x, std::size_t rows, std::span<double> gradient);
    double slope_part(std::span<const double> w, const NetworkData& data, std::size_t row, double weight, std::span<double> gradient);

    const NetworkShape* shape_;
    std::size_t batch_;
    std::vector<std::vector<double>> out_;    ///< of each layer: batch × units
    std::vector<std::vector<double>> delta_;  ///< the same shape
    std::vector<double> x_;                   ///< rows of a batch, gathered
    std::vector<double> t_;
    std::vector<double> row_weights_;
    std::vector<std::vector<double>> tangent_;  ///< of each layer, its inputs first: ∂/∂x_j
    std::vector<std::vector<double>> net_tangent_;
};

}  // namespace credence::rt
