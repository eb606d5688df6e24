// The solver against what defines a solution: the conditions of Karush, Kuhn and Tucker, and the primal value.

#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/margin/platt.hpp"
#include "runtime/margin/smo.hpp"
#include "runtime/margin/sparse_linear.hpp"

using namespace credence::rt;

namespace {

struct Random {
    Matrix x;
    MarginProblem problem;
};

/// Two overlapping clouds.
void fill(Random& out, std::size_t n, std::size_t features, double c, const Kernel& kernel, Rng& rng) {
    out.x = Matrix(n, features);
    MarginProblem& p = out.problem;
    for (std::size_t i = 0; i < n; ++i) {
        const bool plus = rng.uniform() < 0.4;
        for (double& v : out.x.row(i)) v = rng.normal() + (plus ? 0.8 : 0.0);
        p.sign.push_back(plus ? 1 : -1);
        p.linear.push_back(-1);
        p.most.push_back(c * (0.5 + rng.uniform()));
        p.points.push_back(static_cast<std::uint32_t>(i));
    }
    p.rows = &out.x;
    p.kernel = &kernel;
}

}  // namespace

TEST_CASE("SMO meets the KKT conditions on random problems, and its dual equals the primal") {
    Rng rng(3);
    for (const auto kind : {Kernel::Kind::linear, Kernel::Kind::polynomial, Kernel::Kind::rbf})
        for (const double c : {0.1, 1.0, 50.0})
            for (const std::size_t n : {20U, 300U}) {
                Kernel kernel;
                kernel.kind = kind;
                kernel.degree = 2;
                kernel.sigma = 1.5;
                Random r;
                fill(r, n, 4, c, kernel, rng);
                SmoOptions options;
                options.tolerance = 1e-3;
                const Run run;
                const auto solved = solve_margin(r.problem, options, run);
                REQUIRE(solved);
                INFO(kernel.text() << " C " << c << " n " << n);
                double balance = 0;
                double squared = 0;
                std::vector<double> g(n, 0.0);
                for (std::size_t i = 0; i < n; ++i) {
                    balance += r.problem.sign[i] * solved->alpha[i];
                    for (std::size_t j = 0; j < n; ++j) g[i] += r.problem.sign[j] * solved->alpha[j] * *kernel.at(r.x.row(i), r.x.row(j));
                    squared += r.problem.sign[i] * solved->alpha[i] * g[i];
                }
                CHECK(balance == Approx(0).margin(1e-9 * c * static_cast<double>(n)));
                double primal = squared / 2;
                double dual = -squared / 2;
                double scale = 1;
                for (std::size_t i = 0; i < n; ++i) {
                    const double margin = r.problem.sign[i] * (g[i] + solved->bias);
                    const double alpha = solved->alpha[i];
                    CHECK(alpha >= 0);
                    CHECK(alpha <= r.problem.most[i]);
                    if (alpha > 0) CHECK(margin <= 1 + 2e-3);
                    if (alpha < r.problem.most[i]) CHECK(margin >= 1 - 2e-3);
                    primal += r.problem.most[i] * std::max(0.0, 1 - margin);
                    dual += alpha;
                    scale += r.problem.most[i];
                }
                CHECK(dual == Approx(-solved->objective).epsilon(1e-9));
                CHECK(primal - dual >= -1e-9 * scale);
                CHECK(primal - dual <= 2e-3 * scale);  // each row contributes at most its C times the tolerance
            }
}

TEST_CASE("a small cache, shrinking and two threads change nothing but time") {
    Rng rng(8);
    Kernel kernel;
    kernel.kind = Kernel::Kind::rbf;
    kernel.sigma = 1;
    Random r;
    fill(r, 1500, 5, 1.0, kernel, rng);
    const Run run;
    SmoOptions options;
    const auto one = solve_margin(r.problem, options, run);
    options.threads = 2;
    const auto two = solve_margin(r.problem, options, run);
    REQUIRE(one);
    REQUIRE(two);
    CHECK(one->alpha == two->alpha);
    CHECK(one->bias == two->bias);
    options.cache_bytes = 100'000;
    const auto little = solve_margin(r.problem, options, run);
    REQUIRE(little);
    CHECK(little->objective == Approx(one->objective).epsilon(1e-6));
    CHECK(little->converged);
}

TEST_CASE("Platt's sigmoid and the coupling of pairs are calibrated") {
    // Signs drawn with P = 1 / (1 + exp(−2 d)): the fitted slope is −2 within its standard error.
    Rng rng(4);
    std::vector<double> d;
    std::vector<signed char> s;
    for (int i = 0; i < 20000; ++i) {
        d.push_back(2 * rng.uniform() - 1);
        s.push_back(rng.uniform() < 1 / (1 + std::exp(-2 * d.back())) ? 1 : -1);
    }
    const PlattSigmoid fitted = fit_platt(d, s);
    CHECK(fitted.slope == Approx(-2).margin(0.15));
    CHECK(fitted.offset == Approx(0).margin(0.08));
    // Pairs that come from probabilities give them back.
    const double p[] = {0.5, 0.3, 0.2};
    std::vector<double> r(9, 0.5);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (i != j) r[i * 3 + j] = p[i] / (p[i] + p[j]);
    const auto back = couple(r, 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(back[i] == Approx(p[i]).epsilon(1e-5));
}

TEST_CASE("the sparse solver ends where the gradient of its primal is zero, for every label, with one thread and two") {
    Rng rng(6);
    constexpr std::size_t n = 200, columns = 30, labels = 11;
    SparseRows rows;
    std::vector<std::int32_t> code;
    for (std::size_t i = 0; i < n; ++i) {
        code.push_back(static_cast<std::int32_t>(rng.below(labels)));
        for (std::uint32_t c = 0; c < columns; ++c)
            if (rng.uniform() < 0.2 || c == static_cast<std::uint32_t>(code.back())) {
                rows.column.push_back(c);
                rows.value.push_back(static_cast<float>(0.2 + rng.uniform()));
            }
        rows.begin.push_back(rows.value.size());
    }
    Run run;
    SparseOptions options;
    options.c = 0.7;
    options.tolerance = 1e-4;
    const auto w = train_sparse(rows, columns, code, labels, {}, options, run);
    REQUIRE(w);
    run.threads = 2;
    CHECK(train_sparse(rows, columns, code, labels, {}, options, run)->values == w->values);
    for (std::size_t k = 0; k < labels; ++k) {
        // w = 2 C Σ max(0, 1 − y·w·x)·y·x
        std::vector<double> sum(columns, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double y = static_cast<std::size_t>(code[i]) == k ? 1 : -1;
            double d = 0;
            for (std::size_t c = rows.begin[i]; c < rows.begin[i + 1]; ++c)
                d += (*w)(k, rows.column[c]) * static_cast<double>(rows.value[c]);
            for (std::size_t c = rows.begin[i]; c < rows.begin[i + 1]; ++c)
                sum[rows.column[c]] += 2 * options.c * std::max(0.0, 1 - y * d) * y * static_cast<double>(rows.value[c]);
        }
        for (std::size_t c = 0; c < columns; ++c) CHECK((*w)(k, c) == Approx(sum[c]).margin(0.02));
    }
}
