// Inverse gamma: 1 / x is gamma(shape, scale).

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

DensityValue inverse_gamma_log_density(double x, const double* p) {
    const double a = p[0];
    const double b = p[1];
    if (!(a > 0 && b > 0)) return bad_parameters();
    if (!(x > 0)) return outside_support();
    const double log_x = std::log(x);
    return {
        a * std::log(b) - log_gamma(a) - (a + 1) * log_x - b / x, (b / x - (a + 1)) / x, {std::log(b) - digamma(a) - log_x, a / b - 1 / x}};
}

class InverseGamma final : public RealDistribution {
public:
    InverseGamma(const Number& shape, const Number& scale) : shape_(shape), scale_(scale), a_(shape.real()), b_(scale.real()) {}

    std::string_view name() const override { return "inverse_gamma"; }
    std::vector<Parameter> parameters() const override { return {{"shape", shape_}, {"scale", scale_}}; }
    Result<Outcome> mean() const override {
        if (shape_ <= Number(1)) return undefined_fault("inverse_gamma: the mean is infinite", "the mean needs shape > 1");
        return Outcome(scale_ / (shape_ - Number(1)));
    }
    Result<Outcome> variance() const override {
        if (shape_ <= Number(2)) return undefined_fault("inverse_gamma: the variance is infinite", "the variance needs shape > 2");
        const Number mean = scale_ / (shape_ - Number(1));
        return Outcome(mean * mean / (shape_ - Number(2)));
    }
    Result<Outcome> mode() const override { return Outcome(scale_ / (shape_ + Number(1))); }
    Result<Number> entropy() const override {
        return Number::real((a_ + std::log(b_) + log_gamma(a_) - (1 + a_) * digamma(a_)) * nats_to_bits);
    }

protected:
    double log_density(double x) const override {
        const double p[] = {a_, b_};
        return inverse_gamma_log_density(x, p).value;
    }
    double lower(double x) const override { return x > 0 ? gamma_upper(a_, b_ / x) : 0; }
    double upper(double x) const override { return x > 0 ? gamma_lower(a_, b_ / x) : 1; }
    double point(double p, double q) const override { return b_ / gamma_quantile(a_, q, p); }
    double draw(Rng& rng) const override { return b_ / standard_gamma(a_, rng); }

private:
    Number shape_;
    Number scale_;
    double a_;
    double b_;
};

}  // namespace

const FamilyInfo inverse_gamma_family{
    .name = "inverse_gamma",
    .parameters = {{"shape", Role::shape}, {"scale", Role::positive}},
    .range = ValueRange::positive,
    .summary = "The distribution of 1 / x where x is gamma(shape, rate: scale).",
    .example = "mean(inverse_gamma(3, 4)) == 2",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("inverse_gamma").positive("shape", p[0]).positive("scale", p[1]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<InverseGamma>(p[0], p[1]));
    },
    .log_density = inverse_gamma_log_density,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[1]) theta[1] = std::max(1e-12, theta[0] / (data.sum([](double x) { return 1 / x; }) / data.total));
        },
    .conjugate = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (!parameters[0] || x.sign() <= 0) return std::nullopt;
        const double shape = parameters[0]->real();
        return ConjugateForm{.kernel = ConjugateKernel::gamma,
                             .parameter = 1,
                             .first = *parameters[0],
                             .second = Number(1) / x,
                             .constant = std::nullopt,
                             .log_constant = -(shape + 1) * x.log() - log_gamma(shape)};
    },
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        return ConjugatePrior{
            .kernel = ConjugateKernel::gamma, .posterior = &inverse_gamma_family, .first = p[0], .second = p[1], .power = -1};
    },
};

}  // namespace credence::rt
