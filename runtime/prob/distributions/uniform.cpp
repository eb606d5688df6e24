// Uniform over an interval: every formula but its entropy is rational.

#include <algorithm>
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
    Result<Outcome> mode() const override { return no_mode_fault("uniform", "is flat"); }
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

void fit_uniform(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    double low = infinity;
    double high = -infinity;
    for (std::size_t i = 0; i < data.weights.size(); ++i)
        if (data.weights[i] > 0) {
            low = std::min(low, data.values[i]);
            high = std::max(high, data.values[i]);
        }
    const double floor = least_component_spread * data.sd;
    if (!known[0]) theta[0] = known[1] ? std::min(low, theta[1] - floor) : low;
    if (!known[1]) theta[1] = std::max(high, theta[0] + floor);
}

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

const FamilyInfo uniform_family{
    .name = "uniform",
    .parameters = {{"low", Role::low_end}, {"high", Role::high_end}},
    .range = ValueRange::between,
    .summary = "All numbers between low and high are equally likely.",
    .example = "mean(uniform(1, 4)) == 5/2",
    .make = [](Numbers p, Labels) { return make_uniform(p[0], p[1]); },
    .log_density =
        [](double x, const double* p) {
            const double width = p[1] - p[0];
            if (!(width > 0)) return bad_parameters();
            if (!(x >= p[0] && x <= p[1])) return outside_support();
            return DensityValue{-std::log(width), 0, {1 / width, -1 / width}};
        },
    .maximise = fit_uniform,
    .starts_with_all = true,
    .counted = [](const ExactValues& data, std::size_t p, Known, Found found) { return equal_value(data, found[p]); },
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        if (!(p[0] == Number(0) && p[1] == Number(1))) return std::nullopt;
        return ConjugatePrior{.posterior = &beta_family, .first = 1, .second = 1};
    },
};

}  // namespace credence::rt
