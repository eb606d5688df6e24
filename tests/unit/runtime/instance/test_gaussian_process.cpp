// Gaussian processes against scikit-learn, the formula written out, and what weights, threads and files must leave as it is.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/core/json.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/instance/gaussian_process.hpp"
#include "runtime/instance/gaussian_process_fit.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/json.hpp"

using namespace credence::rt;
using credence::test::numbers;

namespace {

TablePtr wave(std::size_t copies = 1) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t c = 0; c < copies; ++c) {
        x.insert(x.end(), {1, 2, 3, 4, 6, 7, 8.5});
        y.insert(y.end(), {1.2, 2.1, 2.4, 1.5, -0.7, -1.1, 0.9});
    }
    const std::size_t rows = x.size();
    return make_table({numbers("x", std::move(x)), numbers("y", std::move(y))}, 1, rows);
}

struct At {
    double mean;
    double sd;
};

At at(const Model& model, double x) {
    const auto row = make_table({numbers("x", {x})}, std::nullopt, 1);
    Run run;
    const auto d = dynamic_cast<const Regressor&>(model).distribution({.table = row.get(), .rows = {}}, run);
    return {std::get<Number>(*(*d)->mean()).real(), std::sqrt(std::get<Number>(*(*d)->variance()).real())};
}

const GaussianProcess& process(const ModelPtr& model) { return dynamic_cast<const GaussianProcess&>(*model); }

ModelPtr trained(const GpOptions& options, const Table& table, std::vector<double> weights = {}) {
    Run run;
    return *make_gaussian_process(options)->fit({.table = &table, .rows = {}}, weights, run);
}

GpOptions given(GpKernel kernel) { return {.kernel = kernel, .alpha = 1.5, .rho = 1.2, .sigma = 0.3, .scaling = AxisScale::none}; }

GpRows random_rows(std::size_t n, std::size_t d) {
    Rng rng(7);
    GpRows out{Matrix(n, d), std::vector<double>(n), {}};
    for (double& x : out.points.values) x = 4 * rng.uniform();
    for (std::size_t i = 0; i < n; ++i) out.targets[i] = std::sin(2 * out.points(i, 0)) + 0.2 * rng.normal();
    return out;
}

}  // namespace

TEST_CASE("a Gaussian process predicts what scikit-learn 1.2 does") {
    struct Expected {
        GpKernel kernel;
        double mean, sd, evidence;
    };
    for (const auto& e : {Expected{GpKernel::rbf, 0.39986961, 0.61478641, -9.337739029922481},
                          Expected{GpKernel::matern32, 0.45198602, 1.05235467, -10.178974477977954},
                          Expected{GpKernel::matern52, 0.43005233, 0.93095647, -9.937778247371945}}) {
        const auto model = trained(given(e.kernel), *wave());
        const At five = at(*model, 5);
        CHECK(five.mean == Approx(e.mean).margin(1e-8));
        CHECK(five.sd == Approx(e.sd).margin(1e-8));
        CHECK(process(model).log_evidence() == Approx(e.evidence).epsilon(1e-9));
    }
}

TEST_CASE("learned parameters are those of scikit-learn, and a peak of the evidence") {
    const auto model = trained({.sigma = 0.3, .scaling = AxisScale::none}, *wave());
    const GpParameters best = process(model).parameters();
    for (const double factor : {0.98, 1.02}) {
        CHECK(process(trained({.alpha = best.alpha * factor, .rho = best.rho[0], .sigma = 0.3, .scaling = AxisScale::none}, *wave()))
                  .log_evidence() < process(model).log_evidence());
        CHECK(process(trained({.alpha = best.alpha, .rho = best.rho[0] * factor, .sigma = 0.3, .scaling = AxisScale::none}, *wave()))
                  .log_evidence() < process(model).log_evidence());
    }
    const auto free = trained({.kernel = GpKernel::matern52, .scaling = AxisScale::none}, *wave());
    CHECK(process(free).log_evidence() == Approx(-8.5208).margin(1e-3));
    CHECK(process(free).parameters().alpha == Approx(1.23).margin(0.005));
    CHECK(process(free).parameters().rho[0] == Approx(1.82).margin(0.005));
}

TEST_CASE("more rows than one block: the evidence is that of the formula, with any number of threads") {
    const GpRows rows = random_rows(300, 2);
    const GpParameters p{1.1, {0.7, 2.5}, 0.25};
    Matrix c(300, 300);
    for (std::size_t i = 0; i < 300; ++i)
        for (std::size_t j = 0; j < 300; ++j) {
            const double a = (rows.points(i, 0) - rows.points(j, 0)) / 0.7;
            const double b = (rows.points(i, 1) - rows.points(j, 1)) / 2.5;
            c(i, j) = 1.21 * std::exp(-0.5 * (a * a + b * b)) + (i == j ? 0.0625 : 0.0);
        }
    const auto lower = *cholesky(c);
    double expected = -150 * std::log(2 * std::acos(-1.0));
    std::vector<double> half = rows.targets;
    for (std::size_t i = 0; i < 300; ++i) {
        for (std::size_t k = 0; k < i; ++k) half[i] -= lower(i, k) * half[k];
        half[i] /= lower(i, i);
        expected -= 0.5 * half[i] * half[i] + std::log(lower(i, i));
    }
    Run one;
    Run three;
    three.threads = 3;
    const auto a = **gp_factor(rows, GpKernel::rbf, p, one);
    const auto b = **gp_factor(rows, GpKernel::rbf, p, three);
    CHECK(a.log_evidence == Approx(expected).epsilon(1e-11));
    CHECK(a.log_evidence == b.log_evidence);
    CHECK(a.pull == b.pull);
    const GpOptions each{.rho_each = true};
    const auto first = *gp_learned(rows, each, one);
    const auto again = *gp_learned(rows, each, three);
    CHECK(first.rho == again.rho);
    CHECK(first.sigma == Approx(0.2).margin(0.03));  // of the noise that was drawn
    CHECK(first.rho[1] > 5 * first.rho[0]);          // the second column says nothing
}

TEST_CASE("a row counted twice is two rows") {
    const auto twice = trained(given(GpKernel::rbf), *wave(), std::vector<double>(7, 2.0));
    const auto copies = trained(given(GpKernel::rbf), *wave(2));
    for (const double x : {0.0, 2.5, 5.0, 12.0}) {
        CHECK(at(*twice, x).mean == Approx(at(*copies, x).mean).epsilon(1e-10));
        CHECK(at(*twice, x).sd == Approx(at(*copies, x).sd).epsilon(1e-10));
    }
}

TEST_CASE("far from all rows the prior is left") {
    const auto model = trained(given(GpKernel::matern32), *wave());
    CHECK(at(*model, 1000).mean == Approx(0.9));
    CHECK(at(*model, 1000).sd == Approx(std::sqrt(2.25 + 0.09)));
}

TEST_CASE("a saved process answers as before, and a damaged file is refused") {
    const auto model = trained({.kernel = GpKernel::matern52}, *wave());
    const Json json = *model->save();
    const auto again = load_gaussian_process(json);
    REQUIRE(again);
    CHECK(at(**again, 5).mean == at(*model, 5).mean);
    CHECK(at(**again, 5).sd == at(*model, 5).sd);
    CHECK(load_gaussian_process(credence::test::changed(json, "sigma", Json(-1.0))).fault().code.text() == "E-FILE");
    CHECK(load_gaussian_process(credence::test::changed(json, "kernel", Json("cosine"))).fault().code.text() == "E-FILE");
    CHECK(load_gaussian_process(credence::test::changed(json, "rho")).fault().code.text() == "E-FILE");
}

TEST_CASE("targets that are all the same, and rows on top of each other without noise") {
    const auto flat = make_table({numbers("x", {1, 2, 3}), numbers("y", {4, 4, 4})}, 1, 3);
    CHECK(at(*trained({}, *flat), 2).mean == Approx(4));
    const auto same = make_table({numbers("x", {1, 1, 1}), numbers("y", {4, 4, 5})}, 1, 3);
    Run run;
    const auto none = make_gaussian_process({.alpha = 1e8, .rho = 1, .sigma = 1e-9, .scaling = AxisScale::none})
                          ->fit({.table = same.get(), .rows = {}}, {}, run);
    REQUIRE_FALSE(none);
    CHECK(none.fault().code.text() == "E-TRAIN");
}
