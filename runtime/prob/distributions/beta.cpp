// Beta. With whole parameters and an exact x, density and distribution function are fractions.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

class Beta final : public RealDistribution {
public:
    Beta(const Number& a, const Number& b)
        : first_(a),
          second_(b),
          a_(a.real()),
          b_(b.real()),
          whole_(a.is_exact() && b.is_exact() && a.exact().is_integer() && b.exact().is_integer() && a_ + b_ <= largest_exact_sum) {}

    std::string_view name() const override { return "beta"; }
    std::vector<Parameter> parameters() const override { return {{"a", first_}, {"b", second_}}; }
    Result<Outcome> mode() const override {
        const Number one(1);
        if (first_ == one && second_ == one) return no_mode_fault("beta", "is flat");
        if (one < first_ && one < second_) return Outcome((first_ - one) / (first_ + second_ - Number(2)));
        if (first_ < one && second_ < one) return no_mode_fault("beta", "grows without bound at 0 and at 1");
        return Outcome(Number(first_ < second_ ? 0 : 1));
    }
    Result<Outcome> mean() const override { return Outcome(first_ / (first_ + second_)); }
    Result<Outcome> variance() const override {
        const Number sum = first_ + second_;
        return Outcome(first_ * second_ / (sum * sum * (sum + Number(1))));
    }
    // ln B(a, b) − (a−1) ψ(a) − (b−1) ψ(b) + (a+b−2) ψ(a+b), with the parts of size a ln a cancelled by hand
    Result<Number> entropy() const override {
        const double sum = a_ + b_;
        const double logs = 0.5 * (ln_2pi + std::log(a_) + std::log(b_)) - 1.5 * std::log(sum);
        const double errors = stirling_error(a_) + stirling_error(b_) - stirling_error(sum);
        const double digammas = (sum - 2) * digamma_minus_log(sum) - (a_ - 1) * digamma_minus_log(a_) - (b_ - 1) * digamma_minus_log(b_);
        return Number::real((logs + errors + digammas) * nats_to_bits);
    }

protected:
    // f(x) = a b / ((a + b) x (1 − x)) · binomial mass of a in a + b at x
    double log_density(double x) const override {
        if (!(x >= 0 && x <= 1)) return -infinity;
        if (x == 0) return at_end(a_, b_);
        if (x == 1) return at_end(b_, a_);
        const double y = 1 - x;
        return log_binomial_mass(a_, a_ + b_, x, y) + std::log(a_ / x) + std::log(b_ / y) - std::log(a_ + b_);
    }
    Number density(const Number& x) const override {
        if (!is_exact(x)) return RealDistribution::density(x);
        if (x.sign() < 0 || x > Number(1)) return 0;
        const auto a = static_cast<std::int64_t>(a_);
        const auto b = static_cast<std::int64_t>(b_);
        return Rational(a + b - 1) * exact_binomial_mass(a + b - 2, x.exact(), a - 1);
    }
    // P(X ≤ x) = P(at least a successes in a + b − 1 trials of probability x)
    Number cumulative(const Number& x) const override {
        if (!is_exact(x)) return RealDistribution::cumulative(x);
        if (x.sign() <= 0) return 0;
        if (x >= Number(1)) return 1;
        const auto a = static_cast<std::int64_t>(a_);
        const auto b = static_cast<std::int64_t>(b_);
        return exact_binomial_lower(a + b - 1, Rational(1) - x.exact(), b - 1);
    }
    double lower(double x) const override { return beta_lower(a_, b_, x, 1 - x); }
    double upper(double x) const override { return x <= 0 ? 1 : x >= 1 ? 0 : beta_lower(b_, a_, 1 - x, x); }
    double point(double p, double q) const override { return beta_quantile(a_, b_, p, q); }
    double draw(Rng& rng) const override {
        const double log_x = log_standard_gamma(a_, rng);
        const double log_y = log_standard_gamma(b_, rng);
        return 1 / (1 + std::exp(log_y - log_x));
    }

private:
    static double at_end(double here, double there) {
        if (here == 1) return std::log(there);
        return here < 1 ? infinity : -infinity;
    }
    bool is_exact(const Number& x) const {
        return whole_ && x.is_exact() && (a_ + b_) * static_cast<double>(x.exact().bits()) <= static_cast<double>(exact_bits_limit);
    }

    Number first_;
    Number second_;
    double a_;
    double b_;
    bool whole_;
};

DensityValue beta_log_density(double x, const double* p) {
    DensityValue out;
    const double a = p[0];
    const double b = p[1];
    if (!(a > 0 && b > 0)) return bad_parameters();
    if (!(x >= 0 && x <= 1)) return outside_support();
    const double log_x = std::log(x);
    const double log_y = std::log1p(-x);
    out.value = (a == 1 ? 0 : (a - 1) * log_x) + (b == 1 ? 0 : (b - 1) * log_y) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
    out.dx = (a == 1 ? 0 : (a - 1) / x) - (b == 1 ? 0 : (b - 1) / (1 - x));
    const double common = digamma(a + b);
    out.dp[0] = log_x + common - digamma(a);
    out.dp[1] = log_y + common - digamma(b);
    return out;
}

/// Both equations ψ(a) − ψ(a+b) = mean ln x and ψ(b) − ψ(a+b) = mean ln(1−x), by turns: each turn is a maximum along one axis.
void fit_beta(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    const double g[2] = {data.sum([](double x) { return std::log(x); }) / data.total,
                         data.sum([](double x) { return std::log1p(-x); }) / data.total};
    const auto turn = [&](std::size_t i) {
        const double other = theta[1 - i];
        theta[i] = positive_root([&](double a) { return digamma(a) - digamma(a + other) - g[i]; }, 1e-8, most_shape);
    };
    if (known[0] || known[1]) {
        turn(known[0] ? 1 : 0);
        return;
    }
    for (int pass = 0; pass < 400; ++pass) {
        const double before[2] = {theta[0], theta[1]};
        turn(0);
        turn(1);
        // Along the line that the turns crawl on, a longer step where it is uphill.
        const auto height = [&](double a, double b) {
            return (a - 1) * g[0] + (b - 1) * g[1] - log_gamma(a) - log_gamma(b) + log_gamma(a + b);
        };
        const double step[2] = {std::log(theta[0] / before[0]), std::log(theta[1] / before[1])};
        for (double far = 2; far < 1e6; far *= 2) {
            const double a = std::clamp(before[0] * std::exp(far * step[0]), 1e-8, most_shape);
            const double b = std::clamp(before[1] * std::exp(far * step[1]), 1e-8, most_shape);
            if (!(height(a, b) > height(theta[0], theta[1]))) break;
            theta[0] = a;
            theta[1] = b;
        }
        if (std::abs(theta[0] - before[0]) <= 1e-12 * theta[0] && std::abs(theta[1] - before[1]) <= 1e-12 * theta[1]) break;
    }
}

}  // namespace

Result<DistributionPtr> make_beta(const Number& a, const Number& b) {
    const auto check = ParameterCheck("beta").positive("a", a).positive("b", b);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Beta>(a, b));
}

const FamilyInfo beta_family{
    .name = "beta",
    .parameters = {{"a", Role::shape}, {"b", Role::shape}},
    .range = ValueRange::unit,
    .summary = "A distribution of probabilities: the posterior after a - 1 successes and b - 1 failures from a uniform prior.",
    .example = "mean(beta(9, 5)) == 9/14",
    .make = [](Numbers p, Labels) { return make_beta(p[0], p[1]); },
    .log_density = beta_log_density,
    .maximise = fit_beta,
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        return ConjugatePrior{.posterior = &beta_family, .first = p[0], .second = p[1]};
    },
};

}  // namespace credence::rt
