#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/continuous/sample/tape.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/prob/terms/term.hpp"

using namespace credence::rt;
using continuous::Tape;

namespace {

Term x() { return variable_term(VarId{0}); }
Term y() { return variable_term(VarId{1}); }
Term number(int n) { return constant_term(n); }

/// A random expression over three variables, in which nothing leaves the domain of its function.
Term random_term(Rng& rng, int depth) {
    if (depth == 0)
        return rng.uniform() < 0.7 ? variable_term(VarId{static_cast<std::uint32_t>(rng.below(3))})
                                   : constant_term(Number::real(rng.uniform() * 2 - 1));
    const auto inner = [&] { return random_term(rng, depth - 1); };
    const auto positive = [&] { return make_term(TermOp::add, {make_term(TermOp::sin, {inner()}), number(2)}); };
    switch (rng.below(13)) {
        case 0:
            return make_term(TermOp::add, {inner(), inner()});
        case 1:
            return make_term(TermOp::subtract, {inner(), inner()});
        case 2:
            return make_term(TermOp::multiply, {make_term(TermOp::sin, {inner()}), inner()});
        case 3:
            return make_term(TermOp::divide, {inner(), positive()});
        case 4:
            return make_term(TermOp::exp, {make_term(TermOp::sin, {inner()})});
        case 5:
            return make_term(TermOp::ln, {positive()});
        case 6:
            return make_term(TermOp::sqrt, {positive()});
        case 7:
            return make_term(TermOp::negate, {inner()});
        case 8:
            return make_term(TermOp::cos, {inner()});
        case 9:
            return make_term(TermOp::power, {inner(), number(2)});
        case 10:
            return make_term(TermOp::log_gamma, {positive()});
        case 11:
            return make_term(TermOp::choose, {make_term(TermOp::less, {inner(), inner()}), inner(), inner()});
        default:
            return make_term(TermOp::divide,
                             {number(1), make_term(TermOp::add, {number(1), make_term(TermOp::exp, {make_term(TermOp::sin, {inner()})})})});
    }
}

double five_points(const std::function<double(double)>& f, double at) {
    const double h = 1e-4 * (1 + std::abs(at));
    return (f(at - 2 * h) - 8 * f(at - h) + 8 * f(at + h) - f(at + 2 * h)) / (12 * h);
}

}  // namespace

TEST_CASE("terms fold exactly and drop what changes nothing") {
    CHECK(make_term(TermOp::divide, {number(1), number(3)})->value == Number(Rational(1, 3)));
    CHECK(make_term(TermOp::sqrt, {constant_term(Rational(4, 9))})->value == Number(Rational(2, 3)));
    CHECK(!make_term(TermOp::sqrt, {number(2)})->value.is_exact());
    CHECK(make_term(TermOp::add, {x(), number(0)})->op == TermOp::variable);
    CHECK(make_term(TermOp::multiply, {number(0), x()})->value.is_zero());
    CHECK(make_term(TermOp::choose, {number(0), x(), y()})->variable == VarId{1});
    CHECK(std::isinf(make_term(TermOp::divide, {number(1), number(0)})->value.real()));
}

TEST_CASE("linear terms and monomials are recognised, others are not") {
    const Term t = make_term(TermOp::subtract, {make_term(TermOp::multiply, {number(3), make_term(TermOp::add, {x(), y()})}),
                                                make_term(TermOp::divide, {x(), number(2)})});
    const auto linear = as_linear(t);
    REQUIRE(linear);
    REQUIRE(linear->coefficients.size() == 2);
    CHECK(linear->coefficients[0].second == Number(Rational(5, 2)));
    CHECK(linear->coefficients[1].second == Number(3));
    CHECK_FALSE(as_linear(make_term(TermOp::multiply, {x(), y()})));
    CHECK_FALSE(as_linear(make_term(TermOp::divide, {number(1), x()})));

    const Term sd = make_term(TermOp::divide, {number(1), make_term(TermOp::sqrt, {make_term(TermOp::multiply, {number(4), x()})})});
    const auto m = as_monomial(sd);
    REQUIRE(m);
    CHECK(m->coefficient == Number(Rational(1, 2)));
    REQUIRE(m->powers.size() == 1);
    CHECK(m->powers[0].own == Rational(-1, 2));
    const auto stick = as_monomial(make_term(TermOp::multiply, {make_term(TermOp::subtract, {number(1), x()}), y()}));
    REQUIRE(stick);
    CHECK(stick->powers[0].complement == Rational(1));
    CHECK(stick->powers[1].own == Rational(1));
    CHECK_FALSE(as_monomial(make_term(TermOp::add, {x(), number(1)})));
}

TEST_CASE("what a label is worth in a term") {
    TermNode leaf;
    leaf.op = TermOp::variable;
    CHECK(leaf_value(leaf, Label::of_text("true"))->value == Number(1));
    CHECK(leaf_value(leaf, Label::of_text("3"))->value == Number(3));
    leaf.op = TermOp::is;
    leaf.label = Label::of_text("red");
    CHECK(leaf_value(leaf, Label::of_text("red"))->value == Number(1));
    CHECK(leaf_value(leaf, Label::of_text("blue"))->value == Number(0));
}

TEST_CASE("the gradient of random expressions equals central differences") {
    Rng rng(11);
    for (int round = 0; round < 300; ++round) {
        const Term term = random_term(rng, 4);
        Tape tape;
        std::map<VarId, Tape::Node> leaves;
        for (std::uint32_t v = 0; v < 3; ++v) leaves.emplace(VarId{v}, tape.input());
        const auto output = tape.term(term, leaves);
        auto work = tape.workspace();
        std::vector<double> at{rng.uniform() * 2 - 1, rng.uniform() * 2 - 1, rng.uniform() * 2 - 1};
        std::vector<double> gradient(3);
        const double value = tape.gradient(at, output, work, gradient);
        const double plain = evaluate(term, [&](const TermNode& leaf) { return at[index(leaf.variable)]; });
        CHECK(value == Approx(plain).epsilon(1e-12));
        for (std::size_t v = 0; v < 3; ++v) {
            auto moved = at;
            const auto f = [&](double s) {
                moved[v] = s;
                return tape.value(moved, output, work);
            };
            const double expected = five_points(f, at[v]);
            // A branch may change within the steps of the difference: then the one-sided slopes disagree and nothing is checked.
            const double h = 1e-3 * (1 + std::abs(at[v]));
            const double left = (f(at[v]) - f(at[v] - h)) / h;
            const double right = (f(at[v] + h) - f(at[v])) / h;
            if (std::abs(left - right) > 0.1 * (1 + std::abs(expected))) continue;
            INFO("round " << round << ", variable " << v);
            CHECK(gradient[v] == Approx(expected).epsilon(1e-5).margin(1e-6));
        }
    }
}

TEST_CASE("the derivatives of every operation equal central differences") {
    for (const auto& operation : term_operations()) {
        if (operation.arity != 1 && operation.arity != 2) continue;
        for (const auto& at : {std::vector{0.7, 0.4}, std::vector{1.3, 2.7}}) {
            Tape tape;
            const auto a = tape.input();
            const auto b = tape.input();
            const auto output = operation.arity == 1 ? tape.unary(operation.op, a) : tape.binary(operation.op, a, b);
            auto work = tape.workspace();
            std::vector<double> gradient(2);
            tape.gradient(at, output, work, gradient);
            for (std::size_t v = 0; v < 2; ++v) {
                auto moved = at;
                const auto f = [&](double s) {
                    moved[v] = s;
                    return tape.value(moved, output, work);
                };
                INFO(operation.name << " at " << at[0] << ", " << at[1] << ", part " << v + 1);
                CHECK(gradient[v] == Approx(five_points(f, at[v])).epsilon(1e-6).margin(1e-8));
            }
        }
    }
}

TEST_CASE("the derivatives of every density equal central differences") {
    struct Case {
        Family family;
        double x;
        std::vector<double> p;
    };
    const std::vector<Case> cases = {
        {Family::normal, 0.7, {0.2, 1.3}},
        {Family::lognormal, 1.7, {0.2, 0.8}},
        {Family::beta, 0.3, {2.5, 0.7}},
        {Family::gamma, 1.4, {2.2, 0.9}},
        {Family::exponential, 0.8, {1.7}},
        {Family::laplace, 0.4, {1.2, 0.6}},
        {Family::student_t, 1.9, {3.5, 0.3, 1.2}},
        {Family::uniform, 0.4, {-1, 2}},
        {Family::bernoulli, 1, {0.3}},
        {Family::bernoulli, 0, {0.3}},
        {Family::binomial, 3, {8, 0.4}},
        {Family::poisson, 4, {2.5}},
        {Family::geometric, 3, {0.35}},
    };
    for (const auto& c : cases) {
        INFO(c.family->name);
        const auto d = continuous::log_density(c.family, c.x, c.p.data());
        std::vector<Number> numbers;
        for (const double p : c.p) numbers.push_back(c.family == Family::binomial && p == 8 ? Number(8) : Number::real(p));
        const auto made = make_distribution(c.family, numbers);
        REQUIRE(made);
        const Outcome value = c.family == Family::bernoulli ? Outcome(Label::of_bool(c.x == 1)) : Outcome(Number::real(c.x));
        CHECK(d.value == Approx((*made)->log_pdf(value)).epsilon(1e-10));
        const bool counts = continuous::range_of(c.family) == continuous::Range::counts;
        if (!counts)
            CHECK(d.dx == Approx(five_points([&](double x) { return continuous::log_density(c.family, x, c.p.data()).value; }, c.x))
                              .epsilon(1e-7)
                              .margin(1e-9));
        for (std::size_t k = 0; k < c.p.size(); ++k) {
            if (c.family == Family::binomial && k == 0) continue;
            const auto f = [&](double v) {
                auto p = c.p;
                p[k] = v;
                return continuous::log_density(c.family, c.x, p.data()).value;
            };
            CHECK(d.dp[k] == Approx(five_points(f, c.p[k])).epsilon(1e-7).margin(1e-9));
        }
    }
}

TEST_CASE("a logistic probability keeps its digits far out") {
    Tape tape;
    const auto eta = tape.input();
    const auto p = tape.sigmoid(eta);
    const auto output = tape.density(Family::bernoulli, tape.constant(0), std::vector{p});
    auto work = tape.workspace();
    std::vector<double> gradient(1);
    CHECK(tape.gradient(std::vector{50.0}, output, work, gradient) == Approx(-50));
    CHECK(gradient[0] == Approx(-1));
    CHECK(tape.gradient(std::vector{800.0}, output, work, gradient) == Approx(-800));
}
