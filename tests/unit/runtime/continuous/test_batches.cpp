// A density with its plates in batches is the density without them: values and slopes at random points.

#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/continuous/sample/log_posterior.hpp"
#include "runtime/continuous/unroll/unrolled.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::continuous;
using namespace credence::rt::testing;

namespace {

struct Built {
    Expanded net;
    std::optional<Unrolled> problem;
    LogPosterior density(DensityForm form) const {
        Run run;
        auto made = log_posterior(*problem, run, form);
        if (!made) FAIL(made.fault().message);
        return *std::move(made);
    }
};

std::unique_ptr<Built> built(const NetWriter& writer, const Query& query) {
    auto out = std::make_unique<Built>();
    out->net = expand(writer.net());
    auto problem = unroll(out->net, query);
    if (!problem) FAIL(problem.fault().message);
    out->problem = *std::move(problem);
    return out;
}

void must_agree(const Built& model, DensityForm form, bool shorter = true) {
    DensityForm apart = form;
    apart.together = false;
    const LogPosterior a = model.density(form);
    const LogPosterior b = model.density(apart);
    REQUIRE(a.numbers == b.numbers);
    if (shorter) CHECK(a.tape.size() < b.tape.size());
    auto work_a = a.tape.workspace();
    auto work_b = b.tape.workspace();
    const std::size_t n = a.numbers.size();
    Rng rng(9);
    for (int trial = 0; trial < 5; ++trial) {
        std::vector<double> at(n);
        for (auto& x : at) x = rng.normal();
        std::vector<double> slopes_a(n);
        std::vector<double> slopes_b(n);
        const double value_a = a.tape.gradient(at, a.output, work_a, slopes_a);
        const double value_b = b.tape.gradient(at, b.output, work_b, slopes_b);
        CHECK(value_a == Approx(value_b).epsilon(1e-11));
        for (std::size_t k = 0; k < n; ++k) CHECK(slopes_a[k] == Approx(slopes_b[k]).epsilon(1e-9).margin(1e-9));
        for (std::size_t k = 0; k < n; ++k) CHECK(work_a.values[a.x[k]] == Approx(work_b.values[b.x[k]]));
    }
}

/// eta = b0 + b1 x1 + b2 x2, and what a family makes of it.
std::unique_ptr<Built> regression(const std::string& kind, std::size_t rows) {
    Rng rng(4);
    NetWriter net;
    Query query;
    const VarId b0 = net.drawn("b0", Family::normal, {num(0), num(2)});
    const VarId b1 = net.drawn("b1", Family::normal, {num(0), num(2)});
    const VarId b2 = net.drawn("b2", Family::normal, {num(0), num(2)});
    const VarId s = net.drawn("s", *find_family("half_normal"), {num(1)});
    for (std::size_t i = 0; i < rows; ++i) {
        const double x1 = std::round(100 * rng.normal()) / 100;
        const double x2 = i % 3 == 0 ? 1 : 0;
        const Term eta = var(b0) + num(x1) * var(b1) + num(x2) * var(b2);
        const std::string name = "y" + std::to_string(i);
        const double y = std::round(100 * (x1 + rng.normal())) / 100;
        if (kind == "normal") query.given.events.push_back(observed(net.drawn(name, Family::normal, {eta, var(s)}), y));
        if (kind == "student") query.given.events.push_back(observed(net.drawn(name, Family::student_t, {num(4), eta, var(s)}), y));
        if (kind == "logit")
            query.given.events.push_back(observed(net.drawn(name, Family::bernoulli, {make_term(TermOp::logistic, {eta})}), y > 0));
        if (kind == "rate")
            query.given.events.push_back(
                observed(net.drawn(name, Family::poisson, {make_term(TermOp::exp, {eta})}), std::floor(std::abs(y))));
        if (kind == "trials")
            query.given.events.push_back(
                observed(net.drawn(name, Family::binomial, {num(3 + static_cast<double>(i % 4)), make_term(TermOp::logistic, {eta})}),
                         static_cast<double>(i % 3)));
        if (kind == "two tails")
            query.given.events.push_back(observed(net.drawn(name, Family::student_t, {var(s) + num(1), eta, var(s)}), y));
        if (kind == "moving spreads")
            query.given.events.push_back(observed(net.drawn(name, Family::normal, {eta, make_term(TermOp::exp, {num(x1) * var(b2)})}), y));
        if (kind == "known spreads")
            query.given.events.push_back(observed(net.drawn(name, Family::normal, {eta, num(1 + static_cast<double>(i) / 10)}), y));
    }
    return built(net, query);
}

}  // namespace

TEST_CASE("regressions in batches") {
    for (const char* kind : {"normal", "student", "two tails", "logit", "trials", "rate", "known spreads", "moving spreads"}) {
        INFO(kind);
        must_agree(*regression(kind, 40), {});
        must_agree(*regression(kind, 5), {});
    }
}

TEST_CASE("equal rows are counted, and the squares of many rows are those of few") {
    NetWriter net;
    Query query;
    const VarId a = net.drawn("a", Family::normal, {num(0), num(1)});
    for (int i = 0; i < 50; ++i) {
        const VarId y = net.drawn("y" + std::to_string(i), Family::bernoulli,
                                  {make_term(TermOp::logistic, {i % 2 ? var(a) : num(2) * var(a) + num(0.5)})});
        query.given.events.push_back(observed(y, i % 5 == 0));
    }
    const auto labels = built(net, query);
    must_agree(*labels, {});
    CHECK(labels->density({}).tape.cost() < 40);
    CHECK(regression("normal", 400)->density({}).tape.cost() < 60);
}

TEST_CASE("the squares about the same numbers are those of few") {
    Rng rng(7);
    NetWriter net;
    Query query;
    const VarId s = net.drawn("s", *find_family("half_normal"), {num(1)});
    for (int g = 0; g < 20; ++g) {
        const VarId a = net.drawn("a" + std::to_string(g), Family::normal, {num(0), num(2)});
        const VarId b = net.drawn("b" + std::to_string(g), Family::normal, {num(0), num(2)});
        for (int i = 0; i < 6; ++i) {
            const VarId y = net.drawn("y" + std::to_string(6 * g + i), Family::normal, {var(a) + num(i) * var(b), var(s)});
            query.given.events.push_back(observed(y, std::round(10 * rng.normal()) / 10));
        }
    }
    const auto model = built(net, query);
    must_agree(*model, {});
    CHECK(model->density({}).tape.cost() < 400);  // 120 rows of two numbers become 40 of 60 entries
}

TEST_CASE("a plate with a spread that is not known, as it is and scaled") {
    Rng rng(6);
    NetWriter net;
    Query query;
    const VarId m = net.drawn("m", Family::normal, {num(0), num(5)});
    const VarId tau = net.drawn("tau", *find_family("half_normal"), {num(1)});
    std::vector<VarId> level;
    for (int g = 0; g < 6; ++g) level.push_back(net.drawn("a" + std::to_string(g), Family::normal, {var(m), var(tau)}));
    for (std::size_t i = 0; i < 30; ++i) {
        const VarId y = net.drawn("y" + std::to_string(i), Family::normal, {var(level[i % 6]), num(0.7)});
        query.given.events.push_back(observed(y, std::round(10 * rng.normal()) / 10));
    }
    const auto model = built(net, query);
    must_agree(*model, {});
    must_agree(*model, {.scaled = true});
    const LogPosterior plain = model->density({});
    CHECK(plain.with_spread.size() == 6);
    // dx = s dz: the densities differ by the logarithms of the spreads.
    const LogPosterior scaled = model->density({.scaled = true, .centred = {index(level[0])}});
    auto work = plain.tape.workspace();
    auto work_scaled = scaled.tape.workspace();
    std::vector<double> z{0.3, -0.2, 0.4, 0.9, -1, 0.2, 0.5, -0.6};
    std::vector<double> x = z;
    const double spread = std::exp(z[1]);
    for (std::size_t k = 3; k < 8; ++k) x[k] = z[0] + spread * z[k];
    CHECK(scaled.tape.value(z, scaled.output, work_scaled) ==
          Approx(plain.tape.value(x, plain.output, work) + 5 * std::log(spread)).epsilon(1e-12));
}
