#include <vector>

#include "tests/unit/runtime/prob/distributions/distribution_support.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

TEST_CASE("parameters out of range are named", "[distribution]") {
    CHECK(failure(make_bernoulli(2)) == "E-PARAMETER: bernoulli: p must lie between 0 and 1, found 2");
    CHECK(failure(make_bernoulli(Rational(-1, 3))) == "E-PARAMETER: bernoulli: p must lie between 0 and 1, found -1/3");
    CHECK(failure(make_binomial(Rational(5, 2), Rational(1, 2))) ==
          "E-PARAMETER: binomial: n must be a whole number from 0 to 2^53, found 2.5");
    CHECK(failure(make_binomial(-1, Rational(1, 2))) == "E-PARAMETER: binomial: n must be a whole number from 0 to 2^53, found -1");
    CHECK(failure(make_binomial(Rational(10).pow(17), Rational(1, 2))) ==
          "E-PARAMETER: binomial: n must be a whole number from 0 to 2^53, found 100000000000000000");
    CHECK(failure(make_binomial(5, real(1.5))) == "E-PARAMETER: binomial: p must lie between 0 and 1, found 1.5");
    CHECK(failure(make_poisson(-1)) == "E-PARAMETER: poisson: rate must not be negative, found -1");
    CHECK(failure(make_geometric(0)) == "E-PARAMETER: geometric: p must be positive, found 0");
    CHECK(failure(make_geometric(2)) == "E-PARAMETER: geometric: p must lie between 0 and 1, found 2");
    CHECK(failure(make_uniform(3, 2)) == "E-PARAMETER: uniform: high must be greater than low, found low 3 and high 2");
    CHECK(failure(make_uniform(3, 3)) == "E-PARAMETER: uniform: high must be greater than low, found low 3 and high 3");
    CHECK(failure(make_normal(0, -2)) == "E-PARAMETER: normal: sd must be positive, found -2");
    CHECK(failure(make_lognormal(0, 0)) == "E-PARAMETER: lognormal: sigma must be positive, found 0");
    CHECK(failure(make_beta(0, 1)) == "E-PARAMETER: beta: a must be positive, found 0");
    CHECK(failure(make_beta(1, -1)) == "E-PARAMETER: beta: b must be positive, found -1");
    CHECK(failure(make_gamma(0, 1)) == "E-PARAMETER: gamma: shape must be positive, found 0");
    CHECK(failure(make_gamma(1, 0)) == "E-PARAMETER: gamma: rate must be positive, found 0");
    CHECK(failure(make_exponential(-1)) == "E-PARAMETER: exponential: rate must be positive, found -1");
    CHECK(failure(make_laplace(0, 0)) == "E-PARAMETER: laplace: scale must be positive, found 0");
    CHECK(failure(make_student_t(0, 0, 1)) == "E-PARAMETER: student_t: degrees must be positive, found 0");
    CHECK(failure(make_student_t(1, 0, -1)) == "E-PARAMETER: student_t: scale must be positive, found -1");
    CHECK(make_normal(0, -2).fault().label == "sd > 0");
    CHECK(make_bernoulli(2).fault().label == "0 <= p <= 1");
}

TEST_CASE("probabilities of a categorical must sum to 1", "[distribution]") {
    using Weights = std::vector<std::pair<Label, Number>>;
    const auto two = [](const Number& a, const Number& b) { return Weights{{word("a"), a}, {word("b"), b}}; };
    CHECK(failure(make_categorical({})) == "E-PARAMETER: categorical: the probabilities must have at least one entry, found none");
    CHECK(failure(make_categorical(two(Rational(1, 2), Rational(2, 5)))) ==
          "E-PARAMETER: categorical: the probabilities must sum to 1, found a sum of 0.9");
    CHECK(failure(make_categorical(two(Rational(3, 2), Rational(-1, 2)))) ==
          "E-PARAMETER: categorical: the probabilities must not be negative, found -0.5");
    CHECK(failure(make_categorical({{word("1"), Rational(1, 2)}, {word("1.0"), Rational(1, 2)}})) ==
          "E-PARAMETER: categorical: labels must differ, found '1' twice");
    // exact numbers must sum exactly, reals up to rounding
    CHECK_FALSE(make_categorical(two(Rational(1, 2), Rational(1, 2) + Rational(10).pow(-30))));
    CHECK(make_categorical(two(real(0.1 + 0.2), real(0.7))));
    CHECK_FALSE(make_categorical(two(real(0.3), real(0.7000001))));
}

TEST_CASE("parameters that are not finite are refused", "[distribution]") {
    for (const Number& bad : {real(NAN), real(inf), real(-inf), Number(Rational(10).pow(400))}) {
        for (const auto& fault : {failure(make_bernoulli(bad)),       failure(make_binomial(bad, 0)),
                                  failure(make_binomial(3, bad)),     failure(make_categorical({{word("a"), bad}})),
                                  failure(make_poisson(bad)),         failure(make_geometric(bad)),
                                  failure(make_uniform(bad, 1)),      failure(make_uniform(0, bad)),
                                  failure(make_normal(bad, 1)),       failure(make_normal(0, bad)),
                                  failure(make_lognormal(bad, 1)),    failure(make_lognormal(0, bad)),
                                  failure(make_beta(bad, 1)),         failure(make_beta(1, bad)),
                                  failure(make_gamma(bad, 1)),        failure(make_gamma(1, bad)),
                                  failure(make_exponential(bad)),     failure(make_laplace(bad, 1)),
                                  failure(make_laplace(0, bad)),      failure(make_student_t(bad, 0, 1)),
                                  failure(make_student_t(1, bad, 1)), failure(make_student_t(1, 0, bad)),
                                  failure(make_dirichlet({1, bad}))}) {
            CAPTURE(fault);
            CHECK(fault.substr(0, 12) == "E-PARAMETER:");
            CHECK(fault.find("must be a finite number") != std::string::npos);
        }
    }
}

TEST_CASE("outcomes of the wrong kind and levels out of range", "[distribution]") {
    const auto normal = made(make_normal(0, 1));
    CHECK(failure(normal->pdf(word("hot"))) == "E-TYPE: normal: pdf takes a number, found the label 'hot'");
    CHECK(failure(normal->pdf(Point{1, 2})) == "E-TYPE: normal: pdf takes a number, found a list of 2 numbers");
    CHECK(failure(made(make_categorical({{word("a"), 1}}))->pdf(Point{1})).substr(0, 7) == "E-TYPE:");
    for (const DistributionPtr& d :
         {normal, made(make_binomial(3, Rational(1, 2))), made(make_bernoulli(1)), made(make_categorical({{word("1"), 1}}))}) {
        CHECK(failure(d->quantile(Rational(3, 2))) == "E-PARAMETER: quantile: p must lie between 0 and 1, found 1.5");
        CHECK(failure(d->quantile(-1)) == "E-PARAMETER: quantile: p must lie between 0 and 1, found -1");
        CHECK(failure(d->quantile(real(NAN))).substr(0, 12) == "E-PARAMETER:");
    }
}

TEST_CASE("parameters come back by name", "[distribution]") {
    const auto names = [](const DistributionPtr& d) {
        std::string out(d->name());
        for (const Parameter& p : d->parameters()) out.append(1, ' ').append(p.name);
        return out;
    };
    CHECK(names(made(make_bernoulli(1))) == "bernoulli p");
    CHECK(names(made(make_binomial(1, 1))) == "binomial n p");
    CHECK(names(made(make_poisson(1))) == "poisson rate");
    CHECK(names(made(make_geometric(1))) == "geometric p");
    CHECK(names(made(make_uniform(0, 1))) == "uniform low high");
    CHECK(names(made(make_normal(0, 1))) == "normal mean sd");
    CHECK(names(made(make_lognormal(0, 1))) == "lognormal mu sigma");
    CHECK(names(made(make_beta(1, 1))) == "beta a b");
    CHECK(names(made(make_gamma(1, 1))) == "gamma shape rate");
    CHECK(names(made(make_exponential(1))) == "exponential rate");
    CHECK(names(made(make_laplace(1, 1))) == "laplace location scale");
    CHECK(names(made(make_student_t(1, 1, 1))) == "student_t degrees location scale");
    CHECK(names(made(make_dirichlet({1, 1}))) == "dirichlet concentration");
    CHECK(names(made(make_multinormal({1}, {{1}}))) == "multinormal mean covariance");
    CHECK(std::get<Number>(made(make_beta(Rational(1, 3), 5))->parameters()[0].value).exact() == Rational(1, 3));
}
