// The Cholesky factor of a triangle against its definition, and its derivative against differences.

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/continuous/sample/tape.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/core/triangle.hpp"

using namespace credence::rt;

namespace {

/// Positive definite: B Bᵀ + I of a random B.
std::vector<double> random_covariance(std::size_t n, Rng& rng) {
    std::vector<double> b(n * n);
    for (auto& x : b) x = rng.normal();
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            out.push_back(i == j ? 1 : 0);
            for (std::size_t k = 0; k < n; ++k) out.back() += b[i * n + k] * b[j * n + k];
        }
    return out;
}

}  // namespace

TEST_CASE("a factor times its transpose is the covariance") {
    Rng rng(3);
    for (std::size_t n = 1; n <= 7; ++n) {
        const auto covariance = random_covariance(n, rng);
        auto factor = covariance;
        factor_triangle(factor);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k <= j; ++k) sum += factor[place_in_triangle(i, k)] * factor[place_in_triangle(j, k)];
                CHECK(sum == Approx(covariance[place_in_triangle(i, j)]));
            }
    }
    std::vector<double> indefinite{1, 2, 1};
    factor_triangle(indefinite);
    CHECK(std::isnan(indefinite[0]));
    CHECK(triangle_rows(6) == 3);
    CHECK(!triangle_rows(5));
}

TEST_CASE("slopes by the entries of a covariance equal central differences") {
    Rng rng(4);
    for (std::size_t n = 1; n <= 6; ++n) {
        const auto covariance = random_covariance(n, rng);
        std::vector<double> weights(covariance.size());
        for (auto& w : weights) w = rng.normal();
        const auto value = [&](std::vector<double> at) {
            factor_triangle(at);
            double out = 0;
            for (std::size_t i = 0; i < at.size(); ++i) out += weights[i] * at[i];
            return out;
        };
        auto factor = covariance;
        factor_triangle(factor);
        auto slopes = weights;
        factor_slopes(factor, slopes);
        for (std::size_t i = 0; i < covariance.size(); ++i) {
            constexpr double h = 1e-5;
            auto more = covariance;
            auto less = covariance;
            more[i] += h;
            less[i] -= h;
            CHECK(slopes[i] == Approx((value(more) - value(less)) / (2 * h)).epsilon(1e-6).margin(1e-8));
        }
    }
}

TEST_CASE("a tape with a factor has its value and its gradient") {
    using continuous::Tape;
    Tape tape;
    const auto a = tape.input();
    const auto b = tape.input();
    // [[a², a b], [a b, b² + 1]]: L21 = b, and L22 = 1.
    const std::vector<Tape::Node> covariance{tape.binary(TermOp::multiply, a, a), tape.binary(TermOp::multiply, a, b),
                                             tape.binary(TermOp::add, tape.binary(TermOp::multiply, b, b), tape.constant(1))};
    const auto factor = tape.factor(covariance);
    const auto output =
        tape.binary(TermOp::add, tape.binary(TermOp::multiply, tape.entry(factor, 0), tape.entry(factor, 1)), tape.entry(factor, 2));
    auto work = tape.workspace();
    std::vector<double> gradient(2);
    for (int again = 0; again < 2; ++again) {
        CHECK(tape.gradient(std::vector{2.0, 3.0}, output, work, gradient) == Approx(7));
        CHECK(gradient[0] == Approx(3));
        CHECK(gradient[1] == Approx(2));
    }
}
