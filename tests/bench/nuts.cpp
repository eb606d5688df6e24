// NUTS on the shapes that real models have: regressions of several lengths, a recurrence, a hidden chain, a mixture. CPU time of four
// chains with 1000 + 1000 draws each, over the least effective number of draws of any parameter. nuts → a line each; ends with status 1
// where chains did not agree.

#include <cmath>
#include <cstdio>
#include <ctime>

#include "runtime/continuous/sample/draws.hpp"
#include "tests/support/continuous_nets.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

struct Model {
    const char* name;
    ContinuousNet net;
    Query query;
};

Term real(double x) { return constant_term(Number::real(x)); }
Term minus(const Term& a, const Term& b) { return make_term(TermOp::subtract, {a, b}); }

void observe(Query& query, VarId v, double x) {
    Event event;
    event.atom = {v, Compare::equal, {Label::of_number(Number::real(x))}, Origin::none};
    query.given.events.push_back(std::move(event));
}

/// Ten predictors and an intercept; of labels or of numbers.
Model regression(const char* name, std::size_t rows, bool logistic) {
    Rng rng(1);
    NetWriter net;
    Query query;
    constexpr std::size_t predictors = 10;
    std::vector<VarId> b;
    for (std::size_t k = 0; k <= predictors; ++k) b.push_back(net.drawn("b" + std::to_string(k), Family::normal, {num(0), num(2)}));
    const VarId sd = net.drawn("sd", *find_family("half_normal"), {num(2)});
    for (std::size_t i = 0; i < rows; ++i) {
        Term sum = var(b[0]);
        double eta = 0.3;
        for (std::size_t k = 1; k <= predictors; ++k) {
            const double x = rng.normal();
            sum = sum + real(x) * var(b[k]);
            eta += x * (k % 3 == 0 ? 0.8 : -0.2);
        }
        if (logistic) {
            const Term p = make_term(TermOp::divide, {num(1), num(1) + make_term(TermOp::exp, {make_term(TermOp::negate, {sum})})});
            const VarId y = net.drawn("y" + std::to_string(i), Family::bernoulli, {p});
            query.given.events.push_back(observed(y, rng.uniform() < 1 / (1 + std::exp(-eta))));
        } else {
            const VarId y = net.drawn("y" + std::to_string(i), Family::normal, {sum, var(sd)});
            observe(query, y, eta + rng.normal());
        }
    }
    return {name, net.net(), query};
}

/// The arma11 of the Stan user's guide: each error is computed from the last one.
Model recurrence(std::size_t steps) {
    Rng rng(2);
    NetWriter net;
    Query query;
    const VarId mu = net.drawn("mu", Family::normal, {num(0), num(10)});
    const VarId phi = net.drawn("phi", Family::normal, {num(0), num(2)});
    const VarId theta = net.drawn("theta", Family::normal, {num(0), num(2)});
    const VarId sigma = net.drawn("sigma", *find_family("half_cauchy"), {num(2.5)});
    double y = 0;
    double error = 0;
    Term err;
    for (std::size_t t = 0; t < steps; ++t) {
        const double noise = 0.2 * rng.normal();
        const Term nu = t == 0 ? var(mu) : var(mu) + var(phi) * real(y) + var(theta) * err;
        y = 0.1 + (t == 0 ? 0 : 0.8 * y + 0.3 * error) + noise;
        error = noise;
        observe(query, net.drawn("y" + std::to_string(t), Family::normal, {nu, var(sigma)}), y);
        err = minus(real(y), nu);
    }
    return {"recurrence of 200 steps", net.net(), query};
}

/// Two states with unknown means.
Model hidden_chain(std::size_t steps) {
    Rng rng(3);
    NetWriter net;
    Query query;
    const VarId low = net.drawn("low", Family::normal, {num(3), num(1)});
    const VarId high = net.drawn("high", Family::normal, {num(10), num(1)});
    const VarId stay = net.drawn("stay", Family::beta, {num(1), num(1)});
    const VarId back = net.drawn("back", Family::beta, {num(1), num(1)});
    VarId last{};
    bool state = true;
    for (std::size_t t = 0; t < steps; ++t) {
        const Term p = t == 0 ? num(0.5) : make_term(TermOp::choose, {var(last), var(stay), var(back)});
        const VarId z = net.drawn("z" + std::to_string(t), Family::bernoulli, {p});
        const VarId y =
            net.drawn("y" + std::to_string(t), Family::normal, {make_term(TermOp::choose, {var(z), var(low), var(high)}), num(1)});
        state = rng.uniform() < (state ? 0.8 : 0.3);
        observe(query, y, (state ? 3 : 9) + rng.normal());
        last = z;
    }
    return {"hidden chain of 200 steps", net.net(), query};
}

Model mixture(std::size_t rows) {
    Rng rng(4);
    NetWriter net;
    Query query;
    const VarId a = net.drawn("a", Family::normal, {num(-3), num(1)});
    const VarId b = net.drawn("b", Family::normal, {num(3), num(1)});
    const VarId sa = net.drawn("sa", *find_family("half_normal"), {num(2)});
    const VarId sb = net.drawn("sb", *find_family("half_normal"), {num(2)});
    const VarId share = net.drawn("share", Family::beta, {num(5), num(5)});
    for (std::size_t i = 0; i < rows; ++i) {
        const VarId z = net.drawn("z" + std::to_string(i), Family::bernoulli, {var(share)});
        const VarId y =
            net.drawn("y" + std::to_string(i), Family::normal,
                      {make_term(TermOp::choose, {var(z), var(a), var(b)}), make_term(TermOp::choose, {var(z), var(sa), var(sb)})});
        observe(query, y, (rng.uniform() < 0.6 ? -2.7 : 2.9) + rng.normal());
    }
    return {"mixture of 1000 rows", net.net(), query};
}

}  // namespace

int main() {
    bool agreed = true;
    for (auto& model : {regression("normal regression, 1000 x 10", 1000, false), regression("logistic regression, 1000 x 10", 1000, true),
                        regression("logistic regression, 10000 x 10", 10'000, true), recurrence(200), hidden_chain(200), mixture(1000)}) {
        const auto expanded = continuous::expand(model.net);
        const auto problem = continuous::unroll(expanded, model.query);
        if (!problem) {
            std::printf("%s: %s\n", model.name, problem.fault().message.c_str());
            return 1;
        }
        Run run;
        run.rng = Rng(7);
        run.threads = 2;
        const std::clock_t begin = std::clock();
        const auto draws = continuous::draw(*problem, {}, run);
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        if (!draws) {
            std::printf("%s: %s\n", model.name, draws.fault().message.c_str());
            return 1;
        }
        agreed = agreed && draws->worst_r_hat < 1.02;
        std::printf("%-32s %7.2f s of CPU, %5.0f effective, %8.3f ms for each, R-hat %.3f, %zu leapfrog steps after warm-up\n", model.name,
                    seconds, draws->least_effective, 1000 * seconds / draws->least_effective, draws->worst_r_hat, draws->leapfrogs);
    }
    return agreed ? 0 : 1;
}
