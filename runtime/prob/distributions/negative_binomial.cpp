// Negative binomial: failures before the size-th success. The size need not be whole (Pólya): a poisson whose rate is gamma.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

class NegativeBinomial final : public CountDistribution {
public:
    NegativeBinomial(const Number& size, const Number& p)
        : size_(size), p_(p), q_(Number(1) - p), r_(size.real()), p_real_(p.real()), q_real_(q_.real()) {}

    std::string_view name() const override { return "negative_binomial"; }
    std::vector<Parameter> parameters() const override { return {{"size", size_}, {"p", p_}}; }
    Result<Outcome> mean() const override { return Outcome(size_ * q_ / p_); }
    Result<Outcome> variance() const override { return Outcome(size_ * q_ / (p_ * p_)); }
    Result<Outcome> mode() const override {
        return Outcome(size_ <= Number(1) ? Number(0) : first_count_below((size_ - Number(1)) * q_ / p_));
    }
    Result<Number> entropy() const override {
        if (q_.is_zero()) return Number(0);
        const double skewness = (1 + q_real_) / std::sqrt(r_ * q_real_);
        return Number::real(count_entropy_bits(r_ * q_real_ / p_real_, r_ * q_real_ / (p_real_ * p_real_), skewness * skewness, infinity,
                                               [this](double k) { return log_mass(k); }));
    }

protected:
    // As R's dnbinom: r / (r + k) times a binomial mass, without differences of large logarithms
    double log_mass(double k) const override {
        if (k == 0) return r_ * std::log(p_real_);
        return log_binomial_mass(r_, r_ + k, p_real_, q_real_) + std::log(r_ / (r_ + k));
    }
    std::optional<Rational> exact_mass(double k) const override {
        const auto r = size_.is_exact() ? size_.exact().to_int64() : std::nullopt;
        if (!r || !p_.is_exact() || static_cast<double>(*r) + k > largest_exact_sum) return std::nullopt;
        const auto n = static_cast<std::int64_t>(k);
        return choose(n + *r - 1, n) * p_.exact().pow(*r) * q_.exact().pow(n);
    }
    double lower(double k) const override { return beta_lower(r_, k + 1, p_real_, q_real_); }
    double upper(double k) const override { return beta_lower(k + 1, r_, q_real_, p_real_); }
    std::optional<Rational> exact_lower(double) const override { return std::nullopt; }
    double top() const override { return q_.is_zero() ? 0 : infinity; }
    double guess(double p, double q) const override {
        return r_ * q_real_ / p_real_ + normal_quantile(p, q) * std::sqrt(r_ * q_real_) / p_real_;
    }
    double draw(Rng& rng) const override {
        if (q_.is_zero()) return 0;
        const double rate = standard_gamma(r_, rng) * q_real_ / p_real_;
        const Number count = std::get<Number>((*make_poisson(Number::real(rate)))->sample(rng));
        return count.real();
    }

private:
    Number size_;
    Number p_;
    Number q_;
    double r_;
    double p_real_;
    double q_real_;
};

DensityValue negative_binomial_log_density(double x, const double* p) {
    const double r = p[0];
    if (!(r > 0 && p[1] > 0 && p[1] <= 1)) return bad_parameters();
    if (!(x >= 0) || x != std::floor(x)) return outside_support();
    DensityValue out;
    out.value = log_gamma(x + r) - log_gamma(r) - log_gamma(x + 1) + r * std::log(p[1]) + (x == 0 ? 0 : x * std::log1p(-p[1]));
    out.dp[0] = digamma(x + r) - digamma(r) + std::log(p[1]);
    out.dp[1] = r / p[1] - (x == 0 ? 0 : x / (1 - p[1]));
    return out;
}

/// From the moments: mean = r q / p and variance = mean / p. Counts that vary less than a poisson's begin as one.
void start_negative_binomial(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) {
    const double mean = std::max(data.mean(), 1e-3);
    const double variance = data.sum([&](double x) { return (x - mean) * (x - mean); }) / data.total;
    if (!known[0]) theta[0] = known[1] ? mean * theta[1] / (1 - theta[1]) : mean * mean / std::max(variance - mean, 0.05 * mean);
    if (!known[1]) theta[1] = theta[0] / (theta[0] + mean);
}

std::optional<ConjugateForm> negative_binomial_conjugate(const Number& x, Known parameters) {
    const auto k = count_of(x);
    if (!k || !parameters[0]) return std::nullopt;
    ConjugateForm out{.parameter = 1, .first = *parameters[0], .second = Rational(*k), .constant = std::nullopt};
    const double r = parameters[0]->real();
    out.log_constant = log_gamma(static_cast<double>(*k) + r) - log_gamma(r) - log_gamma(static_cast<double>(*k) + 1);
    const auto whole = parameters[0]->is_exact() ? parameters[0]->exact().to_int64() : std::nullopt;
    if (whole && *whole + *k <= longest_exact_product) out.constant = choose(*k + *whole - 1, *k);
    return out;
}

}  // namespace

const FamilyInfo negative_binomial_family{
    .name = "negative_binomial",
    .parameters = {{"size", Role::shape}, {"p", Role::probability}},
    .support = Support::integers,
    .range = ValueRange::counts,
    .summary = "The number of failures before the size-th success. Each trial succeeds with probability p.",
    .example = "mean(negative_binomial(3, 1/4)) == 9",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        auto check = ParameterCheck("negative_binomial").positive("size", p[0]).probability("p", p[1]);
        if (!check.fault()) check.require(p[1].sign() > 0, "p", "be positive", shown(p[1]), "0 < p <= 1");
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<NegativeBinomial>(p[0], p[1]));
    },
    .log_density = negative_binomial_log_density,
    .start = start_negative_binomial,
    .conjugate = negative_binomial_conjugate,
};

}  // namespace credence::rt
