#pragma once
// Quantities of finite variables as part of a measure: they are carried along its elimination (accumulate.hpp), and events about them
// choose among the states at its end.

#include <algorithm>
#include <concepts>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/accumulate.hpp"
#include "runtime/prob/queries/measure.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

/// Multiplies the tables by their common denominators, so that the sums inside run over whole numbers: no common divisor is looked for
/// at each step, only once at the end. A table with many different denominators keeps its fractions, which are shorter.
inline Rational make_whole(Problem<Rational>& problem) {
    constexpr std::size_t most_bits = 64;
    Rational scale = 1;
    for (auto& potential : problem.potentials) {
        Rational common = 1;
        for (const auto& value : potential.values) {
            const Rational own = value.denominator();
            common *= (own / common).numerator();
        }
        if (common == Rational(1) || common.bits() > most_bits) continue;
        for (auto& value : potential.values) value *= common;
        scale *= common;
    }
    return scale;
}
inline LogProb make_whole(Problem<LogProb>&) { return LogProb::one(); }

/// Events that speak of quantities: those that were observed, and those that are asked for.
struct QuantityEvents {
    std::vector<Event> evidence;
    std::vector<Event> targets;
};

/// `Source` is the measure of the variables alone; its problem(scope, side) is all that multiplies to it, with nothing summed out that is
/// in the scope. The first `count` variables are its own, and the quantities come after them.
template <Prob P, class Source>
class CountingMeasure : public Measure<P> {
public:
    CountingMeasure(Source& source, const QuantityEvents& events, const Variables& variables, std::size_t count, Accumulators& states)
        : source_(source), events_(events), variables_(variables), states_(states), count_(count) {
        for (const auto& v : variables) sizes_.push_back(v.variable.is_discrete() ? v.variable.size() : 0);
    }

    void weigh(Potential<P> weights) override {
        if (std::all_of(weights.variables.begin(), weights.variables.end(), [&](Slot slot) { return slot < count_; }))
            source_.weigh(std::move(weights));
        else
            weights_.push_back(std::move(weights));
    }

    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override {
        std::vector<const Event*> events;
        for (const auto& event : events_.evidence) events.push_back(&event);
        if (side == Side::all)
            for (const auto& event : events_.targets) events.push_back(&event);
        const bool plain = std::all_of(keep.begin(), keep.end(), [&](Slot slot) { return slot < count_; });
        if (plain && events.empty() && weights_.empty()) return source_.marginal(keep, side, work);

        std::vector<Slot> axes;  // of the source, kept to the end
        const auto add = [&](std::span<const Slot> slots, std::vector<Slot>& to) {
            for (const auto slot : slots)
                if (slot < count_ && !contains(to, slot)) to.push_back(slot);
        };
        add(keep, axes);
        for (const auto* event : events)
            for (const auto id : rt::variables_of(*event)) add(std::vector{static_cast<Slot>(index(id))}, axes);
        for (const auto& w : weights_) add(w.variables, axes);
        std::vector<Slot> scope = axes;
        for (const auto& contribution : states_.contributions()) add(contribution.scope, scope);
        Result<Problem<P>> made = source_.problem(scope, side);
        auto problem = TRY(std::move(made));
        const P scale = make_whole(problem);
        values_.clear();  // the states may be others from now on
        auto joint = TRY(accumulate<P>(problem, states_, axes, work));
        return gathered(joint, axes, keep, events, scale, work);
    }

private:
    /// The values of the quantities in a state, and where they are in their domains (of those that have one); computed when first needed.
    struct Values {
        std::vector<Label> labels;
        std::vector<std::size_t> places;
    };
    Result<const Values*> values(StateId state) {
        if (state == Accumulators::broken) return states_.fault();
        const auto found = values_.find(state);
        if (found != values_.end()) return &found->second;
        auto labels = TRY(states_.values(state));
        Values out{std::move(labels), {}};
        for (std::size_t k = 0; k < out.labels.size(); ++k) {
            const auto& domain = variables_[count_ + k].variable.domain;
            out.places.push_back(domain ? *domain->find(label_in(*domain, out.labels[k])) : 0);
        }
        return &values_.emplace(state, std::move(out)).first->second;
    }

    Result<Potential<P>> gathered(const std::vector<Series<P>>& joint, std::span<const Slot> axes, std::span<const Slot> keep,
                                  std::span<const Event* const> events, const P& scale, Work& work) {
        Potential<P> out{{keep.begin(), keep.end()}, {}};
        std::vector<Total<P>> totals(static_cast<std::size_t>(table_size(keep, sizes_)));
        std::vector<std::size_t> value(sizes_.size(), 0);
        const auto entry = [&](std::span<const Slot> slots) {
            std::size_t at = 0;
            for (const auto slot : slots) at = at * sizes_[slot] + value[slot];
            return at;
        };
        for (std::size_t i = 0; i < joint.size(); ++i) {
            std::size_t rest = i;
            for (std::size_t a = axes.size(); a-- > 0; rest /= sizes_[axes[a]]) value[axes[a]] = rest % sizes_[axes[a]];
            for (const auto& [state, weight] : joint[i].terms) {
                const auto here = TRY(values(state));
                for (std::size_t k = 0; k < here->places.size(); ++k) value[count_ + k] = here->places[k];
                const auto label = [&](VarId id) -> const Label& {
                    const std::size_t slot = index(id);
                    return slot < count_ ? (*variables_[slot].variable.domain)[value[slot]] : here->labels[slot - count_];
                };
                if (!std::all_of(events.begin(), events.end(), [&](const Event* event) { return holds_with(*event, label); })) continue;
                P share = weight;
                for (const auto& w : weights_) share *= w.values[entry(w.variables)];
                totals[entry(keep)].add(share);
            }
        }
        if (auto fault = work.interrupted()) return *std::move(fault);
        for (const auto& total : totals) out.values.push_back(total.get() / scale);
        return out;
    }

    Source& source_;
    const QuantityEvents& events_;
    const Variables& variables_;
    Accumulators& states_;
    std::size_t count_;  // variables of the source
    Sizes sizes_;
    std::vector<Potential<P>> weights_;  // of soft evidence about quantities
    std::unordered_map<StateId, Values> values_;
};

}  // namespace credence::rt
