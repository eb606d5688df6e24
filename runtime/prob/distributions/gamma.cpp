// Gamma (shape, rate), and the exponential, which is its shape 1.

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

}  // namespace credence::rt
