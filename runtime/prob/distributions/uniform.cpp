// Uniform over an interval: every formula but its entropy is rational.

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Uniform final : public RealDistribution {
public:
    Uniform(const Number& low, const Number& high)
        : low_(low), high_(high), width_(high - low), low_real_(low.real()), high_real_(high.real()), width_real_(width_.real()) {}

    std::string_view name() const override { return "uniform"; }
    std::vector<Parameter> parameters() const override { return {{"low", low_}, {"high", high_}}; }
    Result<Outcome> mean() const override { return Outcome((low_ + high_) / Number(2)); }
    Result<Outcome> variance() const override { return Outcome(width_ * width_ / Number(12)); }
    Result<Number> entropy() const override { return Number::real(width_.log() * nats_to_bits); }

protected:
    double log_density(double x) const override { return x >= low_real_ && x <= high_real_ ? -std::log(width_real_) : -infinity; }
    Number density(const Number& x) const override {
        if (x < low_ || x > high_) return 0;
        return x.is_exact() ? Number(1) / width_ : Number::real(1 / width_real_);
    }
    Number cumulative(const Number& x) const override {
        if (x <= low_) return 0;
        if (x >= high_) return 1;
        return (x - low_) / width_;
    }
    Number inverse(const Number& p, const Number&) const override { return low_ + p * width_; }
    double lower(double x) const override { return cumulative(Number::real(x)).real(); }
    double upper(double x) const override { return 1 - lower(x); }
    double point(double p, double) const override { return low_real_ + p * width_real_; }
    double draw(Rng& rng) const override { return point(rng.uniform(), 0); }

private:
    Number low_;
    Number high_;
    Number width_;
    double low_real_;
    double high_real_;
    double width_real_;
};

}  // namespace

Result<DistributionPtr> make_uniform(const Number& low, const Number& high) {
    ParameterCheck check("uniform");
    check.finite("low", low).finite("high", high);
    if (!check.fault()) {
        check.require(low < high, "high", "be greater than low", fmt::format("low {} and high {}", shown(low), shown(high)), "low < high");
        check.finite("high - low", high - low);
    }
    if (!check.fault()) check.positive("high - low", high - low);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Uniform>(low, high));
}

}  // namespace credence::rt
