// Chi-squared: the sum of squares of so many standard normals, a gamma(degrees / 2, 1/2).

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

DensityValue chi_squared_log_density(double x, const double* p) {
    const double a = p[0] / 2;
    if (!(a > 0)) return bad_parameters();
    if (!(x >= 0)) return outside_support();
    const double log_x = std::log(x);
    return {(a == 1 ? 0 : (a - 1) * log_x) - x / 2 - a * std::log(2.0) - log_gamma(a),
            (a - 1) / x - 0.5,
            {0.5 * (log_x - std::log(2.0) - digamma(a))}};
}

class ChiSquared final : public RealDistribution {
public:
    explicit ChiSquared(const Number& degrees) : degrees_(degrees), nu_(degrees.real()) {}

    std::string_view name() const override { return "chi_squared"; }
    std::vector<Parameter> parameters() const override { return {{"degrees", degrees_}}; }
    Result<Outcome> mean() const override { return Outcome(degrees_); }
    Result<Outcome> variance() const override { return Outcome(degrees_ * Number(2)); }
    Result<Outcome> mode() const override {
        if (degrees_ < Number(2)) return no_mode_fault("chi_squared", "grows without bound at 0");
        return Outcome(degrees_ - Number(2));
    }
    Result<Number> entropy() const override {
        const double a = nu_ / 2;
        return Number::real((a + std::log(2.0) + log_gamma(a) + (1 - a) * digamma(a)) * nats_to_bits);
    }

protected:
    double log_density(double x) const override {
        const double p[] = {nu_};
        return chi_squared_log_density(x, p).value;
    }
    double lower(double x) const override { return x > 0 ? gamma_lower(nu_ / 2, x / 2) : 0; }
    double upper(double x) const override { return x > 0 ? gamma_upper(nu_ / 2, x / 2) : 1; }
    double point(double p, double q) const override { return 2 * gamma_quantile(nu_ / 2, p, q); }
    double draw(Rng& rng) const override { return 2 * standard_gamma(nu_ / 2, rng); }

private:
    Number degrees_;
    double nu_;
};

}  // namespace

const FamilyInfo chi_squared_family{
    .name = "chi_squared",
    .parameters = {{"degrees", Role::shape}},
    .range = ValueRange::positive,
    .summary = "The sum of the squares of `degrees` independent standard normals.",
    .example = "variance(chi_squared(3)) == 6",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("chi_squared").positive("degrees", p[0]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<ChiSquared>(p[0]));
    },
    .log_density = chi_squared_log_density,
    .start = [](const WeightedValues& data, const KnownParameters&, std::vector<double>& theta) { theta[0] = std::max(1e-8, data.mean()); },
    .prior = [](Numbers p) -> std::optional<ConjugatePrior> {
        return ConjugatePrior{
            .kernel = ConjugateKernel::gamma, .posterior = &gamma_family, .first = p[0] / Number(2), .second = Rational(1, 2)};
    },
};

}  // namespace credence::rt
