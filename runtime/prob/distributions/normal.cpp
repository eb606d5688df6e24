// Normal, and lognormal: the exponential of a normal.

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

}  // namespace credence::rt
