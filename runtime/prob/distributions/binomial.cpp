// Binomial: successes in n independent trials. Exact up to 1000 trials.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

constexpr double most_trials = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
constexpr double most_exact_trials = 1000;
constexpr double most_listed_trials = 100'000;

class Binomial final : public CountDistribution {
public:
    Binomial(const Number& n, const Number& p)
        : trials_(whole(n.real())),
          p_(p),
          q_(Number(1) - p),
          n_(n.real()),
          p_real_(p_.real()),
          q_real_(q_.real()),
          exact_(p.is_exact() && n_ <= most_exact_trials &&
                 n_ * static_cast<double>(p.exact().bits()) <= static_cast<double>(exact_bits_limit)) {}

    std::string_view name() const override { return "binomial"; }
    std::vector<Parameter> parameters() const override { return {{"n", trials_}, {"p", p_}}; }
    DomainPtr finite_values() const override {
        if (n_ > most_listed_trials) return nullptr;
        std::vector<Label> labels;
        for (std::int64_t k = 0; k <= static_cast<std::int64_t>(n_); ++k) labels.push_back(Label::of_number(Rational(k)));
        return make_domain(std::move(labels));
    }
    Result<Outcome> mode() const override { return Outcome(p_ == Number(1) ? trials_ : first_count_below((trials_ + Number(1)) * p_)); }
    Result<Outcome> mean() const override { return Outcome(trials_ * p_); }
    Result<Outcome> variance() const override { return Outcome(trials_ * p_ * q_); }
    Result<Number> entropy() const override {
        const double variance = n_ * p_real_ * q_real_;
        const double lean = q_real_ - p_real_;
        return Number::real(
            count_entropy_bits(n_ * p_real_, variance, lean * lean / variance, n_, [this](double k) { return log_mass(k); }));
    }

protected:
    double log_mass(double k) const override { return log_binomial_mass(k, n_, p_real_, q_real_); }
    std::optional<Rational> exact_mass(double k) const override {
        if (!exact_) return std::nullopt;
        return exact_binomial_mass(static_cast<std::int64_t>(n_), p_.exact(), static_cast<std::int64_t>(k));
    }
    // P(X ≤ k) = I_q(n − k, k + 1), Abramowitz & Stegun 26.5.24
    double lower(double k) const override { return beta_lower(n_ - k, k + 1, q_real_, p_real_); }
    double upper(double k) const override { return beta_lower(k + 1, n_ - k, p_real_, q_real_); }
    std::optional<Rational> exact_lower(double k) const override {
        if (!exact_) return std::nullopt;
        return exact_binomial_lower(static_cast<std::int64_t>(n_), p_.exact(), static_cast<std::int64_t>(k));
    }
    double top() const override { return p_real_ == 0 ? 0 : n_; }
    double guess(double p, double q) const override { return n_ * p_real_ + normal_quantile(p, q) * std::sqrt(n_ * p_real_ * q_real_); }
    double draw(Rng& rng) const override {
        const bool flipped = p_real_ > 0.5;
        const double p = flipped ? q_real_ : p_real_;
        const double k = n_ * p < 10 ? draw_by_inversion(rng, p) : draw_by_rejection(rng, p);
        return flipped ? n_ - k : k;
    }

private:
    /// Walks up the masses from 0; the first, q^n, is at least e^−14 here.
    double draw_by_inversion(Rng& rng, double p) const {
        const double odds = p / (1 - p);
        double mass = std::exp(n_ * std::log1p(-p));
        double left = rng.uniform();
        double k = 0;
        while (left >= mass && k < n_ && mass > 0) {
            left -= mass;
            mass *= odds * (n_ - k) / (k + 1);
            ++k;
        }
        return k;
    }

    /// BTRS: Hörmann, "The generation of binomial random variates" (1993). p ≤ ½, n p ≥ 10.
    double draw_by_rejection(Rng& rng, double p) const {
        const double q = 1 - p;
        const double spread = std::sqrt(n_ * p * q);
        const double b = 1.15 + 2.53 * spread;
        const double a = -0.0873 + 0.0248 * b + 0.01 * p;
        const double c = n_ * p + 0.5;
        const double v_r = 0.92 - 4.2 / b;
        const double alpha = (2.83 + 5.1 / b) * spread;
        const double log_mode_mass = log_binomial_mass(std::floor((n_ + 1) * p), n_, p, q);
        while (true) {
            const double u = rng.uniform() - 0.5;
            const double v = 1 - rng.uniform();
            const double us = 0.5 - std::abs(u);
            const double k = std::floor((2 * a / us + b) * u + c);
            if (!(k >= 0 && k <= n_)) continue;
            if (us >= 0.07 && v <= v_r) return k;
            if (std::log(v * alpha / (a / (us * us) + b)) <= log_binomial_mass(k, n_, p, q) - log_mode_mass) return k;
        }
    }

    Number trials_;
    Number p_;
    Number q_;
    double n_;
    double p_real_;
    double q_real_;
    bool exact_;
};

DensityValue binomial_log_density(double x, const double* p) {
    DensityValue out;
    const double n = p[0];
    if (!(n >= 0) || n != std::floor(n)) return bad_parameters();
    if (!(x >= 0 && x <= n) || x != std::floor(x)) return outside_support();
    const auto inner = trials_log_density(x, n, p[1]);
    out.value = inner.value + log_gamma(n + 1) - log_gamma(x + 1) - log_gamma(n - x + 1);
    out.dp[1] = inner.dp[0];
    return out;
}

std::optional<ConjugateForm> binomial_conjugate(const Number& x, Known parameters) {
    const auto hits = count_of(x);
    const auto trials = parameters[0] && parameters[0]->is_exact() ? parameters[0]->exact().to_int64() : std::nullopt;
    if (!trials || !hits || *hits > *trials) return std::nullopt;
    ConjugateForm out{.parameter = 1, .first = Rational(*hits), .second = Rational(*trials - *hits)};
    const auto n = static_cast<double>(*trials);
    const auto k = static_cast<double>(*hits);
    if (*trials <= longest_exact_product)
        out.constant = choose(*trials, *hits);
    else
        out.constant.reset();
    out.log_constant = log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
    return out;
}

}  // namespace

Result<DistributionPtr> make_binomial(const Number& n, const Number& p) {
    ParameterCheck check("binomial");
    check.finite("n", n);
    const double trials = n.real();
    const bool is_whole = n.is_exact() ? n.exact().is_integer() : trials == std::floor(trials);
    if (!check.fault())
        check.require(is_whole && trials >= 0 && trials <= most_trials, "n", "be a whole number from 0 to 2^53", shown(n),
                      "n = 0, 1, 2, …");
    check.probability("p", p);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Binomial>(n, p));
}

const FamilyInfo binomial_family{
    .name = "binomial",
    .parameters = {{"n"}, {"p", Role::probability}},
    .support = Support::integers,
    .range = ValueRange::counts,
    .summary = "The number of successes in n independent trials.",
    .example = "pdf(binomial(3, 1/2), 2) == 3/8",
    .make = [](Numbers p, Labels) { return make_binomial(p[0], p[1]); },
    .log_density = binomial_log_density,
    .maximise = [](const WeightedValues& data, const KnownParameters&,
                   std::vector<double>& theta) { theta[1] = std::min(1.0, data.mean() / theta[0]); },
    .counted = [](const ExactValues& data, std::size_t, Known parameters, Found) -> std::optional<Rational> {
        const auto mean = quotient(data.total(), data.count());
        if (!mean || !parameters[0]->is_exact() || parameters[0]->is_zero()) return std::nullopt;
        return *mean / parameters[0]->exact();
    },
    .conjugate = binomial_conjugate,
    .top = 0,
};

}  // namespace credence::rt
