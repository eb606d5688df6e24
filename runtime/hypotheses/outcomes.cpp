#include "runtime/hypotheses/outcomes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/hypotheses/grid.hpp"
#include "runtime/prob/factors/power.hpp"

namespace credence::rt {

namespace {

template <Prob P>
Result<P> as_prob(const Number& number, Work& work) {
    if constexpr (std::same_as<P, Rational>) {
        if (!number.is_exact()) {
            work.give_up_exactness();
            return *work.interrupted();
        }
    }
    return prob_of<P>(number);
}

template <Prob P>
Result<P> weight_of(const Distribution& distribution, const Label& value, Work& work) {
    if (!value.is_number() && distribution.support() != Support::labels) return P();  // a word is outside the support of numbers
    const Outcome outcome = outcome_value(distribution, value);
    if constexpr (std::same_as<P, LogProb>) {
        const double log = distribution.log_pdf(outcome);
        if (!(log < std::numeric_limits<double>::infinity())) {
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("the density of {} at {} is not finite", distribution.name(), value.text()),
                         .hint = "leave this observation or this hypothesis out"};
        }
        return LogProb::of_log(log);
    } else {
        const auto number = TRY(distribution.pdf(outcome));
        return as_prob<P>(number, work);
    }
}

/// In order, each once. (Pointers are sorted: moving the numbers themselves draws a false warning from g++ 12.)
std::vector<Number> ascending(std::span<const Number> numbers) {
    std::vector<const Number*> order;
    for (const auto& n : numbers) order.push_back(&n);
    std::sort(order.begin(), order.end(), [](const Number* a, const Number* b) { return *a < *b; });
    std::vector<Number> out;
    for (const auto* n : order)
        if (out.empty() || out.back() != *n) out.push_back(*n);
    return out;
}

/// P(Y < b) for whole numbers is P(Y ≤ the whole number below b); for real ones it is P(Y ≤ b).
Number just_below(const Distribution& distribution, const Number& b) {
    if (distribution.support() != Support::integers) return b;
    if (!b.is_exact()) return Number::real(std::ceil(b.real()) - 1);
    return b.exact().is_integer() ? b.exact() - Rational(1) : b.exact().floor();
}

}  // namespace

Outcome outcome_value(const Distribution& distribution, const Label& value) {
    if (distribution.support() == Support::labels || !value.is_number()) return value;
    return *value.number();
}

template <Prob P>
Result<P> outcome_weight(const HypothesisSpace& space, std::size_t hypothesis, std::span<const Label> inputs, const Label& value,
                         Work& work) {
    if (!space.table.empty()) {
        const auto at = space.outcome.domain->find(value);
        if (!at) return P();
        return as_prob<P>(space.table[hypothesis * space.outcome.size() + *at], work);
    }
    const auto distribution = TRY(space.outcome_of(hypothesis, inputs));
    return weight_of<P>(*distribution, value, work);
}

template <Prob P>
Result<std::vector<P>> likelihoods(const HypothesisSpace& space, std::span<const ObservationGroup> groups, Work& work) {
    std::vector<P> out(space.prior.size(), one<P>());
    std::optional<std::vector<double>> on_grid;
    if constexpr (std::same_as<P, LogProb>)
        if (space.table.empty()) on_grid = grid_log_likelihoods(space, groups);
    for (std::size_t h = 0; h < out.size(); ++h) {
        if constexpr (std::same_as<P, LogProb>) {
            if (on_grid && !std::isnan((*on_grid)[h])) {
                out[h] = LogProb::of_log((*on_grid)[h]);
                continue;
            }
        }
        DistributionPtr distribution;
        const std::vector<Label>* inputs = nullptr;
        for (const auto& group : groups) {
            Result<P> weight = P();
            if (!space.table.empty()) {
                weight = outcome_weight<P>(space, h, group.inputs, group.value, work);
            } else {
                if (inputs == nullptr || *inputs != group.inputs) {  // groups of the same inputs follow each other
                    distribution = TRY(space.outcome_of(h, group.inputs));
                    inputs = &group.inputs;
                }
                weight = weight_of<P>(*distribution, group.value, work);
            }
            if (!weight) return std::move(weight).fault();
            out[h] *= power(*weight, group.count, work);
            work.count(out[h]);
            if (auto fault = work.interrupted()) return *std::move(fault);
            if (out[h].is_zero()) break;
        }
    }
    return out;
}

template <Prob P>
Result<P> event_weight(const Distribution& distribution, std::span<const Number> numbers, const std::function<bool(const Label&)>& holds_at,
                       Work& work) {
    const auto named = ascending(numbers);
    const auto holds_for = [&](const Number& x) { return holds_at(Label::of_number(x)); };
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < named.size(); ++i)
        if (holds_for(named[i])) points.push_back(i);
    // interval i lies below named[i]; the last one above them all
    std::vector<std::size_t> intervals;
    for (std::size_t i = 0; i <= named.size(); ++i) {
        const Number inside = named.empty()       ? Number(0)
                              : i == 0            ? named[0] - Number(1)
                              : i == named.size() ? named[i - 1] + Number(1)
                                                  : (named[i - 1] + named[i]) / Number(2);
        if (holds_for(inside)) intervals.push_back(i);
    }
    if (intervals.size() == named.size() + 1 && points.size() == named.size()) return one<P>();
    Total<P> total;
    const bool counts = distribution.support() == Support::integers;
    if (counts || (intervals.empty() && points.size() == 1)) {  // a density is that of one point: several add up to no probability
        for (const auto i : points) {
            const auto weight = TRY(weight_of<P>(distribution, Label::of_number(named[i]), work));
            total.add(weight);
        }
    }
    for (const auto i : intervals) {
        std::optional<Number> high;
        if (i < named.size()) high = just_below(distribution, named[i]);
        const auto mass = TRY(mass_between(distribution, i > 0 ? &named[i - 1] : nullptr, high ? &*high : nullptr));
        const auto part = TRY(as_prob<P>(mass, work));
        if (mass.sign() > 0) total.add(part);
    }
    return total.get();
}

template Result<Rational> outcome_weight(const HypothesisSpace&, std::size_t, std::span<const Label>, const Label&, Work&);
template Result<LogProb> outcome_weight(const HypothesisSpace&, std::size_t, std::span<const Label>, const Label&, Work&);
template Result<std::vector<Rational>> likelihoods(const HypothesisSpace&, std::span<const ObservationGroup>, Work&);
template Result<std::vector<LogProb>> likelihoods(const HypothesisSpace&, std::span<const ObservationGroup>, Work&);
template Result<Rational> event_weight(const Distribution&, std::span<const Number>, const std::function<bool(const Label&)>&, Work&);
template Result<LogProb> event_weight(const Distribution&, std::span<const Number>, const std::function<bool(const Label&)>&, Work&);

}  // namespace credence::rt
