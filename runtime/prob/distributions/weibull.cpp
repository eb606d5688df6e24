// Weibull: lifetimes whose hazard is a power of the age.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue weibull_log_density(double x, const double* p) {
    const double shape = p[0];
    const double scale = p[1];
    if (!(shape > 0 && scale > 0)) return bad_parameters();
    if (!(x >= 0)) return outside_support();
    const double log_ratio = std::log(x / scale);
    const double power = std::pow(x / scale, shape);
    return {std::log(shape / scale) + (shape == 1 ? 0 : (shape - 1) * log_ratio) - power,
            ((shape - 1) - shape * power) / x,
            {1 / shape + log_ratio - power * log_ratio, shape * (power - 1) / scale}};
}

class Weibull final : public RealDistribution {
public:
    Weibull(const Number& shape, const Number& scale) : shape_(shape), scale_(scale), k_(shape.real()), s_(scale.real()) {}

    std::string_view name() const override { return "weibull"; }
    std::vector<Parameter> parameters() const override { return {{"shape", shape_}, {"scale", scale_}}; }
    Result<Outcome> mean() const override { return Outcome(Number::real(s_ * moment(1))); }
    Result<Outcome> variance() const override { return Outcome(Number::real(s_ * s_ * (moment(2) - moment(1) * moment(1)))); }
    Result<Outcome> mode() const override {
        if (k_ < 1) return no_mode_fault("weibull", "grows without bound at 0");
        return Outcome(Number::real(s_ * std::pow((k_ - 1) / k_, 1 / k_)));
    }
    Result<Number> entropy() const override {
        return Number::real((std::numbers::egamma * (1 - 1 / k_) + std::log(s_ / k_) + 1) * nats_to_bits);
    }

protected:
    double log_density(double x) const override {
        const double p[] = {k_, s_};
        return weibull_log_density(x, p).value;
    }
    double lower(double x) const override { return x > 0 ? -std::expm1(-std::pow(x / s_, k_)) : 0; }
    double upper(double x) const override { return x > 0 ? std::exp(-std::pow(x / s_, k_)) : 1; }
    double point(double p, double q) const override { return s_ * std::pow(p < 0.5 ? -std::log1p(-p) : -std::log(q), 1 / k_); }
    double draw(Rng& rng) const override { return s_ * std::pow(-std::log1p(-rng.uniform()), 1 / k_); }

private:
    double moment(double n) const { return std::exp(log_gamma(1 + n / k_)); }  ///< of x / scale

    Number shape_;
    Number scale_;
    double k_;
    double s_;
};

/// With the shape known, scale^(−shape) is a rate: its kernel counts the values seen, and their powers.
std::optional<ConjugateForm> weibull_conjugate(const Number& x, Known parameters, bool seen) {
    if (!parameters[0] || !parameters[0]->is_exact() || x.sign() <= 0) return std::nullopt;
    const double shape = parameters[0]->real();
    return ConjugateForm{.kernel = ConjugateKernel::gamma,
                         .parameter = 1,
                         .power = Rational(-1) / parameters[0]->exact(),
                         .first = seen ? 1 : 0,
                         .second = Number::real(std::pow(x.real(), shape)),
                         .constant = std::nullopt,
                         .log_constant = seen ? std::log(shape) + (shape - 1) * x.log() : 0};
}

}  // namespace

const FamilyInfo weibull_family{
    .name = "weibull",
    .parameters = {{"shape", Role::shape}, {"scale", Role::positive}},
    .range = ValueRange::positive,
    .summary = "Lifetimes whose hazard rises (shape above 1) or falls (shape below 1) with age. Shape 1 is exponential with mean scale.",
    .example = "abs(cdf(weibull(2, 3), 3) - (1 - exp(-1))) < 1e-12",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("weibull").positive("shape", p[0]).positive("scale", p[1]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<Weibull>(p[0], p[1]));
    },
    .log_density = weibull_log_density,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[1]) theta[1] = std::max(data.mean(), 1e-12);
        },
    .conjugate = [](const Number& x, Known parameters) { return weibull_conjugate(x, parameters, true); },
    .conjugate_above = [](const Number& x, Known parameters) { return weibull_conjugate(x, parameters, false); },
    .log_tails =
        [](double x, const double* p) {
            const double hazard = x > 0 ? std::pow(x / p[1], p[0]) : 0;
            return LogTails{std::log(-std::expm1(-hazard)), -hazard};
        },
};

}  // namespace credence::rt
