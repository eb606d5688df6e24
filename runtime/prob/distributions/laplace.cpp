// Laplace: an exponential on either side of its location.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Laplace final : public LocationScale {
public:
    Laplace(const Number& location, const Number& scale) : LocationScale(location, scale), log_scale_(std::log(2 * s_)) {}

    std::string_view name() const override { return "laplace"; }
    Result<Outcome> mean() const override { return Outcome(location_); }
    Result<Outcome> variance() const override { return Outcome(Number(2) * scale_ * scale_); }
    Result<Number> entropy() const override { return Number::real((1 + log_scale_) * nats_to_bits); }

protected:
    double log_density(double x) const override { return -std::abs(x - m_) / s_ - log_scale_; }
    double lower(double x) const override {
        const double z = (x - m_) / s_;
        return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z);
    }
    double upper(double x) const override { return lower(2 * m_ - x); }
    double point(double p, double q) const override { return m_ + s_ * (p <= q ? std::log(2 * p) : -std::log(2 * q)); }
    double draw(Rng& rng) const override {
        const double u = rng.uniform();
        const double distance = -std::log1p(-rng.uniform());
        return m_ + s_ * (u < 0.5 ? -distance : distance);
    }

private:
    double log_scale_;
};

std::optional<Rational> counted_laplace(const ExactValues& data, std::size_t p, Known parameters, Found found) {
    if (p == 0) return equal_value(data, found[0]);
    const auto middle = !parameters[0]              ? equal_value(data, found[0])
                        : parameters[0]->is_exact() ? std::optional(parameters[0]->exact())
                                                    : std::nullopt;
    if (!middle) return std::nullopt;
    const auto away = data.sum([&](const Rational& x) { return x < *middle ? *middle - x : x - *middle; });
    return quotient(away, data.count());
}

}  // namespace

Result<DistributionPtr> make_laplace(const Number& location, const Number& scale) {
    return make_location_scale<Laplace>("laplace", location, scale);
}

const FamilyInfo laplace_family{
    .name = "laplace",
    .parameters = {{"location", Role::corner}, {"scale", Role::spread}},
    .summary = "Two exponential distributions back to back; location is the centre.",
    .example = "variance(laplace(0, 2)) == 8",
    .make = [](Numbers p, Labels) { return make_laplace(p[0], p[1]); },
    .log_density =
        [](double x, const double* p) {
            if (!(p[1] > 0)) return bad_parameters();
            const double d = x - p[0];
            const double sign = d > 0 ? 1 : d < 0 ? -1 : 0;
            return DensityValue{-std::abs(d) / p[1] - std::log(2 * p[1]), -sign / p[1], {sign / p[1], (std::abs(d) / p[1] - 1) / p[1]}};
        },
    .maximise =
        [](const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
            if (!known[0]) theta[0] = weighted_median(data);
            const double away = data.sum([&](double x) { return std::abs(x - theta[0]); }) / data.total;
            if (!known[1]) theta[1] = std::max(least_component_spread * data.sd, away);
        },
    .counted = counted_laplace,
    .conjugate = [](const Number& x, Known parameters) -> std::optional<ConjugateForm> {
        if (!parameters[0]) return std::nullopt;
        const Number away = x - *parameters[0];
        return ConjugateForm{.kernel = ConjugateKernel::gamma,
                             .parameter = 1,
                             .power = -1,
                             .first = 1,
                             .second = away.sign() < 0 ? -away : away,
                             .constant = Rational(1, 2)};
    },
    .log_density_term =
        [](const std::vector<Term>& p, const Term& y) {
            const Term away = make_term(TermOp::divide, {make_term(TermOp::abs, {y - p[0]}), p[1]});
            return make_term(TermOp::negate, {away}) - (make_term(TermOp::ln, {p[1]}) + real_term(std::log(2.0)));
        },
    .log_tails =
        [](double x, const double* p) {
            const double away = std::abs(x - p[0]) / p[1];
            const double near = std::log1p(-0.5 * std::exp(-away));
            const double far = -away - std::log(2.0);
            return x < p[0] ? LogTails{far, near} : LogTails{near, far};
        },
};

}  // namespace credence::rt
