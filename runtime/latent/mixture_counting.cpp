#include "runtime/latent/mixture_counting.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/prob/training_methods.hpp"

namespace credence::rt {

namespace {

/// The sums over one component's rows that its parameters are quotients of.
class ComponentSums {
public:
    ComponentSums(const MixtureData& data, std::size_t component, std::size_t most_bits)
        : data_(&data), component_(static_cast<std::int32_t>(component)), most_bits_(most_bits) {}

    /// Σ w f(i) over the values seen with it; nothing where the fractions grow too long.
    template <class F>
    std::optional<Rational> sum(F f) const {
        Rational out;
        for (std::size_t i = 0; i < data_->values.size(); ++i) {
            if (data_->known[i] != component_) continue;
            out += Rational::from_decimal(data_->weights[i]) * f(i);
            if (out.bits() > most_bits_) return std::nullopt;
        }
        return out;
    }
    /// The value of a row that equals this one.
    std::optional<Rational> value(double x) const {
        const auto at = std::find(data_->values.begin(), data_->values.end(), x);
        if (at == data_->values.end()) return std::nullopt;
        return data_->exact[static_cast<std::size_t>(at - data_->values.begin())];
    }

private:
    const MixtureData* data_;
    std::int32_t component_;
    std::size_t most_bits_;
};

/// The i-th parameter where the family has a rational formula for it. `found` are the parameters as doubles.
std::optional<Rational> counted(const MixturePart& part, std::size_t p, const MixtureData& data, const ComponentSums& of,
                                const std::vector<double>& found, const Rational& m) {
    const auto n = of.sum([](std::size_t) { return Rational(1); });
    if (!n || n->is_zero()) return std::nullopt;
    const std::string_view name = part.family->name;
    if (name == "bernoulli") {
        const auto yes = data.domain->find(Label::of_bool(true));
        const auto successes = of.sum([&](std::size_t i) { return Rational(yes && data.values[i] == static_cast<double>(*yes) ? 1 : 0); });
        return successes ? std::optional((*successes + m / Rational(2)) / (*n + m)) : std::nullopt;
    }
    if (data.exact.empty()) return std::nullopt;
    if (name == "uniform" || (name == "laplace" && p == 0)) return of.value(found[p]);
    if (name == "laplace") {
        const auto middle = part.parameters[0]
                                ? (part.parameters[0]->is_exact() ? std::optional(part.parameters[0]->exact()) : std::nullopt)
                                : of.value(found[0]);
        if (!middle) return std::nullopt;
        const auto away = of.sum([&](std::size_t i) {
            const Rational d = data.exact[i] - *middle;
            return d.sign() < 0 ? -d : d;
        });
        return away ? std::optional(*away / *n) : std::nullopt;
    }
    const bool mean_like = name == "poisson" || (name == "normal" && p == 0);
    if (!mean_like && name != "binomial" && name != "geometric" && name != "exponential") return std::nullopt;
    const auto total = of.sum([&](std::size_t i) { return data.exact[i]; });
    if (!total) return std::nullopt;
    if (mean_like) return *total / *n;
    if (name == "geometric") return *n / (*n + *total);
    if (name == "exponential") return total->is_zero() ? std::nullopt : std::optional(*n / *total);
    if (!part.parameters[0]->is_exact()) return std::nullopt;
    return *total / (*n * part.parameters[0]->exact());
}

/// A formula at the edge of its range (a rate of 0) gives way to what the bounds made of it.
bool agrees(const Rational& exact, double found) { return std::abs(exact.to_double() - found) <= 1e-9 * (1 + std::abs(found)); }

}  // namespace

MixtureNumbers counted_numbers(const Mixture& mixture, const MixtureData& data, const MixtureParameters& found, const Rational& m,
                               const Run& run) {
    MixtureNumbers out = numbers_of(found);
    std::vector<Rational> counts;
    Number open = 1;
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        const ComponentSums of(data, j, run.limits.exact_bits);
        const auto& part = mixture.parts[j];
        if (mixture.weights[j])
            open = open - *mixture.weights[j];
        else
            counts.push_back(of.sum([](std::size_t) { return Rational(1); }).value_or(Rational()));
        if (part.shares_hole) {
            std::vector<Rational> shares;
            for (std::size_t c = 0; c < data.domain->size(); ++c)
                shares.push_back(
                    of.sum([&](std::size_t i) { return Rational(data.values[i] == static_cast<double>(c) ? 1 : 0); }).value_or(Rational()));
            shares = m_estimates(shares, m);
            for (std::size_t c = 0; c < shares.size(); ++c)
                if (!m.is_zero() || agrees(shares[c], found.theta[j][c])) out.theta[j][c] = shares[c];
            continue;
        }
        for (std::size_t p = 0; part.has_holes() && p < part.parameters.size(); ++p) {
            if (part.parameters[p]) continue;
            const auto exact = counted(part, p, data, of, found.theta[j], m);
            const bool smoothed = !m.is_zero() && part.family->name == "bernoulli";
            if (exact && (smoothed || agrees(*exact, found.theta[j][p]))) out.theta[j][p] = *exact;
        }
    }
    const auto shares = m_estimates(counts, m);
    std::size_t next = 0;
    for (std::size_t j = 0; j < mixture.parts.size(); ++j)
        if (!mixture.weights[j]) out.weights[j] = open * Number(shares[next++]);
    return out;
}

}  // namespace credence::rt
