// Logistic: its distribution function is the sigmoid.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue logistic_distribution_log_density(double x, const double* p) {
    if (!(p[1] > 0)) return bad_parameters();
    const double z = (x - p[0]) / p[1];
    const double slope = std::tanh(z / 2);
    return {-std::abs(z) - std::log(p[1]) - 2 * std::log1p(std::exp(-std::abs(z))), -slope / p[1], {slope / p[1], (z * slope - 1) / p[1]}};
}

class Logistic final : public LocationScale {
public:
    using LocationScale::LocationScale;

    std::string_view name() const override { return "logistic_distribution"; }
    Result<Outcome> mean() const override { return Outcome(location_); }
    Result<Outcome> variance() const override { return Outcome(Number::real(s_ * s_ * pi * pi / 3)); }
    Result<Number> entropy() const override { return Number::real((std::log(s_) + 2) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {m_, s_};
        return logistic_distribution_log_density(x, p).value;
    }
    double lower(double x) const override { return 1 / (1 + std::exp((m_ - x) / s_)); }
    double upper(double x) const override { return 1 / (1 + std::exp((x - m_) / s_)); }
    double point(double p, double q) const override { return m_ + s_ * (std::log(p) - std::log(q)); }
    double draw(Rng& rng) const override {
        const double u = 1 - rng.uniform();  // above 0
        return m_ + s_ * (std::log(u) - std::log1p(-u));
    }
};

}  // namespace

const FamilyInfo logistic_distribution_family{
    .name = "logistic_distribution",
    .parameters = {{"location", Role::place}, {"scale", Role::spread}},
    .summary = "A distribution whose cdf is a shifted and scaled sigmoid.",
    .example = "mean(logistic_distribution(3, 2)) == 3",
    .make = [](Numbers p, Labels) { return make_location_scale<Logistic>("logistic_distribution", p[0], p[1]); },
    .log_density = logistic_distribution_log_density,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[0]) theta[0] = data.mean();
            if (!known[1]) theta[1] = data.sd * std::sqrt(3.0) / pi;
        },
    .log_tails =
        [](double x, const double* p) {
            const double z = (x - p[0]) / p[1];
            const double small = std::log1p(std::exp(-std::abs(z)));
            return LogTails{-small - std::max(-z, 0.0), -small - std::max(z, 0.0)};
        },
};

}  // namespace credence::rt
