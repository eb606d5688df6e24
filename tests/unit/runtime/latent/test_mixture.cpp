// Mixtures: every family's M-step is a maximum, EM climbs, and worked figures come out.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/latent/mixture.hpp"
#include "runtime/latent/mixture_em.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

MixtureData data_of(std::vector<double> values) {
    MixtureData out;
    out.weights.assign(values.size(), 1.0);
    for (std::size_t i = 0; i < values.size(); ++i) out.value_of_row.push_back(i);
    out.values = std::move(values);
    out.total = static_cast<double>(out.values.size());
    double mean = 0;
    for (const double x : out.values) mean += x / out.total;
    double square = 0;
    for (const double x : out.values) square += (x - mean) * (x - mean) / out.total;
    out.sd = std::sqrt(square);
    return out;
}

/// A part of the family with every number that can be learned left open; n of a binomial is 10.
MixturePart open_part(const FamilyInfo& family) {
    MixturePart part;
    part.family = &family;
    for (std::size_t i = 0; i < family.parameters.size(); ++i) {
        if (family.parameters[i].learnable())
            part.parameters.emplace_back();
        else
            part.parameters.emplace_back(Number(10));
    }
    return part;
}

double height(const MixturePart& part, const MixtureData& data, std::span<const double> r, const std::vector<double>& theta) {
    std::vector<double> logs(data.values.size());
    log_densities(part, theta, data, logs);
    double sum = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) sum += r[i] * logs[i];
    return sum;
}

TablePtr column_x(const std::vector<double>& values) {
    auto column = std::make_shared<Column>();
    column->name = "x";
    column->kind = ColumnKind::numeric;
    column->values = values;
    auto table = std::make_shared<Table>();
    table->row_count = values.size();
    table->columns = {column};
    return table;
}

Mixture pair_of(std::string_view family) {
    Mixture out;
    out.name = "M";
    out.weights = {std::nullopt, std::nullopt};
    out.parts = {open_part(*find_family(family)), open_part(*find_family(family))};
    return out;
}

const MixtureFit& fit_of(const ModelPtr& model) { return *dynamic_cast<const MixtureModel&>(*model).fit(); }

}  // namespace

TEST_CASE("no step away from an M-step climbs", "[mixture]") {
    Rng rng(3);
    for (const auto* each : all_families()) {
        const FamilyInfo& family = *each;
        if (family.support == Support::labels || !family.is_learnable()) continue;
        INFO(std::string(family.name));
        const MixturePart part = open_part(family);
        std::vector<double> values;
        for (int i = 0; i < 40; ++i) {
            const double u = 0.02 + 0.96 * rng.uniform();
            values.push_back(family.support == Support::integers ? std::floor(10 * u) : u);
        }
        const MixtureData data = data_of(values);
        std::vector<double> r;
        for (std::size_t i = 0; i < values.size(); ++i) r.push_back(rng.uniform());
        std::vector<double> theta;
        for (const auto& p : part.parameters) theta.push_back(p ? p->real() : 1);
        if (const ComponentValues all(data, r); family.start) family.start(*all, known_parameters(part), theta);
        for (int turn = 0; turn < (family.name == "student_t" ? 3000 : 1); ++turn) maximise(part, data, r, theta);
        const double top = height(part, data, r, theta);
        REQUIRE(std::isfinite(top));
        for (std::size_t i = 0; i < theta.size(); ++i) {
            if (part.parameters[i]) continue;
            if (family.name == "student_t" && i == 0 && theta[0] > 9'999) continue;  // lighter tails than any: at the end of its range
            for (const double factor : {1 - 1e-3, 1 + 1e-3}) {
                auto away = theta;
                away[i] *= factor;
                if (family.name == "uniform" && (i == 0 ? factor < 1 : factor > 1)) away[i] = theta[i];  // wider is lower, tested below
                CHECK(height(part, data, r, away) <= top + 1e-9 * std::abs(top));
            }
        }
    }
}

TEST_CASE("EM climbs in every family", "[mixture]") {
    for (const auto* each : all_families()) {
        const std::string family(each->name);
        if (each->support == Support::labels || !each->is_learnable()) continue;
        INFO(family);
        const bool counts = each->support == Support::integers;
        Rng rng(5);
        std::vector<double> values;
        for (int i = 0; i < 60; ++i) {
            const double x = i % 3 == 0 ? 0.1 + 0.2 * rng.uniform() : 0.6 + 0.3 * rng.uniform();
            values.push_back(counts ? std::round(10 * x) : x);
        }
        const Mixture mixture = pair_of(family);
        auto learner = mixture_trainer(mixture, {});
        REQUIRE(learner);
        Run run;
        const TablePtr table = column_x(values);
        auto model = train(**learner, {.table = table.get(), .rows = {}}, {}, run);
        if (!model) FAIL(model.fault().message);
        const auto& history = fit_of(*model).history;
        for (std::size_t i = 1; i < history.size(); ++i) CHECK(history[i] >= history[i - 1] - 1e-9 * std::abs(history[i]));
        CHECK(fit_of(*model).parameters.size() == hole_names(mixture, nullptr).size());
    }
}

TEST_CASE("two coins", "[mixture]") {
    Mixture coins;
    coins.name = "Coins";
    coins.weights = {Number(Rational(1, 2)), Number(Rational(1, 2))};
    coins.parts = {open_part(*find_family("binomial")), open_part(*find_family("binomial"))};
    MethodCall by{.name = "em", .arguments = {}, .origin = Origin::none};
    by.arguments.push_back({"init", std::vector<Number>{Number(Rational(3, 5)), Number(Rational(1, 2))}, Origin::none});
    by.arguments.push_back({"iterations", Number(1), Origin::none});
    const TablePtr table = column_x({5, 9, 8, 4, 7});
    Run run;
    const auto fitted = [&] {
        auto learner = mixture_trainer(coins, by);
        REQUIRE(learner);
        auto model = train(**learner, {.table = table.get(), .rows = {}}, {}, run);
        REQUIRE(model);
        return *model;
    };
    // Do & Batzoglou 2008, in full digits by scipy.
    CHECK(fit_of(fitted()).parameters[0].real() == Approx(0.7130122354005162).epsilon(1e-12));
    CHECK(fit_of(fitted()).parameters[1].real() == Approx(0.5813393083136627).epsilon(1e-12));
    by.arguments[1].value = Number(10);
    CHECK(fit_of(fitted()).parameters[0].real() == Approx(0.7967441494752115).epsilon(1e-12));
    CHECK(fit_of(fitted()).parameters[1].real() == Approx(0.5196586622041125).epsilon(1e-12));
    CHECK(fit_of(fitted()).free_parameters == 2);
}

TEST_CASE("a component on a single value is noticed", "[mixture]") {
    const Mixture mixture = pair_of("normal");
    std::vector<std::string> notes;
    Run run;
    run.note = [&](std::string text) { notes.push_back(std::move(text)); };
    const TablePtr table = column_x({1, 2, 3, 4, 100});
    auto learner = mixture_trainer(mixture, {});
    REQUIRE(learner);
    auto model = train(**learner, {.table = table.get(), .rows = {}}, {}, run);
    REQUIRE(model);
    REQUIRE_FALSE(notes.empty());
    CHECK(notes[0].find("shr") != std::string::npos);
    for (const Number& p : fit_of(*model).parameters) CHECK(std::isfinite(p.real()));
}

TEST_CASE("weights of rows are repetitions, and given weights stay", "[mixture]") {
    Mixture mixture = pair_of("poisson");
    mixture.weights[0] = Number(Rational(1, 4));
    auto learner = mixture_trainer(mixture, {});
    REQUIRE(learner);
    Run run;
    const TablePtr repeated = column_x({0, 0, 0, 1, 1, 2, 5, 6, 6, 7});
    const TablePtr counted = column_x({0, 1, 2, 5, 6, 7});
    const std::vector<double> weights{3, 2, 1, 1, 2, 1};
    auto a = train(**learner, {.table = repeated.get(), .rows = {}}, {}, run);
    auto b = train(**learner, {.table = counted.get(), .rows = {}}, weights, run);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(fit_of(*a).log_likelihood() == Approx(fit_of(*b).log_likelihood()).epsilon(1e-9));
    const auto& learned = dynamic_cast<const MixtureModel&>(**a).mixture();
    CHECK(*learned.weights[0] == Number(Rational(1, 4)));
    CHECK(learned.weights[1]->real() == Approx(0.75));
    CHECK(fit_of(*a).free_parameters == 2);
}
