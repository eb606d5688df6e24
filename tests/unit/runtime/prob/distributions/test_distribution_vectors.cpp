#include <algorithm>
#include <vector>

#include "runtime/core/rng.hpp"
#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "tests/unit/runtime/prob/distributions/distribution_support.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

const std::vector<Number> centre = {1, -1, Rational(1, 2)};
const std::vector<std::vector<Number>> covariance = {
    {2, Rational(3, 5), Rational(3, 10)}, {Rational(3, 5), 1, Rational(-1, 5)}, {Rational(3, 10), Rational(-1, 5), Rational(3, 2)}};

Point point(std::initializer_list<double> entries) {
    Point out;
    for (const double entry : entries) out.push_back(real(entry));
    return out;
}

}  // namespace

TEST_CASE("multinormal agrees with scipy and with normals", "[distribution]") {
    const auto d = made(make_multinormal(centre, covariance));
    // scipy.stats.multivariate_normal: logpdf([0, 0, 1]) and entropy() / ln 2
    CHECK(d->log_pdf(point({0, 0, 1})) == near(-4.890916560308943));
    CHECK(got(d->pdf(point({0, 0, 1}))).real() == near(std::exp(-4.890916560308943)));
    CHECK(got(d->entropy()).real() == near(6.715916438291736));
    CHECK(vector(d->mean())[2].exact() == Rational(1, 2));
    CHECK(vector(d->variance())[0].exact() == Rational(2));
    CHECK(vector(d->variance())[2].exact() == Rational(3, 2));

    // independent coordinates: the product of normals
    const auto apart = made(make_multinormal({1, 2}, {{4, 0}, {0, 9}}));
    CHECK(apart->log_pdf(point({0, 5})) == near(made(make_normal(1, 2))->log_pdf(real(0)) + made(make_normal(2, 3))->log_pdf(real(5))));
    CHECK(failure(d->pdf(Number(1))) == "E-TYPE: multinormal: pdf takes a list of 3 numbers, found the number 1");
    CHECK(failure(d->pdf(point({0, 0}))) == "E-TYPE: multinormal: pdf takes a list of 3 numbers, found a list of 2 numbers");
    CHECK(d->log_pdf(point({0, 0})) == -inf);
    CHECK(failure(d->cdf(1)) == "E-TYPE: multinormal: cdf needs a distribution over numbers, and this one is over vectors");
    CHECK(failure(d->quantile(Rational(1, 2))).substr(0, 7) == "E-TYPE:");
}

TEST_CASE("samples of a multinormal have its means and covariances", "[distribution]") {
    constexpr int draws = 40'000;
    const auto d = made(make_multinormal(centre, covariance));
    Rng rng(6);
    std::vector<Point> sample;
    for (int i = 0; i < draws; ++i) sample.push_back(std::get<Point>(d->sample(rng)));
    for (std::size_t a = 0; a < 3; ++a) {
        double sum = 0;
        for (const Point& x : sample) sum += x[a].real() - centre[a].real();
        CHECK(std::abs(sum / draws) < 5 * std::sqrt(covariance[a][a].real() / draws));
        for (std::size_t b = 0; b <= a; ++b) {
            double product = 0;
            for (const Point& x : sample) product += (x[a].real() - centre[a].real()) * (x[b].real() - centre[b].real());
            // variance of a product of normals: σaa σbb + σab²
            const double spread = covariance[a][a].real() * covariance[b][b].real() + std::pow(covariance[a][b].real(), 2);
            CHECK(std::abs(product / draws - covariance[a][b].real()) < 5 * std::sqrt(spread / draws));
        }
    }
}

TEST_CASE("multinormal refuses what is not a covariance", "[distribution]") {
    CHECK(failure(make_multinormal({}, {})) == "E-PARAMETER: multinormal: mean must have at least one entry, found none");
    CHECK(failure(make_multinormal({0, 0}, {{1, 0}})) ==
          "E-PARAMETER: multinormal: covariance must be a 2 × 2 matrix, as mean has 2 entries, found 1 rows");
    CHECK(failure(make_multinormal({0, 0}, {{1, 0}, {0}})) ==
          "E-PARAMETER: multinormal: covariance must be a 2 × 2 matrix, as mean has 2 entries, found a row of 1");
    CHECK(failure(make_multinormal({0, 0}, {{1, 2}, {3, 1}})) ==
          "E-PARAMETER: multinormal: covariance must be symmetric, found 3 in row 2, column 1 and 2 the other way");
    CHECK(failure(make_multinormal({0, 0}, {{1, 2}, {2, 1}})).find("must be positive definite") != std::string::npos);
    CHECK(failure(make_multinormal({0, 0}, {{1, 1}, {1, 1}})).find("must be positive definite") != std::string::npos);
    CHECK(failure(make_multinormal({real(inf)}, {{1}})) == "E-PARAMETER: multinormal: mean must be a finite number, found inf");
    CHECK(failure(make_multinormal({0}, {{real(NAN)}})).find("covariance must be a finite number") != std::string::npos);
}

TEST_CASE("dirichlet", "[distribution]") {
    const auto d = made(make_dirichlet({1, 2, Rational(7, 2)}));
    // mpmath, from the closed forms; scipy.stats.dirichlet agrees
    CHECK(d->log_pdf(point({0.2, 0.3, 0.5})) == near(1.524747701784268));
    CHECK(got(d->entropy()).real() == near(-1.972271944780202));
    CHECK(vector(d->mean())[1].exact() == Rational(4, 13));
    CHECK(vector(d->variance())[1].exact() == Rational(2 * 9 * 4, 169 * 15));  // 2 · 4.5 / (6.5² · 7.5)
    CHECK(d->log_pdf(point({0.2, 0.3, 0.6})) == -inf);
    CHECK(d->log_pdf(point({-0.2, 0.7, 0.5})) == -inf);
    CHECK(d->log_pdf(point({0.5, 0, 0.5})) == -inf);
    CHECK(std::isfinite(d->log_pdf(point({0, 0.5, 0.5}))));
    CHECK(made(make_dirichlet({Rational(1, 2), 2}))->log_pdf(point({0, 1})) == inf);
    CHECK(made(make_dirichlet({1000000000, 2000000000, Rational(3000000000)}))
              ->log_pdf(Point{Rational(16667, 100000), Rational(33333, 100000), Rational(1, 2)}) ==
          near(22.168899709059286, 1e-9));  // mpmath
    CHECK(failure(d->pdf(point({0.5, 0.5}))).substr(0, 7) == "E-TYPE:");
    CHECK(failure(d->cdf(1)).substr(0, 7) == "E-TYPE:");

    // whole parameters and an exact point: 5!/(0! 1! 2!) · x₂ x₃²
    const auto whole = made(make_dirichlet({1, 2, 3}));
    CHECK(got(whole->pdf(Point{Rational(1, 6), Rational(1, 3), Rational(1, 2)})).exact() == Rational(60, 12));
    CHECK(got(whole->pdf(Point{Rational(1, 6), Rational(1, 3), Rational(1, 3)})).exact() == Rational(0));
    CHECK(whole->log_pdf(Point{Rational(1, 6), Rational(1, 3), Rational(1, 2)}) == near(std::log(5.0)));
    // two coordinates are a beta
    CHECK(made(make_dirichlet({Rational(5, 2), 4}))->log_pdf(point({0.25, 0.75})) ==
          near(made(make_beta(Rational(5, 2), 4))->log_pdf(real(0.25))));

    constexpr int draws = 30'000;
    Rng rng(12);
    std::vector<double> sums(3, 0), squares(3, 0);
    for (int i = 0; i < draws; ++i) {
        const Point x = std::get<Point>(d->sample(rng));
        REQUIRE(std::abs(x[0].real() + x[1].real() + x[2].real() - 1) < 1e-12);
        for (std::size_t k = 0; k < 3; ++k) {
            const double gap = x[k].real() - vector(d->mean())[k].real();
            sums[k] += gap;
            squares[k] += gap * gap;
        }
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const double variance = vector(d->variance())[k].real();
        CHECK(std::abs(sums[k] / draws) < 5 * std::sqrt(variance / draws));
        CHECK(squares[k] / draws == Approx(variance).epsilon(0.05));  // the fourth moment is below 3 variance²: 5 · √(2/30000) = 0.04
    }
    CHECK(failure(make_dirichlet({1})) == "E-PARAMETER: dirichlet: concentration must have at least two entries, found 1");
    CHECK(failure(make_dirichlet({1, 0})) == "E-PARAMETER: dirichlet: concentration must be positive, found 0");
}

namespace {

/// The record of each family of vectors, with a member and a point of its support.
struct VectorMember {
    const FamilyInfo* family;
    std::vector<ParameterValue> parameters;
    Point at;
};
const std::vector<VectorMember> vectors = {
    {&multinormal_family, {centre, covariance}, point({0.3, -0.2, 1.7})},
    {&multinomial_family, {Number(5), std::vector<Number>{Rational(1, 5), Rational(3, 10), Rational(1, 2)}}, {1, 3, 1}},
    {&dirichlet_family, {std::vector<Number>{2, Rational(7, 2), 4}}, {Rational(1, 5), Rational(1, 2), Rational(3, 10)}},
};

std::vector<Term> constants(const std::vector<Number>& numbers) {
    std::vector<Term> out;
    for (const auto& n : numbers) out.push_back(constant_term(n));
    return out;
}

VectorArgument argument(const ParameterValue& value) {
    if (const auto* number = std::get_if<Number>(&value)) return {constants({*number})};
    if (const auto* list = std::get_if<std::vector<Number>>(&value)) return {constants(*list)};
    std::vector<Number> entries;
    for (const auto& row : std::get<std::vector<std::vector<Number>>>(value)) entries.insert(entries.end(), row.begin(), row.end());
    return {constants(entries)};
}

double log_density(const FamilyInfo& family, std::span<const Term> parameters, const Number& x) {
    std::vector<Number> numbers;
    for (const auto& term : parameters) {
        REQUIRE(is_constant(term));
        numbers.push_back(term->value);
    }
    return made(family.make(numbers, {}))->log_pdf(x);
}

}  // namespace

TEST_CASE("the record of a family of vectors agrees with its members", "[distribution]") {
    for (const auto* family : all_families()) {
        if (family->support != Support::vectors) continue;
        INFO(family->name);
        const auto found = std::find_if(vectors.begin(), vectors.end(), [&](const VectorMember& m) { return m.family == family; });
        REQUIRE(found != vectors.end());
        REQUIRE(family->vector);
        const auto d = made(family->vector->make(found->parameters));
        const Point mean = vector(d->mean());
        const Point variance = vector(d->variance());
        for (std::size_t i = 0; i < mean.size(); ++i) {
            const auto entry = coordinate(*d, i);
            REQUIRE(entry);
            CHECK(scalar(entry->mean()).real() == near(mean[i].real()));
            CHECK(scalar(entry->variance()).real() == near(variance[i].real()));
        }
        // The chain rule: each entry given those before it.
        if (family->has_parts()) {
            std::vector<VectorArgument> arguments;
            for (const auto& parameter : found->parameters) arguments.push_back(argument(parameter));
            const auto parts = got(family->vector->parts(arguments, constants(found->at)));
            double sum = 0;
            for (std::size_t i = 0; i < parts.size(); ++i) sum += log_density(*parts[i].family, parts[i].parameters, found->at[i]);
            CHECK(sum == near(d->log_pdf(found->at)));
        }
        // x_i = s_i Π (1 - s_j): dx_i / ds_i is what the entries before it leave.
        if (family->has_sticks()) {
            const auto sticks = family->vector->sticks(argument(found->parameters[0]).terms);
            double sum = 0;
            Number rest = 1;
            std::vector<std::pair<Number, Number>> betas;
            for (std::size_t i = 0; i < sticks.size(); ++i) {
                const std::vector<Term> ends{sticks[i].first, sticks[i].second};
                sum += log_density(beta_family, ends, found->at[i] / rest) - std::log(rest.real());
                rest = rest - found->at[i];
                betas.emplace_back(ends[0]->value, ends[1]->value);
            }
            CHECK(sum == near(d->log_pdf(found->at)));
            CHECK(family->vector->from_sticks(betas) == std::get<std::vector<Number>>(found->parameters[0]));
            betas[0].second = betas[0].second + Number(1);
            CHECK_FALSE(family->vector->from_sticks(betas));
        }
    }
}
