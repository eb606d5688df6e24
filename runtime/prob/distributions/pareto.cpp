// Pareto (type I): P(X > x) = (minimum / x)^shape.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

DensityValue pareto_log_density(double x, const double* p) {
    const double m = p[0];
    const double a = p[1];
    if (!(m > 0 && a > 0)) return bad_parameters();
    if (!(x >= m)) return outside_support();
    const double log_ratio = std::log(x / m);
    return {std::log(a / x) - a * log_ratio, -(a + 1) / x, {a / m, 1 / a - log_ratio}};
}

/// The minimum is the smallest value, whatever its weight; then the shape is one over the mean of ln(x / minimum).
void fit_pareto(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    if (!known[0]) {
        theta[0] = infinity;
        for (std::size_t i = 0; i < data.weights.size(); ++i)
            if (data.weights[i] > 0) theta[0] = std::min(theta[0], data.values[i]);
    }
    if (known[1]) return;
    const double above = data.sum([&](double x) { return x < theta[0] ? 0 : std::log(x / theta[0]); });
    theta[1] = std::min(most_shape, data.total / std::max(above, 1e-300));
}

class Pareto final : public RealDistribution {
public:
    Pareto(const Number& minimum, const Number& shape) : minimum_(minimum), shape_(shape), m_(minimum.real()), a_(shape.real()) {}

    std::string_view name() const override { return "pareto"; }
    std::vector<Parameter> parameters() const override { return {{"minimum", minimum_}, {"shape", shape_}}; }
    Result<Outcome> mean() const override {
        if (shape_ <= Number(1)) return undefined_fault("pareto: the mean is infinite", "the mean needs shape > 1");
        return Outcome(shape_ * minimum_ / (shape_ - Number(1)));
    }
    Result<Outcome> variance() const override {
        if (shape_ <= Number(2)) return undefined_fault("pareto: the variance is infinite", "the variance needs shape > 2");
        const Number less = shape_ - Number(1);
        return Outcome(minimum_ * minimum_ * shape_ / (less * less * (shape_ - Number(2))));
    }
    Result<Outcome> mode() const override { return Outcome(minimum_); }
    Result<Number> entropy() const override { return Number::real((std::log(m_ / a_) + 1 + 1 / a_) * nats_to_bits); }

protected:
    double log_density(double x) const override {
        const double p[] = {m_, a_};
        return pareto_log_density(x, p).value;
    }
    double lower(double x) const override { return x > m_ ? -std::expm1(-a_ * std::log(x / m_)) : 0; }
    double upper(double x) const override { return x > m_ ? std::pow(m_ / x, a_) : 1; }
    double point(double p, double q) const override { return m_ * std::exp((p < 0.5 ? -std::log1p(-p) : -std::log(q)) / a_); }
    double draw(Rng& rng) const override { return m_ * std::exp(-std::log1p(-rng.uniform()) / a_); }

private:
    Number minimum_;
    Number shape_;
    double m_;
    double a_;
};

}  // namespace

const FamilyInfo pareto_family{
    .name = "pareto",
    .parameters = {{"minimum", Role::low_end}, {"shape", Role::shape}},
    .range = ValueRange::above,
    .summary = "Values above a minimum. A value exceeds x with probability (minimum / x)^shape.",
    .example = "mean(pareto(2, 3)) == 3",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        const auto check = ParameterCheck("pareto").positive("minimum", p[0]).positive("shape", p[1]);
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<Pareto>(p[0], p[1]));
    },
    .log_density = pareto_log_density,
    .maximise = fit_pareto,
    .starts_with_all = true,
    .conjugate = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (!parameters[0] || x < *parameters[0]) return std::nullopt;
        return ConjugateForm{.kernel = ConjugateKernel::gamma,
                             .parameter = 1,
                             .first = 1,
                             .second = Number::real(x.log() - parameters[0]->log()),
                             .constant = std::nullopt,
                             .log_constant = -x.log()};
    },
    .conjugate_above = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (!parameters[0] || x < *parameters[0]) return std::nullopt;
        return ConjugateForm{
            .kernel = ConjugateKernel::gamma, .parameter = 1, .first = 0, .second = Number::real(x.log() - parameters[0]->log())};
    },
    .log_tails =
        [](double x, const double* p) {
            const double hazard = x > p[0] ? p[1] * std::log(x / p[0]) : 0;
            return LogTails{std::log(-std::expm1(-hazard)), -hazard};
        },
};

}  // namespace credence::rt
