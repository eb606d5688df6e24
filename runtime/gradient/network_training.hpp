#pragma once
// Gradient descent on a network's error: steps, their pace, restarts, early stopping, ties between weights.

#include <optional>
#include <string>

#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"
#include "runtime/gradient/network.hpp"

namespace credence::rt {

enum class Optimizer { momentum, nesterov, adam };

/// The rate of an epoch (counted from 0).
struct Schedule {
    enum class Kind { constant, inverse, step, cosine } kind = Kind::constant;
    double every = 10;  ///< inverse: rate / (1 + epoch / every); step: rate · factor^⌊epoch / every⌋
    double factor = 0.5;
    double rate(double first, std::size_t epoch, std::size_t epochs) const;
};

/// Weights that are one: each group moves together. Windows: every unit of the first hidden layer sees `window` neighbouring inputs,
/// `stride` further on for each unit, through the same weights.
struct Ties {
    struct Place {
        std::size_t layer = 0;  ///< from 0
        std::size_t unit = 0;
        std::size_t input = 0;  ///< 0: the bias
    };
    std::vector<std::vector<Place>> groups;
    std::size_t window = 0;
    std::size_t stride = 1;
};

struct DescentPlan {
    NetworkError error;
    double rate = 0.1;
    Schedule schedule;
    Optimizer optimizer = Optimizer::momentum;
    double momentum = 0;
    double decay = 0;  ///< adds ½·decay·Σ w² (biases left out) to the error of all rows
    std::size_t epochs = 0;
    std::size_t batch = 1;  ///< 0: all rows
    bool shuffled = true;
    std::size_t patience = 0;  ///< epochs without a better validation error before training ends; 0 without validation
    std::optional<double> init_range;
};

/// Which weights are free, and which move together.
class WeightTies {
public:
    WeightTies() = default;
    /// A message where a place is not in the network or the windows do not fit it.
    static Result<WeightTies> make(const NetworkShape& shape, const Ties& ties);
    bool any() const { return !group_.empty(); }
    void tie_weights(std::span<double> w) const;   ///< each group takes its first weight, what is outside a window 0
    void tie_gradient(std::span<double> g) const;  ///< each group takes the sum over it, what is outside a window 0

private:
    std::vector<std::uint32_t> group_;  ///< by weight: the first weight of its group; `none`: fixed at 0
    static constexpr std::uint32_t none = 0xffffffffU;
};

struct Descended {
    std::vector<double> weights;
    double loss = 0;                 ///< of the training rows, and ½ decay Σ w²
    std::vector<double> history;     ///< loss after each epoch
    std::vector<double> validation;  ///< of the validation rows, without decay, where there are any
    std::size_t best_epoch = 0;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.weights);
        visit(self.loss);
        visit(self.history);
        visit(self.validation);
        visit(self.best_epoch);
    }
};

/// Uniform in ±range, or ±√(6 / (in + out)) (Glorot & Bengio 2010; relu: ±√(6 / in), He et al. 2015).
std::vector<double> initial_weights(const NetworkShape& shape, std::optional<double> range, Rng& rng);

/// The order of the rows in an epoch of a run whose stream is rng.
void order_rows(std::vector<std::uint32_t>& rows, Rng& rng);

/// Descends from `start`; E-TRAIN if the error grows without bound.
Result<Descended> descend(const NetworkShape& shape, const WeightTies& ties, const NetworkData& data,
                          std::span<const std::uint32_t> training, std::span<const std::uint32_t> validation, std::vector<double> start,
                          const DescentPlan& plan, Rng rng, const Run& run);

}  // namespace credence::rt
