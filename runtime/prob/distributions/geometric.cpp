// Geometric: failures before the first success, 0, 1, 2 … Exact up to 10,000 failures.

#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

constexpr double most_exact_failures = 10'000;

class Geometric final : public CountDistribution {
public:
    explicit Geometric(const Number& p)
        : p_(p), q_(Number(1) - p), p_real_(p_.real()), log_p_(p_.log()), log_q_(p_real_ < 0.5 ? std::log1p(-p_real_) : q_.log()) {}

    std::string_view name() const override { return "geometric"; }
    std::vector<Parameter> parameters() const override { return {{"p", p_}}; }
    Result<Outcome> mode() const override { return Outcome(Number(0)); }
    Result<Outcome> mean() const override { return Outcome(q_ / p_); }
    Result<Outcome> variance() const override { return Outcome(q_ / (p_ * p_)); }
    Result<Number> entropy() const override {
        const double by_failure = q_.is_zero() ? 0 : -q_.real() * log_q_;
        return Number::real((by_failure / p_real_ - log_p_) * nats_to_bits);
    }

protected:
    double log_mass(double k) const override { return k == 0 ? log_p_ : log_p_ + k * log_q_; }
    std::optional<Rational> exact_mass(double k) const override {
        if (!is_exact(k)) return std::nullopt;
        return p_.exact() * q_.exact().pow(static_cast<std::int64_t>(k));
    }
    double lower(double k) const override { return -std::expm1((k + 1) * log_q_); }
    double upper(double k) const override { return std::exp((k + 1) * log_q_); }
    std::optional<Rational> exact_lower(double k) const override {
        if (!is_exact(k)) return std::nullopt;
        return Rational(1) - q_.exact().pow(static_cast<std::int64_t>(k) + 1);
    }
    double top() const override { return q_.is_zero() ? 0 : infinity; }
    double guess(double p, double q) const override { return failures(p, q); }
    double draw(Rng& rng) const override {
        const double u = rng.uniform();
        return std::floor(failures(u, 1 - u));
    }

private:
    bool is_exact(double k) const {
        return p_.is_exact() && k <= most_exact_failures &&
               (k + 1) * static_cast<double>(p_.exact().bits()) <= static_cast<double>(exact_bits_limit);
    }
    /// ln q / ln(1 − p): its floor is the quantile but for ties.
    double failures(double p, double q) const { return q_.is_zero() ? 0 : (p < 0.5 ? std::log1p(-p) : std::log(q)) / log_q_; }

    Number p_;
    Number q_;
    double p_real_;
    double log_p_;
    double log_q_;
};

}  // namespace

Result<DistributionPtr> make_geometric(const Number& p) {
    auto check = ParameterCheck("geometric").probability("p", p);
    if (!check.fault()) check.require(p.real() > 0, "p", "be positive", shown(p), "0 < p <= 1");
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Geometric>(p));
}

const FamilyInfo geometric_family{
    .name = "geometric",
    .parameters = {{"p", Role::probability}},
    .support = Support::integers,
    .range = ValueRange::counts,
    .summary = "The number of failures before the first success: 0, 1, 2, …",
    .example = "pdf(geometric(1/3), 2) == 4/27",
    .make = [](Numbers p, Labels) { return make_geometric(p[0]); },
    .log_density =
        [](double x, const double* p) {
            if (!(p[0] > 0 && p[0] <= 1)) return bad_parameters();
            if (!(x >= 0) || x != std::floor(x)) return outside_support();
            DensityValue out;
            out.value = std::log(p[0]) + (x == 0 ? 0 : x * std::log1p(-p[0]));
            out.dp[0] = 1 / p[0] - (x == 0 ? 0 : x / (1 - p[0]));
            return out;
        },
    .maximise = [](const WeightedValues& data, const KnownParameters&, std::vector<double>& theta) { theta[0] = 1 / (1 + data.mean()); },
    .counted = [](const ExactValues& data, std::size_t, Known, Found) -> std::optional<Rational> {
        const auto mean = quotient(data.total(), data.count());
        return mean ? std::optional(Rational(1) / (Rational(1) + *mean)) : std::nullopt;
    },
    .conjugate = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        if (!count_of(x)) return std::nullopt;
        return ConjugateForm{.first = 1, .second = Rational(*count_of(x))};
    },
    .conjugate_above = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        if (!count_of(x)) return std::nullopt;
        return ConjugateForm{.first = 0, .second = Rational(*count_of(x) + 1)};
    },
    .log_tail = [](const double* p, double k) { return (k + 1) * std::log1p(-p[0]); },
};

}  // namespace credence::rt
