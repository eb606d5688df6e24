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

double weighed_by_density(const Distribution& distribution, double x, const std::function<double(double)>& g) {
    const double log = distribution.log_pdf(Number::real(x));
    const double p = std::exp(log);
    if (!std::isfinite(log) || !std::isfinite(p)) return 0;
    const double value = g(x);
    if (value == 0 || p > 0) return p * value;
    return std::copysign(std::exp(log + std::log(std::abs(value))),
                         value);  // the density is too small for a double, the product need not be
}

double expected_sum(const Distribution& distribution, const std::function<double(double)>& g) {
    constexpr double most_terms = 100'000;
    const auto nodes = whole_nodes(distribution);
    CompensatedSum sum;
    for (const auto& [k, mass] : nodes) sum.add(mass * g(k));
    if (nodes.empty()) return sum.value();
    // Functions that grow fast are large where a distribution has almost nothing.
    const auto term = [&](double k) { return weighed_by_density(distribution, k, g); };
    double k = nodes.back().first;
    const double end = k + most_terms;
    do {
        k += 1;
        const double more = term(k);
        if (std::isinf(more)) return more;
        if (!(std::abs(more) > 1e-17 * std::abs(sum.value()))) return sum.value();
        sum.add(more);
    } while (k < end);
    return sum.value() + rest_of_power(term(k), term(2 * k), term(4 * k), k).value_or(INFINITY);
}

double expected_value(const Distribution& distribution, const std::function<double(double)>& g) {
    if (distribution.support() == Support::integers) return expected_sum(distribution, g);
    const auto breaks = quantile_breaks(distribution);
    const auto end = [&](int p, double otherwise) {
        const auto q = distribution.quantile(Number(p));
        return q && std::isfinite(q->real()) ? q->real() : otherwise;
    };
    const double low = end(0, -INFINITY);
    const double high = end(1, INFINITY);
    const std::function<double(double)> one = [](double) { return 1.0; };
    const double sum = integral_to_ends([&](double x) { return weighed_by_density(distribution, x, g); }, breaks, low, high, 1e-12);
    if (std::isinf(sum)) return INFINITY;
    const double mass = integral_to_ends([&](double x) { return weighed_by_density(distribution, x, one); }, breaks, low, high, 1e-12);
    return std::isfinite(sum) ? sum / mass : NAN;
}

}  // namespace credence::rt
