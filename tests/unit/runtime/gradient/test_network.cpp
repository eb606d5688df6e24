// Backpropagation equals central differences, whatever the network: the property that every option of `neural` rests on.

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "runtime/gradient/network_training.hpp"

using namespace credence::rt;

namespace {

NetworkData made_up(const NetworkShape& shape, Loss loss, std::size_t rows, std::size_t slopes, Rng& rng) {
    NetworkData out;
    out.x = Matrix(rows, shape.inputs());
    out.t = Matrix(rows, shape.outputs());
    for (double& v : out.x.values) v = rng.normal();
    for (std::size_t i = 0; i < rows; ++i) {
        double total = 0;
        for (double& t : out.t.row(i)) total += t = rng.uniform();
        if (loss == Loss::cross_entropy && shape.layers.back().activation == Activation::softmax)
            for (double& t : out.t.row(i)) t /= total;
        out.weights.push_back(0.5 + rng.uniform());
    }
    for (std::size_t s = 0; s < slopes; ++s) out.slope_inputs.push_back(s);
    out.slopes = Matrix(rows, slopes * shape.outputs());
    for (double& v : out.slopes.values) v = rng.normal();
    return out;
}

/// The largest difference between the gradient and central differences, over 1 + its size. A weight is left out where the two one-sided
/// slopes disagree: there a unit of relu is at its kink.
double worst_difference(const NetworkShape& shape, const NetworkData& data, const NetworkError& e, std::vector<double> w) {
    std::vector<std::uint32_t> rows(data.x.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    Backpropagation net(shape, rows.size());
    std::vector<double> g(w.size());
    const double here = net.gradient(w, data, rows, e, g);
    CHECK(here == Approx(net.error(w, data, rows, e)).epsilon(1e-12));
    double worst = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
        const double h = 1e-5;
        const double at = w[k];
        w[k] = at + h;
        const double up = net.error(w, data, rows, e);
        w[k] = at - h;
        const double down = net.error(w, data, rows, e);
        w[k] = at;
        if (std::abs((up - here) - (here - down)) > 1e-6) continue;
        worst = std::max(worst, std::abs(g[k] - (up - down) / (2 * h)) / (1 + std::abs(g[k])));
    }
    return worst;
}

}  // namespace

TEST_CASE("backpropagation equals central differences on random networks with every activation, loss and slope") {
    Rng rng(11);
    std::size_t networks = 0;
    for (const auto hidden : {Activation::sigmoid, Activation::tanh, Activation::relu, Activation::linear})
        for (const auto output : {Activation::sigmoid, Activation::tanh, Activation::relu, Activation::linear, Activation::softmax})
            for (const auto loss : {Loss::squared, Loss::cross_entropy})
                for (const std::size_t depth : {0U, 1U, 3U})
                    for (const std::size_t rows : {1U, 5U})
                        for (const std::size_t slopes : {0U, 2U}) {
                            if (loss == Loss::cross_entropy && output != Activation::sigmoid && output != Activation::softmax) continue;
                            if (slopes > 0 && output == Activation::softmax) continue;
                            std::vector<std::size_t> layers;
                            for (std::size_t l = 0; l < depth; ++l) layers.push_back(2 + rng.below(5));
                            const NetworkShape shape(2 + rng.below(6), layers, hidden, 1 + rng.below(4), output);
                            const NetworkData data = made_up(shape, loss, rows, slopes, rng);
                            const auto w = initial_weights(shape, 0.8, rng);
                            INFO(activation_name(hidden)
                                 << " " << activation_name(output) << " depth " << depth << " rows " << rows << " slopes " << slopes);
                            CHECK(worst_difference(shape, data, {loss, 0.7}, w) < 1e-6);
                            ++networks;
                        }
    CHECK(networks > 200);
}

TEST_CASE("tied weights stay one: the gradient of a group is the sum over its places") {
    const NetworkShape shape(5, std::vector<std::size_t>{3}, Activation::tanh, 1, Activation::linear);
    Ties ties;
    ties.window = 3;
    auto made = WeightTies::make(shape, ties);
    REQUIRE(made);
    Rng rng(5);
    std::vector<double> w = initial_weights(shape, 1.0, rng);
    made->tie_weights(w);
    CHECK(w[1] == w[6 + 2]);  // unit 2 sees the inputs one further on through the same weights
    CHECK(w[4] == 0);         // unit 1 does not see input 4
    const NetworkData data = made_up(shape, Loss::squared, 4, 0, rng);
    const std::vector<std::uint32_t> rows{0, 1, 2, 3};
    Backpropagation net(shape, 4);
    std::vector<double> g(w.size());
    const NetworkError e;
    net.gradient(w, data, rows, e, g);
    made->tie_gradient(g);
    const double h = 1e-5;
    for (const std::size_t first : {0U, 1U, 2U, 3U}) {  // the bias and the three weights of a window
        const auto moved = [&](double by) {
            std::vector<double> v = w;
            v[first] += by;
            made->tie_weights(v);
            return net.error(v, data, rows, e);
        };
        CHECK(g[first] == Approx((moved(h) - moved(-h)) / (2 * h)).margin(1e-7));
        CHECK(g[first] == g[6 + first + (first == 0 ? 0 : 1)]);
    }
    ties.window = 4;
    CHECK_FALSE(WeightTies::make(shape, ties));
}

TEST_CASE("momentum, Nesterov and Adam take the steps of their papers") {
    // One linear unit without inputs: E = ½ (t − b)², dE/db = b − t.
    const NetworkShape shape(0, {}, Activation::linear, 1, Activation::linear);
    NetworkData data;
    data.x = Matrix(1, 0);
    data.t = Matrix(1, 1);
    data.t(0, 0) = 1;
    data.weights = {1};
    const std::vector<std::uint32_t> rows{0};
    DescentPlan plan;
    plan.rate = 0.1;
    plan.epochs = 2;
    plan.momentum = 0.5;
    const Run run;
    const auto after = [&] { return (*descend(shape, {}, data, rows, {}, {0.0}, plan, Rng(1), run)).weights[0]; };
    // v1 = 0.1, b = 0.1; v2 = 0.05 + 0.1·0.9 = 0.14, b = 0.24
    CHECK(after() == Approx(0.24));
    plan.optimizer = Optimizer::nesterov;
    // v1 = 0.1, b = 0.1; the gradient at 0.1 + 0.05: v2 = 0.05 + 0.1·0.85 = 0.135
    CHECK(after() == Approx(0.235));
    plan.optimizer = Optimizer::adam;
    plan.momentum = 0.9;
    plan.epochs = 1;
    // The first step of Adam has the length of the rate, whatever the gradient.
    CHECK(after() == Approx(0.1).epsilon(1e-6));
}
