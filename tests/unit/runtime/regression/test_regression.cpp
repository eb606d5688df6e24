#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/prob/learning/learning.hpp"
#include "runtime/regression/bayes_regression.hpp"

using namespace credence::rt;

namespace {

TablePtr table_of(const std::vector<std::string>& names, const std::vector<std::vector<double>>& columns) {
    auto out = std::make_shared<Table>();
    out->row_count = columns[0].size();
    out->target = names.size() - 1;
    for (std::size_t c = 0; c < names.size(); ++c) {
        Column column;
        column.name = names[c];
        column.kind = ColumnKind::numeric;
        column.values = columns[c];
        column.real = true;
        out->columns.push_back(std::make_shared<const Column>(std::move(column)));
    }
    return out;
}

const RegressionFit& fit_of(const ModelPtr& model) { return dynamic_cast<const LinearModel&>(*model).fit(); }

ModelPtr trained(const LearnerPtr& learner, const TablePtr& table) {
    Run run;
    auto model = train(*learner, {.table = table.get(), .rows = {}}, {}, run);
    REQUIRE(model);
    return *model;
}

TablePtr noisy_curve() {
    std::vector<double> x;
    std::vector<double> z;
    std::vector<double> y;
    Rng rng(3);
    for (int i = 0; i < 40; ++i) {
        x.push_back(2000 + i * 0.5);
        z.push_back(rng.uniform());
        y.push_back(3 + 0.02 * (i - 20) * (i - 20) + z.back() + 0.3 * (rng.uniform() - 0.5));
    }
    return table_of({"x", "z", "y"}, {x, z, y});
}

}  // namespace

TEST_CASE("terms of two columns: powers and products, lower degrees first") {
    const auto table = noisy_curve();
    const auto features = feature_columns(*table);
    auto all = polynomial_terms(features, 3, Products::all);
    REQUIRE(all);
    std::vector<std::string> names;
    for (const auto& t : *all) names.push_back(t.name);
    CHECK(names == std::vector<std::string>{"x", "z", "x^2", "x*z", "z^2", "x^3", "x^2*z", "x*z^2", "z^3"});
    CHECK(polynomial_terms(features, 3, Products::none)->size() == 6);
    CHECK(polynomial_terms(features, 0, Products::all)->empty());
    CHECK_FALSE(polynomial_terms(features, 90, Products::all));
}

TEST_CASE("weights of the columns themselves predict as those of the basis do") {
    const auto table = noisy_curve();
    const auto model = trained(make_regression({.kind = "polynomial", .degree = 2, .noise = {}, .penalty = {}}), table);
    const RegressionFit& fit = fit_of(model);
    REQUIRE_FALSE(fit.basis.is_raw());
    std::vector<double> predicted(40);
    Run run;
    REQUIRE(dynamic_cast<const Regressor&>(*model).predict({.table = table.get(), .rows = {}}, predicted, run));
    for (std::size_t i = 0; i < 40; ++i) {
        double sum = fit.weights[0].real();
        for (std::size_t t = 0; t < fit.terms.size(); ++t)
            sum += fit.weights[t + 1].real() * term_value(fit.terms[t], feature_columns(*table), i).real();
        CHECK(sum == Approx(predicted[i]).epsilon(1e-7));  // near x = 2000 the powers cancel: seven digits are what is left
    }
}

TEST_CASE("under Student's t the slope of the likelihood is 0 in every weight and in the scale") {
    const auto table = noisy_curve();
    const double nu = 3;
    const auto model = trained(make_regression({.noise = {Noise::Kind::student_t, Number(3)}, .penalty = {}}), table);
    const RegressionFit& fit = fit_of(model);
    CHECK(fit.converged);
    double scale_slope = 0;
    std::vector<double> slopes(3, 0.0);
    for (std::size_t i = 0; i < 40; ++i) {
        const double e = fit.residuals[i].real();
        const double trust = (nu + 1) / (nu * fit.scale * fit.scale + e * e);
        scale_slope += trust * e * e - 1;
        slopes[0] += trust * e;
        slopes[1] += trust * e * (table->columns[0]->values[i] - 2010);
        slopes[2] += trust * e * table->columns[1]->values[i];
    }
    CHECK(std::abs(scale_slope) < 1e-8);
    for (const double s : slopes) CHECK(std::abs(s) < 1e-7);
}

TEST_CASE("ridge: the penalised error has no slope, and large lambdas leave the mean") {
    const auto table = noisy_curve();
    const auto model = trained(make_regression({.kind = "ridge", .noise = {}, .penalty = Penalty{Number(7), false}}), table);
    const RegressionFit& fit = fit_of(model);
    for (std::size_t t = 0; t < 2; ++t) {
        double slope = -7 * fit.weights[t + 1].real();
        for (std::size_t i = 0; i < 40; ++i) slope += fit.residuals[i].real() * (table->columns[t]->values[i] - (t == 0 ? 2000 : 0));
        CHECK(std::abs(slope) < 1e-6);
    }
    const auto flat = trained(make_regression({.kind = "ridge", .noise = {}, .penalty = Penalty{Number::real(1e12), false}}), table);
    CHECK(std::abs(fit_of(flat).weights[1].real()) < 1e-6);
    CHECK(fit_of(flat).degrees.real() == Approx(39).epsilon(1e-6));
}

TEST_CASE("Bayes: the evidence is a chain of predictions, row after row") {
    const auto table = noisy_curve();
    BayesOptions options;
    options.penalty = {Number(2), false};
    options.intercept_lambda = Number::real(1e-6);
    options.shape = Number(2);
    options.rate = Number(1);
    const auto learner = make_bayes_regression(options);
    const auto rows_between = [&](std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> out;
        for (std::size_t i = first; i < last; ++i) out.push_back(static_cast<std::uint32_t>(i));
        return out;
    };
    Run run;
    const auto first = rows_between(0, 10);
    auto model = train(*learner, {.table = table.get(), .rows = first, .all = false}, {}, run);
    REQUIRE(model);
    double sum = *dynamic_cast<const BayesRegression&>(**model).log_evidence();
    for (std::size_t i = 10; i < 40; ++i) {
        const auto one = rows_between(i, i + 1);
        const TableView view{.table = table.get(), .rows = one, .all = false};
        auto next = dynamic_cast<const Regressor&>(**model).distribution(view, run);
        REQUIRE(next);
        sum += (*next)->log_pdf(Outcome(Number::real(table->columns[2]->values[i])));
        model = update(**model, view, {}, run);
        REQUIRE(model);
    }
    const auto whole = trained(learner, table);
    CHECK(*dynamic_cast<const BayesRegression&>(*whole).log_evidence() == Approx(sum).epsilon(1e-9));
    CHECK(fit_of(*model).weights[1].real() == Approx(fit_of(whole).weights[1].real()).epsilon(1e-9));
}
