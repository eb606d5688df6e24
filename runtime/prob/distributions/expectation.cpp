#include "runtime/prob/distributions/expectation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/core/quadrature.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

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

std::vector<std::pair<double, double>> quadrature_nodes(const Distribution& distribution) {
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
        for (const auto& node : kronrod_rule()) add(centre + half * node.x, node.weight);
    }
    for (auto& [x, weight] : out) weight /= total;
    return out;
}

double expected_value(const Distribution& distribution, const std::function<double(double)>& g) {
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
