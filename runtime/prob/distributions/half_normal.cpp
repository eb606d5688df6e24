// The absolute value of a normal with mean 0.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue half_normal_log_density(double x, const double* p) {
    if (!(p[0] > 0)) return bad_parameters();
    if (!(x >= 0)) return outside_support();
    const double z = x / p[0];
    return {0.5 * std::log(2 / pi) - std::log(p[0]) - 0.5 * z * z, -z / p[0], {(z * z - 1) / p[0]}};
}

class HalfNormal final : public RealDistribution {
public:
    explicit HalfNormal(const Number& scale) : scale_(scale), s_(scale.real()) {}

    std::string_view name() const override { return "half_normal"; }
    std::vector<Parameter> parameters() const override { return {{"scale", scale_}}; }
    Result<Outcome> mean() const override { return Outcome(Number::real(s_ * std::sqrt(2 / pi))); }
    Result<Outcome> variance() const override { return Outcome(Number::real(s_ * s_ * (1 - 2 / pi))); }
    Result<Outcome> mode() const override { return Outcome(Number(0)); }
    Result<Number> entropy() const override { return Number::real((0.5 * std::log(pi * s_ * s_ / 2) + 0.5) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {s_};
        return half_normal_log_density(x, p).value;
    }
    double lower(double x) const override { return x > 0 ? gamma_lower(0.5, 0.5 * (x / s_) * (x / s_)) : 0; }
    double upper(double x) const override { return x > 0 ? 2 * normal_lower(-x / s_) : 1; }
    double point(double p, double q) const override { return s_ * std::sqrt(2 * gamma_quantile(0.5, p, q)); }
    double draw(Rng& rng) const override { return s_ * std::abs(rng.normal()); }

private:
    Number scale_;
    double s_;
};

}  // namespace

const FamilyInfo half_normal_family{
    .name = "half_normal",
    .parameters = {{"scale", Role::spread}},
    .range = ValueRange::positive,
    .summary = "The absolute value of a normal with mean 0 and standard deviation scale.",
    .example = "abs(cdf(half_normal(2), 2) - (1 - 2 * cdf(normal(0, 1), -1))) < 1e-12",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("half_normal").positive("scale", p[0]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<HalfNormal>(p[0]));
    },
    .log_density = half_normal_log_density,
    .maximise =
        [](const WeightedValues& data, const KnownParameters&, std::vector<double>& theta) {
            theta[0] = std::max(least_component_spread * data.sd, std::sqrt(data.sum([](double x) { return x * x; }) / data.total));
        },
    .covers_zero = true,
    .conjugate = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        if (x.sign() < 0) return std::nullopt;
        auto out = precision_form(x, Number(0), std::log(2.0) - ln_2pi / 2);
        out->parameter = 0;
        return out;
    },
    .log_tails =
        [](double x, const double* p) {
            return x > 0 ? LogTails{std::log(gamma_lower(0.5, 0.5 * (x / p[0]) * (x / p[0]))), std::log(2.0) + log_normal_lower(-x / p[0])}
                         : LogTails{-infinity, 0};
        },
};

}  // namespace credence::rt
