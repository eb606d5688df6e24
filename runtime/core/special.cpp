#include "runtime/core/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "runtime/core/uniform_asymptotics.hpp"

namespace credence::rt {

namespace {

namespace policies = boost::math::policies;
// No exceptions: what has no value is NaN or infinite. Doubles stay doubles inside: a long double is another type on every platform.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>, policies::evaluation_error<policies::ignore_error>,
                               policies::rounding_error<policies::ignore_error>, policies::promote_double<false>>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ln_2pi = 1.8378770664093454836;

// stirling_error(½), (1), (1½) … (15), computed with 40 digits.
// clang-format off
constexpr double stirling_error_halves[] = {
    0.1534264097200273453, 0.08106146679532725822, 0.0548141210519176539, 0.04134069595540929409,
    0.03316287351993628749, 0.02767792568499833915, 0.02374616365629749597, 0.02079067210376509311,
    0.01848845053267318523, 0.01664469118982119216, 0.01513497322191737887, 0.013876128823070748,
    0.01281046524292022692, 0.0118967099458917701, 0.01110455975820691733, 0.0104112652619720965,
    0.009799416126158803298, 0.009255462182712732918, 0.008768700134139385463, 0.008330563433362871256,
    0.007934114564314020547, 0.007573675487951840795, 0.00724455430132038318, 0.006942840107209529866,
    0.006665247032707682442, 0.006408994188004207068, 0.006171712263039457648, 0.005951370112758847736,
    0.005746216513010115682, 0.005554733551962801371
};
// clang-format on

/// lo · (lo+1) … hi by halves, so that the big numbers that are multiplied have similar sizes.
Rational product_of_range(std::int64_t lo, std::int64_t hi) {
    if (lo > hi) return 1;
    if (hi - lo < 8) {
        Rational out(lo);
        for (std::int64_t i = lo + 1; i <= hi; ++i) out *= Rational(i);
        return out;
    }
    const std::int64_t middle = lo + (hi - lo) / 2;
    return product_of_range(lo, middle) * product_of_range(middle + 1, hi);
}

}  // namespace

void CompensatedSum::add(double term) {
    const double total = sum_ + term;
    correction_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
    sum_ = total;
}

double log_gamma(double x) { return boost::math::lgamma(x, Quiet{}); }

double digamma(double x) { return boost::math::digamma(x, Quiet{}); }

double digamma_minus_log(double x) {
    if (x < 20) return digamma(x) - std::log(x);
    // Abramowitz & Stegun 6.3.18
    const double z = 1 / (x * x);
    return -0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z / 132))));
}

double stirling_error(double x) {
    if (x <= 15) {
        const double twice = x + x;
        if (twice == std::floor(twice) && twice >= 1) return stirling_error_halves[static_cast<std::size_t>(twice) - 1];
        return log_gamma(x + 1) - (x + 0.5) * std::log(x) + x - 0.5 * ln_2pi;
    }
    // Abramowitz & Stegun 6.1.40
    const double z = 1 / (x * x);
    return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / x;
}

double deviance(double x, double mean) {
    if (std::abs(x - mean) >= 0.1 * (x + mean)) return x * std::log(x / mean) + mean - x;
    // Near the mean: with v = (x − mean)/(x + mean), (x − mean) v + 2 x Σ_{j≥1} v^{2j+1} / (2j+1)
    const double v = (x - mean) / (x + mean);
    double sum = (x - mean) * v;
    double power = 2 * x * v;
    for (int j = 1; j < 1000; ++j) {
        power *= v * v;
        const double longer = sum + power / (2 * j + 1);
        if (longer == sum) break;
        sum = longer;
    }
    return sum;
}

double log_poisson_mass(double x, double rate) {
    constexpr double tiny = std::numeric_limits<double>::min();
    if (rate == 0) return x == 0 ? 0 : -infinity;
    if (x <= rate * tiny) return -rate;
    if (std::isinf(x)) return -infinity;
    if (rate < x * tiny) return -rate + x * std::log(rate) - log_gamma(x + 1);
    return -0.5 * (ln_2pi + std::log(x)) - stirling_error(x) - deviance(x, rate);
}

double log_binomial_mass(double x, double n, double p, double q) {
    if (p == 0) return x == 0 ? 0 : -infinity;
    if (q == 0) return x == n ? 0 : -infinity;
    const double rest = n - x;
    if (x == 0) return n == 0 ? 0 : n * (p < 0.5 ? std::log1p(-p) : std::log(q));
    if (rest == 0) return n * (q < 0.5 ? std::log1p(-q) : std::log(p));
    return stirling_error(n) - stirling_error(x) - stirling_error(rest) - deviance(x, n * p) - deviance(rest, n * q) -
           0.5 * (ln_2pi + std::log(x) + std::log(rest / n));
}

double gamma_lower(double shape, double x) {
    if (x <= 0) return 0;
    if (std::isinf(x)) return 1;
    return shape >= large_parameter ? large_gamma_lower(shape, x) : boost::math::gamma_p(shape, x, Quiet{});
}

double gamma_upper(double shape, double x) {
    if (x <= 0) return 1;
    if (std::isinf(x)) return 0;
    return shape >= large_parameter ? large_gamma_upper(shape, x) : boost::math::gamma_q(shape, x, Quiet{});
}

double gamma_quantile(double shape, double p, double q) {
    if (p <= 0) return 0;
    if (q <= 0) return infinity;
    if (shape >= large_parameter) return large_gamma_quantile(shape, p, q);
    return p <= 0.5 ? boost::math::gamma_p_inv(shape, p, Quiet{}) : boost::math::gamma_q_inv(shape, q, Quiet{});
}

double beta_lower(double a, double b, double x, double y) {
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    if (std::min(a, b) >= large_parameter) return large_beta_lower(a, b, x, y);
    return x <= 0.5 ? boost::math::ibeta(a, b, x, Quiet{}) : boost::math::ibetac(b, a, y, Quiet{});
}

double beta_quantile(double a, double b, double p, double q) {
    if (p <= 0) return 0;
    if (q <= 0) return 1;
    if (a == b && p == q) return 0.5;  // the median of a symmetric one, where Boost 1.74 finds no root for a = 5
    if (std::min(a, b) >= large_parameter) return large_beta_quantile(a, b, p, q);
    // Of one large parameter alone, -ln of the other's part is gamma to the square of their quotient (Wise 1950); Boost finds no root.
    constexpr double huge = 1e16;
    if (b >= huge) return -std::expm1(-gamma_quantile(a, p, q) / b);
    if (a >= huge) return std::exp(-gamma_quantile(b, q, p) / a);
    return p <= 0.5 ? boost::math::ibeta_inv(a, b, p, Quiet{}) : boost::math::ibetac_inv(a, b, q, Quiet{});
}

double normal_lower(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double log_normal_lower(double z) {
    constexpr double far = -20;  // beyond it these terms of the asymptotic series are right to 3e-12
    if (z > 0) return std::log1p(-normal_lower(-z));
    if (z > far) return std::log(normal_lower(z));
    const double r = 1 / (z * z);
    const double series = 1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r))));
    constexpr double half_log_2pi = 0.91893853320467274178;
    return -0.5 * z * z - std::log(-z) - half_log_2pi + std::log(series);
}

double normal_quantile(double p, double q) {
    if (p <= 0) return -infinity;
    if (q <= 0) return infinity;
    return p <= 0.5 ? -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, Quiet{})
                    : std::numbers::sqrt2 * boost::math::erfc_inv(2 * q, Quiet{});
}

double student_t_lower(double degrees, double t) {
    if (std::isinf(t)) return t > 0 ? 1 : 0;
    if (std::abs(t) > 1e150) {
        // t² would overflow; out here the tail is its leading power, Γ((ν+1)/2) / (Γ(ν/2) √π) · ν^(ν/2 − 1) |t|^−ν
        const double log_tail = log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) - 0.5 * std::log(std::numbers::pi) +
                                (degrees / 2 - 1) * std::log(degrees) - degrees * std::log(std::abs(t));
        return t < 0 ? std::exp(log_tail) : -std::expm1(log_tail);
    }
    return boost::math::cdf(boost::math::students_t_distribution<double, Quiet>(degrees), t);
}

double student_t_quantile(double degrees, double p, double q) {
    if (p <= 0) return -infinity;
    if (q <= 0) return infinity;
    const double tail = boost::math::quantile(boost::math::students_t_distribution<double, Quiet>(degrees), std::min(p, q));
    return p <= q ? tail : -tail;
}

Rational factorial(std::int64_t n) { return product_of_range(2, n); }

Rational choose(std::int64_t n, std::int64_t k) {
    if (k < 0 || k > n) return 0;
    const std::int64_t few = std::min(k, n - k);
    return product_of_range(n - few + 1, n) / factorial(few);
}

Rational exact_binomial_mass(std::int64_t n, const Rational& p, std::int64_t k) {
    if (k < 0 || k > n) return 0;
    return choose(n, k) * p.pow(k) * (Rational(1) - p).pow(n - k);
}

Rational exact_binomial_lower(std::int64_t n, const Rational& p, std::int64_t k) {
    if (k < 0) return 0;
    if (k >= n) return 1;
    if (p == Rational(1)) return 0;
    const Rational q = Rational(1) - p;
    if (k > n / 2) return Rational(1) - exact_binomial_lower(n, q, n - k - 1);
    // With p = a/d and q = b/d all terms are whole numbers over d^n: one reduction at the end instead of one for each term.
    const Rational a = p.numerator();
    const Rational d = p.denominator();
    const Rational b = d - a;
    Rational term = b.pow(n);
    Rational sum = term;
    for (std::int64_t i = 0; i < k; ++i) {
        term = term / b / Rational(i + 1) * Rational(n - i) * a;
        sum += term;
    }
    return sum / d.pow(n);
}

/// In place of that of the C library (runtime/core/elementary.hpp).
extern "C" double erfc(double x) { return boost::math::erfc(x, Quiet{}); }

}  // namespace credence::rt
