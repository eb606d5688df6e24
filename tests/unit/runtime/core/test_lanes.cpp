#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/core/lanes.hpp"
#include "runtime/core/rng.hpp"

using namespace credence::rt;

TEST_CASE("four exponentials at a time are those of the library within two units in the last place") {
    Rng rng(2);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = (rng.uniform() - 0.5) * (i % 2 == 0 ? 4 : 1380);
        const Lanes e = exp_lanes(Lanes{x, -x, x / 3, 0});
        worst = std::max(worst, std::abs(e[0] / std::exp(x) - 1));
        worst = std::max(worst, std::abs(e[1] / std::exp(-x) - 1));
        CHECK(e[3] == 1);
    }
    CHECK(worst < 5e-16);
    CHECK(exp_lanes(Lanes{-1e300, 0, 0, 0})[0] == Approx(0).margin(1e-300));
    CHECK(std::isnan(exp_lanes(Lanes{std::nan(""), 0, 0, 0})[0]));
}

TEST_CASE("four logarithms of 1 + e at a time are those of the library within three units in the last place") {
    Rng rng(3);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = i % 2 == 0 ? rng.uniform() : std::exp(-300 * rng.uniform());
        const Lanes l = log1p_lanes(Lanes{x, 1 - x, x / 3, 0});
        worst = std::max(worst, std::abs(l[0] / std::log1p(x) - 1));
        worst = std::max(worst, std::abs(l[2] / std::log1p(x / 3) - 1));
        CHECK(l[3] == 0);
    }
    CHECK(worst < 7e-16);
    CHECK(log1p_lanes(Lanes{1, 1, 1, 1})[2] == Approx(0.6931471805599453).epsilon(1e-15));
}

TEST_CASE("four logarithms at a time are those of the library within three units in the last place") {
    Rng rng(4);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = i % 2 == 0 ? 0.5 + rng.uniform() : std::exp(1400 * rng.uniform() - 700);
        const Lanes l = log_lanes(Lanes{x, 1 / x, 3 * x, 1});
        worst = std::max(worst, std::abs(l[0] / std::log(x) - 1));
        worst = std::max(worst, std::abs(l[2] / std::log(3 * x) - 1));
        CHECK(l[3] == 0);
    }
    CHECK(worst < 7e-16);
    const Lanes ends = log_lanes(Lanes{INFINITY, std::nan(""), 2, 4});
    CHECK(std::isinf(ends[0]));
    CHECK(std::isnan(ends[1]));
}

TEST_CASE("sums of products and scaled additions, whatever the length") {
    for (std::size_t n = 0; n < 40; ++n) {
        std::vector<double> a, b;
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            a.push_back(static_cast<double>(i + 1));
            b.push_back(static_cast<double>(2 * i) - 3);
            sum += a[i] * b[i];
        }
        CHECK(dot(a.data(), b.data(), n) == sum);  // whole numbers: no rounding
        CHECK(credence::rt::sum(a.data(), n) == static_cast<double>(n * (n + 1) / 2));
        std::vector<double> c = b;
        add_scaled(c.data(), 3, a.data(), n);
        for (std::size_t i = 0; i < n; ++i) CHECK(c[i] == b[i] + 3 * a[i]);
        set_scaled(c.data(), 2, a.data(), n);
        sigmoid_all(a.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(c[i] == 2 * static_cast<double>(i + 1));
            CHECK(a[i] == Approx(1 / (1 + std::exp(-static_cast<double>(i + 1)))).epsilon(1e-14));
        }
    }
}
