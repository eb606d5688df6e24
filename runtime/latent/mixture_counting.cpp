#include "runtime/latent/mixture_counting.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

namespace {

/// The sums over one component's rows that its parameters are quotients of.
class ComponentSums {
public:
    ComponentSums(const MixtureData& data, std::size_t component, std::size_t most_bits)
        : data_(&data), component_(static_cast<std::int32_t>(component)), most_bits_(most_bits) {}

    /// Σ w f(i) over the values seen with it; nothing if the fractions grow too long.
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
    /// The values seen with it; truth is 1.
    ExactValues values() const {
        ExactValues out;
        out.most_bits = most_bits_;
        const auto yes = data_->domain ? data_->domain->find(Label::of_bool(true)) : std::nullopt;
        for (std::size_t i = 0; i < data_->values.size(); ++i) {
            if (data_->known[i] != component_) continue;
            out.weights.push_back(Rational::from_decimal(data_->weights[i]));
            const bool truth = yes && data_->values[i] == static_cast<double>(*yes);
            out.values.push_back(data_->domain ? Rational(truth ? 1 : 0) : data_->exact[i]);
        }
        return out;
    }

private:
    const MixtureData* data_;
    std::int32_t component_;
    std::size_t most_bits_;
};

/// The i-th parameter where the family has a rational formula for it. `found` are the parameters as doubles. A share of labels is smoothed
/// by m observations that were half and half.
std::optional<Rational> counted_parameter(const MixturePart& part, std::size_t p, const MixtureData& data, const ComponentSums& of,
                                          const std::vector<double>& found, const Rational& m) {
    if (!part.family->counted || (!data.domain && data.exact.empty())) return std::nullopt;
    ExactValues values = of.values();
    if (values.values.empty()) return std::nullopt;
    if (data.domain && !m.is_zero()) {
        values.values.emplace_back(1, 2);
        values.weights.push_back(m);
    }
    return part.family->counted(values, p, part.parameters, found);
}

/// A formula at the edge of its range (a rate of 0) is replaced by the value within the bounds.
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
            const auto exact = counted_parameter(part, p, data, of, found.theta[j], m);
            const bool smoothed = !m.is_zero() && data.domain;
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
