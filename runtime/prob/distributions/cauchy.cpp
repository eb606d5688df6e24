// Cauchy: the ratio of two normals with mean 0, shifted and scaled.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue cauchy_log_density(double x, const double* p) {
    if (!(p[1] > 0)) return bad_parameters();
    const double z = (x - p[0]) / p[1];
    const double weight = 2 * z / (1 + z * z);
    return {-std::log(pi * p[1]) - std::log1p(z * z), -weight / p[1], {weight / p[1], (weight * z - 1) / p[1]}};
}

class Cauchy final : public LocationScale {
public:
    using LocationScale::LocationScale;

    std::string_view name() const override { return "cauchy"; }
    Result<Outcome> mean() const override {
        return undefined_fault("cauchy: the mean does not exist: its integral diverges", "use the median");
    }
    Result<Outcome> variance() const override { return undefined_fault("cauchy: the variance does not exist", "use quantiles"); }
    Result<Number> entropy() const override { return Number::real(std::log(4 * pi * s_) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {m_, s_};
        return cauchy_log_density(x, p).value;
    }
    // The angle whose cotangent is −z, so that either tail keeps its digits.
    double lower(double x) const override { return std::atan2(1, (m_ - x) / s_) / pi; }
    double upper(double x) const override { return std::atan2(1, (x - m_) / s_) / pi; }
    double point(double p, double q) const override {
        if (p == q) return m_;
        return m_ + s_ * (p < q ? -1 / std::tan(pi * p) : 1 / std::tan(pi * q));
    }
    double draw(Rng& rng) const override { return m_ + s_ * std::tan(pi * (rng.uniform() - 0.5)); }
};

}  // namespace

const FamilyInfo cauchy_family{
    .name = "cauchy",
    .parameters = {{"location", Role::place}, {"scale", Role::spread}},
    .summary = "A distribution with such heavy tails that it has no mean. location is its median.",
    .example = "abs(cdf(cauchy(1, 2), 3) - 3/4) < 1e-12",
    .make = [](Numbers p, Labels) { return make_location_scale<Cauchy>("cauchy", p[0], p[1]); },
    .log_density = cauchy_log_density,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[0]) theta[0] = weighted_median(data);
            std::vector<double> away;
            for (const double x : data.values) away.push_back(std::abs(x - theta[0]));
            WeightedValues distances = data;
            distances.values = away;
            if (!known[1]) theta[1] = std::max(least_component_spread * data.sd, weighted_median(distances));
        },
};

}  // namespace credence::rt
