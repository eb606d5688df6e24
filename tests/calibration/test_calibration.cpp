// The sampler against references, and against itself: simulation-based calibration (Talts, Betancourt, Simpson, Vehtari & Gelman,
// "Validating Bayesian inference algorithms with simulation-based calibration", 2018). Parameters are drawn from the prior and data from
// them; the rank of each parameter among draws from its posterior must then be uniform.

#include <array>
#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/continuous/sample/draws.hpp"
#include "runtime/core/special.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;
using continuous::SamplerOptions;

namespace {

constexpr std::size_t simulations = 200;
constexpr std::size_t ranks = 19;  // draws compared with, nearly independent after thinning
constexpr std::size_t bins = 10;   // two of the 20 ranks each

double chi_square_tail(double x, double degrees) { return gamma_upper(0.5 * degrees, 0.5 * x); }

/// Numbers and data drawn together from the prior, and the query for the numbers given these data.
struct Simulated {
    std::vector<double> truth;  ///< of the asked numbers
    Query query;
};

Simulated simulated(const continuous::Expanded& net, const std::vector<VarId>& asked, const std::vector<VarId>& data, Run& run) {
    Query prior;
    for (const auto v : asked) prior.targets.free.push_back(v);
    for (const auto v : data) prior.targets.free.push_back(v);
    auto problem = continuous::unroll(net, prior);
    REQUIRE(problem);
    auto drawn = continuous::draw(*problem, {.draws = 1}, run);
    REQUIRE(drawn);
    REQUIRE(drawn->engine == "forward");
    Simulated out;
    for (const auto v : asked) out.truth.push_back(drawn->of(problem->of_variable[index(v)])[0]);
    out.query.targets.free = asked;
    for (const auto v : data) {
        Event event;
        const double x = drawn->of(problem->of_variable[index(v)])[0];
        const bool label = net.variables[index(v)].variable.is_discrete();
        event.atom = {v,
                      Compare::equal,
                      {label ? drawn->label(0, problem->of_variable[index(v)]->variable) : Label::of_number(Number::real(x))},
                      Origin::none};
        out.query.given.events.push_back(event);
    }
    return out;
}

using Bins = std::array<double, bins>;

/// The p-value of uniform counts.
double uniformity(const Bins& counts) {
    const double expected = static_cast<double>(simulations) / bins;
    double chi = 0;
    for (const double n : counts) chi += (n - expected) * (n - expected) / expected;
    return chi_square_tail(chi, bins - 1);
}

/// Ranks of the numbers `asked` among their posterior draws, over many simulated data sets; p-values of uniformity.
std::vector<double> calibration(const ContinuousNet& net, const std::vector<VarId>& asked, const std::vector<VarId>& data,
                                const SamplerOptions& options) {
    const auto expanded = continuous::expand(net);
    std::vector<Bins> counts(asked.size(), Bins{});
    for (std::size_t s = 0; s < simulations; ++s) {
        Run run;
        run.rng = Rng(1000).child(s);
        const auto [truth, query] = simulated(expanded, asked, data, run);
        auto problem = continuous::unroll(expanded, query);
        REQUIRE(problem);
        auto draws = continuous::draw(*problem, options, run);
        REQUIRE(draws);
        REQUIRE(draws->engine == "nuts");
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const auto values = draws->of(problem->of_variable[index(asked[k])]);
            std::size_t rank = 0;
            for (std::size_t i = 0; i < ranks; ++i)
                rank += values[(i * values.size()) / ranks + values.size() / (2 * ranks)] < truth[k] ? 1 : 0;
            counts[k][rank * bins / (ranks + 1)] += 1;
        }
    }
    std::vector<double> out;
    for (const auto& c : counts) out.push_back(uniformity(c));
    return out;
}

/// The probabilities that the posterior of an engine gives to what lies below the truth, over many simulated data sets.
std::vector<double> levels(const ContinuousNet& net, const std::vector<VarId>& asked, const std::vector<VarId>& data,
                           const std::string& engine) {
    const auto model = make_continuous_model(net);
    const auto expanded = continuous::expand(net);
    std::vector<Bins> counts(asked.size(), Bins{});
    for (std::size_t s = 0; s < simulations; ++s) {
        Run run;
        run.rng = Rng(2000).child(s);
        const auto one = simulated(expanded, asked, data, run);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            Query query = one.query;
            query.targets.free = {asked[k]};
            query.by.name = engine;
            query.by.origin = Origin{1};
            const auto answer = model->ask(query, run);
            if (!answer) FAIL(engine << ": " << answer.fault().message);
            REQUIRE(answer->engine == engine);
            const auto below = std::get<DistributionPtr>(answer->value)->cdf(Number::real(one.truth[k]));
            REQUIRE(below);
            counts[k][std::min(bins - 1, static_cast<std::size_t>(below->real() * bins))] += 1;
        }
    }
    std::vector<double> out;
    for (const auto& c : counts) out.push_back(uniformity(c));
    return out;
}

}  // namespace

TEST_CASE("exact engines are calibrated") {
    NetWriter rate;
    const auto lambda = rate.drawn("lambda", Family::gamma, {num(2), num(1)});
    std::vector<VarId> times;
    for (int i = 0; i < 3; ++i) times.push_back(rate.drawn("t" + std::to_string(i), Family::exponential, {var(lambda)}));
    for (const double value : levels(rate.net(), {lambda}, times, "conjugate")) CHECK(value > 0.0005);

    NetWriter line;
    const auto a = line.drawn("a", Family::normal, {num(1), num(2)});
    const auto b = line.drawn("b", Family::normal, {num(0.5) * var(a), num(1)});
    std::vector<VarId> seen;
    for (int i = 0; i < 4; ++i)
        seen.push_back(line.drawn("y" + std::to_string(i), Family::normal, {var(a) + num(i - 1) * var(b), num(1.5)}));
    for (const double value : levels(line.net(), {a, b}, seen, "linear_gaussian")) CHECK(value > 0.0005);

    NetWriter spread;
    const auto mu = spread.drawn("mu", Family::normal, {num(0), num(2)});
    const auto sigma = spread.drawn("sigma", Family::lognormal, {num(0), num(0.7)});
    std::vector<VarId> data;
    for (int i = 0; i < 4; ++i) data.push_back(spread.drawn("y" + std::to_string(i), Family::normal, {var(mu), var(sigma)}));
    for (const double value : levels(spread.net(), {mu, sigma}, data, "quadrature")) CHECK(value > 0.0005);
}

TEST_CASE("approximations are calibrated where the posterior is nearly normal") {
    NetWriter net;
    const auto a = net.drawn("a", Family::normal, {num(0), num(1)});
    const auto b = net.drawn("b", Family::normal, {num(0), num(1)});
    const auto s = net.drawn("s", Family::lognormal, {num(0), num(0.4)});
    std::vector<VarId> data;
    for (int i = 0; i < 12; ++i)
        data.push_back(net.drawn("y" + std::to_string(i), Family::normal, {var(a) + num(0.25 * (i - 6)) * var(b), var(s)}));
    for (const char* engine : {"laplace", "variational"})
        for (const double value : levels(net.net(), {a, b, s}, data, engine)) {
            INFO(engine);
            CHECK(value > 0.0005);
        }
}

TEST_CASE("NUTS is calibrated on every scale: line, positive, unit interval, between bounds") {
    NetWriter net;
    const auto mu = net.drawn("mu", Family::normal, {num(1), num(2)});
    const auto sigma = net.drawn("sigma", Family::gamma, {num(3), num(2)});
    const auto p = net.drawn("p", Family::beta, {num(2), num(2)});
    const auto high = net.drawn("high", Family::exponential, {num(0.5)});
    const auto w = net.drawn("w", Family::uniform, {num(-1), num(1) + var(high)});
    std::vector<VarId> data;
    for (int i = 0; i < 4; ++i) data.push_back(net.drawn("y" + std::to_string(i), Family::normal, {var(mu), var(sigma)}));
    data.push_back(net.drawn("k", Family::binomial, {num(6), var(p)}));
    data.push_back(net.drawn("t", Family::student_t, {num(4), var(w), var(p) + num(0.5)}));
    for (const double value : calibration(net.net(), {mu, sigma, p, high, w}, data, {.draws = 400, .warmup = 250, .chains = 2}))
        CHECK(value > 0.0005);
}

TEST_CASE("NUTS is calibrated with a discrete variable summed out") {
    NetWriter net;
    const auto p = net.drawn("p", Family::beta, {num(2), num(3)});
    const auto a = net.drawn("a", Family::normal, {num(0), num(1)});
    const auto gap = net.drawn("gap", Family::lognormal, {num(0.5), num(0.5)});
    std::vector<VarId> data;
    std::vector<VarId> hidden;
    for (int i = 0; i < 5; ++i) {
        const auto z = net.drawn("z" + std::to_string(i), Family::bernoulli, {var(p)});
        hidden.push_back(z);
        data.push_back(
            net.drawn("x" + std::to_string(i), Family::normal, {var(a) + var(gap) * is_term(z, Label::of_bool(true)), num(0.7)}));
    }
    for (const double value : calibration(net.net(), {p, a, gap}, data, {.draws = 400, .warmup = 250, .chains = 2})) CHECK(value > 0.0005);
}

namespace {

/// Mean and standard deviation of a term within four Monte Carlo errors of the reference.
void check_moments(const continuous::Draws& draws, const Term& term, double mean, double sd) {
    const auto values = draws.of(term);
    const double effective = continuous::effective_sample_size({values, draws.chains});
    double sum = 0;
    for (const double v : values) sum += v;
    const double found = sum / static_cast<double>(values.size());
    double squares = 0;
    std::vector<double> deviations;
    for (const double v : values) {
        squares += (v - found) * (v - found);
        deviations.push_back((v - found) * (v - found));
    }
    const double variance = squares / static_cast<double>(values.size() - 1);
    CHECK(std::abs(found - mean) < 4 * std::sqrt(variance / effective));
    double fourth = 0;
    for (const double d : deviations) fourth += (d - variance) * (d - variance);
    const double error =
        std::sqrt(fourth / static_cast<double>(values.size()) / continuous::effective_sample_size({deviations, draws.chains}));
    CHECK(std::abs(variance - sd * sd) < 4 * error);
    CHECK(continuous::split_r_hat({values, draws.chains}) < 1.01);
}

continuous::Unrolled problem_of(const continuous::Expanded& net, const Query& query) {
    auto problem = continuous::unroll(net, query);
    REQUIRE(problem);
    return *std::move(problem);
}

}  // namespace

TEST_CASE("eight schools, non-centred: the reference posterior") {
    // Rubin (1981). Reference: school effects integrated out, (mu, tau) on a grid of 6001 values of tau.
    const std::array y{28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0};
    const std::array s{15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};
    NetWriter net;
    const auto mu = net.drawn("mu", Family::normal, {num(0), num(5)});
    const auto angle = net.drawn("angle", Family::uniform, {num(0), num(1)});
    const Term tau = num(5) * make_term(TermOp::tan, {constant_term(Number::real(1.5707963267948966)) * var(angle)});  // half-Cauchy(5)
    Query query;
    query.targets.free = {mu, angle};
    std::vector<VarId> seen;
    for (std::size_t i = 0; i < 8; ++i) {
        const auto z = net.drawn("z" + std::to_string(i), Family::normal, {num(0), num(1)});
        seen.push_back(net.drawn("y" + std::to_string(i), Family::normal, {var(mu) + tau * var(z), num(s[i])}));
        query.given.events.push_back(observed(seen.back(), y[i]));
    }
    const auto expanded = continuous::expand(net.net());
    std::vector<Term> terms{var(mu), tau, tau * tau};
    auto problem = continuous::unroll(expanded, query, &terms);
    REQUIRE(problem);
    Run run;
    run.rng = Rng(8);
    auto draws = continuous::draw(*problem, {.draws = 8000, .warmup = 1000, .chains = 4}, run);
    REQUIRE(draws);
    CHECK(draws->divergences < 40);
    check_moments(*draws, terms[0], 4.396816167320596, 3.31770748397594);
    check_moments(*draws, terms[1], 3.597778472035141, 3.219950300772455);

    // The same bytes for any number of threads.
    Run two;
    two.rng = Rng(8);
    two.threads = 4;
    auto again = continuous::draw(*problem, {.draws = 8000, .warmup = 1000, .chains = 4}, two);
    REQUIRE(again);
    CHECK(again->values == draws->values);
}

TEST_CASE("logistic regression: the reference posterior") {
    const std::array x{-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5};
    const std::array passed{false, false, false, true, false, true, false, true, true, true};
    NetWriter net;
    const auto a = net.drawn("a", Family::normal, {num(0), num(5)});
    const auto b = net.drawn("b", Family::normal, {num(0), num(5)});
    Query query;
    query.targets.free = {a, b};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Term eta = var(a) + num(x[i]) * var(b);
        const Term p = make_term(TermOp::divide, {num(1), num(1) + make_term(TermOp::exp, {make_term(TermOp::negate, {eta})})});
        const auto y = net.drawn("y" + std::to_string(i), Family::bernoulli, {p});
        query.given.events.push_back(observed(y, passed[i]));
    }
    const auto expanded = continuous::expand(net.net());
    const auto problem = problem_of(expanded, query);
    Run run;
    run.rng = Rng(2);
    auto draws = continuous::draw(problem, {.draws = 8000, .warmup = 1000, .chains = 4}, run);
    REQUIRE(draws);
    // Reference: both integrals on a grid of 1201 × 1301 points.
    check_moments(*draws, problem.of_variable[index(a)], -0.45029212162079113, 1.0068992572992777);
    check_moments(*draws, problem.of_variable[index(b)], 1.8895507109110374, 0.9916066474040769);
}

TEST_CASE("linear regression: NUTS against the closed form") {
    const std::array x{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    const std::array y{2.1, 3.9, 6.2, 7.8, 10.1, 12.2};
    NetWriter net;
    const auto a = net.drawn("a", Family::normal, {num(0), num(10)});
    const auto b = net.drawn("b", Family::normal, {num(0), num(10)});
    Query query;
    query.targets.free = {a, b};
    for (std::size_t i = 0; i < x.size(); ++i)
        query.given.events.push_back(
            observed(net.drawn("y" + std::to_string(i), Family::normal, {var(a) + num(x[i]) * var(b), num(0.5)}), y[i]));
    const auto expanded = continuous::expand(net.net());
    const auto problem = problem_of(expanded, query);
    Run run;
    run.rng = Rng(4);
    auto draws = continuous::draw(problem, {.draws = 8000, .warmup = 1000, .chains = 4}, run);
    REQUIRE(draws);
    // (XᵀX / s² + I / 100)⁻¹ of two columns, by hand.
    double n = 6 / 0.25 + 0.01;
    double sx = 0;
    double sxx = 0.01;
    double sy = 0;
    double sxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sx += x[i] / 0.25;
        sxx += x[i] * x[i] / 0.25;
        sy += y[i] / 0.25;
        sxy += x[i] * y[i] / 0.25;
    }
    const double det = n * sxx - sx * sx;
    check_moments(*draws, problem.of_variable[index(a)], (sxx * sy - sx * sxy) / det, std::sqrt(sxx / det));
    check_moments(*draws, problem.of_variable[index(b)], (n * sxy - sx * sy) / det, std::sqrt(n / det));
}
