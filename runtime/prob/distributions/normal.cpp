// Normal, and lognormal: the exponential of a normal.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Normal final : public RealDistribution {
public:
    Normal(const Number& mean, const Number& sd)
        : mean_(mean), sd_(sd), centre_(mean.real()), spread_(sd.real()), log_scale_(std::log(spread_) + 0.5 * ln_2pi) {}

    std::string_view name() const override { return "normal"; }
    std::vector<Parameter> parameters() const override { return {{"mean", mean_}, {"sd", sd_}}; }
    Result<Outcome> mode() const override { return Outcome(mean_); }
    Result<Outcome> mean() const override { return Outcome(mean_); }
    Result<Outcome> variance() const override { return Outcome(sd_ * sd_); }
    Result<Number> entropy() const override { return Number::real((log_scale_ + 0.5) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double z = (x - centre_) / spread_;
        return -0.5 * z * z - log_scale_;
    }
    double lower(double x) const override { return normal_lower((x - centre_) / spread_); }
    double upper(double x) const override { return normal_lower((centre_ - x) / spread_); }
    double point(double p, double q) const override { return centre_ + spread_ * normal_quantile(p, q); }
    double draw(Rng& rng) const override { return centre_ + spread_ * rng.normal(); }

private:
    Number mean_;
    Number sd_;
    double centre_;
    double spread_;
    double log_scale_;
};

class Lognormal final : public RealDistribution {
public:
    Lognormal(const Number& mu, const Number& sigma)
        : mu_(mu), sigma_(sigma), centre_(mu.real()), spread_(sigma.real()), log_scale_(std::log(spread_) + 0.5 * ln_2pi) {}

    std::string_view name() const override { return "lognormal"; }
    std::vector<Parameter> parameters() const override { return {{"mu", mu_}, {"sigma", sigma_}}; }
    Result<Outcome> mode() const override { return Outcome(Number::real(std::exp(centre_ - spread_ * spread_))); }
    Result<Outcome> mean() const override { return Outcome(Number::real(std::exp(centre_ + 0.5 * spread_ * spread_))); }
    Result<Outcome> variance() const override {
        const double square = spread_ * spread_;
        return Outcome(Number::real(std::expm1(square) * std::exp(2 * centre_ + square)));
    }
    Result<Number> entropy() const override { return Number::real((centre_ + log_scale_ + 0.5) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        if (!(x > 0) || std::isinf(x)) return -infinity;
        const double log_x = std::log(x);
        const double z = (log_x - centre_) / spread_;
        return -0.5 * z * z - log_scale_ - log_x;
    }
    double lower(double x) const override { return x > 0 ? normal_lower((std::log(x) - centre_) / spread_) : 0; }
    double upper(double x) const override { return x > 0 ? normal_lower((centre_ - std::log(x)) / spread_) : 1; }
    double point(double p, double q) const override { return std::exp(centre_ + spread_ * normal_quantile(p, q)); }
    double draw(Rng& rng) const override { return std::exp(centre_ + spread_ * rng.normal()); }

private:
    Number mu_;
    Number sigma_;
    double centre_;
    double spread_;
    double log_scale_;
};

DensityValue normal_log_density(double x, const double* p) {
    if (!(p[1] > 0)) return bad_parameters();
    const double z = (x - p[0]) / p[1];
    return {-0.5 * z * z - std::log(p[1]) - ln_2pi / 2, -z / p[1], {z / p[1], (z * z - 1) / p[1]}};
}

void normal_log_densities(std::span<const double> values, const double* p, std::span<double> out) {
    const double scale = 1 / p[1];
    const double constant = -std::log(p[1]) - ln_2pi / 2;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double z = (values[i] - p[0]) * scale;
        out[i] = constant - 0.5 * z * z;
    }
}

LogTails normal_log_tails(double x, const double* p) {
    const double z = (x - p[0]) / p[1];
    return {log_normal_lower(z), log_normal_lower(-z)};
}

/// Location and scale of at(x) by least squares.
template <class F>
void fit_normal(const WeightedValues& data, const KnownParameters& known, double floor, F at, std::vector<double>& theta) {
    if (!known[0]) theta[0] = data.sum(at) / data.total;
    const double m = theta[0];
    if (!known[1]) theta[1] = std::max(floor, std::sqrt(data.sum([&](double x) { return (at(x) - m) * (at(x) - m); }) / data.total));
}

}  // namespace

Result<DistributionPtr> make_normal(const Number& mean, const Number& sd) {
    const auto check = ParameterCheck("normal").finite("mean", mean).positive("sd", sd);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Normal>(mean, sd));
}

Result<DistributionPtr> make_lognormal(const Number& mu, const Number& sigma) {
    const auto check = ParameterCheck("lognormal").finite("mu", mu).positive("sigma", sigma);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Lognormal>(mu, sigma));
}

const FamilyInfo normal_family{
    .name = "normal",
    .parameters = {{"mean", Role::place}, {"sd", Role::spread}},
    .summary = "The normal distribution with mean and standard deviation.",
    .example = "variance(normal(3, 2)) == 4",
    .make = [](Numbers p, Labels) { return make_normal(p[0], p[1]); },
    .log_density = normal_log_density,
    .log_densities = normal_log_densities,
    .maximise =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            fit_normal(
                data, known, least_component_spread * data.sd, [](double x) { return x; }, theta);
        },
    .counted = [](const ExactValues& data, std::size_t p, Known, Found) -> std::optional<Rational> {
        return p == 0 ? quotient(data.total(), data.count()) : std::nullopt;
    },
    .conjugate = [](const Number& x, Known parameters) { return precision_form(x, parameters[0], -ln_2pi / 2); },
    .log_density_term =
        [](const std::vector<Term>& p, const Term& y) {
            const Term z = make_term(TermOp::divide, {y - p[0], p[1]});
            return real_term(-0.5) * (z * z) - (make_term(TermOp::ln, {p[1]}) + real_term(ln_2pi / 2));
        },
    .log_tails = normal_log_tails,
};

const FamilyInfo lognormal_family{
    .name = "lognormal",
    .parameters = {{"mu", Role::log_place}, {"sigma", Role::log_spread}},
    .range = ValueRange::positive,
    .summary = "A positive number whose logarithm is normal with mean mu and standard deviation sigma.",
    .example = "quantile(lognormal(0, 1), 1/2) == 1",
    .make = [](Numbers p, Labels) { return make_lognormal(p[0], p[1]); },
    .log_density =
        [](double x, const double* p) {
            if (!(x > 0)) return outside_support();
            const double log_x = std::log(x);
            DensityValue out = normal_log_density(log_x, p);
            out.value -= log_x;
            out.dx = (out.dx - 1) / x;
            return out;
        },
    .maximise =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            fit_normal(
                data, known, least_component_spread * data.log_sd, [](double x) { return std::log(x); }, theta);
        },
    .conjugate = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (x.sign() <= 0) return std::nullopt;
        return precision_form(Number::real(x.log()), parameters[0], -ln_2pi / 2 - x.log());
    },
    .log_tails =
        [](double x, const double* p) {
            return x > 0 ? normal_log_tails(std::log(x), p) : LogTails{-infinity, 0};
        },
};

}  // namespace credence::rt
