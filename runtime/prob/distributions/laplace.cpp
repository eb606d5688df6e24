// Laplace: an exponential on either side of its location.

#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Laplace final : public RealDistribution {
public:
    Laplace(const Number& location, const Number& scale)
        : location_(location), scale_(scale), centre_(location.real()), spread_(scale.real()), log_scale_(std::log(2 * spread_)) {}

    std::string_view name() const override { return "laplace"; }
    std::vector<Parameter> parameters() const override { return {{"location", location_}, {"scale", scale_}}; }
    Result<Outcome> mean() const override { return Outcome(location_); }
    Result<Outcome> variance() const override { return Outcome(Number(2) * scale_ * scale_); }
    Result<Number> entropy() const override { return Number::real((1 + log_scale_) * nats_to_bits); }

protected:
    double log_density(double x) const override { return -std::abs(x - centre_) / spread_ - log_scale_; }
    double lower(double x) const override {
        const double z = (x - centre_) / spread_;
        return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z);
    }
    double upper(double x) const override { return lower(2 * centre_ - x); }
    double point(double p, double q) const override { return centre_ + spread_ * (p <= q ? std::log(2 * p) : -std::log(2 * q)); }
    double draw(Rng& rng) const override {
        const double u = rng.uniform();
        const double distance = -std::log1p(-rng.uniform());
        return centre_ + spread_ * (u < 0.5 ? -distance : distance);
    }

private:
    Number location_;
    Number scale_;
    double centre_;
    double spread_;
    double log_scale_;
};

}  // namespace

Result<DistributionPtr> make_laplace(const Number& location, const Number& scale) {
    const auto check = ParameterCheck("laplace").finite("location", location).positive("scale", scale);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Laplace>(location, scale));
}

}  // namespace credence::rt
