// Student's t with a location and a scale.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/search.hpp"
#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

class StudentT final : public RealDistribution {
public:
    StudentT(const Number& degrees, const Number& location, const Number& scale)
        : degrees_(degrees),
          location_(location),
          scale_(scale),
          nu_(degrees.real()),
          centre_(location.real()),
          spread_(scale.real()),
          // ln of Γ((ν+1)/2) / Γ(ν/2) · √(2/ν), which tends to 0 as ν grows
          log_ratio_(-deviance(nu_ / 2, (nu_ + 1) / 2) + stirling_error((nu_ + 1) / 2) - stirling_error(nu_ / 2)) {}

    std::string_view name() const override { return "student_t"; }
    std::vector<Parameter> parameters() const override { return {{"degrees", degrees_}, {"location", location_}, {"scale", scale_}}; }
    Result<Outcome> mode() const override { return Outcome(location_); }
    Result<Outcome> mean() const override {
        if (degrees_ <= Number(1))
            return undefined_fault(
                fmt::format("student_t: the mean does not exist with {} degrees of freedom: its integral diverges", shown(degrees_)),
                "the mean needs degrees > 1");
        return Outcome(location_);
    }
    Result<Outcome> variance() const override {
        if (degrees_ <= Number(2))
            return undefined_fault(fmt::format("student_t: the variance {} with {} degrees of freedom",
                                               degrees_ <= Number(1) ? "does not exist" : "is infinite", shown(degrees_)),
                                   "the variance needs degrees > 2");
        return Outcome(scale_ * scale_ * degrees_ / (degrees_ - Number(2)));
    }
    // (ν+1)/2 (ψ((ν+1)/2) − ψ(ν/2)) + ln(√ν B(ν/2, ½)) + ln scale
    Result<Number> entropy() const override {
        const double half = nu_ / 2;
        const double digammas = std::log1p(1 / nu_) + digamma_minus_log(half + 0.5) - digamma_minus_log(half);
        return Number::real(((half + 0.5) * digammas + 0.5 * ln_2pi - log_ratio_ + std::log(spread_)) * nats_to_bits);
    }

protected:
    // Loader's form again, as R's dt has it: −(ν+1)/2 ln(1 + z²/ν) without cancellation for large ν or small z
    double log_density(double x) const override {
        const double z = (x - centre_) / spread_;
        const double ratio = z / nu_ * z;
        double half_log = 0;
        double power = 0;
        if (ratio > 1 / std::numeric_limits<double>::epsilon()) {
            half_log = std::log(std::abs(z)) - 0.5 * std::log(nu_);
            power = nu_ * half_log;
        } else if (ratio > 0.2) {
            half_log = 0.5 * std::log1p(ratio);
            power = nu_ * half_log;
        } else {
            half_log = 0.5 * std::log1p(ratio);
            power = 0.5 * z * z - deviance(nu_ / 2, (nu_ + z * z) / 2);
        }
        return log_ratio_ - power - half_log - 0.5 * ln_2pi - std::log(spread_);
    }
    double lower(double x) const override { return student_t_lower(nu_, (x - centre_) / spread_); }
    double upper(double x) const override { return student_t_lower(nu_, (centre_ - x) / spread_); }
    double point(double p, double q) const override { return centre_ + spread_ * student_t_quantile(nu_, p, q); }
    double draw(Rng& rng) const override {
        const double z = rng.normal();
        return centre_ + spread_ * z / std::sqrt(standard_gamma(nu_ / 2, rng) * 2 / nu_);
    }

private:
    Number degrees_;
    Number location_;
    Number scale_;
    double nu_;
    double centre_;
    double spread_;
    double log_ratio_;
};

DensityValue student_t_log_density(double x, const double* p) {
    DensityValue out;
    const double nu = p[0];
    const double scale = p[2];
    if (!(nu > 0 && scale > 0)) return bad_parameters();
    const double z = (x - p[1]) / scale;
    const double grown = std::log1p(z * z / nu);
    const double weight = (nu + 1) / (nu + z * z);
    out.value = log_gamma(0.5 * (nu + 1)) - log_gamma(0.5 * nu) - 0.5 * std::log(nu) - 0.57236494292470008707 - std::log(scale) -
                0.5 * (nu + 1) * grown;  // ½ ln π
    out.dx = -weight * z / scale;
    out.dp[0] = 0.5 * (digamma(0.5 * (nu + 1)) - digamma(0.5 * nu) - 1 / nu - grown + weight * z * z / nu);
    out.dp[1] = weight * z / scale;
    out.dp[2] = (weight * z * z - 1) / scale;
    return out;
}

/// Location and scale by one turn of reweighting (an observation counts (ν+1)/(ν+z²)), then the degrees by search: each step climbs.
void fit_student(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    const double nu = theta[0];
    const auto u = [&](double x) {
        const double z = (x - theta[1]) / theta[2];
        return (nu + 1) / (nu + z * z);
    };
    double weight = 0;
    double sum = 0;
    for (std::size_t i = 0; i < data.weights.size(); ++i)
        if (data.weights[i] > 0) {
            const double w = data.weights[i] * u(data.values[i]);
            weight += w;
            sum += w * data.values[i];
        }
    const double location = known[1] ? theta[1] : sum / weight;
    if (!known[2]) {
        const double square = data.sum([&](double x) { return u(x) * (x - location) * (x - location); });
        theta[2] = std::max(least_component_spread * data.sd, std::sqrt(square / data.total));
    }
    theta[1] = location;
    if (known[0]) return;
    const auto height = [&](double log_nu) {
        const double at[] = {std::exp(log_nu), theta[1], theta[2]};
        return data.sum([&](double x) { return student_t_log_density(x, at).value; });
    };
    const double best = peak_between(height, std::log(0.1), std::log(1e4));
    if (height(best) > height(std::log(theta[0]))) theta[0] = std::exp(best);
}

}  // namespace

Result<DistributionPtr> make_student_t(const Number& degrees, const Number& location, const Number& scale) {
    const auto check = ParameterCheck("student_t").positive("degrees", degrees).finite("location", location).positive("scale", scale);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<StudentT>(degrees, location, scale));
}

const FamilyInfo student_t_family{
    .name = "student_t",
    .parameters = {{"degrees", Role::degrees}, {"location", Role::place, 0}, {"scale", Role::spread, 1}},
    .summary = "Student's t distribution with the given degrees of freedom, shifted and scaled.",
    .example = "variance(student_t(4)) == 2",
    .make = [](Numbers p, Labels) { return make_student_t(p[0], p[1], p[2]); },
    .log_density = student_t_log_density,
    .maximise = fit_student,
    .start =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[0]) theta[0] = 10;
            if (!known[1]) theta[1] = data.mean();
            if (!known[2]) theta[2] = data.sd;
        },
};

}  // namespace credence::rt
