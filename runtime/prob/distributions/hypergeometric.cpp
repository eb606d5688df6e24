// Hypergeometric: successes among draws without replacement, from so many successes and failures. Parameters in R's order.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

constexpr double most_items = 1e9;

double log_hypergeometric_mass(double k, double m, double n, double draws) {
    if (k < 0 || k > m || draws - k < 0 || draws - k > n) return -infinity;
    // As R's dhyper: with the same p, three binomial masses whose large parts cancel
    const double all = m + n;
    if (draws == 0 || all == 0) return 0;
    const double p = draws / all;
    const double q = (all - draws) / all;
    return log_binomial_mass(k, m, p, q) + log_binomial_mass(draws - k, n, p, q) - log_binomial_mass(draws, all, p, q);
}

class Hypergeometric final : public CountDistribution {
public:
    Hypergeometric(const Number& successes, const Number& failures, const Number& draws)
        : successes_(successes), failures_(failures), draws_(draws), m_(successes.real()), n_(failures.real()), k_(draws.real()) {}

    std::string_view name() const override { return "hypergeometric"; }
    std::vector<Parameter> parameters() const override { return {{"successes", successes_}, {"failures", failures_}, {"draws", draws_}}; }
    Result<Outcome> mean() const override { return Outcome(all().is_zero() ? Number(0) : draws_ * successes_ / all()); }
    Result<Outcome> variance() const override {
        if (all() <= Number(1)) return Outcome(Number(0));
        return Outcome(draws_ * successes_ * failures_ * (all() - draws_) / (all() * all() * (all() - Number(1))));
    }
    Result<Outcome> mode() const override {
        const Number one(1);
        const Number best = first_count_below((successes_ + one) * (draws_ + one) / (all() + Number(2)));
        return Outcome(best.real() < bottom() ? whole(bottom()) : best);
    }
    Result<Number> entropy() const override {
        CompensatedSum nats;
        const auto add = [&](double k) {
            const double log = log_mass(k);
            if (log > -infinity) nats.add(-log * std::exp(log));
            return log > negligible;
        };
        for (double k = middle(); k >= bottom() && add(k); --k) continue;
        for (double k = middle() + 1; k <= top() && add(k); ++k) continue;
        return Number::real(nats.value() * nats_to_bits);
    }

protected:
    double log_mass(double k) const override { return log_hypergeometric_mass(k, m_, n_, k_); }
    std::optional<Rational> exact_mass(double k) const override {
        if (m_ + n_ > static_cast<double>(longest_exact_product)) return std::nullopt;
        const auto at = static_cast<std::int64_t>(k);
        const auto m = static_cast<std::int64_t>(m_);
        const auto n = static_cast<std::int64_t>(n_);
        const auto draws = static_cast<std::int64_t>(k_);
        return choose(m, at) * choose(n, draws - at) / choose(m + n, draws);
    }
    double lower(double k) const override {
        if (k < bottom()) return 0;
        if (k >= top()) return 1;
        return k < middle() ? down_from(k) : 1 - up_from(k + 1);
    }
    double upper(double k) const override {
        if (k < bottom()) return 1;
        if (k >= top()) return 0;
        return k < middle() ? 1 - down_from(k) : up_from(k + 1);
    }
    std::optional<Rational> exact_lower(double k) const override {
        Rational sum;
        for (double i = bottom(); i <= k; ++i) {
            const auto mass = exact_mass(i);
            if (!mass) return std::nullopt;
            sum += *mass;
        }
        return sum;
    }
    double top() const override { return std::min(m_, k_); }
    double guess(double, double) const override { return m_ + n_ == 0 ? 0 : k_ * m_ / (m_ + n_); }
    /// One item after the other.
    double draw(Rng& rng) const override {
        double good = m_;
        double all = m_ + n_;
        double hits = 0;
        for (double i = 0; i < k_; ++i, --all)
            if (rng.uniform() * all < good) {
                --good;
                ++hits;
            }
        return hits;
    }

private:
    static constexpr double negligible = -800;  ///< a mass of e^-800 is 0
    Number all() const { return successes_ + failures_; }
    double bottom() const { return std::max(0.0, k_ - n_); }
    double middle() const { return std::floor((m_ + 1) * (k_ + 1) / (m_ + n_ + 2)); }  ///< the mode: masses fall on both sides

    /// Sums of masses away from the middle, each from the one before it, until they change nothing.
    double down_from(double k) const {
        double ratio = 1;
        CompensatedSum sum;
        for (double i = k; i >= bottom() && ratio > sum.value() * 1e-18; --i) {
            sum.add(ratio);
            ratio *= i * (n_ - k_ + i) / ((m_ - i + 1) * (k_ - i + 1));
        }
        return std::min(1.0, sum.value() * std::exp(log_mass(k)));
    }
    double up_from(double k) const {
        double ratio = 1;
        CompensatedSum sum;
        for (double i = k; i <= top() && ratio > sum.value() * 1e-18; ++i) {
            sum.add(ratio);
            ratio *= (m_ - i) * (k_ - i) / ((i + 1) * (n_ - k_ + i + 1));
        }
        return std::min(1.0, sum.value() * std::exp(log_mass(k)));
    }

    Number successes_;
    Number failures_;
    Number draws_;
    double m_;
    double n_;
    double k_;
};

DensityValue hypergeometric_log_density(double x, const double* p) {
    for (std::size_t i = 0; i < 3; ++i)
        if (!(p[i] >= 0) || p[i] != std::floor(p[i])) return bad_parameters();
    if (p[2] > p[0] + p[1]) return bad_parameters();
    if (!(x >= 0) || x != std::floor(x)) return outside_support();
    return {log_hypergeometric_mass(x, p[0], p[1], p[2]), 0, {}};
}

}  // namespace

const FamilyInfo hypergeometric_family{
    .name = "hypergeometric",
    .parameters = {{"successes"}, {"failures"}, {"draws"}},
    .support = Support::integers,
    .range = ValueRange::counts,
    .summary = "The number of successes among draws without replacement from a population of successes and failures.",
    .example = "mean(hypergeometric(5, 45, 10)) == 1",
    .make = [](Numbers p, Labels) -> Result<DistributionPtr> {
        ParameterCheck check("hypergeometric");
        const std::string_view names[] = {"successes", "failures", "draws"};
        for (std::size_t i = 0; i < 3 && !check.fault(); ++i) {
            check.finite(names[i], p[i]);
            const double x = p[i].real();
            if (!check.fault())
                check.require(x >= 0 && x == std::floor(x) && x <= most_items, names[i], "be a whole number from 0 to 10^9", shown(p[i]),
                              "0, 1, 2, …");
        }
        if (!check.fault())
            check.require(p[2] <= p[0] + p[1], "draws", "be no more than successes + failures", shown(p[2]), "without replacement");
        if (check.fault()) return *check.fault();
        return DistributionPtr(std::make_shared<Hypergeometric>(p[0], p[1], p[2]));
    },
    .log_density = hypergeometric_log_density,
    .top = 2,
};

}  // namespace credence::rt
