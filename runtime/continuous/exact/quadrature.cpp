#include "runtime/continuous/exact/quadrature.hpp"
#include "runtime/continuous/engine.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <queue>

#include "runtime/core/search.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

// Abscissae from the middle outwards and weights of the 15-point Kronrod rule, and the weights of the 7-point Gauss rule at every second of
// them. Boost's own loop over panels gives the sum alone; densities keep their panels.
const auto& kronrod_x = boost::math::quadrature::gauss_kronrod<double, 15>::abscissa();
const auto& kronrod_w = boost::math::quadrature::gauss_kronrod<double, 15>::weights();
const auto& gauss_w = boost::math::quadrature::gauss<double, 7>::weights();

constexpr std::size_t most_panels = 4000;
constexpr double negligible = 46;  // e^−46 ≈ 1e-20 of the peak

}  // namespace

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

double Coordinate::x(double u) const {
    switch (range) {
        case Range::positive:
            return std::exp(u);
        case Range::unit:
            return 1 / (1 + std::exp(-u));
        case Range::between:
            return low + (high - low) / (1 + std::exp(-u));
        case Range::line:
        case Range::above:
        case Range::circle:
        case Range::counts:
            break;
    }
    return u;
}

double Coordinate::u(double x) const {
    switch (range) {
        case Range::positive:
            return x > 0 ? std::log(x) : -std::numeric_limits<double>::infinity();
        case Range::unit:
        case Range::between: {
            const double share = range == Range::unit ? x : (x - low) / (high - low);
            if (share <= 0) return -std::numeric_limits<double>::infinity();
            if (share >= 1) return std::numeric_limits<double>::infinity();
            return std::log(share) - std::log1p(-share);
        }
        case Range::line:
        case Range::above:
        case Range::circle:
        case Range::counts:
            break;
    }
    return x;
}

double Coordinate::log_slope(double u) const {
    switch (range) {
        case Range::positive:
            return u;
        case Range::unit:
        case Range::between: {
            // ln σ(u) + ln σ(−u), and the width
            const double inner = -std::abs(u) - 2 * std::log1p(std::exp(-std::abs(u)));
            return range == Range::unit ? inner : inner + std::log(high - low);
        }
        case Range::line:
        case Range::above:
        case Range::circle:
        case Range::counts:
            break;
    }
    return 0;
}

namespace {

Fault undefined(std::string message) { return {.code = "E-UNDEFINED", .message = std::move(message)}; }

Result<double> number_in(const Outcome& x, std::string_view who) {
    if (const auto* n = std::get_if<Number>(&x)) return n->real();
    if (const auto* label = std::get_if<Label>(&x); label && label->number()) return label->number()->real();
    return Fault{.code = "E-TYPE", .message = std::string(who) + " is over numbers"};
}

Status level(const Number& p) {
    if (p.real() >= 0 && p.real() <= 1) return Done{};
    return Fault{.code = "E-PARAMETER", .message = "quantile: p must be between 0 and 1"};
}

class PanelDensity final : public Distribution {
public:
    PanelDensity(std::function<double(double)> log_weight, const Coordinate& coordinate, std::vector<Panel> panels, double peak)
        : log_weight_(std::move(log_weight)), coordinate_(coordinate), panels_(std::move(panels)), peak_(peak) {
        for (const auto& panel : panels_) {
            below_.push_back(total_);
            total_ += panel.integral;
        }
        double first = 0;
        for (const auto& panel : panels_)
            first += integrate_panel([&](double u) { return coordinate_.x(u) * weight(u); }, panel.low, panel.high).integral;
        mean_ = first / total_;
        double second = 0;
        for (const auto& panel : panels_)
            second += integrate_panel([&](double u) { return (coordinate_.x(u) - mean_) * (coordinate_.x(u) - mean_) * weight(u); },
                                      panel.low, panel.high)
                          .integral;
        variance_ = second / total_;
    }

    double log_total() const { return peak_ + std::log(total_); }

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override {
        return {{"mean", Number::real(mean_)}, {"sd", Number::real(std::sqrt(variance_))}};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        auto at = TRY(number_in(x, name()));
        return Number::real(std::exp(log_at(at)));
    }
    double log_pdf(const Outcome& x) const override {
        const auto at = number_in(x, name());
        return at ? log_at(*at) : -std::numeric_limits<double>::infinity();
    }
    Result<Number> cdf(const Number& x) const override { return Number::real(lower(coordinate_.u(x.real()))); }
    Result<Number> above(const Number& x) const override { return Number::real(upper(coordinate_.u(x.real()))); }
    Result<Number> quantile(const Number& p) const override {
        TRY(level(p));
        return Number::real(coordinate_.x(point(p.real())));
    }
    Result<Outcome> mean() const override { return Outcome(Number::real(mean_)); }
    Result<Outcome> variance() const override { return Outcome(Number::real(variance_)); }
    Result<Number> entropy() const override {
        double nats = 0;
        for (const auto& panel : panels_)
            nats -= integrate_panel(
                        [&](double u) {
                            const double w = weight(u);
                            return w > 0 ? w * (log_weight_(u) - coordinate_.log_slope(u)) : 0;
                        },
                        panel.low, panel.high)
                        .integral;
        return Number::real((nats / total_ + log_total()) / std::log(2.0));
    }
    Outcome sample(Rng& rng) const override { return Number::real(coordinate_.x(point(rng.uniform()))); }

private:
    double weight(double u) const {
        const double log = log_weight_(u) - peak_;
        return log > -700 ? std::exp(log) : 0;
    }
    double log_at(double x) const {
        const double u = coordinate_.u(x);
        if (!std::isfinite(u)) return -std::numeric_limits<double>::infinity();
        return log_weight_(u) - coordinate_.log_slope(u) - log_total();
    }
    double lower(double u) const {
        if (u <= panels_.front().low) return 0;
        if (u >= panels_.back().high) return 1;
        const auto after = std::upper_bound(panels_.begin(), panels_.end(), u, [](double at, const Panel& p) { return at < p.low; });
        const auto i = static_cast<std::size_t>(after - panels_.begin()) - 1;
        const double inside = integrate_panel([&](double at) { return weight(at); }, panels_[i].low, u).integral;
        return std::clamp((below_[i] + inside) / total_, 0.0, 1.0);
    }
    double upper(double u) const {
        if (u <= panels_.front().low) return 1;
        double sum = 0;  // from the small end
        for (std::size_t i = panels_.size(); i-- > 0 && panels_[i].high > u;)
            sum += panels_[i].low >= u ? panels_[i].integral
                                       : integrate_panel([&](double at) { return weight(at); }, u, panels_[i].high).integral;
        return std::clamp(sum / total_, 0.0, 1.0);
    }
    double point(double p) const {
        const double wanted = p * total_;
        const auto after = std::upper_bound(below_.begin(), below_.end(), wanted);
        const auto i = static_cast<std::size_t>(after - below_.begin()) - (after == below_.begin() ? 0 : 1);
        const auto weigh = [&](double at) { return weight(at); };
        const auto missing = [&](double at) { return below_[i] + integrate_panel(weigh, panels_[i].low, at).integral - wanted; };
        return root_between(missing, panels_[i].low, panels_[i].high);
    }

    std::function<double(double)> log_weight_;
    Coordinate coordinate_;
    std::vector<Panel> panels_;
    double peak_;
    std::vector<double> below_;
    double total_ = 0;
    double mean_ = 0;
    double variance_ = 0;
};

class Samples final : public Distribution {
public:
    explicit Samples(std::vector<double> values) : values_(std::move(values)) {
        std::sort(values_.begin(), values_.end());
        CompensatedSum sum;
        for (const double v : values_) sum.add(v);
        mean_ = sum.value() / static_cast<double>(values_.size());
        CompensatedSum squares;
        for (const double v : values_) squares.add((v - mean_) * (v - mean_));
        variance_ = squares.value() / static_cast<double>(std::max<std::size_t>(1, values_.size() - 1));
        const double spread = std::min(std::sqrt(variance_), (at(0.75) - at(0.25)) / 1.34);
        width_ = 0.9 * (spread > 0 ? spread : std::sqrt(variance_)) * std::pow(static_cast<double>(values_.size()), -0.2);
    }

    std::string_view name() const override { return "samples"; }
    std::vector<Parameter> parameters() const override {
        return {{"n", Number(Rational(static_cast<std::int64_t>(values_.size())))},
                {"mean", Number::real(mean_)},
                {"sd", Number::real(std::sqrt(variance_))}};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        auto at = TRY(number_in(x, name()));
        return Number::real(kernel(at));
    }
    double log_pdf(const Outcome& x) const override {
        const auto at = number_in(x, name());
        return at ? std::log(kernel(*at)) : -std::numeric_limits<double>::infinity();
    }
    Result<Number> cdf(const Number& x) const override {
        const auto count = std::upper_bound(values_.begin(), values_.end(), x.real()) - values_.begin();
        return Number::real(static_cast<double>(count) / static_cast<double>(values_.size()));
    }
    Result<Number> quantile(const Number& p) const override {
        TRY(level(p));
        return Number::real(at(p.real()));
    }
    Result<Outcome> mean() const override { return Outcome(Number::real(mean_)); }
    Result<Outcome> variance() const override { return Outcome(Number::real(variance_)); }
    Result<Number> entropy() const override { return undefined("samples: the entropy of a density known by draws is not estimated"); }
    Outcome sample(Rng& rng) const override { return Number::real(values_[rng.below(values_.size())]); }

private:
    double at(double p) const {
        const double position = p * static_cast<double>(values_.size() - 1);
        const auto i = static_cast<std::size_t>(position);
        if (i + 1 >= values_.size()) return values_.back();
        return values_[i] + (position - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
    }
    double kernel(double x) const {
        if (!(width_ > 0)) return 0;
        double sum = 0;
        for (const double v : values_) sum += std::exp(-0.5 * (x - v) * (x - v) / (width_ * width_));
        return sum / (static_cast<double>(values_.size()) * width_ * 2.5066282746310002);
    }

    std::vector<double> values_;
    double mean_ = 0;
    double variance_ = 0;
    double width_ = 0;
};

}  // namespace

std::optional<NumericDensity> numeric_density(std::function<double(double)> log_weight, const Coordinate& coordinate,
                                              std::span<const double> scan) {
    const std::function<double(double)> g = [f = std::move(log_weight)](double u) {
        const double value = f(u);
        return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
    };
    std::vector<double> points(scan.begin(), scan.end());
    std::vector<double> heights;
    for (const double u : points) heights.push_back(g(u));
    // The data may lie beyond what the prior would have expected: go on outwards while it still rises.
    const auto outwards = [&](bool up) {
        double step = std::max(1e-3, points.back() - points.front());
        for (int i = 0; i < 60; ++i, step *= 2) {
            const double edge = up ? heights.back() : heights.front();
            const double u = up ? points.back() + step : points.front() - step;
            if (std::abs(u) > 1e12 || (coordinate.range != Range::line && std::abs(u) > 700)) return;
            const double h = g(u);
            points.insert(up ? points.end() : points.begin(), u);  // the first that is lower closes the bracket round the peak
            heights.insert(up ? heights.end() : heights.begin(), h);
            if (!(h > edge)) return;
        }
    };
    outwards(true);
    outwards(false);
    double peak = *std::max_element(heights.begin(), heights.end());
    if (!(peak > -std::numeric_limits<double>::infinity()) || peak == std::numeric_limits<double>::infinity()) return std::nullopt;
    std::vector<double> modes;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool top = (i == 0 || heights[i] >= heights[i - 1]) && (i + 1 == points.size() || heights[i] >= heights[i + 1]);
        if (!top || !(heights[i] > peak - 200)) continue;
        const double low = i == 0 ? points[i] - 1 : points[i - 1];
        const double high = i + 1 == points.size() ? points[i] + 1 : points[i + 1];
        modes.push_back(peak_between(g, low, high));
        if (g(modes.back()) < heights[i]) modes.back() = points[i];
    }
    for (const double mode : modes) peak = std::max(peak, g(mode));
    std::vector<double> breaks;
    for (const double mode : modes) {
        const double height = g(mode);
        if (height < peak - negligible) continue;
        for (const double direction : {-1.0, 1.0}) {
            // From a step that hardly changes anything to one that leaves nothing.
            double step = 1e-8 * (1 + std::abs(mode));
            const double largest = coordinate.range == Range::line ? 1e15 : 1500;
            while (step < largest && g(mode + direction * step) > height - 0.5) step *= 2;
            for (; step < largest; step *= 1.5) {
                breaks.push_back(mode + direction * step);
                if (!(g(mode + direction * step) > peak - negligible)) break;
            }
        }
        breaks.push_back(mode);
    }
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    if (breaks.size() < 2) return std::nullopt;
    auto panels = integrate(
        [&](double u) {
            const double log = g(u) - peak;
            return log > -700 ? std::exp(log) : 0;
        },
        breaks, 1e-12);
    auto made = std::make_shared<const PanelDensity>(g, coordinate, std::move(panels), peak);
    const double log_total = made->log_total();
    if (!std::isfinite(log_total)) return std::nullopt;
    return NumericDensity{std::move(made), log_total};
}

DistributionPtr make_samples(std::vector<double> values) { return std::make_shared<const Samples>(std::move(values)); }

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

namespace {

std::vector<double> quantile_breaks(const Distribution& distribution) {
    static constexpr std::array<double, 15> levels = {1e-12, 1e-9, 1e-6, 1e-4,     1e-2,     0.1,      0.3,      0.5,
                                                      0.7,   0.9,  0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12};
    std::vector<double> out;
    for (const double p : levels)
        if (const auto q = distribution.quantile(Number::real(p)); q && std::isfinite(q->real()) && (out.empty() || q->real() > out.back()))
            out.push_back(q->real());
    return out;
}

/// Every whole number that has a share worth naming, with it.
std::vector<std::pair<double, double>> whole_nodes(const Distribution& distribution) {
    constexpr std::size_t most_nodes = 1'000'000;
    std::vector<std::pair<double, double>> out;
    const auto first = distribution.quantile(Number::real(1e-18));
    const auto middle = distribution.quantile(Number(Rational(1, 2)));
    if (!first || !middle) return out;
    double total = 0;
    for (double k = first->real(); out.size() < most_nodes; k += 1) {
        const double mass = std::exp(distribution.log_pdf(Number::real(k)));
        if (k > middle->real() && mass < 1e-20) break;
        out.emplace_back(k, mass);
        total += mass;
    }
    for (auto& [k, mass] : out) mass /= total;
    return out;
}

}  // namespace

std::vector<std::pair<double, double>> nodes_of(const Distribution& distribution) {
    if (distribution.support() == Support::integers) return whole_nodes(distribution);
    const auto breaks = quantile_breaks(distribution);
    std::vector<std::pair<double, double>> out;
    double total = 0;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
        const double centre = 0.5 * (breaks[i] + breaks[i + 1]);
        const double half = 0.5 * (breaks[i + 1] - breaks[i]);
        const auto add = [&](double x, double w) {
            const double weight = half * w * std::exp(distribution.log_pdf(Number::real(x)));
            if (!(weight > 0) || !std::isfinite(weight)) return;
            out.emplace_back(x, weight);
            total += weight;
        };
        for (std::size_t k = 7; k > 0; --k) add(centre - half * kronrod_x[k], kronrod_w[k]);
        for (std::size_t k = 0; k < 8; ++k) add(centre + half * kronrod_x[k], kronrod_w[k]);
    }
    for (auto& [x, weight] : out) weight /= total;
    return out;
}

const RealEngine quadrature_real_engine{
    .method = {"quadrature",
               {},
               "The posterior of one or two unknown numbers, by adaptive integration.",
               "net Robust { mu ~ normal(0, 10); X ~ student_t(3, mu, 1) }\nexpect E(mu | X = 0) by quadrature == 0 within 1e-9"},
    .allowed = {.conjugate = false, .linear_gaussian = false, .quadrature = true},
    .refusal = "quadrature is for one or two unknown numbers, and here more depend on each other"};

}  // namespace credence::rt::continuous

namespace credence::rt {

double expected_value(const Distribution& distribution, const std::function<double(double)>& g) {
    using namespace continuous;
    if (distribution.support() == Support::integers) {
        CompensatedSum sum;
        for (const auto& [k, mass] : whole_nodes(distribution)) sum.add(mass * g(k));
        return sum.value();
    }
    auto breaks = quantile_breaks(distribution);
    const auto density = [&](double x) { return std::exp(distribution.log_pdf(Number::real(x))); };
    const auto weighed = [&](double x) {
        const double p = density(x);
        return p > 0 ? g(x) * p : 0;
    };
    for (int end = 0; end < 2; ++end) {
        if (!reach_out(weighed, breaks)) return INFINITY;
        std::reverse(breaks.begin(), breaks.end());
    }
    double mass = 0;
    double sum = 0;
    for (const auto& panel : integrate(density, breaks, 1e-12)) mass += panel.integral;
    for (const auto& panel : integrate(weighed, breaks, 1e-12)) sum += panel.integral;
    return std::isfinite(sum) ? sum / mass : NAN;
}

}  // namespace credence::rt
