#include "runtime/core/special.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <catch2/catch.hpp>

using namespace credence::rt;

namespace {

Approx near(double value, double relative = 1e-13) { return Approx(value).epsilon(relative).margin(1e-300); }

}  // namespace

// The decimals of this file are mpmath's, at 60 digits.
TEST_CASE("gamma, digamma and Stirling's error", "[special]") {
    CHECK(log_gamma(0.1) == near(2.252712651734206));
    CHECK(log_gamma(3.7) == near(1.428072326665388));
    CHECK(log_gamma(1e5) == near(1051287.7089736569));
    CHECK(digamma(0.1) == near(-10.423754940411076));
    CHECK(digamma(1) == near(-0.5772156649015329));
    CHECK(digamma(1000) == near(6.907255195648812));
    CHECK(digamma_minus_log(0.1) == near(-8.12116984741703));
    CHECK(digamma_minus_log(19.5) == near(-0.025860122144105817));
    CHECK(digamma_minus_log(20) == near(-0.025208281311841944));
    CHECK(digamma_minus_log(1e9) == near(-5.000000000833333e-10));
    CHECK(stirling_error(0.01) == near(1.4340079537031842));
    CHECK(stirling_error(0.3) == near(0.2360649007482156));
    CHECK(stirling_error(7.5) == near(0.011104559758206917, 1e-15));
    CHECK(stirling_error(10.3) == near(0.008088079624901379, 1e-12));
    CHECK(stirling_error(15) == near(0.005554733551962801, 1e-15));
    CHECK(stirling_error(15.5) == near(0.005375599032926835));
    CHECK(stirling_error(1e6) == near(8.333333333333056e-08));
}

TEST_CASE("deviance near and far from the mean", "[special]") {
    CHECK(deviance(1000001, 1000000) == near(4.999998333334166e-07));
    CHECK(deviance(5, 20) == near(8.068528194400546));
    CHECK(deviance(3, 3) == 0);
}

TEST_CASE("masses for large parameters", "[special]") {
    CHECK(log_binomial_mass(300010000, 1e9, 0.3, 0.7) == near(-10.738350827752495, 1e-10));  // 0.3 itself is off by 1e-17
    CHECK(log_binomial_mass(500000010000000, 1e15, 0.5, 0.5) == near(-17.69517955010007, 1e-12));
    CHECK(log_poisson_mass(1e12 + 3e6, 1e12) == near(-19.23444609117353, 1e-12));
    CHECK(log_poisson_mass(0, 0) == 0);
    CHECK(std::isinf(log_poisson_mass(1, 0)));
    CHECK(log_poisson_mass(2, 1e-310) == near(2 * std::log(1e-310) - std::log(2.0)));
}

TEST_CASE("tails", "[special]") {
    CHECK(normal_lower(-10) == near(7.619853024160525e-24));
    CHECK(normal_lower(-35) == near(1.1249107064724062e-268, 1e-12));
    CHECK(normal_lower(1.5) == near(0.9331927987311419));
    CHECK(normal_quantile(0.3, 0.7) == near(-0.5244005127080409));
    CHECK(normal_quantile(1e-300, 1) == near(-37.0470962993612));
    CHECK(normal_quantile(1, 1e-300) == near(37.0470962993612));
    // Cauchy: ½ − arctan(t)/π, which is 1/(π t) far out
    CHECK(student_t_lower(1, -3) == near(0.5 - std::atan(3.0) / 3.14159265358979323846));
    CHECK(student_t_lower(1, -1e200) == near(1 / (3.14159265358979323846 * 1e200), 1e-12));
    CHECK(student_t_lower(0.01, -1.0001e150) == near(student_t_lower(0.01, -0.9999e150), 1e-5));
    CHECK(student_t_lower(0.01, 1.0001e150) == near(student_t_lower(0.01, 0.9999e150), 1e-5));
    CHECK(gamma_lower(100, 50) == near(3.200065324585125e-10));
    CHECK(gamma_upper(2.5, 40) == near(8.391825114831611e-16));
    CHECK(beta_lower(300, 200, 0.55, 0.45) == near(0.011853654379737195, 1e-12));
    CHECK(beta_lower(2, 50, 0.4, 0.6) == near(0.9999999998302609));
    CHECK(beta_lower(50, 2, 0.6, 0.4) == near(1.6973906826760015e-10));
}

TEST_CASE("exact counts agree with Pascal's triangle", "[special]") {
    std::vector<Rational> row{1};
    for (std::int64_t n = 1; n <= 80; ++n) {
        std::vector<Rational> next{1};
        for (std::size_t k = 1; k < row.size(); ++k) next.push_back(row[k - 1] + row[k]);
        next.emplace_back(1);
        row = std::move(next);
        for (std::size_t k = 0; k < row.size(); ++k) REQUIRE(choose(n, static_cast<std::int64_t>(k)) == row[k]);
    }
    CHECK(choose(5, -1) == Rational(0));
    CHECK(choose(5, 6) == Rational(0));
    CHECK(choose(0, 0) == Rational(1));
    CHECK(factorial(0) == Rational(1));
    CHECK(factorial(20) == Rational(std::int64_t{2432902008176640000}));
    CHECK(factorial(25).text() == "15511210043330985984000000");
}

TEST_CASE("exact binomial sums agree with sums of masses", "[special]") {
    for (const Rational& p : {Rational(0), Rational(1, 7), Rational(1, 2), Rational(9, 10), Rational(1)}) {
        Rational sum;
        for (std::int64_t k = 0; k <= 23; ++k) {
            sum += exact_binomial_mass(23, p, k);
            REQUIRE(exact_binomial_lower(23, p, k) == sum);
        }
        CHECK(sum == Rational(1));
    }
    CHECK(exact_binomial_lower(5, Rational(1, 2), -1) == Rational(0));
    CHECK(exact_binomial_lower(5, Rational(1, 2), 9) == Rational(1));
}

TEST_CASE("incomplete gamma and beta functions of large parameters", "[special]") {
    for (const double a : {1e7, 1e9, 1e12, 1e15}) {
        INFO(a);
        // P(a, a) = 1/2 + 1 / (3 √(2πa)) + O(a^−3/2) (DLMF 8.11.12); three standard deviations out, Φ(±3) with the skewness 2/√a in the
        // first Edgeworth term, φ(3) (1 − 9) / (3 √a).
        const double at_mean = 1 / (3 * std::sqrt(2 * std::numbers::pi * a));
        CHECK(std::abs(gamma_lower(a, a) - (0.5 + at_mean)) < 1e-11);
        CHECK(std::abs(gamma_upper(a, a) - (0.5 - at_mean)) < 1e-11);
        // 1e-10: at 1e15 the point itself is rounded to eighths.
        const double edgeworth = std::exp(-4.5) / std::sqrt(2 * std::numbers::pi) * -8 / (3 * std::sqrt(a));
        CHECK(std::abs(gamma_lower(a, a - 3 * std::sqrt(a)) - (normal_lower(-3) + edgeworth)) < 2 / a + 1e-10);
        CHECK(std::abs(gamma_upper(a, a + 3 * std::sqrt(a)) - (normal_lower(-3) - edgeworth)) < 2 / a + 1e-10);
        // The median is a − 1/3 + O(1/a).
        CHECK(std::abs(gamma_quantile(a, 0.5, 0.5) - (a - 1.0 / 3)) <= 1e-7 + 1e-15 * a);
        for (const double p : {1e-12, 0.01, 0.7}) {
            CHECK(gamma_lower(a, gamma_quantile(a, p, 1 - p)) == Approx(p).epsilon(1e-6));
            CHECK(beta_lower(a, 2 * a, beta_quantile(a, 2 * a, p, 1 - p), 1 - beta_quantile(a, 2 * a, p, 1 - p)) ==
                  Approx(p).epsilon(1e-5));
        }
        // Symmetry, and the complement.
        CHECK(std::abs(beta_lower(a, a, 0.5, 0.5) - 0.5) < 1e-15);
        const double x = 1.0 / 3 + 1 / std::sqrt(a);
        CHECK(std::abs(beta_lower(a, 2 * a, x, 1 - x) + beta_lower(2 * a, a, 1 - x, x) - 1) < 1e-12);
    }
    CHECK(beta_quantile(5, 5, 0.5, 0.5) == 0.5);
    // Of one large parameter alone the limit is gamma: qgamma(0.95, 5) of R.
    for (const double large : {1e12, 1e16, 1e20, 1e100, 1e300}) {
        CHECK(beta_quantile(5, large, 0.95, 0.05) * large == near(9.1535190266375732, 1e-10));
        CHECK(1 - beta_quantile(large, 5, 0.05, 0.95) == Approx(9.1535190266375732 / large).margin(1e-15));
    }
    // On both sides of where the expansions begin.
    CHECK(gamma_lower(0.999999e7, 1.0001e7) == Approx(gamma_lower(1.000001e7, 1.0001e7 + 20)).epsilon(1e-6));
}

TEST_CASE("a compensated sum keeps what a plain one loses", "[special]") {
    CompensatedSum sum;
    for (const double term : {1.0, 1e100, 1.0, -1e100}) sum.add(term);
    CHECK(sum.value() == 2);
}
