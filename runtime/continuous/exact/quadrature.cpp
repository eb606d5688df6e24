#include "runtime/continuous/exact/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/continuous/engine.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/core/search.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double negligible = 46;  // e^−46 ≈ 1e-20 of the peak

}  // namespace

std::optional<Coordinate> Coordinate::of(Family family, std::span<const Term> parameters) {
    Coordinate out{range_of(family), 0, 1};
    if (out.range != Range::between) return out;
    const Term& low = parameters[family->first_end];
    const Term& high = parameters[family->first_end + 1];
    if (!rt::is_constant(low) || !rt::is_constant(high)) return std::nullopt;
    const Range base = base_range(family);
    out.low = low->value.real();
    out.high = high->value.real();
    if (base == Range::positive || base == Range::unit) out.low = std::max(out.low, 0.0);
    if (base == Range::unit) out.high = std::min(out.high, 1.0);
    if (const FamilyInfo* within = family->within; within && (base == Range::above || base == Range::between)) {
        const Term* ends = parameters.data() + within->first_end;
        if (!rt::is_constant(ends[0]) || (base == Range::between && !rt::is_constant(ends[1]))) return std::nullopt;
        out.low = std::max(out.low, ends[0]->value.real());
        if (base == Range::between) out.high = std::min(out.high, ends[1]->value.real());
    }
    if (std::isinf(out.low) && std::isinf(out.high)) out.range = Range::line;
    return out;
}

double Coordinate::x(double u) const {
    switch (range) {
        case Range::positive:
            return std::exp(u);
        case Range::unit:
            return 1 / (1 + std::exp(-u));
        case Range::between:
            if (std::isinf(high)) return low + std::exp(u);
            if (std::isinf(low)) return high - std::exp(-u);
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
    constexpr double infinite = std::numeric_limits<double>::infinity();
    switch (range) {
        case Range::positive:
            return x > 0 ? std::log(x) : -infinite;
        case Range::unit:
        case Range::between: {
            if (range == Range::between && std::isinf(high)) return x > low ? std::log(x - low) : -infinite;
            if (range == Range::between && std::isinf(low)) return x < high ? -std::log(high - x) : infinite;
            const double share = range == Range::unit ? x : (x - low) / (high - low);
            if (share <= 0) return -infinite;
            if (share >= 1) return infinite;
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
            if (range == Range::between && std::isinf(high)) return u;
            if (range == Range::between && std::isinf(low)) return -u;
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
    // The logarithm of thousands of factors is rounded by more than 1e-12: panels cannot be made better than that.
    const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::abs(peak);
    auto panels = integrate(
        [&](double u) {
            const double log = g(u) - peak;
            return log > -700 ? std::exp(log) : 0;
        },
        breaks, std::max(1e-12, rounding));
    auto made = std::make_shared<const PanelDensity>(g, coordinate, std::move(panels), peak);
    const double log_total = made->log_total();
    if (!std::isfinite(log_total)) return std::nullopt;
    return NumericDensity{std::move(made), log_total};
}

const RealEngine quadrature_real_engine{
    .method = {"quadrature",
               {},
               "The posterior of one or two unknown numbers, by adaptive integration.",
               "net Robust { mu ~ normal(0, 10); X ~ student_t(3, mu, 1) }\nexpect E(mu | X = 0) by quadrature == 0 within 1e-9"},
    .allowed = {.conjugate = false, .linear_gaussian = false, .quadrature = true},
    .refusal = "quadrature is for one or two unknown numbers, and here more depend on each other"};

}  // namespace credence::rt::continuous
