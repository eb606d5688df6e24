// Gumbel: the largest of many values, such as the highest flood of a year. Its distribution function is exp(−exp(−(x − m) / s)).

#include <cmath>
#include <numbers>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue gumbel_log_density(double x, const double* p) {
    if (!(p[1] > 0)) return bad_parameters();
    const double z = (x - p[0]) / p[1];
    const double rest = -std::expm1(-z);  // 1 − e^(−z)
    return {-std::log(p[1]) - z - std::exp(-z), -rest / p[1], {rest / p[1], (z * rest - 1) / p[1]}};
}

/// ln(1 − exp(−t)) with t = e^(−z), which may be too small for a double.
double gumbel_log_above(double z) {
    const double t = std::exp(-z);
    return t < 1e-9 ? -z - t / 2 : std::log(-std::expm1(-t));
}

class Gumbel final : public LocationScale {
public:
    using LocationScale::LocationScale;

    std::string_view name() const override { return "gumbel"; }
    Result<Outcome> mean() const override { return Outcome(Number::real(m_ + std::numbers::egamma * s_)); }
    Result<Outcome> variance() const override { return Outcome(Number::real(s_ * s_ * pi * pi / 6)); }
    Result<Number> entropy() const override { return Number::real((std::log(s_) + std::numbers::egamma + 1) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {m_, s_};
        return gumbel_log_density(x, p).value;
    }
    double lower(double x) const override { return std::exp(-std::exp((m_ - x) / s_)); }
    double upper(double x) const override { return -std::expm1(-std::exp((m_ - x) / s_)); }
    double point(double p, double q) const override { return m_ - s_ * std::log(p < 0.5 ? -std::log(p) : -std::log1p(-q)); }
    double draw(Rng& rng) const override { return m_ - s_ * std::log(-std::log1p(-rng.uniform())); }
};

}  // namespace

const FamilyInfo gumbel_family{
    .name = "gumbel",
    .parameters = {{"location", Role::place}, {"scale", Role::spread}},
    .summary = "The largest of many values, such as the highest flood of a year. The location is the mode.",
    .example = "abs(cdf(gumbel(3, 2), 3) - exp(-1)) < 1e-12",
    .make = [](Numbers p, Labels) { return make_location_scale<Gumbel>("gumbel", p[0], p[1]); },
    .log_density = gumbel_log_density,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[1]) theta[1] = data.sd * std::sqrt(6.0) / pi;
            if (!known[0]) theta[0] = data.mean() - std::numbers::egamma * theta[1];
        },
    .log_tails =
        [](double x, const double* p) {
            const double z = (x - p[0]) / p[1];
            return LogTails{-std::exp(-z), gumbel_log_above(z)};
        },
};

}  // namespace credence::rt
