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

namespace {

constexpr double nearly_divergent = 1e-7;  // 1/t diverges, and nobody can tell t^-0.9999999 from it

/// The exponents of f between three points at distances t, q t, q² t; nothing where f has no sign there.
std::optional<double> exponent_of(double a, double b, double c, double q) {
    constexpr double steady = 0.02;
    if (!(a * b > 0) || !(b * c > 0) || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return std::nullopt;
    const double first = std::log(b / a) / std::log(q);
    const double second = std::log(c / b) / std::log(q);
    if (std::abs(first - second) > steady) return std::nullopt;
    return first;
}

/// A finite end: graded panels towards it where f is not a smooth function of the distance, and a power of it in the last piece.
class FiniteEnd {
public:
    FiniteEnd(const std::function<double(double)>& f, double end, double inside) : f_(f), end_(end), side_(inside > end ? 1 : -1) {
        const double width = std::abs(inside - end);
        first_ = end == 0 ? width * 1e-60 : std::max(width * 1e-9, nearest(end));
        if (!(first_ < width)) return;
        const double at = value(first_);
        exponent_ = exponent_of(at, value(4 * first_), value(16 * first_), 4);
        if (!exponent_) return;
        rest_ = *exponent_ <= -1 + nearly_divergent ? std::copysign(INFINITY, at) : at * distance(first_) / (*exponent_ + 1);
    }

    double rest() const { return rest_; }
    /// The distance at which a double still tells the last digits of a distance; at 0 that is very near.
    static double nearest(double end) { return std::abs(end) * 1e-9; }
    /// From the end to the first break.
    void add_breaks(std::vector<double>& out, double inside) const {
        if (!exponent_) return out.push_back(end_);
        const double width = std::abs(inside - end_);
        const bool smooth = *exponent_ > -0.5 && std::abs(*exponent_ - std::round(*exponent_)) < 1e-6;
        out.push_back(end_ + side_ * first_);
        for (double t = first_ * 16; !smooth && t < width; t *= 16) out.push_back(end_ + side_ * t);
    }

private:
    double value(double t) const { return f_(end_ + side_ * t); }
    double distance(double t) const { return std::abs((end_ + side_ * t) - end_); }

    const std::function<double(double)>& f_;
    double end_;
    double side_;
    double first_ = 0;
    std::optional<double> exponent_;
    double rest_ = 0;
};

/// More breaks after the last, ever further apart, up to where nothing of f is left. Gives what is left where that is never so: a power of
/// the distance to the centre.
double reach_out(const std::function<double(double)>& f, std::vector<double>& breaks, double centre) {
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
        if (std::isinf(most)) return INFINITY;  // functions that grow fast are large where a distribution has almost nothing
        if (!std::isfinite(most) || !(most * std::abs(step) > 1e-17 * scale)) return 0;
        breaks.push_back(from + step);
    }
    const double t = breaks.back() - centre;
    const auto at = [&](double factor) { return f(centre + factor * t); };
    return rest_of_power(at(1), at(2), at(4), std::abs(t)).value_or(INFINITY);
}

}  // namespace

std::optional<double> rest_of_power(double at, double twice, double four_times, double t) {
    const auto exponent = exponent_of(at, twice, four_times, 2);
    if (!exponent) return std::nullopt;
    return *exponent >= -1 - nearly_divergent ? std::copysign(INFINITY, at) : at * t / -(*exponent + 1);
}

double integral_to_ends(const std::function<double(double)>& f, std::vector<double> breaks, double low, double high, double tolerance) {
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    std::erase_if(breaks, [&](double at) { return !(at > low && at < high); });
    if (breaks.empty() && std::isfinite(low) && std::isfinite(high)) breaks.push_back(0.5 * (low + high));
    const double centre = breaks.empty() ? 0 : breaks[breaks.size() / 2];
    double rest = 0;
    for (const double end : {high, low}) {
        if (breaks.size() >= 2 && !std::isfinite(end)) rest += reach_out(f, breaks, centre);
        if (!breaks.empty() && std::isfinite(end)) {
            while (breaks.size() > 1 && std::abs(breaks.back() - end) < 100 * FiniteEnd::nearest(end)) breaks.pop_back();
            const FiniteEnd at_end(f, end, breaks.back());
            rest += at_end.rest();
            std::vector<double> more;
            at_end.add_breaks(more, breaks.back());
            breaks.insert(breaks.end(), more.rbegin(), more.rend());
        }
        if (std::isinf(rest)) return rest;
        std::reverse(breaks.begin(), breaks.end());
    }
    double sum = rest;
    for (const auto& panel : integrate(f, breaks, tolerance)) sum += panel.integral;
    return sum;
}

}  // namespace credence::rt
