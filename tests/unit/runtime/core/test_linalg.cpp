#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/core/least_squares.hpp"
#include "runtime/core/linalg.hpp"
#include "runtime/core/rng.hpp"

using namespace credence::rt;

namespace {

Matrix random_matrix(std::size_t rows, std::size_t columns, Rng& rng) {
    Matrix out(rows, columns);
    for (double& v : out.values) v = rng.normal();
    return out;
}

}  // namespace

TEST_CASE("least squares: residuals are orthogonal to the columns, also over many blocks of rows") {
    Rng rng(1);
    for (const std::size_t rows : {5UL, 64UL, 1000UL}) {
        const Matrix x = random_matrix(rows, 4, rng);
        std::vector<double> y(rows);
        for (double& v : y) v = rng.normal();
        const LeastSquares fit = least_squares(x, y);
        CHECK(fit.dependent.empty());
        for (std::size_t c = 0; c < 4; ++c) {
            double product = 0;
            for (std::size_t i = 0; i < rows; ++i) {
                double e = y[i];
                for (std::size_t k = 0; k < 4; ++k) e -= x(i, k) * fit.coefficients[k];
                product += e * x(i, c);
            }
            CHECK(std::abs(product) < 1e-10 * static_cast<double>(rows));
        }
    }
}

TEST_CASE("least squares names the columns that earlier ones determine, and fewer rows than columns") {
    Rng rng(2);
    Matrix x = random_matrix(30, 4, rng);
    for (std::size_t i = 0; i < 30; ++i) x(i, 2) = 2 * x(i, 0) - x(i, 1);
    std::vector<double> y(30);
    for (std::size_t i = 0; i < 30; ++i) y[i] = 3 * x(i, 0) + x(i, 3);
    const LeastSquares fit = least_squares(x, y);
    CHECK(fit.dependent == std::vector<std::size_t>{2});
    CHECK(fit.coefficients[0] == Approx(3));
    CHECK(fit.coefficients[2] == 0);
    CHECK(fit.coefficients[3] == Approx(1));

    const Matrix wide = random_matrix(2, 5, rng);
    const std::vector<double> two = {1.0, 2.0};
    CHECK(least_squares(wide, two).dependent.size() == 3);
    // The solution of least norm lies in the row space: x = Aᵀ z.
    const auto least = minimum_norm_least_squares(wide, two);
    for (std::size_t i = 0; i < 2; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 5; ++k) sum += wide(i, k) * least[k];
        CHECK(sum == Approx(two[i]));
    }
}

TEST_CASE("unscaled variances are the diagonal of the inverse of X'X") {
    Matrix x(4, 2);
    for (std::size_t i = 0; i < 4; ++i) {
        x(i, 0) = 1;
        x(i, 1) = static_cast<double>(i + 1);
    }
    // X'X = [4 10; 10 30], determinant 20: the inverse has 30/20 and 4/20 on its diagonal.
    const std::vector<double> y = {1, 3, 2, 4};
    const LeastSquares fit = least_squares(x, y);
    CHECK(fit.unscaled_variances[0] == Approx(1.5));
    CHECK(fit.unscaled_variances[1] == Approx(0.2));
    CHECK(fit.coefficients[1] == Approx(0.8));
}

TEST_CASE("eigenvalues fall, vectors are fixed in sign; Cholesky refuses what is not positive definite") {
    Matrix a(2, 2);
    a.values = {2, 1, 1, 2};
    const SymmetricEigen e = symmetric_eigen(a);
    CHECK(e.values[0] == Approx(3));
    CHECK(e.values[1] == Approx(1));
    CHECK(e.vectors(0, 0) == Approx(std::sqrt(0.5)));
    CHECK(e.vectors(0, 1) == Approx(std::sqrt(0.5)));
    CHECK(e.vectors(1, 0) == Approx(std::sqrt(0.5)));
    CHECK(e.vectors(1, 1) == Approx(-std::sqrt(0.5)));
    const auto lower = cholesky(a);
    REQUIRE(lower);
    CHECK((*lower)(1, 0) == Approx(1 / std::sqrt(2.0)));
    a.values = {1, 2, 2, 1};
    CHECK_FALSE(cholesky(a));
}

namespace {

/// Columns of normal numbers; the last `dependent` are sums of two others.
Matrix drawn_columns(std::size_t rows, std::size_t columns, std::size_t dependent, Rng& rng) {
    Matrix out(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < columns; ++c)
            out(i, c) = c + dependent < columns ? rng.normal() : out(i, c + dependent - columns) + out(i, c + dependent - columns + 1);
    return out;
}

}  // namespace

TEST_CASE("least squares of many columns: the normal equations hold, their inverse is the covariance, and a stop ends it") {
    Rng rng(4);
    for (const std::size_t dependent : {std::size_t{0}, std::size_t{5}}) {
        const Matrix x = drawn_columns(900, 450, dependent, rng);
        std::vector<double> y(x.rows);
        for (double& v : y) v = rng.normal();
        const auto fit = *least_squares_with_covariance(x, y, {});
        CHECK(fit.dependent.size() == dependent);
        std::vector<double> left = y;
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t c = 0; c < x.columns; ++c) left[i] -= x(i, c) * fit.coefficients[c];
        double slope = 0;
        for (std::size_t c = 0; c < x.columns; ++c) {
            double sum = 0;
            for (std::size_t i = 0; i < x.rows; ++i) sum += x(i, c) * left[i];
            slope = std::max(slope, std::abs(sum));
        }
        CHECK(slope < 1e-9);
        double off = 0;  // (XᵀX) C = I over the columns that are kept, here in a few of its columns
        const std::size_t kept = x.columns - dependent;
        for (const std::size_t c : {std::size_t{0}, kept / 2, kept - 1}) {
            std::vector<double> xc(x.rows, 0.0);
            for (std::size_t i = 0; i < x.rows; ++i)
                for (std::size_t k = 0; k < kept; ++k) xc[i] += x(i, k) * fit.unscaled_covariance(k, c);
            for (std::size_t r = 0; r < kept; ++r) {
                double sum = r == c ? -1 : 0;
                for (std::size_t i = 0; i < x.rows; ++i) sum += x(i, r) * xc[i];
                off = std::max(off, std::abs(sum));
            }
        }
        CHECK(off < 1e-9);
        Run run;
        StopSource source;
        run.stop = source.get_token();
        source.request_stop();
        CHECK_FALSE(least_squares_with_covariance(x, y, run));
    }
}

TEST_CASE("least squares of more columns than rows keeps the first independent ones") {
    Rng rng(9);
    const Matrix x = drawn_columns(6, 3000, 0, rng);
    const std::vector<double> y{1, 2, 3, 4, 5, 6};
    const auto fit = *least_squares_with_covariance(x, y, {});
    CHECK(fit.dependent.size() == 2994);
    CHECK(fit.dependent.front() == 6);
    for (std::size_t i = 0; i < x.rows; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < 6; ++c) sum += x(i, c) * fit.coefficients[c];
        CHECK(sum == Approx(y[i]).epsilon(1e-10));
    }
}
