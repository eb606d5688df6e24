// Families within limits and in order: the densities are those of their distributions, and the slopes those of the densities.

#include <cmath>

#include <catch2/catch.hpp>

#include "distribution_support.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/prob/distributions/truncated.hpp"

using namespace credence::rt;
using credence::rt::testing::real;

namespace {

void slopes_must_fit(const FamilyInfo& family, double x, std::vector<double> p) {
    INFO(family.name);
    p.resize(most_parameters);
    const DensityValue at = family.log_density(x, p.data());
    REQUIRE(std::isfinite(at.value));
    constexpr double h = 1e-5;
    const auto difference = [&](auto move) {
        auto more = p;
        auto less = p;
        double up = x;
        double down = x;
        move(more, up, h);
        move(less, down, -h);
        return (family.log_density(up, more.data()).value - family.log_density(down, less.data()).value) / (2 * h);
    };
    CHECK(at.dx == Approx(difference([](auto&, double& v, double by) { v += by; })).epsilon(1e-6).margin(1e-7));
    for (std::size_t k = 0; k < family.parameters.size(); ++k) {
        if (family.parameters[k].name == "left" || std::isinf(p[k])) continue;
        INFO(family.parameters[k].name);
        CHECK(at.dp[k] == Approx(difference([k](auto& q, double&, double by) { q[k] += by; })).epsilon(1e-5).margin(1e-6));
    }
}

}  // namespace

TEST_CASE("slopes of truncated and ordered densities") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const auto& [name, x, p] : {std::tuple<const char*, double, std::vector<double>>{"normal", 0.7, {0.2, 1.3}},
                                     {"gamma", 1.4, {2.5, 1.1}},
                                     {"student_t", 0.6, {4, 0.1, 0.8}},
                                     {"exponential", 0.9, {1.7}},
                                     {"beta", 0.55, {2, 3}},
                                     {"lognormal", 0.8, {0.1, 0.6}}}) {
        const FamilyInfo& base = *find_family(name);
        auto between = p;
        between.insert(between.end(), {0.3, 1.9});
        if (std::string_view(name) == "beta") between.back() = 0.9;
        slopes_must_fit(*truncated_family(base), x, between);
        auto above = p;
        above.insert(above.end(), {0.3, inf});
        slopes_must_fit(*truncated_family(base), x, above);
        auto smallest = p;
        smallest.insert(smallest.end(), {0.3, 3});
        slopes_must_fit(*ordered_family(base), x, smallest);
    }
}

TEST_CASE("they integrate to 1, and their members know their tails") {
    const auto cut = make_truncated(*make_normal(0, 1), real(-0.5), real(2));
    REQUIRE(cut);
    const double below = (*cut)->cdf(real(0.4))->real();
    const double points = 20000;
    double sum = 0;
    for (int i = 0; i < 20000; ++i) sum += (*cut)->pdf(real(-0.5 + 0.9 * (i + 0.5) / points))->real() * 0.9 / points;
    CHECK(sum == Approx(below).epsilon(1e-8));
    CHECK((*cut)->above(real(0.4))->real() == Approx(1 - below).epsilon(1e-12));
    CHECK((*cut)->quantile(real(below))->real() == Approx(0.4).epsilon(1e-10));
    // Far out in a tail.
    const auto far = make_truncated(*make_normal(0, 1), real(9), real(std::numeric_limits<double>::infinity()));
    REQUIRE(far);
    const double middle = (*far)->quantile(real(0.5))->real();
    CHECK((*far)->cdf(real(middle))->real() == Approx(0.5).epsilon(1e-9));
    CHECK(middle > 9.07);
    CHECK(middle < 9.08);
    // The smallest of three is above x where all are.
    const double p[] = {0, 1, -std::numeric_limits<double>::infinity(), 3};
    const auto smallest = ordered_family(normal_family)->make(std::vector<Number>{real(p[0]), real(p[1]), real(p[2]), real(p[3])}, {});
    REQUIRE(smallest);
    CHECK((*smallest)->above(real(0))->real() == Approx(0.125).epsilon(1e-12));
    CHECK((*smallest)->quantile(real(0.875))->real() == Approx(0).margin(1e-8));
}
