// Von Mises: the normal of the circle. Values are angles from −π to π; moments are those of the angle as a number.

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

/// ln I₀(κ) and I₁(κ) / I₀(κ): the power series (Abramowitz & Stegun 9.6.10), all of whose terms are positive. Beyond 300 the asymptotic
/// series (9.7.1), whose next terms are below 1e-12.
struct Bessel {
    double log_i0;
    double ratio;
};
Bessel bessel(double kappa) {
    if (kappa < 300) {
        const double q = kappa * kappa / 4;
        double i0 = 0;
        double i1 = 0;
        double term = 1;  // q^k / k!²
        for (double k = 1; term > 1e-17 * i0; ++k) {
            i0 += term;
            i1 += term / k;
            term *= q / (k * k);
        }
        return {std::log(i0), kappa / 2 * i1 / i0};
    }
    const double t = 1 / (8 * kappa);
    const double i0 = 1 + t * (1 + t * (4.5 + t * (37.5 + t * 459.375)));
    const double i1 = 1 - t * (3 + t * (7.5 + t * (52.5 + t * 590.625)));
    return {kappa - 0.5 * (ln_2pi + std::log(kappa)) + std::log(i0), i1 / i0};
}

double wrapped(double angle) { return angle - 2 * pi * std::round(angle / (2 * pi)); }

class VonMises final : public RealDistribution {
public:
    VonMises(const Number& mean, const Number& concentration)
        : mean_(mean), concentration_(concentration), mu_(wrapped(mean.real())), kappa_(concentration.real()) {
        // Fourier coefficients I_j(κ) / I₀(κ), by the recurrence of their quotients from far out (Miller).
        const auto terms = static_cast<std::size_t>(40 + 12 * std::sqrt(kappa_));
        std::vector<double> quotient(terms + 1);
        for (std::size_t j = terms; j-- > 0;) quotient[j] = 1 / (2 * static_cast<double>(j + 1) / kappa_ + quotient[j + 1]);
        double product = 1;
        for (std::size_t j = 0; j < terms; ++j) coefficients_.push_back(product *= quotient[j]);
    }

    std::string_view name() const override { return "von_mises"; }
    std::vector<Parameter> parameters() const override { return {{"mean", mean_}, {"concentration", concentration_}}; }
    Result<Outcome> mean() const override { return Outcome(Number::real(first_moment())); }
    Result<Outcome> variance() const override {
        double square = pi * pi / 3;
        for (std::size_t i = 0; i < coefficients_.size(); ++i) {
            const auto j = static_cast<double>(i + 1);
            square += (i % 2 == 0 ? -4 : 4) * coefficients_[i] * std::cos(j * mu_) / (j * j);
        }
        return Outcome(Number::real(square - first_moment() * first_moment()));
    }
    Result<Outcome> mode() const override { return Outcome(std::abs(mean_.real()) <= pi ? mean_ : Number::real(mu_)); }
    Result<Number> entropy() const override {
        const Bessel b = bessel(kappa_);
        return Number::real((ln_2pi + b.log_i0 - kappa_ * b.ratio) * nats_to_bits);
    }

protected:
    double log_density(double x) const override;
    double lower(double x) const override { return x <= -pi ? 0 : x >= pi ? 1 : std::max(0.0, turned(x - mu_) - turned(-pi - mu_)); }
    double upper(double x) const override { return x <= -pi ? 1 : x >= pi ? 0 : std::max(0.0, turned(pi - mu_) - turned(x - mu_)); }
    double point(double p, double q) const override {
        double low = -pi;
        double high = pi;
        for (int i = 0; i < 200 && high - low > 1e-15; ++i) {
            const double middle = (low + high) / 2;
            const bool below = p < 0.5 ? lower(middle) < p : upper(middle) > q;
            (below ? low : high) = middle;
        }
        return (low + high) / 2;
    }
    /// Best & Fisher, "Efficient simulation of the von Mises distribution" (1979).
    double draw(Rng& rng) const override {
        const double tau = 1 + std::sqrt(1 + 4 * kappa_ * kappa_);
        const double rho = (tau - std::sqrt(2 * tau)) / (2 * kappa_);
        const double r = (1 + rho * rho) / (2 * rho);
        if (!(rho > 1e-8)) return wrapped(mu_ + 2 * pi * rng.uniform());  // as good as uniform
        while (true) {
            const double z = std::cos(pi * rng.uniform());
            const double f = (1 + r * z) / (r + z);
            const double c = kappa_ * (r - f);
            const double u = 1 - rng.uniform();
            if (c * (2 - c) <= u && std::log(c / u) + 1 - c < 0) continue;
            const double angle = std::acos(std::min(1.0, std::max(-1.0, f)));
            return wrapped(mu_ + (rng.uniform() < 0.5 ? -angle : angle));
        }
    }

private:
    /// How much of the turn lies between the mean and that angle beyond it, for any number of turns.
    double turned(double angle) const {
        double sum = angle / 2;
        for (std::size_t i = 0; i < coefficients_.size(); ++i) {
            const auto j = static_cast<double>(i + 1);
            sum += coefficients_[i] * std::sin(j * angle) / j;
        }
        return sum / pi;
    }
    double first_moment() const {
        double out = 0;
        for (std::size_t i = 0; i < coefficients_.size(); ++i) {
            const auto j = static_cast<double>(i + 1);
            out += (i % 2 == 0 ? 2 : -2) * coefficients_[i] * std::sin(j * mu_) / j;
        }
        return out;
    }

    Number mean_;
    Number concentration_;
    double mu_;
    double kappa_;
    std::vector<double> coefficients_;
};

DensityValue von_mises_log_density(double x, const double* p) {
    const double kappa = p[1];
    if (!(kappa > 0) || !std::isfinite(p[0])) return bad_parameters();
    if (!(std::abs(x) <= pi)) return outside_support();
    const Bessel b = bessel(kappa);
    const double cosine = std::cos(x - p[0]);
    const double sine = std::sin(x - p[0]);
    return {kappa * cosine - ln_2pi - b.log_i0, -kappa * sine, {kappa * sine, cosine - b.ratio}};
}

double VonMises::log_density(double x) const {
    const double p[] = {mu_, kappa_};
    return von_mises_log_density(x, p).value;
}

/// The direction of the mean vector, and the concentration whose I₁ / I₀ is its length (Mardia & Jupp, 5.3.1).
void fit_von_mises(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    const double c = data.sum([](double x) { return std::cos(x); }) / data.total;
    const double s = data.sum([](double x) { return std::sin(x); }) / data.total;
    if (!known[0]) theta[0] = std::atan2(s, c);
    const double length = c * std::cos(theta[0]) + s * std::sin(theta[0]);
    if (!known[1]) theta[1] = positive_root([&](double kappa) { return bessel(kappa).ratio - length; }, 1e-8, most_shape);
}

}  // namespace

const FamilyInfo von_mises_family{
    .name = "von_mises",
    .parameters = {{"mean", Role::angle}, {"concentration", Role::shape}},
    .range = ValueRange::circle,
    .summary = "Angles from -pi to pi around a mean direction: the circular counterpart of the normal.",
    .example = "abs(cdf(von_mises(0, 2), 0) - 1/2) < 1e-12",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        auto check = ParameterCheck("von_mises").finite("mean", p[0]).positive("concentration", p[1]);
        if (!check.fault())
            check.require(p[1].real() <= most_shape, "concentration", "be at most 10^6", shown(p[1]), "above that, use a normal");
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<VonMises>(p[0], p[1]));
    },
    .log_density = von_mises_log_density,
    .maximise = fit_von_mises,
};

}  // namespace credence::rt
