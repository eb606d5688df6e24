// The absolute value of a Cauchy with median 0: a prior of scales.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue half_cauchy_log_density(double x, const double* p) {
    if (!(p[0] > 0)) return bad_parameters();
    if (!(x >= 0)) return outside_support();
    const double z = x / p[0];
    const double weight = 2 * z / (1 + z * z);
    return {std::log(2 / (pi * p[0])) - std::log1p(z * z), -weight / p[0], {(weight * z - 1) / p[0]}};
}

class HalfCauchy final : public RealDistribution {
public:
    explicit HalfCauchy(const Number& scale) : scale_(scale), s_(scale.real()) {}

    std::string_view name() const override { return "half_cauchy"; }
    std::vector<Parameter> parameters() const override { return {{"scale", scale_}}; }
    Result<Outcome> mean() const override {
        return undefined_fault("half_cauchy: the mean does not exist: its integral diverges", "use the median");
    }
    Result<Outcome> variance() const override { return undefined_fault("half_cauchy: the variance does not exist", "use quantiles"); }
    Result<Outcome> mode() const override { return Outcome(Number(0)); }
    Result<Number> entropy() const override { return Number::real(std::log(2 * pi * s_) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {s_};
        return half_cauchy_log_density(x, p).value;
    }
    double lower(double x) const override { return x > 0 ? 2 * std::atan(x / s_) / pi : 0; }
    double upper(double x) const override { return x > 0 ? 2 * std::atan2(1, x / s_) / pi : 1; }
    double point(double p, double q) const override { return s_ * (p < q ? std::tan(pi * p / 2) : 1 / std::tan(pi * q / 2)); }
    double draw(Rng& rng) const override { return s_ * std::tan(pi * rng.uniform() / 2); }

private:
    Number scale_;
    double s_;
};

}  // namespace

const FamilyInfo half_cauchy_family{
    .name = "half_cauchy",
    .parameters = {{"scale", Role::spread}},
    .range = ValueRange::positive,
    .summary = "The absolute value of a cauchy with median 0; scale is its median.",
    .example = "abs(cdf(half_cauchy(2), 2) - 1/2) < 1e-12",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("half_cauchy").positive("scale", p[0]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<HalfCauchy>(p[0]));
    },
    .log_density = half_cauchy_log_density,
    .start = [](const WeightedValues& data, const KnownParameters&,
                std::vector<double>& theta) { theta[0] = std::max(least_component_spread * data.sd, weighted_median(data)); },
    .covers_zero = true,
};

}  // namespace credence::rt
