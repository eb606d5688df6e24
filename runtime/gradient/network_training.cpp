#include "runtime/gradient/network_training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/progress.hpp"

namespace credence::rt {

double Schedule::rate(double first, std::size_t epoch, std::size_t epochs) const {
    const auto e = static_cast<double>(epoch);
    switch (kind) {
        case Kind::constant:
            return first;
        case Kind::inverse:
            return first / (1 + e / every);
        case Kind::step:
            return first * std::pow(factor, std::floor(e / every));
        case Kind::cosine:
            return 0.5 * first * (1 + std::cos(M_PI * e / static_cast<double>(std::max<std::size_t>(epochs, 1))));
    }
    return first;
}

// --- ties -------------------------------------------------------------------------------------------------------------

Result<WeightTies> WeightTies::make(const NetworkShape& shape, const Ties& ties) {
    WeightTies out;
    if (ties.groups.empty() && ties.window == 0) return out;
    out.group_.resize(shape.weight_count);
    std::iota(out.group_.begin(), out.group_.end(), 0U);
    if (ties.window > 0) {
        const auto& first = shape.layers.front();
        const std::size_t reach = (first.units - 1) * ties.stride + ties.window;
        if (shape.layers.size() < 2 || reach != first.inputs)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("{} windows of {} inputs, {} apart, cover {} inputs, and the network has {}", first.units,
                                                ties.window, ties.stride, reach, first.inputs),
                         .hint = "the first hidden layer has one unit for each window"};
        for (std::size_t u = 0; u < first.units; ++u) {
            std::uint32_t* group = out.group_.data() + first.offset + u * first.width();
            group[0] = static_cast<std::uint32_t>(first.offset);
            for (std::size_t i = 0; i < first.inputs; ++i) {
                const std::size_t at = i - u * ties.stride;
                const bool inside = i >= u * ties.stride && at < ties.window;
                group[i + 1] = inside ? static_cast<std::uint32_t>(first.offset + 1 + at) : none;
            }
        }
    }
    for (const auto& group : ties.groups) {
        std::optional<std::uint32_t> first;
        for (const auto& place : group) {
            if (place.layer >= shape.layers.size() || place.unit >= shape.layers[place.layer].units ||
                place.input > shape.layers[place.layer].inputs)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("tie names weight [{}, {}, {}], which the network does not have", place.layer + 1,
                                                    place.unit + 1, place.input),
                             .hint = "a weight is [layer, unit, input], all from 1; input 0 is the bias"};
            const auto& layer = shape.layers[place.layer];
            const auto weight = static_cast<std::uint32_t>(layer.offset + place.unit * layer.width() + place.input);
            const std::uint32_t old = out.group_[weight];
            if (!first) first = old;
            for (auto& g : out.group_)
                if (g == old) g = *first;
        }
    }
    return out;
}

void WeightTies::tie_weights(std::span<double> w) const {
    for (std::size_t k = 0; k < group_.size(); ++k) w[k] = group_[k] == none ? 0.0 : w[group_[k]];
}

void WeightTies::tie_gradient(std::span<double> g) const {
    std::vector<double> sums(group_.size(), 0.0);
    for (std::size_t k = 0; k < group_.size(); ++k)
        if (group_[k] != none) sums[group_[k]] += g[k];
    for (std::size_t k = 0; k < group_.size(); ++k) g[k] = group_[k] == none ? 0.0 : sums[group_[k]];
}

// --- start and order --------------------------------------------------------------------------------------------------

std::vector<double> initial_weights(const NetworkShape& shape, std::optional<double> range, Rng& rng) {
    std::vector<double> out(shape.weight_count);
    for (const auto& layer : shape.layers) {
        const auto in = static_cast<double>(std::max<std::size_t>(layer.inputs, 1));
        const auto units = static_cast<double>(layer.units);
        const double reach = range ? *range : std::sqrt(6 / (layer.activation == Activation::relu ? in : in + units));
        for (std::size_t k = 0; k < layer.units * layer.width(); ++k) out[layer.offset + k] = reach * (2 * rng.uniform() - 1);
    }
    return out;
}

void order_rows(std::vector<std::uint32_t>& rows, Rng& rng) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
}

// --- steps ------------------------------------------------------------------------------------------------------------

namespace {

/// Velocities and moments of the optimisers; step() moves the weights against the gradient.
class Stepper {
public:
    Stepper(const DescentPlan& plan, std::size_t n) : plan_(plan) {
        if (plan.optimizer == Optimizer::adam || plan.momentum > 0) velocity_.assign(n, 0.0);
        if (plan.optimizer == Optimizer::adam) second_.assign(n, 0.0);
    }

    /// Nesterov's gradient is taken where the velocity leads: the weights to evaluate it at.
    std::span<const double> look_ahead(std::span<const double> w) {
        if (plan_.optimizer != Optimizer::nesterov || plan_.momentum == 0) return w;
        ahead_.assign(w.begin(), w.end());
        add_scaled(ahead_.data(), plan_.momentum, velocity_.data(), w.size());
        return ahead_;
    }

    void step(std::span<double> w, std::span<const double> g, double rate) {
        const std::size_t n = w.size();
        if (plan_.optimizer == Optimizer::adam) {
            // Kingma & Ba 2015, with their β₁ = 0.9 (or the momentum given), β₂ = 0.999, ε = 1e-8.
            const double b1 = plan_.momentum > 0 ? plan_.momentum : 0.9;
            constexpr double b2 = 0.999;
            ++steps_;
            const double c1 = 1 - std::pow(b1, static_cast<double>(steps_));
            const double c2 = 1 - std::pow(b2, static_cast<double>(steps_));
            for (std::size_t k = 0; k < n; ++k) {
                velocity_[k] = b1 * velocity_[k] + (1 - b1) * g[k];
                second_[k] = b2 * second_[k] + (1 - b2) * g[k] * g[k];
                w[k] -= rate * (velocity_[k] / c1) / (std::sqrt(second_[k] / c2) + 1e-8);
            }
            return;
        }
        if (plan_.momentum == 0) {
            add_scaled(w.data(), -rate, g.data(), n);
            return;
        }
        set_scaled(velocity_.data(), plan_.momentum, velocity_.data(), n);
        add_scaled(velocity_.data(), -rate, g.data(), n);
        add_scaled(w.data(), 1.0, velocity_.data(), n);
    }

private:
    const DescentPlan& plan_;
    std::vector<double> velocity_;
    std::vector<double> second_;
    std::vector<double> ahead_;
    std::size_t steps_ = 0;
};

void add_decay(const NetworkShape& shape, std::span<const double> w, double decay, std::span<double> g) {
    for (const auto& layer : shape.layers)
        for (std::size_t u = 0; u < layer.units; ++u) {
            const std::size_t at = layer.offset + u * layer.width() + 1;
            add_scaled(g.data() + at, decay, w.data() + at, layer.inputs);
        }
}

/// ½ decay Σ w², the biases left out: the part of the loss whose gradient add_decay adds.
double decay_loss(const NetworkShape& shape, std::span<const double> w, double decay) {
    double squares = 0;
    for (const auto& layer : shape.layers)
        for (std::size_t u = 0; u < layer.units; ++u) {
            const double* unit = w.data() + layer.offset + u * layer.width();
            for (std::size_t k = 1; k < layer.width(); ++k) squares += unit[k] * unit[k];
        }
    return decay / 2 * squares;
}

Fault grows(const DescentPlan& plan, double first, double last, std::size_t epoch) {
    return {.code = "E-TRAIN",
            .message =
                fmt::format("the rate {:.6g} is too large: the loss went from {:.6g} to {:.6g} by epoch {}", plan.rate, first, last, epoch),
            .hint = fmt::format("use a smaller rate{}, or scale the columns: scale(t); without rate, both are done automatically",
                                plan.batch == 1 ? "" : " (a step follows the summed gradient of its batch)")};
}

}  // namespace

Result<Descended> descend(const NetworkShape& shape, const WeightTies& ties, const NetworkData& data,
                          std::span<const std::uint32_t> training, std::span<const std::uint32_t> validation, std::vector<double> start,
                          const DescentPlan& plan, Rng rng, const Run& run) {
    const std::size_t batch = plan.batch == 0 ? training.size() : std::min(plan.batch, training.size());
    Backpropagation net(shape, std::max<std::size_t>(batch, 64));
    Descended out;
    out.weights = std::move(start);
    ties.tie_weights(out.weights);
    std::vector<double>& w = out.weights;
    std::vector<double> g(w.size());
    std::vector<std::uint32_t> order(training.begin(), training.end());
    Stepper stepper(plan, w.size());
    const auto loss = [&] { return net.error(w, data, training, plan.error) + (plan.decay > 0 ? decay_loss(shape, w, plan.decay) : 0); };
    const double first = loss();
    double best = validation.empty() ? 0 : net.error(w, data, validation, plan.error);
    std::vector<double> best_weights = validation.empty() ? std::vector<double>{} : w;
    const auto all = static_cast<double>(training.size());
    Progress progress(run, "neural", plan.epochs, "epochs", w.size() * training.size() * 4);
    for (std::size_t epoch = 0; epoch < plan.epochs; ++epoch) {
        if (run.stopped()) return stopped_fault();
        if (plan.shuffled && batch < order.size()) order_rows(order, rng);
        const double rate = plan.schedule.rate(plan.rate, epoch, plan.epochs);
        for (std::size_t begin = 0; begin < order.size(); begin += batch) {
            const auto rows = std::span<const std::uint32_t>(order).subspan(begin, std::min(batch, order.size() - begin));
            const auto at = stepper.look_ahead(w);
            net.gradient(at, data, rows, plan.error, g);
            if (plan.decay > 0) add_decay(shape, at, plan.decay * static_cast<double>(rows.size()) / all, g);
            if (ties.any()) ties.tie_gradient(g);
            stepper.step(w, g, rate);
        }
        out.history.push_back(loss());
        if (!std::isfinite(out.history.back()) || out.history.back() > 1e9 * (first + 1))
            return grows(plan, first, out.history.back(), epoch + 1);
        progress.reach(epoch + 1, "loss", out.history.back());
        if (validation.empty()) continue;
        out.validation.push_back(net.error(w, data, validation, plan.error));
        if (out.validation.back() < best) {
            best = out.validation.back();
            best_weights = w;
            out.best_epoch = epoch + 1;
        } else if (epoch + 1 - out.best_epoch >= plan.patience) {
            break;
        }
    }
    if (!validation.empty()) w = std::move(best_weights);
    out.loss = loss();
    return out;
}

}  // namespace credence::rt
