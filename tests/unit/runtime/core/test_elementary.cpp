// exp, log, sin and their like against Boost.Multiprecision with 60 digits.

#include <cmath>
#include <functional>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch.hpp>

#include "runtime/core/pair.hpp"
#include "runtime/core/rng.hpp"

using namespace credence::rt;

namespace {

namespace mp = boost::multiprecision;
using Long = mp::number<mp::cpp_bin_float<60>>;

/// The error in units of the last place of the true value.
double error_of(double value, const Long& truth) {
    int exponent = 0;
    std::frexp(static_cast<double>(truth), &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 53, -1074));
    return std::abs(static_cast<double>((Long(value) - truth) / unit));
}

struct Case {
    const char* name;
    double (*ours)(double);
    Long (*truth)(const Long&);
    double low;
    double high;
    bool by_size = false;  ///< as many arguments in each power of ten
    double most = 0.6;
};

Long grown(const Long& x) { return mp::exp(x); }

const std::vector<Case> cases = {
    {"exp", std::exp, [](const Long& x) -> Long { return mp::exp(x); }, -744, 709.7},
    {"exp near 0", std::exp, [](const Long& x) -> Long { return mp::exp(x); }, -1, 1, false, 0.53},
    {"exp2", std::exp2, [](const Long& x) -> Long { return mp::pow(Long(2), x); }, -1073, 1023.9},
    {"expm1", std::expm1, [](const Long& x) -> Long { return grown(x) - 1; }, -40, 709},
    {"expm1 near 0", std::expm1, [](const Long& x) -> Long { return grown(x) - 1; }, 1e-12, 1, true},
    {"tanh", std::tanh, [](const Long& x) -> Long { return 1 - 2 / (grown(2 * x) + 1); }, 1e-8, 19, true},
    {"sinh", std::sinh, [](const Long& x) -> Long { return (grown(x) - 1 / grown(x)) / 2; }, 1e-8, 710, true},
    {"cosh", std::cosh, [](const Long& x) -> Long { return (grown(x) + 1 / grown(x)) / 2; }, 1e-8, 710, true},
    {"log", std::log, [](const Long& x) -> Long { return mp::log(x); }, 1e-322, 1e308, true, 0.53},
    {"log near 1", std::log, [](const Long& x) -> Long { return mp::log(x); }, 0.9, 1.1, false, 0.53},
    {"log1p", std::log1p, [](const Long& x) -> Long { return mp::log(1 + x); }, 1e-20, 1e300, true, 0.8},
    {"log1p below 0", std::log1p, [](const Long& x) -> Long { return mp::log(1 + x); }, -0.999, -1e-3},
    {"log2", std::log2, [](const Long& x) -> Long { return mp::log(x) / mp::log(Long(2)); }, 1e-322, 1e308, true},
    {"log10", std::log10, [](const Long& x) -> Long { return mp::log(x) / mp::log(Long(10)); }, 1e-322, 1e308, true},
    {"x^1.7", [](double x) { return std::pow(x, 1.7); }, [](const Long& x) -> Long { return mp::pow(x, Long(1.7)); }, 1e-190, 1e181, true},
    {"1.001^x", [](double x) { return std::pow(1.001, x); }, [](const Long& x) -> Long { return mp::pow(Long(1.001), x); }, -7e5, 7e5},
    {"cbrt", std::cbrt, [](const Long& x) -> Long { return mp::pow(x, Long(1) / 3); }, 1e-310, 1e308, true},
    {"asinh", std::asinh, [](const Long& x) -> Long { return mp::log(x + mp::sqrt(x * x + 1)); }, 1e-7, 1e300, true},
    {"sin", std::sin, [](const Long& x) -> Long { return mp::sin(x); }, -1e6, 1e6, false, 0.7},
    {"sin near 0", std::sin, [](const Long& x) -> Long { return mp::sin(x); }, 1e-12, 4, true, 0.7},
    {"cos", std::cos, [](const Long& x) -> Long { return mp::cos(x); }, -100, 100, false, 0.7},
    {"tan", std::tan, [](const Long& x) -> Long { return mp::sin(x) / mp::cos(x); }, -100, 100, false, 0.8},
    {"atan", std::atan, [](const Long& x) -> Long { return mp::atan(x); }, 1e-12, 1e18, true},
    {"atan2", [](double x) { return std::atan2(1.3, x); }, [](const Long& x) -> Long { return mp::atan2(Long(1.3), x); }, -9, 9},
    {"acos", std::acos, [](const Long& x) -> Long { return mp::acos(x); }, -1, 1},
    {"hypot", [](double x) { return std::hypot(x, 1.7); }, [](const Long& x) -> Long { return mp::sqrt(x * x + Long(1.7) * Long(1.7)); }, 0,
     9},
};

}  // namespace

TEST_CASE("elementary functions are right to less than a unit in the last place", "[elementary]") {
    for (const auto& c : cases) {
        Rng rng(5);
        double worst = 0;
        double at = 0;
        for (int i = 0; i < 250; ++i) {
            const double u = rng.uniform();
            const double x = c.by_size ? c.low * std::pow(c.high, u) / std::pow(c.low, u) : c.low + u * (c.high - c.low);
            const double error = error_of(c.ours(x), c.truth(Long(x)));
            if (!(error <= worst)) {
                worst = error;
                at = x;
            }
        }
        INFO(c.name << " at " << at);
        CHECK(worst < c.most);
    }
}

// The decimals are those of mpmath at 60 digits: sin(10^22) is known from Ng, "Argument reduction for huge arguments" (1992).
TEST_CASE("angles of many turns", "[elementary]") {
    CHECK(std::sin(1e22) == -0.8522008497671888018);
    CHECK(std::cos(1e22) == Approx(0.5232147853951389455).epsilon(1e-15));
    CHECK(std::sin(-1e22) == 0.8522008497671888018);
    for (const double x : {1.5e6, 2e9, 7e15, 3e77, 1.7e308}) CHECK(std::hypot(std::sin(x), std::cos(x)) == Approx(1).epsilon(1e-15));
    // The double nearest to a multiple of π/2 (Muller et al., "Handbook of Floating-Point Arithmetic", table 11.1).
    CHECK(std::cos(6381956970095103.0 * std::ldexp(1.0, 797)) == Approx(-4.6871659242546276e-19).epsilon(1e-13));
}

TEST_CASE("elementary functions at their limits", "[elementary]") {
    const double infinity = INFINITY;
    const double nothing = std::nan("");
    CHECK(std::exp(-infinity) == 0);
    CHECK(std::exp(infinity) == infinity);
    CHECK(std::exp(710) == infinity);
    CHECK(std::exp(-745) == std::ldexp(1.0, -1074));
    CHECK(std::exp(0.0) == 1);
    CHECK(std::expm1(-infinity) == -1);
    CHECK(std::expm1(infinity) == infinity);
    CHECK(std::signbit(std::expm1(-0.0)));
    CHECK(std::log(0.0) == -infinity);
    CHECK(std::log(1.0) == 0);
    CHECK(std::isnan(std::log(-1.0)));
    CHECK(std::log(infinity) == infinity);
    CHECK(std::log1p(-1.0) == -infinity);
    CHECK(std::isnan(std::log1p(-1.5)));
    CHECK(std::sinh(-infinity) == -infinity);
    CHECK(std::cosh(-infinity) == infinity);
    CHECK(std::cosh(712.0) == infinity);
    CHECK(std::tanh(infinity) == 1);
    CHECK(std::tanh(-50.0) == -1);
    CHECK(std::isnan(std::sin(infinity)));
    CHECK(std::atan(infinity) == Approx(1.5707963267948966));
    CHECK(std::atan2(0.0, -1.0) == Approx(3.141592653589793));
    CHECK(std::atan2(-0.0, -1.0) == Approx(-3.141592653589793));
    CHECK(std::acos(1.0) == 0);
    CHECK(std::isnan(std::acos(1.5)));
    for (double (*f)(double) :
         {static_cast<double (*)(double)>(std::exp), static_cast<double (*)(double)>(std::log), static_cast<double (*)(double)>(std::log1p),
          static_cast<double (*)(double)>(std::expm1), static_cast<double (*)(double)>(std::tanh),
          static_cast<double (*)(double)>(std::sin), static_cast<double (*)(double)>(std::cos), static_cast<double (*)(double)>(std::atan)})
        CHECK(std::isnan(f(nothing)));
}

TEST_CASE("powers at their limits are those of IEEE 754", "[elementary]") {
    const double infinity = INFINITY;
    const double nothing = std::nan("");
    CHECK(std::pow(nothing, 0.0) == 1);
    CHECK(std::pow(1.0, nothing) == 1);
    CHECK(std::isnan(std::pow(nothing, 2.0)));
    CHECK(std::pow(-2.0, 3.0) == -8);
    CHECK(std::pow(-2.0, 4.0) == 16);
    CHECK(std::isnan(std::pow(-2.0, 0.5)));
    CHECK(std::pow(0.0, -1.0) == infinity);
    CHECK(std::pow(-0.0, -3.0) == -infinity);
    CHECK(std::signbit(std::pow(-0.0, 3.0)));
    CHECK(std::pow(0.0, 2.0) == 0);
    CHECK(std::pow(infinity, -1.0) == 0);
    CHECK(std::pow(-infinity, 3.0) == -infinity);
    CHECK(std::pow(0.5, infinity) == 0);
    CHECK(std::pow(-1.0, infinity) == 1);
    CHECK(std::pow(10.0, 400.0) == infinity);
    CHECK(std::pow(10.0, -400.0) == 0);
    for (int n = 1; n <= 15; ++n) {  // whole where the truth is whole
        CHECK(std::pow(10.0, n) == std::stod("1e" + std::to_string(n)));
        CHECK(std::log10(std::stod("1e" + std::to_string(n))) == n);
        CHECK(std::log2(std::ldexp(1.0, n * 60)) == n * 60);
        CHECK(std::exp2(n * 60) == std::ldexp(1.0, n * 60));
        CHECK(std::cbrt(n * n * n) == n);
    }
}

TEST_CASE("products by halves have the bits of fused ones", "[elementary]") {
    Rng rng(6);
    for (int i = 0; i < 2000; ++i) {
        const double a = rng.normal() * std::ldexp(1.0, static_cast<int>(rng.below(400)) - 200);
        const double b = rng.normal();
        const Pair product = product_by_halves(a, b);
        CHECK(product.hi == a * b);
        CHECK(product.lo == std::fma(a, b, -(a * b)));
    }
}
