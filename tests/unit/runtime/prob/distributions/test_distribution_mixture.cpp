#include <vector>

#include "runtime/core/rng.hpp"
#include "tests/unit/runtime/prob/distributions/distribution_support.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

TEST_CASE("a mixture of counts stays exact", "[distribution]") {
    const auto d = made(
        make_mixture({Rational(1, 3), Rational(2, 3)}, {made(make_binomial(2, Rational(1, 2))), made(make_binomial(3, Rational(1, 3)))}));
    CHECK(got(d->pdf(Number(1))).exact() == Rational(1, 3) * Rational(1, 2) + Rational(2, 3) * Rational(4, 9));
    CHECK(got(d->pdf(Number(3))).exact() == Rational(2, 81));
    CHECK(got(d->cdf(0)).exact() == Rational(1, 12) + Rational(16, 81));
    CHECK(scalar(d->mean()).exact() == Rational(1));
    CHECK(scalar(d->variance()).exact() == Rational(1, 3) * Rational(1, 2) + Rational(2, 3) * Rational(2, 3));
    CHECK(d->finite_values()->size() == 4);
    CHECK((*d->finite_values())[3].text() == "3");
    for (const Rational& p : {Rational(1, 4), Rational(1, 12) + Rational(16, 81), Rational(3, 4), Rational(99, 100)}) {
        const Number x = got(d->quantile(p));
        CHECK(x.is_exact());
        CHECK(got(d->cdf(x)) >= Number(p));
        CHECK(got(d->cdf(x - Number(1))) < Number(p));
    }
    CHECK(got(d->quantile(1)) == Number(3));
    double bits = 0;
    for (int k = 0; k <= 3; ++k) {
        const double p = got(d->pdf(Number(k))).real();
        bits -= p * std::log2(p);
    }
    CHECK(got(d->entropy()).real() == near(bits));
    CHECK(d->log_pdf(Number(1)) == near(std::log(25.0 / 54)));
    CHECK(d->log_pdf(Number(9)) == -inf);
}

TEST_CASE("a mixture of normals", "[distribution]") {
    const auto left = made(make_normal(-2, 1));
    const auto right = made(make_normal(3, 2));
    const auto d = made(make_mixture({Rational(1, 4), Rational(3, 4)}, {left, right}));
    CHECK(d->support() == Support::reals);
    for (const double x : {-30.0, -2.0, 0.5, 4.0}) {
        const double by_hand = 0.25 * got(left->pdf(real(x))).real() + 0.75 * got(right->pdf(real(x))).real();
        CHECK(got(d->pdf(real(x))).real() == near(by_hand));
        CHECK(d->log_pdf(real(x)) == near(std::log(by_hand)));
        CHECK(got(d->cdf(real(x))).real() == near(0.25 * got(left->cdf(real(x))).real() + 0.75 * got(right->cdf(real(x))).real()));
        if (x > -10) CHECK(got(d->quantile(got(d->cdf(real(x))))).real() == near(x, 1e-10));
    }
    CHECK(std::isfinite(d->log_pdf(real(1000))));
    CHECK(scalar(d->mean()).exact() == Rational(7, 4));
    // E[X²] − mean²: ¼ (1 + 4) + ¾ (4 + 9) − 49/16
    CHECK(scalar(d->variance()).exact() == Rational(5, 4) + Rational(39, 4) - Rational(49, 16));
    CHECK(got(d->quantile(0)).real() == -inf);
    CHECK(got(d->quantile(1)).real() == inf);
    CHECK(got(d->entropy()).real() == near(3.437574614790457, 1e-10));  // −∫ p log2 p, by the trapezium rule with steps of 1/1000
    CHECK(failure(d->quantile(2)).substr(0, 12) == "E-PARAMETER:");

    constexpr int draws = 40'000;
    Rng rng(31);
    double sum = 0;
    int below = 0;
    for (int i = 0; i < draws; ++i) {
        const double x = std::get<Number>(d->sample(rng)).real();
        sum += x - 1.75;
        below += x < 0;
    }
    CHECK(std::abs(sum / draws) < 5 * std::sqrt(127.0 / 16 / draws));
    const double p = got(d->cdf(real(0))).real();
    CHECK(std::abs(below - draws * p) < 5 * std::sqrt(draws * p * (1 - p)));
}

TEST_CASE("mixtures of unbounded counts, of labels, and with weightless parts", "[distribution]") {
    const auto one =
        made(make_mixture({Rational(1, 2), Rational(1, 2)}, {made(make_geometric(Rational(1, 4))), made(make_geometric(Rational(1, 4)))}));
    CHECK(got(one->entropy()).real() == near(got(made(make_geometric(Rational(1, 4)))->entropy()).real(), 1e-10));
    CHECK(got(one->quantile(Rational(1, 2))).exact() == Rational(2));
    const auto wide = made(make_mixture({1}, {made(make_geometric(Rational(1, 100000000)))}));
    CHECK(failure(wide->entropy()).substr(0, 12) == "E-UNDEFINED:");

    const auto labels =
        made(make_mixture({Rational(1, 2), Rational(1, 2)}, {made(make_bernoulli(Rational(1, 3))), made(make_bernoulli(Rational(2, 3)))}));
    CHECK(got(labels->pdf(word("true"))).exact() == Rational(1, 2));
    CHECK(got(labels->entropy()).real() == near(1));
    CHECK(labels->finite_values()->labels() == std::vector<Label>{word("true"), word("false")});
    CHECK(failure(labels->quantile(Rational(1, 2))).substr(0, 7) == "E-TYPE:");

    // a component of weight 0 has no say, not even through a mean that does not exist
    const auto spare = made(make_mixture({1, 0}, {made(make_normal(2, 1)), made(make_student_t(1, 0, 1))}));
    CHECK(scalar(spare->mean()).exact() == Rational(2));
    CHECK(got(spare->quantile(Rational(1, 2))).real() == near(2));
    const auto heavy = made(make_mixture({Rational(1, 2), Rational(1, 2)}, {made(make_normal(2, 1)), made(make_student_t(1, 0, 1))}));
    CHECK(failure(heavy->mean()).substr(0, 12) == "E-UNDEFINED:");
    CHECK(failure(heavy->variance()).substr(0, 12) == "E-UNDEFINED:");
}

TEST_CASE("mixtures refuse what does not mix", "[distribution]") {
    const auto normal = made(make_normal(0, 1));
    CHECK(failure(make_mixture({}, {})) == "E-PARAMETER: mixture: weights must have at least one entry, found none");
    CHECK(failure(make_mixture({1}, {normal, normal})) ==
          "E-PARAMETER: mixture: weights must be one for each component, found 1 weights and 2 components");
    CHECK(failure(make_mixture({Rational(1, 2), Rational(1, 3)}, {normal, normal})) ==
          "E-PARAMETER: mixture: weights must sum to 1, found a sum of 5/6");
    CHECK(failure(make_mixture({2, -1}, {normal, normal})) == "E-PARAMETER: mixture: weights must not be negative, found -1");
    CHECK(failure(make_mixture({Rational(1, 2), Rational(1, 2)}, {normal, made(make_poisson(3))})) ==
          "E-PARAMETER: mixture: components must all have densities, or all counts, or all labels, found normal and poisson");
    CHECK(failure(make_mixture({1}, {made(make_dirichlet({1, 1}))})) ==
          "E-PARAMETER: mixture: components must be over one variable, found dirichlet");
}
