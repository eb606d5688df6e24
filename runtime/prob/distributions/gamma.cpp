// Gamma (shape, rate), and the exponential, which is its shape 1.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

/// Marsaglia & Tsang, "A simple method for generating gamma variables" (2000). shape ≥ 1.
double squeeze_gamma(double shape, Rng& rng) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
        const double x = rng.normal();
        const double root = 1 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root;
        const double u = 1 - rng.uniform();
        if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
}

class Gamma final : public RealDistribution {
public:
    Gamma(const Number& shape, const Number& rate) : shape_(shape), rate_(rate), a_(shape.real()), r_(rate.real()) {}

    std::string_view name() const override { return "gamma"; }
    std::vector<Parameter> parameters() const override { return {{"shape", shape_}, {"rate", rate_}}; }
    Result<Outcome> mode() const override {
        if (shape_ < Number(1)) return no_mode_fault("gamma", "grows without bound at 0");
        return Outcome((shape_ - Number(1)) / rate_);
    }
    Result<Outcome> mean() const override { return Outcome(shape_ / rate_); }
    Result<Outcome> variance() const override { return Outcome(shape_ / (rate_ * rate_)); }
    // a − ln r + ln Γ(a) + (1 − a) ψ(a), with the parts of size a ln a cancelled by hand
    Result<Number> entropy() const override {
        const double nats = 0.5 * (ln_2pi + std::log(a_)) + stirling_error(a_) + (1 - a_) * digamma_minus_log(a_) - std::log(r_);
        return Number::real(nats * nats_to_bits);
    }

protected:
    // f(x) = (a / x) · poisson mass of a at r x
    double log_density(double x) const override {
        if (!(x >= 0) || std::isinf(x)) return -infinity;
        if (x > 0) return log_poisson_mass(a_, r_ * x) + std::log(a_) - std::log(x);
        if (a_ == 1) return std::log(r_);
        return a_ < 1 ? infinity : -infinity;
    }
    double lower(double x) const override { return gamma_lower(a_, r_ * x); }
    double upper(double x) const override { return x > 0 ? gamma_upper(a_, r_ * x) : 1; }
    double point(double p, double q) const override { return gamma_quantile(a_, p, q) / r_; }
    double draw(Rng& rng) const override { return standard_gamma(a_, rng) / r_; }

private:
    Number shape_;
    Number rate_;
    double a_;
    double r_;
};

class Exponential final : public RealDistribution {
public:
    explicit Exponential(const Number& rate) : rate_(rate), r_(rate.real()), log_r_(rate.log()) {}

    std::string_view name() const override { return "exponential"; }
    std::vector<Parameter> parameters() const override { return {{"rate", rate_}}; }
    Result<Outcome> mode() const override { return Outcome(Number(0)); }
    Result<Outcome> mean() const override { return Outcome(Number(1) / rate_); }
    Result<Outcome> variance() const override { return Outcome(Number(1) / (rate_ * rate_)); }
    Result<Number> entropy() const override { return Number::real((1 - log_r_) * nats_to_bits); }

protected:
    double log_density(double x) const override { return x >= 0 ? log_r_ - r_ * x : -infinity; }
    double lower(double x) const override { return x > 0 ? -std::expm1(-r_ * x) : 0; }
    double upper(double x) const override { return x > 0 ? std::exp(-r_ * x) : 1; }
    double point(double p, double q) const override { return (p < 0.5 ? -std::log1p(-p) : -std::log(q)) / r_; }
    double draw(Rng& rng) const override { return -std::log1p(-rng.uniform()) / r_; }

private:
    Number rate_;
    double r_;
    double log_r_;
};

DensityValue gamma_log_density(double x, const double* p) {
    DensityValue out;
    const double shape = p[0];
    const double rate = p[1];
    if (!(shape > 0 && rate > 0)) return bad_parameters();
    if (!(x >= 0)) return outside_support();
    const double log_x = std::log(x);
    out.value = shape * std::log(rate) - log_gamma(shape) + (shape == 1 ? 0 : (shape - 1) * log_x) - rate * x;
    out.dx = (shape == 1 ? 0 : (shape - 1) / x) - rate;
    out.dp[0] = std::log(rate) - digamma(shape) + log_x;
    out.dp[1] = shape / rate - x;
    return out;
}

/// ln shape − ψ(shape) = ln(mean) − mean of ln x (both unknown); the other equation where one is known.
void fit_gamma(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    const double mean = data.sum([](double x) { return x; }) / data.total;
    const double log_mean = data.sum([](double x) { return std::log(x); }) / data.total;
    if (!known[0] && !known[1]) {
        const double gap = std::log(mean) - log_mean;
        theta[0] = gap > 0 ? positive_root([&](double k) { return gap + digamma_minus_log(k); }, 1e-8, most_shape) : most_shape;
    } else if (!known[0]) {
        theta[0] = positive_root([&](double k) { return digamma(k) - std::log(theta[1]) - log_mean; }, 1e-8, most_shape);
    }
    if (!known[1]) theta[1] = theta[0] / mean;
}

}  // namespace

// Below 1 a gamma is one of shape + 1 times U^(1/shape): Marsaglia & Tsang, section 6.
double standard_gamma(double shape, Rng& rng) { return shape >= 1 ? squeeze_gamma(shape, rng) : std::exp(log_standard_gamma(shape, rng)); }

double log_standard_gamma(double shape, Rng& rng) {
    if (shape >= 1) return std::log(squeeze_gamma(shape, rng));
    const double larger = std::log(squeeze_gamma(shape + 1, rng));
    return larger + std::log(1 - rng.uniform()) / shape;
}

Result<DistributionPtr> make_gamma(const Number& shape, const Number& rate) {
    const auto check = ParameterCheck("gamma").positive("shape", shape).positive("rate", rate);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Gamma>(shape, rate));
}

Result<DistributionPtr> make_exponential(const Number& rate) {
    const auto check = ParameterCheck("exponential").positive("rate", rate);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Exponential>(rate));
}

const FamilyInfo gamma_family{
    .name = "gamma",
    .parameters = {{"shape", Role::shape}, {"rate", Role::positive}},
    .range = ValueRange::positive,
    .summary = "The gamma distribution with shape and rate; its mean is shape / rate.",
    .example = "mean(gamma(3, 2)) == 3/2",
    .make = [](Numbers p, Labels) { return make_gamma(p[0], p[1]); },
    .log_density = gamma_log_density,
    .maximise = fit_gamma,
    .conjugate = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (!parameters[0] || x.sign() <= 0) return std::nullopt;
        const Number& shape = *parameters[0];
        return ConjugateForm{.kernel = ConjugateKernel::gamma,
                             .parameter = 1,
                             .first = shape,
                             .second = x,
                             .constant = std::nullopt,
                             .log_constant = (shape.real() - 1) * x.log() - log_gamma(shape.real())};
    },
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        return ConjugatePrior{.kernel = ConjugateKernel::gamma, .posterior = &gamma_family, .first = p[0], .second = p[1]};
    },
};

const FamilyInfo exponential_family{
    .name = "exponential",
    .parameters = {{"rate", Role::inverse_spread}},
    .range = ValueRange::positive,
    .summary = "Waiting times with mean 1 / rate.",
    .example = "mean(exponential(4)) == 1/4",
    .make = [](Numbers p, Labels) { return make_exponential(p[0]); },
    .log_density =
        [](double x, const double* p) {
            if (!(p[0] > 0)) return bad_parameters();
            if (!(x >= 0)) return outside_support();
            return DensityValue{std::log(p[0]) - p[0] * x, -p[0], {1 / p[0] - x}};
        },
    .maximise = [](const WeightedValues& data, const KnownParameters&,
                   std::vector<double>& theta) { theta[0] = 1 / std::max(data.mean(), least_component_spread * data.sd); },
    .covers_zero = true,
    .counted = [](const ExactValues& data, std::size_t, Known, Found) { return quotient(data.count(), data.total()); },
    .conjugate = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        if (x.sign() < 0) return std::nullopt;
        return ConjugateForm{.kernel = ConjugateKernel::gamma, .first = 1, .second = x};
    },
    .conjugate_above = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        return ConjugateForm{.kernel = ConjugateKernel::gamma, .first = 0, .second = x.sign() > 0 ? x : Number(0)};
    },
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        return ConjugatePrior{.kernel = ConjugateKernel::gamma, .posterior = &gamma_family, .first = 1, .second = p[0]};
    },
    .log_density_term = [](const std::vector<Term>& p, const Term& y) { return make_term(TermOp::ln, {p[0]}) - p[0] * y; },
    .log_tails =
        [](double x, const double* p) {
            return x > 0 ? LogTails{std::log(-std::expm1(-p[0] * x)), -p[0] * x} : LogTails{-infinity, 0};
        },
};

}  // namespace credence::rt
