// Poisson: counts of events that come at a constant rate. Rate 0 is certain of 0: what counting nothing estimates.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Poisson final : public CountDistribution {
public:
    explicit Poisson(const Number& rate) : rate_(rate), rate_real_(rate.real()) {}

    std::string_view name() const override { return "poisson"; }
    std::vector<Parameter> parameters() const override { return {{"rate", rate_}}; }
    Result<Outcome> mode() const override { return Outcome(first_count_below(rate_)); }
    Result<Outcome> mean() const override { return Outcome(rate_); }
    Result<Outcome> variance() const override { return Outcome(rate_); }
    Result<Number> entropy() const override {
        return Number::real(count_entropy_bits(rate_real_, rate_real_, 1 / rate_real_, infinity, [this](double k) { return log_mass(k); }));
    }

protected:
    double log_mass(double k) const override { return log_poisson_mass(k, rate_real_); }
    std::optional<Rational> exact_mass(double) const override { return std::nullopt; }
    // P(X ≤ k) = Q(k + 1, rate), Abramowitz & Stegun 26.4.21
    double lower(double k) const override { return gamma_upper(k + 1, rate_real_); }
    double upper(double k) const override { return gamma_lower(k + 1, rate_real_); }
    std::optional<Rational> exact_lower(double) const override { return std::nullopt; }
    double top() const override { return rate_real_ == 0 ? 0 : infinity; }
    double guess(double p, double q) const override { return rate_real_ + normal_quantile(p, q) * std::sqrt(rate_real_); }
    double draw(Rng& rng) const override { return rate_real_ < 10 ? draw_by_inversion(rng) : draw_by_rejection(rng); }

private:
    double draw_by_inversion(Rng& rng) const {
        double mass = std::exp(-rate_real_);
        double left = rng.uniform();
        double k = 0;
        while (left >= mass && mass > 0) {
            left -= mass;
            ++k;
            mass *= rate_real_ / k;
        }
        return k;
    }

    /// PTRS: Hörmann, "The transformed rejection method for generating Poisson random variables" (1993). rate ≥ 10.
    double draw_by_rejection(Rng& rng) const {
        const double b = 0.931 + 2.53 * std::sqrt(rate_real_);
        const double a = -0.059 + 0.02483 * b;
        const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        const double v_r = 0.9277 - 3.6224 / (b - 2);
        while (true) {
            const double u = rng.uniform() - 0.5;
            const double v = 1 - rng.uniform();
            const double us = 0.5 - std::abs(u);
            const double k = std::floor((2 * a / us + b) * u + rate_real_ + 0.43);
            if (!(k >= 0) || std::isinf(k)) continue;
            if (us >= 0.07 && v <= v_r) return k;
            if (us < 0.013 && v > us) continue;
            if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= log_mass(k)) return k;
        }
    }

    Number rate_;
    double rate_real_;
};

std::optional<ConjugateForm> poisson_conjugate(const Number& x, Known) {
    const auto k = count_of(x);
    if (!k) return std::nullopt;
    ConjugateForm out{.kernel = ConjugateKernel::gamma, .first = Rational(*k), .second = 1};
    if (*k <= longest_exact_product)
        out.constant = Rational(1) / factorial(*k);
    else
        out.constant.reset();
    out.log_constant = -log_gamma(static_cast<double>(*k) + 1);
    return out;
}

/// Beyond its rate a poisson falls faster than a geometric series.
double poisson_log_tail(const double* p, double k) {
    if (p[0] == 0) return -infinity;
    if (k + 2 <= p[0]) return 0;
    return std::min(0.0, log_poisson_mass(k + 1, p[0]) - std::log1p(-p[0] / (k + 2)));
}

}  // namespace

Result<DistributionPtr> make_poisson(const Number& rate) {
    const auto check = ParameterCheck("poisson").non_negative("rate", rate);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Poisson>(rate));
}

const FamilyInfo poisson_family{
    .name = "poisson",
    .parameters = {{"rate", Role::positive}},
    .support = Support::integers,
    .range = ValueRange::counts,
    .summary = "The number of independent events in an interval; the mean is rate.",
    .example = "mean(poisson(3/2)) == 3/2",
    .make = [](Numbers p, Labels) { return make_poisson(p[0]); },
    .log_density =
        [](double x, const double* p) {
            if (!(p[0] >= 0)) return bad_parameters();
            if (!(x >= 0) || x != std::floor(x)) return outside_support();
            DensityValue out;
            out.value = (x == 0 ? 0 : x * std::log(p[0])) - p[0] - log_gamma(x + 1);
            out.dp[0] = (x == 0 ? 0 : x / p[0]) - 1;
            return out;
        },
    .maximise = [](const WeightedValues& data, const KnownParameters&,
                   std::vector<double>& theta) { theta[0] = std::max(data.mean(), 1e-12); },
    .counted = [](const ExactValues& data, std::size_t, Known, Found) { return quotient(data.total(), data.count()); },
    .conjugate = poisson_conjugate,
    .log_density_term =
        [](const std::vector<Term>& p, const Term& y) {
            return y * make_term(TermOp::ln, {p[0]}) - p[0] - make_term(TermOp::log_gamma, {y + constant_term(1)});
        },
    .log_tail = poisson_log_tail,
};

}  // namespace credence::rt
