#include "runtime/continuous/density.hpp"

#include <cmath>
#include <limits>

#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double half_log_2pi = 0.91893853320467274178;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

DensityValue bad() { return {std::nan(""), 0, {}}; }
DensityValue outside() { return {minus_infinity, 0, {}}; }

/// x ln y where 0 · ln 0 = 0.
double x_log(double x, double y) { return x == 0 ? 0 : x * std::log(y); }

DensityValue normal(double x, double mean, double sd) {
    if (!(sd > 0)) return bad();
    const double z = (x - mean) / sd;
    return {-0.5 * z * z - std::log(sd) - half_log_2pi, -z / sd, {z / sd, (z * z - 1) / sd}};
}

DensityValue bernoulli_like(double k, double n, double p) {
    if (!(p >= 0 && p <= 1)) return bad();
    const double rest = n - k;
    DensityValue out;
    out.value = x_log(k, p) + (rest == 0 ? 0 : rest * std::log1p(-p));
    out.dp[0] = (k == 0 ? 0 : k / p) - (rest == 0 ? 0 : rest / (1 - p));
    return out;
}

DensityValue binomial_at(double x, const double* p) {
    DensityValue out;
    const double n = p[0];
    if (!(n >= 0) || n != std::floor(n)) return bad();
    if (!(x >= 0 && x <= n) || x != std::floor(x)) return outside();
    const auto inner = bernoulli_like(x, n, p[1]);
    out.value = inner.value + log_gamma(n + 1) - log_gamma(x + 1) - log_gamma(n - x + 1);
    out.dp[1] = inner.dp[0];
    return out;
}

DensityValue beta_at(double x, const double* p) {
    DensityValue out;
    const double a = p[0];
    const double b = p[1];
    if (!(a > 0 && b > 0)) return bad();
    if (!(x >= 0 && x <= 1)) return outside();
    const double log_x = std::log(x);
    const double log_y = std::log1p(-x);
    out.value = (a == 1 ? 0 : (a - 1) * log_x) + (b == 1 ? 0 : (b - 1) * log_y) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
    out.dx = (a == 1 ? 0 : (a - 1) / x) - (b == 1 ? 0 : (b - 1) / (1 - x));
    const double common = digamma(a + b);
    out.dp[0] = log_x + common - digamma(a);
    out.dp[1] = log_y + common - digamma(b);
    return out;
}

DensityValue gamma_at(double x, const double* p) {
    DensityValue out;
    const double shape = p[0];
    const double rate = p[1];
    if (!(shape > 0 && rate > 0)) return bad();
    if (!(x >= 0)) return outside();
    const double log_x = std::log(x);
    out.value = shape * std::log(rate) - log_gamma(shape) + (shape == 1 ? 0 : (shape - 1) * log_x) - rate * x;
    out.dx = (shape == 1 ? 0 : (shape - 1) / x) - rate;
    out.dp[0] = std::log(rate) - digamma(shape) + log_x;
    out.dp[1] = shape / rate - x;
    return out;
}

DensityValue student_t_at(double x, const double* p) {
    DensityValue out;
    const double nu = p[0];
    const double scale = p[2];
    if (!(nu > 0 && scale > 0)) return bad();
    const double z = (x - p[1]) / scale;
    const double grown = std::log1p(z * z / nu);
    const double weight = (nu + 1) / (nu + z * z);
    out.value = log_gamma(0.5 * (nu + 1)) - log_gamma(0.5 * nu) - 0.5 * std::log(nu) - 0.57236494292470008707 - std::log(scale) -
                0.5 * (nu + 1) * grown;  // ½ ln π
    out.dx = -weight * z / scale;
    out.dp[0] = 0.5 * (digamma(0.5 * (nu + 1)) - digamma(0.5 * nu) - 1 / nu - grown + weight * z * z / nu);
    out.dp[1] = weight * z / scale;
    out.dp[2] = (weight * z * z - 1) / scale;
    return out;
}

}  // namespace

DensityValue log_density(Family family, double x, const double* p) {
    DensityValue out;
    switch (family) {
        case Family::bernoulli:
            if (x != 0 && x != 1) return outside();
            return bernoulli_like(x, 1, p[0]);
        case Family::binomial:
            return binomial_at(x, p);
        case Family::poisson:
            if (!(p[0] >= 0)) return bad();
            if (!(x >= 0) || x != std::floor(x)) return outside();
            out.value = x_log(x, p[0]) - p[0] - log_gamma(x + 1);
            out.dp[0] = (x == 0 ? 0 : x / p[0]) - 1;
            return out;
        case Family::geometric:
            if (!(p[0] > 0 && p[0] <= 1)) return bad();
            if (!(x >= 0) || x != std::floor(x)) return outside();
            out.value = std::log(p[0]) + (x == 0 ? 0 : x * std::log1p(-p[0]));
            out.dp[0] = 1 / p[0] - (x == 0 ? 0 : x / (1 - p[0]));
            return out;
        case Family::uniform: {
            const double width = p[1] - p[0];
            if (!(width > 0)) return bad();
            if (!(x >= p[0] && x <= p[1])) return outside();
            out.value = -std::log(width);
            out.dp[0] = 1 / width;
            out.dp[1] = -1 / width;
            return out;
        }
        case Family::normal:
            return normal(x, p[0], p[1]);
        case Family::lognormal: {
            if (!(x > 0)) return outside();
            const double log_x = std::log(x);
            out = normal(log_x, p[0], p[1]);
            out.value -= log_x;
            out.dx = (out.dx - 1) / x;
            return out;
        }
        case Family::beta:
            return beta_at(x, p);
        case Family::gamma:
            return gamma_at(x, p);
        case Family::exponential:
            if (!(p[0] > 0)) return bad();
            if (!(x >= 0)) return outside();
            return {std::log(p[0]) - p[0] * x, -p[0], {1 / p[0] - x}};
        case Family::laplace: {
            if (!(p[1] > 0)) return bad();
            const double d = x - p[0];
            const double sign = d > 0 ? 1 : d < 0 ? -1 : 0;
            return {-std::abs(d) / p[1] - std::log(2 * p[1]), -sign / p[1], {sign / p[1], (std::abs(d) / p[1] - 1) / p[1]}};
        }
        case Family::student_t:
            return student_t_at(x, p);
        case Family::categorical:
        case Family::dirichlet:
        case Family::multinormal:
            break;
    }
    return bad();
}

Range range_of(Family family) {
    switch (family) {
        case Family::normal:
        case Family::laplace:
        case Family::student_t:
            return Range::line;
        case Family::lognormal:
        case Family::gamma:
        case Family::exponential:
            return Range::positive;
        case Family::beta:
            return Range::unit;
        case Family::uniform:
            return Range::between;
        case Family::bernoulli:
        case Family::binomial:
        case Family::categorical:
        case Family::poisson:
        case Family::geometric:
        case Family::dirichlet:
        case Family::multinormal:
            break;
    }
    return Range::counts;
}

}  // namespace credence::rt::continuous
