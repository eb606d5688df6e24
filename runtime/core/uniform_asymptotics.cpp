#include "runtime/core/uniform_asymptotics.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

constexpr int newton_steps = 8;

/// What both expansions are made of: the tail is erfc(±root)/2 and a correction.
struct Expansion {
    double root = 0;        ///< signed square root of the exponent
    double correction = 0;  ///< added to the upper tail
    double lower() const { return 0.5 * std::erfc(-root) - correction; }
    double upper() const { return 0.5 * std::erfc(root) + correction; }
};

Expansion gamma_expansion(double shape, double x) {
    const double exponent = deviance(shape, x);  // a (λ − 1 − ln λ), λ = x / a
    const double eta = std::copysign(std::sqrt(2 * exponent / shape), x - shape);
    const double c0 = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * (1.0 / 864 + eta / 2835)));
    const double c1 = -1.0 / 540;
    return {std::copysign(std::sqrt(exponent), x - shape),
            std::exp(-exponent) / std::sqrt(2 * std::numbers::pi * shape) * (c0 + c1 / shape)};
}

Expansion beta_expansion(double a, double b, double x, double y) {
    const double r = a + b;
    const double s = a / r;
    const double c = b / r;
    const double exponent = deviance(a, r * x) + deviance(b, r * y);
    const double distance = x < y ? x - s : c - y;  // from the mean, without rounding x near 1
    const double eta = std::copysign(std::sqrt(2 * exponent / r), distance);
    constexpr double at_the_mean = 1e-7;
    const double c0 = std::abs(eta) < at_the_mean ? (c - s) / (3 * std::sqrt(s * c)) : 1 / eta - std::sqrt(s * c) / distance;
    return {std::copysign(std::sqrt(exponent), distance), -std::exp(-exponent) / std::sqrt(2 * std::numbers::pi * r) * c0};
}

/// Newton's method on the smaller tail, so that it keeps its digits.
template <class At>
double newton(double x, double p, double q, At at) {
    for (int i = 0; i < newton_steps; ++i) {
        const auto [tails, density] = at(x);
        const double step = (p <= q ? tails.lower() - p : q - tails.upper()) / density;
        if (!std::isfinite(step)) break;
        x -= step;
        if (std::abs(step) <= 1e-16 * std::abs(x)) break;
    }
    return x;
}

}  // namespace

double large_gamma_lower(double shape, double x) { return gamma_expansion(shape, x).lower(); }
double large_gamma_upper(double shape, double x) { return gamma_expansion(shape, x).upper(); }

double large_gamma_quantile(double shape, double p, double q) {
    const double cube = 1 - 1 / (9 * shape) + normal_quantile(p, q) / (3 * std::sqrt(shape));  // Wilson & Hilferty (1931)
    return newton(shape * cube * cube * cube, p, q,
                  [&](double x) { return std::pair(gamma_expansion(shape, x), std::exp(log_poisson_mass(shape, x)) * shape / x); });
}

double large_beta_lower(double a, double b, double x, double y) { return beta_expansion(a, b, x, y).lower(); }

double large_beta_quantile(double a, double b, double p, double q) {
    const double r = a + b;
    const double sd = std::sqrt(a / r * (b / r) / r);
    return newton(a / r + normal_quantile(p, q) * sd, p, q, [&](double x) {
        const auto tails = beta_expansion(a, b, x, 1 - x);
        return std::pair(tails, std::exp(-tails.root * tails.root) / (sd * std::sqrt(2 * std::numbers::pi)));
    });
}

}  // namespace credence::rt
