#include "runtime/core/quadrature.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <queue>

namespace credence::rt {

namespace {

// Abscissae from the middle outwards and weights of the 15-point Kronrod rule, and the weights of the 7-point Gauss rule at every second of
// them. Boost's own loop over panels gives the sum alone; densities keep their panels.
const auto& kronrod_x = boost::math::quadrature::gauss_kronrod<double, 15>::abscissa();
const auto& kronrod_w = boost::math::quadrature::gauss_kronrod<double, 15>::weights();
const auto& gauss_w = boost::math::quadrature::gauss<double, 7>::weights();

constexpr std::size_t most_panels = 4000;

}  // namespace

std::span<const QuadratureNode> kronrod_rule() {
    static const auto rule = [] {
        std::array<QuadratureNode, 15> out;
        for (std::size_t k = 0; k < 8; ++k) {
            out[7 - k] = {-kronrod_x[k], kronrod_w[k]};
            out[7 + k] = {kronrod_x[k], kronrod_w[k]};
        }
        return out;
    }();
    return rule;
}

Panel integrate_panel(const std::function<double(double)>& f, double low, double high) {
    const double centre = 0.5 * (low + high);
    const double half = 0.5 * (high - low);
    const double middle = f(centre);
    double kronrod = kronrod_w[0] * middle;
    double gauss = gauss_w[0] * middle;
    for (std::size_t i = 7; i > 0; --i) {
        const double both = f(centre - half * kronrod_x[i]) + f(centre + half * kronrod_x[i]);
        kronrod += kronrod_w[i] * both;
        if (i % 2 == 0) gauss += gauss_w[i / 2] * both;
    }
    return {low, high, kronrod * half, std::abs((kronrod - gauss) * half)};
}

std::vector<Panel> integrate(const std::function<double(double)>& f, std::span<const double> breaks, double tolerance) {
    const auto less_wrong = [](const Panel& a, const Panel& b) { return a.error < b.error || (a.error == b.error && a.low > b.low); };
    std::priority_queue<Panel, std::vector<Panel>, decltype(less_wrong)> queue(less_wrong);
    double total = 0;
    double error = 0;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
        const Panel panel = integrate_panel(f, breaks[i], breaks[i + 1]);
        total += std::abs(panel.integral);
        error += panel.error;
        queue.push(panel);
    }
    while (!queue.empty() && queue.size() < most_panels && error > tolerance * total) {
        const Panel worst = queue.top();
        const double middle = 0.5 * (worst.low + worst.high);
        if (!(worst.error > 0) || !(middle > worst.low && middle < worst.high)) break;
        queue.pop();
        const Panel left = integrate_panel(f, worst.low, middle);
        const Panel right = integrate_panel(f, middle, worst.high);
        total += std::abs(left.integral) + std::abs(right.integral) - std::abs(worst.integral);
        error += left.error + right.error - worst.error;
        queue.push(left);
        queue.push(right);
    }
    std::vector<Panel> out;
    for (; !queue.empty(); queue.pop()) out.push_back(queue.top());
    std::sort(out.begin(), out.end(), [](const Panel& a, const Panel& b) { return a.low < b.low; });
    return out;
}

bool reach_out(const std::function<double(double)>& f, std::vector<double>& breaks) {
    if (breaks.size() < 2) return true;
    double scale = 0;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
        const double width = breaks[i + 1] - breaks[i];
        scale += std::abs(f(breaks[i] + 0.5 * width) * width);
    }
    double step = breaks.back() - breaks[breaks.size() - 2];
    constexpr int most_steps = 200;
    for (int k = 0; k < most_steps; ++k, step *= 1.5) {
        const double from = breaks.back();
        double most = 0;
        for (const double share : {0.25, 0.5, 1.0}) most = std::max(most, std::abs(f(from + share * step)));
        if (!std::isfinite(most) || !(most * std::abs(step) > 1e-17 * scale)) return true;
        breaks.push_back(from + step);
    }
    return false;
}

}  // namespace credence::rt
