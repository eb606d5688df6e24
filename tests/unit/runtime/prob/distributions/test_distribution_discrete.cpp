#include <map>
#include <vector>

#include "runtime/core/rng.hpp"
#include "tests/unit/runtime/prob/distributions/distribution_support.hpp"

using namespace credence::rt;
using namespace credence::rt::testing;

namespace {

std::vector<DistributionPtr> counts() {
    return {made(make_binomial(20, Rational(3, 10))),
            made(make_binomial(300, Rational(9, 10))),
            made(make_binomial(100000, Rational(1, 5))),
            made(make_binomial(4, 1)),
            made(make_poisson(Rational(7, 2))),
            made(make_poisson(1000)),
            made(make_poisson(12)),
            made(make_geometric(Rational(1, 4))),
            made(make_geometric(1))};
}

DistributionPtr die() {
    std::vector<std::pair<Label, Number>> faces;
    for (int i = 6; i >= 1; --i) faces.emplace_back(Label::of_number(i), Rational(1, 6));
    return made(make_categorical(faces));
}

}  // namespace

TEST_CASE("masses and distribution functions of counts agree with scipy", "[distribution]") {
    struct Row {
        DistributionPtr distribution;
        double x, log_pdf, cdf;
    };
    const auto small = made(make_binomial(20, Rational(3, 10)));
    const auto large = made(make_binomial(100000, Rational(1, 5)));
    const auto few = made(make_poisson(Rational(7, 2)));
    const auto many = made(make_poisson(1000));
    const auto geometric = made(make_geometric(Rational(1, 4)));
    // scipy.stats 1.10: logpmf, cdf; geometric is geom(1/4, loc=-1)
    const std::vector<Row> rows = {
        {small, 0.0, -7.133498878774649, 0.0007979226629761204},
        {small, 4.0, -2.0369877959985994, 0.23750777887760136},
        {small, 15.0, -10.19411345045216, 0.9999944497469218},
        {small, 20.0, -24.07945608651872, 1.0},
        {large, 19000.0, -37.391206247873924, 9.21220258722907e-16},
        {large, 20000.0, -5.759114908927586, 0.5018923373278461},
        {large, 20400.0, -10.741777563100186, 0.9992088940068414},
        {few, 0.0, -3.5, 0.0301973834223185},
        {few, 3.0, -1.5334705637419508, 0.536632667900785},
        {few, 12.0, -8.454058873717468, 0.9999240417602283},
        {few, 40.0, -63.71012097494267, 1.0},
        {many, 850.0, -16.150564674050656, 6.235662209754235e-07},
        {many, 1000.0, -4.372899506027352, 0.508409367168506},
        {many, 1150.0, -15.169003339082337, 0.9999983556601667},
        {geometric, 0.0, -1.3862943611198906, 0.25},
        {geometric, 3.0, -2.249340578475233, 0.68359375},
        {geometric, 30.0, -10.016756534673318, 0.9998660634323725},
    };
    for (const Row& row : rows) {
        CAPTURE(row.distribution->name(), row.x);
        CHECK(row.distribution->log_pdf(real(row.x)) == near(row.log_pdf, 1e-10));
        CHECK(got(row.distribution->pdf(real(row.x))).real() == near(std::exp(row.log_pdf), 1e-9));
        CHECK(got(row.distribution->pdf(Number(Rational::from_binary(row.x)))).real() == near(std::exp(row.log_pdf), 1e-9));
        CHECK(got(row.distribution->cdf(real(row.x))).real() == near(row.cdf, 1e-11));
        CHECK(got(row.distribution->cdf(real(row.x + 0.5))).real() == near(row.cdf, 1e-11));
    }
}

TEST_CASE("masses of counts sum to their distribution function", "[distribution]") {
    for (const DistributionPtr& d : counts()) {
        CAPTURE(d->name());
        const double last = got(d->quantile(Rational(999999, 1000000))).real();
        double sum = 0;
        for (double k = 0; k <= last; ++k) {
            sum += std::exp(d->log_pdf(real(k)));
            if (static_cast<int>(k) % 97 == 0) REQUIRE(got(d->cdf(real(k))).real() == Approx(sum).epsilon(1e-10).margin(1e-14));
        }
        CHECK(sum >= 0.999998999999);
        CHECK(sum < 1 + 1e-10);
    }
}

TEST_CASE("a quantile of counts is the smallest count that reaches the level", "[distribution]") {
    for (const DistributionPtr& d : counts()) {
        for (const Rational& p : {Rational(1, 1000), Rational(1, 4), Rational(1, 2), Rational(9, 10), Rational(99999, 100000)}) {
            CAPTURE(d->name(), p.text());
            const Number x = got(d->quantile(p));
            REQUIRE(x.is_exact());
            REQUIRE(x.exact().is_integer());
            CHECK(got(d->cdf(x)) >= Number(p));
            CHECK(got(d->cdf(x - Number(1))) < Number(p));
            // ties: the level that x itself reaches leads back to x
            const Number own = got(d->cdf(x));
            if (own < Number(1)) CHECK(got(d->quantile(own)) == x);
        }
    }
    // scipy.stats 1.10: ppf(1e-6), ppf(0.975), isf(1e-9)
    const auto binomial = made(make_binomial(100000, Rational(1, 5)));
    CHECK(got(binomial->quantile(Rational(1, 1000000))).exact() == Rational(19401));
    CHECK(got(binomial->quantile(Rational(39, 40))).exact() == Rational(20248));
    CHECK(got(binomial->quantile(Rational(999999999, 1000000000))).exact() == Rational(20762));
    CHECK(got(made(make_poisson(1000))->quantile(Rational(999999999, 1000000000))).exact() == Rational(1195));
    CHECK(got(made(make_geometric(Rational(1, 4)))->quantile(Rational(999999999, 1000000000))).exact() == Rational(72));
    // exact ties that doubles cannot decide: P(X ≤ 4) of binomial(9, 1/2) is 1/2, P(X ≤ 0) of geometric(1/10) is 1/10
    CHECK(got(made(make_binomial(9, Rational(1, 2)))->quantile(Rational(1, 2))).exact() == Rational(4));
    CHECK(got(made(make_binomial(9, Rational(1, 2)))->quantile(Rational(1, 2) + Rational(10).pow(-40))).exact() == Rational(5));
    CHECK(got(made(make_geometric(Rational(1, 10)))->quantile(Rational(1, 10))).exact() == Rational(0));
    CHECK(got(made(make_binomial(9, real(0.5)))->quantile(real(0.5))) == Number(4));
    CHECK(got(made(make_binomial(10, Rational(1, 2)))->quantile(real(0.5))) == Number(5));
    CHECK(got(made(make_binomial(10, Rational(1, 2)))->quantile(0)) == Number(0));
    CHECK(got(made(make_binomial(10, Rational(1, 2)))->quantile(1)) == Number(10));
    CHECK(got(made(make_binomial(10, 0))->quantile(1)) == Number(0));
    CHECK(got(made(make_poisson(3))->quantile(1)).real() == inf);
    CHECK(got(made(make_poisson(0))->quantile(Rational(1, 2))) == Number(0));
}

TEST_CASE("exact masses and sums", "[distribution]") {
    const auto binomial = made(make_binomial(10, Rational(1, 3)));
    CHECK(got(binomial->pdf(Number(4))).exact() == Rational(210 * 64, 59049));
    CHECK(got(binomial->cdf(1)).exact() == Rational(1024 + 10 * 512, 59049));
    CHECK(got(binomial->pdf(Number(Rational(1, 2)))).exact() == Rational(0));
    CHECK(got(binomial->pdf(Number(11))).exact() == Rational(0));
    CHECK(got(binomial->pdf(Number(-1))).exact() == Rational(0));
    CHECK(got(binomial->cdf(-1)).exact() == Rational(0));
    CHECK(got(binomial->cdf(10)).exact() == Rational(1));
    CHECK_FALSE(got(binomial->pdf(real(4))).is_exact());
    CHECK_FALSE(got(made(make_binomial(10, real(0.3)))->pdf(Number(4))).is_exact());
    CHECK(got(made(make_binomial(1000, Rational(1, 3)))->cdf(333)).is_exact());
    CHECK_FALSE(got(made(make_binomial(1001, Rational(1, 3)))->cdf(333)).is_exact());
    CHECK(got(made(make_binomial(1000, Rational(1, 3)))->cdf(333)).real() ==
          near(got(made(make_binomial(1000, real(1.0 / 3)))->cdf(333)).real()));
    CHECK(scalar(binomial->mean()).exact() == Rational(10, 3));
    CHECK(scalar(binomial->variance()).exact() == Rational(20, 9));
    CHECK(binomial->finite_values()->size() == 11);
    CHECK((*binomial->finite_values())[10].text() == "10");

    const auto geometric = made(make_geometric(Rational(1, 4)));
    CHECK(got(geometric->pdf(Number(2))).exact() == Rational(9, 64));
    CHECK(got(geometric->cdf(2)).exact() == Rational(37, 64));
    CHECK(got(geometric->cdf(10000)).is_exact());
    CHECK_FALSE(got(geometric->cdf(10001)).is_exact());
    CHECK(scalar(geometric->mean()).exact() == Rational(3));
    CHECK(scalar(geometric->variance()).exact() == Rational(12));
    CHECK(geometric->finite_values() == nullptr);

    CHECK(scalar(made(make_poisson(Rational(7, 2)))->mean()).exact() == Rational(7, 2));
    CHECK(scalar(made(make_poisson(Rational(7, 2)))->variance()).exact() == Rational(7, 2));
    CHECK(got(made(make_poisson(0))->pdf(Number(0))).real() == 1);
    CHECK(got(made(make_poisson(0))->pdf(Number(1))).real() == 0);
}

TEST_CASE("samples of counts follow their masses", "[distribution]") {
    constexpr int draws = 30'000;
    std::uint64_t stream = 0;
    auto all = counts();
    all.push_back(made(make_binomial(1000, Rational(1, 500))));
    all.push_back(made(make_binomial(40, Rational(1, 4))));
    all.push_back(made(make_binomial(Rational(1000000000000), Rational(1, 2))));
    for (const DistributionPtr& d : all) {
        CAPTURE(d->name(), stream);
        Rng rng = Rng(77).child(stream++);
        const double mean = scalar(d->mean()).real();
        const double variance = scalar(d->variance()).real();
        std::map<double, int> seen;
        double sum = 0, square = 0, fourth = 0;
        for (int i = 0; i < draws; ++i) {
            const Number x = std::get<Number>(d->sample(rng));
            REQUIRE(x.is_exact());
            ++seen[x.real()];
            const double gap = x.real() - mean;
            sum += gap;
            square += gap * gap;
            fourth += gap * gap * gap * gap;
        }
        CHECK(std::abs(sum / draws) <= 5 * std::sqrt(variance / draws));
        const double spread = std::sqrt(std::max(0.0, fourth / draws - variance * variance) / draws);
        CHECK(std::abs(square / draws - variance) <= 5 * spread);
        // Chi-square over bins of neighbouring counts that each expect 500 draws or more.
        if (variance > 1e6) continue;
        double chi_square = 0, expected = 0, observed = 0;
        int bins = 0;
        const double last = got(d->quantile(Rational(9999, 10000))).real();
        for (double k = 0; k <= last; ++k) {
            expected += draws * std::exp(d->log_pdf(real(k)));
            observed += seen.count(k) != 0 ? seen[k] : 0;
            if (expected < 500) continue;
            chi_square += (observed - expected) * (observed - expected) / expected;
            ++bins;
            expected = observed = 0;
        }
        REQUIRE(bins > 0);
        CHECK(chi_square < bins + 5 * std::sqrt(2.0 * bins));
    }
}

TEST_CASE("entropies of counts in bits", "[distribution]") {
    const auto bits = [](const DistributionPtr& d) { return got(d->entropy()).real(); };
    CHECK(bits(made(make_binomial(1, Rational(1, 2)))) == near(1));
    CHECK(bits(made(make_binomial(7, 1))) == 0);
    CHECK(bits(made(make_geometric(Rational(1, 2)))) == near(2));
    CHECK(bits(made(make_geometric(1))) == 0);
    CHECK(bits(made(make_geometric(Rational(1, 4)))) == near(3.2451124978365287));  // scipy.stats.geom(1/4).entropy() / ln 2
    // mpmath: the sums, and for the rate 1e8 the series ½ ln 2πeλ − 1/12λ − 1/24λ² − 19/360λ³
    CHECK(bits(made(make_binomial(20, Rational(3, 10)))) == near(3.0766029228291174));
    CHECK(bits(made(make_poisson(Rational(7, 2)))) == near(2.907279404765168));
    CHECK(bits(made(make_poisson(100000000))) == near(15.334807963527844));
    CHECK(bits(made(make_poisson(0))) == 0);
    // just below and above the switch from sum to series the same function continues
    const double below = bits(made(make_binomial(6249999, Rational(1, 5))));
    const double above = bits(made(make_binomial(6250001, Rational(1, 5))));
    CHECK(above - below == Approx(0.5 * std::log2(6250001.0 / 6249999)).epsilon(1e-3));
}

TEST_CASE("bernoulli is over true and false, which count as 1 and 0", "[distribution]") {
    const auto d = made(make_bernoulli(Rational(1, 4)));
    CHECK(d->support() == Support::labels);
    CHECK(d->finite_values()->labels() == std::vector<Label>{word("true"), word("false")});
    CHECK(got(d->pdf(word("true"))).exact() == Rational(1, 4));
    CHECK(got(d->pdf(word("false"))).exact() == Rational(3, 4));
    CHECK(got(d->pdf(Number(1))).exact() == Rational(1, 4));
    CHECK(got(d->pdf(word("0"))).exact() == Rational(3, 4));
    CHECK(got(d->pdf(word("maybe"))).exact() == Rational(0));
    CHECK(got(d->pdf(Number(2))).exact() == Rational(0));
    CHECK(failure(d->pdf(Point{1, 0})) == "E-TYPE: bernoulli: pdf takes true, false, 1 or 0, found a list of 2 numbers");
    CHECK(d->log_pdf(word("true")) == near(std::log(0.25)));
    CHECK(d->log_pdf(word("maybe")) == -inf);
    CHECK(scalar(d->mean()).exact() == Rational(1, 4));
    CHECK(scalar(d->variance()).exact() == Rational(3, 16));
    CHECK(got(d->cdf(Rational(-1, 2))).exact() == Rational(0));
    CHECK(got(d->cdf(Rational(1, 2))).exact() == Rational(3, 4));
    CHECK(got(d->cdf(1)).exact() == Rational(1));
    CHECK(got(d->quantile(Rational(3, 4))).exact() == Rational(0));
    CHECK(got(d->quantile(Rational(4, 5))).exact() == Rational(1));
    CHECK(got(d->entropy()).real() == near(0.8112781244591328));  // H(1/4)
    CHECK(got(made(make_bernoulli(1))->entropy()).real() == 0);
    Rng rng(4);
    int hits = 0;
    for (int i = 0; i < 20'000; ++i) hits += std::get<Label>(d->sample(rng)) == word("true");
    CHECK(std::abs(hits - 5000) < 5 * std::sqrt(20'000 * 3 / 16.0));
}

TEST_CASE("categorical over words and over numbers", "[distribution]") {
    const auto words =
        made(make_categorical({{word("hot"), Rational(1, 2)}, {word("mild"), Rational(1, 3)}, {word("cold"), Rational(1, 6)}}));
    CHECK(got(words->pdf(word("mild"))).exact() == Rational(1, 3));
    CHECK(got(words->pdf(word("icy"))).exact() == Rational(0));
    CHECK(words->log_pdf(word("icy")) == -inf);
    CHECK(words->log_pdf(word("mild")) == near(std::log(1.0 / 3)));
    CHECK(words->finite_values()->labels() == std::vector<Label>{word("hot"), word("mild"), word("cold")});
    CHECK(got(words->entropy()).real() == near(0.5 + std::log2(3.0) / 3 + std::log2(6.0) / 6));
    CHECK(failure(words->mean()) == "E-TYPE: categorical: mean needs labels that are numbers, found 'hot'");
    CHECK(failure(words->variance()).substr(0, 7) == "E-TYPE:");
    CHECK(failure(words->cdf(1)).substr(0, 7) == "E-TYPE:");
    CHECK(failure(words->quantile(Rational(1, 2))).substr(0, 7) == "E-TYPE:");

    const auto d = die();
    CHECK(got(d->pdf(Number(3))).exact() == Rational(1, 6));
    CHECK(got(d->pdf(real(3.0))).exact() == Rational(1, 6));
    CHECK(scalar(d->mean()).exact() == Rational(7, 2));
    CHECK(scalar(d->variance()).exact() == Rational(35, 12));
    CHECK(got(d->cdf(2)).exact() == Rational(1, 3));
    CHECK(got(d->quantile(Rational(1, 3))).exact() == Rational(2));
    CHECK(got(d->quantile(Rational(34, 100))).exact() == Rational(3));
    CHECK(got(d->quantile(1)).exact() == Rational(6));

    Rng rng(8);
    std::map<std::string, int> seen;
    const auto skewed = made(make_categorical({{word("never"), 0}, {word("a"), real(0.25)}, {word("b"), real(0.75)}, {word("nor"), 0}}));
    for (int i = 0; i < 20'000; ++i) ++seen[std::get<Label>(skewed->sample(rng)).text()];
    CHECK(seen.size() == 2);
    CHECK(std::abs(seen["a"] - 5000) < 5 * std::sqrt(20'000 * 3 / 16.0));
}
