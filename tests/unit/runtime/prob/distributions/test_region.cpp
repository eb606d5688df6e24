// Probabilities of regions in logarithms, with their derivatives. Expected values: ln of the closed form of each tail.

#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/prob/distributions/region.hpp"

using namespace credence::rt;
using Catch::Detail::Approx;

namespace {

Region above(double x) { return {{.low = Number::real(x), .high = {}}}; }
Region between(double a, double b) { return {{.low = Number::real(a), .high = Number::real(b)}}; }

}  // namespace

TEST_CASE("the mass of a region keeps its logarithm far out in a tail") {
    const double normal[most_parameters] = {0, 1};
    // Mills' ratio at 40: ln phi(40) - ln 40 + ln(1 - 1/40^2 + 3/40^4 - …)
    const double r = 1.0 / 1600;
    const double expected = -800 - 0.91893853320467274178 - std::log(40.0) + std::log(1 - r + 3 * r * r - 15 * r * r * r);
    CHECK(log_mass(normal_family, above(40), normal).value == Approx(expected).epsilon(1e-12));
    const double rate[most_parameters] = {3};
    CHECK(log_mass(exponential_family, above(1000), rate).value == Approx(-3000));
    // Without tails of its own: gamma(1, 3) is the same distribution, by the first term of the series.
    const double gamma[most_parameters] = {1, 3};
    CHECK(log_mass(gamma_family, above(1000), gamma).value == Approx(-3000).epsilon(1e-6));
}

TEST_CASE("the derivatives of a region's mass") {
    // d/dm ln(1 - Phi((9 - m) / s)) = phi(z) / (s (1 - Phi(z))), and z times that by s
    const double p[most_parameters] = {7, 2};
    const double hazard = std::exp(-0.5) / std::sqrt(2 * 3.14159265358979323846) / (0.5 * std::erfc(1 / std::sqrt(2.0)));
    const auto normal = log_mass(normal_family, above(9), p);
    CHECK(normal.dp[0] == Approx(hazard / 2).epsilon(1e-12));
    CHECK(normal.dp[1] == Approx(hazard / 2).epsilon(1e-12));
    // ln(e^-kx1 - e^-kx2) by k
    const double rate[most_parameters] = {0.5};
    const double a = std::exp(-1.0);
    const double b = std::exp(-2.0);
    const auto interval = log_mass(exponential_family, between(2, 4), rate);
    CHECK(interval.value == Approx(std::log(a - b)));
    CHECK(interval.dp[0] == Approx((-2 * a + 4 * b) / (a - b)).epsilon(1e-10));
    // weibull(k, s) above x: -(x / s)^k, derivatives by k and s
    const double w[most_parameters] = {2, 3};
    const auto weibull = log_mass(weibull_family, above(6), w);
    CHECK(weibull.value == Approx(-4));
    CHECK(weibull.dp[0] == Approx(-4 * std::log(2.0)).epsilon(1e-8));
    CHECK(weibull.dp[1] == Approx(8.0 / 3).epsilon(1e-8));
}

TEST_CASE("regions of counts end at whole numbers") {
    const auto region = region_where({Number(2)}, true, [](double x) { return x > 2; });
    REQUIRE(region.size() == 1);
    CHECK(region[0].from() == 2);
    const auto at_least = region_where({Number(2)}, true, [](double x) { return x >= 2; });
    REQUIRE(at_least.size() == 1);
    CHECK(at_least[0].from() == 1);
    const double rate[most_parameters] = {1.5};
    CHECK(log_mass(poisson_family, at_least, rate).value == Approx(std::log(1 - std::exp(-1.5) * 2.5)));
}

TEST_CASE("draws from a region lie in it, in the tail too") {
    Rng rng(7);
    const auto normal = *make_normal(0, 1);
    double sum = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto x = sample_from(*normal, above(5), rng);
        REQUIRE(x);
        CHECK(*x >= 5);
        sum += *x;
    }
    // E(X | X > 5) = phi(5) / (1 - Phi(5))
    CHECK(sum / 2000 == Approx(5.1865).margin(0.015));
}
