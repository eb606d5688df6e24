// The engines against formulas that do not come from them.

#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/continuous/sample/draws.hpp"
#include "runtime/core/linalg.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/core/special.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

Answer asked(const ContinuousNet& net, Query query, std::string by = {}, std::uint64_t seed = 5) {
    const auto model = make_continuous_model(net);
    Run run;
    run.rng = Rng(seed);
    if (!by.empty()) {
        query.by.name = std::move(by);
        query.by.origin = Origin{1};
    }
    auto answer = model->ask(query, run);
    if (!answer) FAIL(answer.fault().message);
    return *answer;
}

const Distribution& distribution(const Answer& answer) { return *std::get<DistributionPtr>(answer.value); }
double mean(const Answer& a) { return std::get<Number>(*distribution(a).mean()).real(); }
double sd(const Answer& a) { return std::sqrt(std::get<Number>(*distribution(a).variance()).real()); }

Query about(VarId v) {
    Query query;
    query.targets.free.push_back(v);
    return query;
}

}  // namespace

TEST_CASE("linear-Gaussian posteriors equal the conditional of the joint normal") {
    // Random nets: X_i ~ normal(c + Σ b_ij X_j, s_i), j < i. The joint is normal with mean and covariance built forwards;
    // conditioning on the last two by the textbook formula Σ_ab Σ_bb⁻¹ (x − m) must agree with the elimination.
    Rng rng(21);
    for (int round = 0; round < 20; ++round) {
        const std::size_t n = 6;
        NetWriter writer;
        std::vector<double> m(n);
        Matrix cov(n, n);
        std::vector<std::vector<double>> b(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i) {
            const double c = std::round(rng.normal() * 100) / 100;
            const double s = 0.5 + std::round(rng.uniform() * 100) / 100;
            Term location = num(c);
            m[i] = c;
            for (std::size_t j = 0; j < i; ++j) {
                b[i][j] = std::round(rng.normal() * 100) / 100;
                location = location + num(b[i][j]) * var(static_cast<VarId>(j));
                m[i] += b[i][j] * m[j];
            }
            for (std::size_t k = 0; k < i; ++k) {
                for (std::size_t j = 0; j < i; ++j) cov(i, k) += b[i][j] * cov(j, k);
                cov(k, i) = cov(i, k);
            }
            cov(i, i) = s * s;
            for (std::size_t j = 0; j < i; ++j) cov(i, i) += b[i][j] * cov(i, j);
            writer.drawn("X" + std::to_string(i), Family::normal, {location, num(s)});
        }
        const double x4 = std::round(rng.normal() * 100) / 100;
        const double x5 = std::round(rng.normal() * 100) / 100;
        Query query = about(VarId{1});
        query.given.events = {observed(VarId{4}, x4), observed(VarId{5}, x5)};
        const double det = cov(4, 4) * cov(5, 5) - cov(4, 5) * cov(4, 5);
        const double g4 = (cov(1, 4) * cov(5, 5) - cov(1, 5) * cov(4, 5)) / det;
        const double g5 = (cov(1, 5) * cov(4, 4) - cov(1, 4) * cov(4, 5)) / det;
        const auto answer = asked(writer.net(), query);
        CHECK(answer.engine == "linear_gaussian");
        CHECK(mean(answer) == Approx(m[1] + g4 * (x4 - m[4]) + g5 * (x5 - m[5])).epsilon(1e-9).margin(1e-9));
        CHECK(sd(answer) == Approx(std::sqrt(cov(1, 1) - g4 * cov(1, 4) - g5 * cov(1, 5))).epsilon(1e-9));
    }
}

TEST_CASE("quadrature agrees with closed forms") {
    NetWriter beta;
    const auto theta = beta.drawn("theta", Family::beta, {num(2), num(3)});
    const auto heads = beta.drawn("heads", Family::binomial, {num(10), var(theta)});
    Query query = about(theta);
    query.given.events = {observed(heads, 7.0)};
    const auto exact = asked(beta.net(), query);
    CHECK(exact.engine == "conjugate");
    CHECK(exact.exact);
    CHECK(distribution(exact).name() == "beta");
    const auto numeric = asked(beta.net(), query, "quadrature");
    CHECK(numeric.engine == "quadrature");
    CHECK(mean(numeric) == Approx(9.0 / 15).epsilon(1e-11));
    CHECK(sd(numeric) == Approx(sd(exact)).epsilon(1e-10));
    for (const double p : {0.001, 0.1, 0.5, 0.9, 0.999}) {
        const double q = distribution(exact).quantile(Number::real(p))->real();
        CHECK(distribution(numeric).quantile(Number::real(p))->real() == Approx(q).epsilon(1e-8));
        CHECK(distribution(numeric).cdf(Number::real(q))->real() == Approx(p).epsilon(1e-9));
        CHECK(distribution(numeric).log_pdf(Number::real(q)) == Approx(distribution(exact).log_pdf(Number::real(q))).epsilon(1e-9));
    }
    CHECK(distribution(numeric).entropy()->real() == Approx(distribution(exact).entropy()->real()).epsilon(1e-8));

    NetWriter gamma;
    const auto rate = gamma.drawn("rate", Family::gamma, {num(3), num(2)});
    const auto count = gamma.drawn("count", Family::poisson, {var(rate)});
    Query counted = about(rate);
    counted.given.events = {observed(count, 400.0)};  // far from what the prior expects
    CHECK(mean(asked(gamma.net(), counted, "quadrature")) == Approx(403.0 / 3).epsilon(1e-10));

    NetWriter normal;
    const auto mu = normal.drawn("mu", Family::normal, {num(0), num(1)});
    const auto x = normal.drawn("x", Family::normal, {var(mu), num(0.001)});
    Query narrow = about(mu);
    narrow.given.events = {observed(x, 25.0)};  // a narrow likelihood 25 prior standard deviations away
    const auto found = asked(normal.net(), narrow, "quadrature");
    CHECK(mean(found) == Approx(25 / (1 + 1e-6)).epsilon(1e-12));
    CHECK(sd(found) == Approx(std::sqrt(1e-6 / (1 + 1e-6))).epsilon(1e-7));
}

TEST_CASE("integrals of known value") {
    const std::vector<double> breaks{0, 1};
    double total = 0;
    for (const auto& panel : integrate([](double x) { return std::sqrt(x); }, breaks, 1e-12)) total += panel.integral;
    CHECK(total == Approx(2.0 / 3).epsilon(1e-11));
}

TEST_CASE("the evidence of a conjugate pair weighs discrete variables exactly") {
    // Which coin: fair, or of unknown bias? Eight heads of eight: (1/2)^8 against 1/9.
    NetWriter writer;
    ContinuousNet net;
    ContinuousNode kind;
    kind.kind = ContinuousNode::Kind::table;
    kind.variable = {"Kind", make_domain({Label::of_text("fair"), Label::of_text("bent")})};
    kind.table.variable = kind.variable;
    kind.table.table = std::vector<Rational>{Rational(1, 2), Rational(1, 2)};
    net.nodes.push_back(kind);
    ContinuousNode theta;
    theta.variable = {"theta", nullptr};
    theta.family = Family::beta;
    theta.parameters = {num(1), num(1)};
    net.nodes.push_back(theta);
    ContinuousNode heads;
    std::vector<Label> counts;
    for (int k = 0; k <= 8; ++k) counts.push_back(Label::of_number(Number(k)));
    heads.variable = {"heads", make_domain(counts)};
    heads.family = Family::binomial;
    heads.parameters = {num(8), make_term(TermOp::choose, {is_term(VarId{0}, Label::of_text("fair")), num(0.5), var(VarId{1})})};
    net.nodes.push_back(heads);
    Query query;
    query.targets.free.push_back(VarId{0});
    query.given.events = {observed(VarId{2}, 8.0)};
    const auto answer = asked(net, query);
    const auto& factor = std::get<Factor>(answer.value);
    REQUIRE(factor.is_exact());
    CHECK(factor.at(1) == Number(Rational(1, 9) / (Rational(1, 9) + Rational(1, 256))));
}

TEST_CASE("diagnostics of chains that agree, differ and stick") {
    Rng rng(3);
    std::vector<double> fine(4000);
    for (auto& v : fine) v = rng.normal();
    CHECK(continuous::split_r_hat({fine, 4}) < 1.01);
    CHECK(continuous::bulk_effective_sample_size({fine, 4}) > 3000);
    auto shifted = fine;
    for (std::size_t i = 0; i < 1000; ++i) shifted[i] += 2;
    CHECK(continuous::split_r_hat({shifted, 4}) > 1.2);
    // An autoregressive chain with correlation 0.9 is worth (1 − 0.9) / (1 + 0.9) of independent draws.
    std::vector<double> slow(40000);
    for (std::size_t c = 0; c < 4; ++c) {
        double v = rng.normal();
        for (std::size_t i = 0; i < 10000; ++i) {
            v = 0.9 * v + std::sqrt(1 - 0.81) * rng.normal();
            slow[c * 10000 + i] = v;
        }
    }
    CHECK(continuous::effective_sample_size({slow, 4}) == Approx(40000 * 0.1 / 1.9).epsilon(0.15));
}
