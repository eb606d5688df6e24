// Every family of the table, held to the same laws: the parts of its record must agree with each other.

#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/latent/mixture_step.hpp"
#include "runtime/prob/distributions/family.hpp"

using namespace credence::rt;

namespace {

struct Member {
    std::string_view family;
    std::vector<double> parameters;
};

// At least one member of each family over numbers; a family without one fails the first test.
const std::vector<Member> members = {
    {"binomial", {12, 0.3}},
    {"poisson", {2.5}},
    {"geometric", {0.35}},
    {"uniform", {-1, 2}},
    {"normal", {0.7, 1.3}},
    {"lognormal", {0.2, 0.5}},
    {"beta", {2.5, 3.7}},
    {"gamma", {2.2, 0.9}},
    {"exponential", {1.7}},
    {"laplace", {0.4, 0.6}},
    {"student_t", {5.5, 0.3, 1.2}},
    {"weibull", {1.7, 2.3}},
    {"weibull", {0.8, 2.3}},
    {"half_normal", {1.4}},
    {"cauchy", {0.4, 0.8}},
    {"half_cauchy", {1.2}},
    {"inverse_gamma", {4.5, 3.0}},
    {"chi_squared", {3.4}},
    {"negative_binomial", {2.7, 0.4}},
    {"pareto", {1.5, 4.2}},
    {"logistic_distribution", {0.6, 0.7}},
    {"gumbel", {0.8, 1.3}},
    {"hypergeometric", {7, 9, 6}},
    {"von_mises", {0, 2.0}},
    {"von_mises", {1.1, 3.0}},
};

DistributionPtr made(const Member& m) {
    std::vector<Number> numbers;
    for (const double p : m.parameters) numbers.push_back(p == std::floor(p) ? Number(static_cast<int>(p)) : Number::real(p));
    auto d = find_family(m.family)->make(numbers, {});
    if (!d) FAIL(d.fault().message);
    return *d;
}

double quantile(const Distribution& d, double p) { return d.quantile(Number::real(p))->real(); }
double cdf(const Distribution& d, double x) { return d.cdf(Number::real(x))->real(); }
double density(const Distribution& d, double x) { return std::exp(d.log_pdf(Outcome(Number::real(x)))); }

/// ∫ f between two points by Simpson's rule.
template <class F>
double simpson(F f, double a, double b, int n) {
    double sum = f(a) + f(b);
    for (int i = 1; i < n; ++i) sum += f(a + (b - a) * i / n) * (i % 2 == 1 ? 4 : 2);
    return sum * (b - a) / (3 * n);
}

/// E g(X): the sum over counts, or the integral of g at the quantiles, whose levels are crowded at both ends.
template <class G>
double expectation(const Distribution& d, G g) {
    double sum = 0;
    if (d.support() == Support::integers) {
        for (double k = 0; k <= quantile(d, 1 - 1e-14); ++k) sum += g(k) * density(d, k);
        return sum;
    }
    constexpr int steps = 4000;
    const double width = M_PI / steps;
    for (int i = 0; i < steps; ++i) {
        const double angle = (i + 0.5) * width;
        sum += g(quantile(d, (1 - std::cos(angle)) / 2)) * std::sin(angle) / 2 * width;
    }
    return sum;
}

}  // namespace

TEST_CASE("every family over numbers has a member here", "[family]") {
    for (const auto* family : all_families()) {
        if (!family->log_density || family->support == Support::labels) continue;
        INFO(std::string(family->name));
        CHECK(std::any_of(members.begin(), members.end(), [&](const Member& m) { return m.family == family->name; }));
        CHECK(!family->summary.empty());
        CHECK(!family->example.empty());
    }
}

TEST_CASE("the record's density is the distribution's, and its gradient that of differences", "[family]") {
    for (const auto& m : members) {
        INFO(std::string(m.family));
        const FamilyInfo& family = *find_family(m.family);
        const auto d = made(m);
        for (const double level : {0.07, 0.4, 0.81}) {
            const double x = quantile(*d, level);
            const DensityValue at = family.log_density(x, m.parameters.data());
            CHECK(at.value == Approx(d->log_pdf(Outcome(Number::real(x)))).epsilon(1e-10).margin(1e-10));
            const double h = 1e-5;
            if (family.support == Support::reals) {
                const auto f = [&](double y) { return family.log_density(y, m.parameters.data()).value; };
                CHECK(at.dx == Approx((f(x + h) - f(x - h)) / (2 * h)).epsilon(1e-6).margin(1e-6));
            }
            for (std::size_t k = 0; k < m.parameters.size(); ++k) {
                if (!family.parameters[k].learnable()) continue;
                const auto f = [&](double p) {
                    auto moved = m.parameters;
                    moved[k] = p;
                    return family.log_density(x, moved.data()).value;
                };
                CHECK(at.dp[k] == Approx((f(m.parameters[k] + h) - f(m.parameters[k] - h)) / (2 * h)).epsilon(1e-6).margin(1e-6));
            }
        }
    }
}

TEST_CASE("the distribution function is the integral of the density, and quantiles invert it", "[family]") {
    for (const auto& m : members) {
        INFO(std::string(m.family));
        const auto d = made(m);
        if (d->support() == Support::integers) {
            double sum = 0;
            for (double k = 0; k <= quantile(*d, 0.999); ++k) {
                sum += density(*d, k);
                CHECK(cdf(*d, k) == Approx(sum).epsilon(1e-10));
                CHECK(d->above(Number::real(k))->real() == Approx(1 - sum).margin(1e-10));
            }
            for (const double p : {0.05, 0.3, 0.77, 0.99}) {
                const double x = quantile(*d, p);
                CHECK(cdf(*d, x) >= p);
                CHECK((x == 0 || cdf(*d, x - 1) < p));
            }
            continue;
        }
        for (const double p : {0.02, 0.3, 0.5, 0.77, 0.98}) {
            const double x = quantile(*d, p);
            CHECK(cdf(*d, x) == Approx(p).epsilon(1e-10));
            CHECK(d->above(Number::real(x))->real() == Approx(1 - p).epsilon(1e-10));
            const double y = quantile(*d, p + 0.015);
            CHECK(simpson([&](double t) { return density(*d, t); }, x, y, 200) == Approx(0.015).epsilon(1e-8));
        }
    }
}

TEST_CASE("moments and entropy are the integrals they stand for", "[family]") {
    for (const auto& m : members) {
        INFO(std::string(m.family));
        const auto d = made(m);
        const auto mean = d->mean();
        if (mean) {
            const double mu = std::get<Number>(*mean).real();
            CHECK(expectation(*d, [](double x) { return x; }) == Approx(mu).epsilon(1e-4).margin(1e-5));
            const double square = expectation(*d, [&](double x) { return (x - mu) * (x - mu); });
            CHECK(square == Approx(std::get<Number>(*d->variance()).real()).epsilon(1e-2));
        } else {
            CHECK(mean.fault().code.text() == "E-UNDEFINED");
            CHECK(!d->variance());
        }
        const double entropy = expectation(*d, [&](double x) { return -d->log_pdf(Outcome(Number::real(x))); }) / std::log(2.0);
        CHECK(entropy == Approx(d->entropy()->real()).epsilon(1e-4).margin(1e-5));
    }
}

TEST_CASE("the mode is a maximum", "[family]") {
    for (const auto& m : members) {
        INFO(std::string(m.family));
        const auto d = made(m);
        const auto mode = d->mode();
        if (!mode) {
            CHECK(mode.fault().code.text() == "E-UNDEFINED");
            continue;
        }
        const double top = d->log_pdf(*mode);
        for (int i = 1; i < 200; ++i) CHECK(d->log_pdf(Outcome(Number::real(quantile(*d, i / 200.0)))) <= top + 1e-12);
    }
}

TEST_CASE("draws follow the distribution function", "[family]") {
    constexpr int n = 20000;
    for (const auto& m : members) {
        INFO(std::string(m.family));
        const auto d = made(m);
        Rng rng(11);
        std::vector<double> draws;
        for (int i = 0; i < n; ++i) draws.push_back(std::get<Number>(d->sample(rng)).real());
        std::sort(draws.begin(), draws.end());
        // At each distinct value the share of draws up to it; 5 standard errors of a share are at most 2.5 / √n.
        double furthest = 0;
        for (int i = 0; i < n; ++i)
            if (i + 1 == n || draws[static_cast<std::size_t>(i)] < draws[static_cast<std::size_t>(i + 1)])
                furthest = std::max(furthest, std::abs((i + 1.0) / n - cdf(*d, draws[static_cast<std::size_t>(i)])));
        CHECK(furthest < 2.5 / std::sqrt(n));
    }
}

TEST_CASE("the M-step raises the likelihood and ends where no small step climbs", "[family]") {
    for (const auto& m : members) {
        const FamilyInfo& family = *find_family(m.family);
        if (!family.is_learnable()) continue;
        INFO(std::string(m.family));
        const auto d = made(m);
        Rng rng(4);
        MixtureData data;
        double square = 0;
        for (int i = 0; i < 300; ++i) data.values.push_back(std::get<Number>(d->sample(rng)).real());
        data.weights.assign(300, 1);
        double mean = 0;
        for (const double x : data.values) mean += x / 300;
        for (const double x : data.values) square += (x - mean) * (x - mean) / 300;
        data.sd = std::sqrt(square);
        MixturePart part;
        part.family = &family;
        std::vector<double> theta;
        for (std::size_t i = 0; i < family.parameters.size(); ++i) {
            if (family.parameters[i].learnable())
                part.parameters.emplace_back();
            else
                part.parameters.emplace_back(Number(static_cast<int>(m.parameters[i])));
            theta.push_back(family.parameters[i].learnable() ? 1 : m.parameters[i]);
        }
        const ComponentValues values(data, data.weights);
        if (family.start) family.start(*values, known_parameters(part), theta);
        const auto height = [&](const std::vector<double>& at) {
            return (*values).sum([&](double x) { return family.log_density(x, at.data()).value; });
        };
        for (int turn = 0; turn < (m.family == "student_t" ? 2000 : 3); ++turn) {
            const double before = height(theta);
            maximise(part, data, data.weights, theta);
            CHECK((std::isnan(before) || height(theta) >= before - 1e-9 * std::abs(before)));
        }
        const double top = height(theta);
        CHECK(top >= height(m.parameters) - 1e-9 * std::abs(top));
        for (std::size_t i = 0; i < theta.size(); ++i)
            for (const double by : {-1e-3, 1e-3}) {
                if (part.parameters[i]) continue;
                auto away = theta;
                away[i] += by * (1 + std::abs(theta[i]));
                const double there = height(away);
                CHECK((std::isnan(there) || there <= top + 1e-9 * std::abs(top)));
            }
    }
}

TEST_CASE("densities and distribution functions by closed forms and R", "[family]") {
    struct Figure {
        Member member;
        double x;
        double density;
        double lower;
    };
    // Closed forms, and of those without one dhyper, phyper, pchisq and I0(1) as R prints them.
    const Figure figures[] = {
        {{"weibull", {2, 3}}, 3, 2.0 / 3 * std::exp(-1), 1 - std::exp(-1)},
        {{"half_normal", {2}}, 2, std::exp(-0.5) * std::sqrt(2 / M_PI) / 2, 0.6826894921370859},
        {{"cauchy", {1, 2}}, 3, 1 / (4 * M_PI), 0.75},
        {{"half_cauchy", {2}}, 2, 1 / (2 * M_PI), 0.5},
        {{"inverse_gamma", {1, 2}}, 2, 0.5 * std::exp(-1), std::exp(-1)},
        {{"chi_squared", {2}}, 3, 0.5 * std::exp(-1.5), 1 - std::exp(-1.5)},
        {{"chi_squared", {1}}, 3.841458820694124, std::exp(-3.841458820694124 / 2) / std::sqrt(2 * M_PI * 3.841458820694124), 0.95},
        {{"negative_binomial", {3, 0.25}}, 2, 0.052734375, 0.103515625},
        {{"pareto", {2, 3}}, 4, 3 * 8 / 256.0, 0.875},
        {{"logistic_distribution", {0, 1}}, 0, 0.25, 0.5},
        {{"gumbel", {3, 2}}, 3, std::exp(-1) / 2, std::exp(-1)},
        {{"hypergeometric", {5, 45, 10}}, 4, 0.003964583058, 0.9998810625},
        {{"hypergeometric", {300'000'000, 700'000'000, 200'000'000}}, 60'000'579, 6.848145264780495e-05, 0.53981992979905097},
        {{"von_mises", {0, 1}}, 0, std::exp(1) / (2 * M_PI * 1.2660658777520084), 0.5},
    };
    for (const auto& f : figures) {
        INFO(std::string(f.member.family));
        const auto d = made(f.member);
        CHECK(density(*d, f.x) == Approx(f.density).epsilon(1e-9));
        CHECK(cdf(*d, f.x) == Approx(f.lower).epsilon(1e-9));
    }
}
