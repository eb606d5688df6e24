#include "runtime/hypotheses/measure.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/core/contains.hpp"
#include "runtime/prob/factors/power.hpp"

namespace credence::rt {

namespace {

std::vector<Slot> parameter_slots(const HypothesesCase& c) {
    std::vector<Slot> out(c.layout.parameters);
    std::iota(out.begin(), out.end(), Slot{0});
    return out;
}

std::vector<Label> labels_of(const HypothesesCase& c, std::size_t hypothesis) {
    std::vector<Label> out(c.layout.parameters);
    for (std::size_t p = out.size(); p-- > 0;) {
        out[p] = (*c.space->parameters[p].domain)[hypothesis % c.sizes[p]];
        hypothesis /= c.sizes[p];
    }
    return out;
}

void collect_numbers(const Event& event, const CaseLayout& layout, std::vector<Number>& out) {
    if (event.kind == Event::Kind::atom && layout.is_outcome(static_cast<Slot>(index(event.atom.variable))))
        for (const auto& value : event.atom.values)
            if (value.is_number()) out.push_back(*value.number());
    for (const auto& part : event.parts) collect_numbers(part, layout, out);
}

bool event_holds(const Event& event, const CaseLayout& layout, const std::vector<Label>& parameters, const Label& outcome) {
    switch (event.kind) {
        case Event::Kind::atom: {
            const auto slot = static_cast<Slot>(index(event.atom.variable));
            return holds(event.atom, layout.is_outcome(slot) ? outcome : parameters[slot]);
        }
        case Event::Kind::negation:
            return !event_holds(event.parts[0], layout, parameters, outcome);
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(),
                               [&](const Event& e) { return event_holds(e, layout, parameters, outcome); });
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(),
                               [&](const Event& e) { return event_holds(e, layout, parameters, outcome); });
    }
    return false;
}

/// P(all the events | h) for events about one number-valued draw: a number for each hypothesis.
template <Prob P>
Result<Potential<P>> weights_of_events(const HypothesesCase& c, const Draw& draw, std::span<const Event> events, Work& work) {
    Potential<P> out{parameter_slots(c), {}};
    std::vector<Number> named;
    for (const auto& event : events) collect_numbers(event, c.layout, named);
    for (std::size_t h = 0; h < c.space->prior.size(); ++h) {
        const auto distribution = TRY(c.space->outcome_of(h, draw.inputs));
        if (distribution->support() == Support::reals)
            for (const auto& event : events)
                if (auto fault =
                        point_fault(event, *c.variables, [&](VarId v) { return c.layout.is_outcome(static_cast<Slot>(index(v))); }))
                    return *std::move(fault);
        const auto parameters = labels_of(c, h);
        const auto holds_at = [&](const Label& y) {
            return std::all_of(events.begin(), events.end(), [&](const Event& e) { return event_holds(e, c.layout, parameters, y); });
        };
        const auto weight = TRY(event_weight<P>(*distribution, named, holds_at, work));
        out.values.push_back(weight);
        work.count(weight);
        if (auto fault = work.interrupted()) return *std::move(fault);
    }
    return out;
}

template <Prob P>
Result<Potential<P>> table_of_draw(const HypothesesCase& c, const Draw& draw, Slot slot, Work& work) {
    Potential<P> out{parameter_slots(c), {}};
    out.variables.push_back(slot);
    for (std::size_t h = 0; h < c.space->prior.size(); ++h) {
        for (const auto& label : c.space->outcome.domain->labels()) {
            const auto weight = TRY(outcome_weight<P>(*c.space, h, draw.inputs, label, work));
            out.values.push_back(weight);
        }
        if (auto fault = work.interrupted()) return *std::move(fault);
    }
    return out;
}

/// Fractions over one denominator, without it: a factor that all entries share cancels in every quotient, and whole numbers multiply
/// without looking for common divisors. Nothing if the denominator would be too long.
template <class Get>
std::optional<std::vector<Rational>> whole_multiples(std::size_t count, const Get& get) {
    std::int64_t common = 1;
    for (std::size_t i = 0; i < count; ++i) {
        const Number& entry = get(i);
        const auto den = entry.is_exact() ? entry.exact().denominator().to_int64() : std::nullopt;
        if (!den) return std::nullopt;
        if (common % *den == 0) continue;
        constexpr std::int64_t longest = std::int64_t{1} << 40;
        const std::int64_t factor = *den / std::gcd(common, *den);
        if (factor > longest / common) return std::nullopt;
        common *= factor;
    }
    std::vector<Rational> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) out.push_back(get(i).exact() * Rational(common));
    return out;
}

/// The likelihood of evidence from a table, but for a factor that is the same for all hypotheses.
std::optional<Potential<Rational>> whole_likelihood(const HypothesesCase& c, std::span<const ObservationGroup> groups, Work& work) {
    const HypothesisSpace& space = *c.space;
    if (space.table.empty()) return std::nullopt;
    Potential<Rational> out{parameter_slots(c), {}};
    for (const auto& group : groups) {
        const auto at = space.outcome.domain->find(group.value);
        if (!at) return std::nullopt;
        const std::size_t labels = space.outcome.size();
        auto column = whole_multiples(space.prior.size(), [&](std::size_t h) -> const Number& { return space.table[h * labels + *at]; });
        if (!column) return std::nullopt;
        if (group.count > 1)
            for (auto& value : *column) value = power(value, group.count, work);
        if (out.values.empty()) {
            out.values = *std::move(column);
            continue;
        }
        for (std::size_t h = 0; h < out.values.size(); ++h) work.count(out.values[h] *= (*column)[h]);
        if (work.interrupted()) return std::nullopt;
    }
    return out;
}

template <Prob P>
Result<Potential<P>> likelihood_of_groups(const HypothesesCase& c, std::span<const ObservationGroup> groups, Work& work) {
    auto values = TRY(likelihoods<P>(*c.space, groups, work));
    return Potential<P>{parameter_slots(c), std::move(values)};
}

/// The same up to a factor.
template <Prob P>
Result<Potential<P>> likelihood_of_evidence(const HypothesesCase& c, Work& work) {
    if constexpr (std::same_as<P, Rational>) {
        auto whole = whole_likelihood(c, c.evidence_groups, work);
        if (auto fault = work.interrupted()) return *std::move(fault);
        if (whole) return *std::move(whole);
    }
    return likelihood_of_groups<P>(c, c.evidence_groups, work);
}

/// The prior, as fractions up to a factor.
template <Prob P>
std::vector<P> prior_weights(const Prior& prior) {
    if (prior.is_uniform()) {
        if constexpr (std::same_as<P, Rational>)
            return std::vector<P>(prior.size(), Rational(1));  // up to a factor
        else
            return std::vector<P>(prior.size(), prob_of<P>(prior[0]));
    }
    if constexpr (std::same_as<P, Rational>) {
        if (auto whole = whole_multiples(prior.size(), [&](std::size_t h) -> const Number& { return prior[h]; })) return *std::move(whole);
    }
    std::vector<P> out;
    out.reserve(prior.size());
    for (std::size_t h = 0; h < prior.size(); ++h)
        out.push_back(h > 0 && prior[h] == prior[h - 1] ? out.back() : prob_of<P>(prior[h]));  // most priors have long level stretches
    return out;
}

}  // namespace

template <Prob P>
Result<HypothesesMeasure<P>> HypothesesMeasure<P>::make(const HypothesesCase& c, Work& work) {
    HypothesesMeasure out;
    out.case_ = &c;
    const auto add = [](std::vector<Potential<P>>& to, Result<Potential<P>> f) -> Status {
        if (!f) return std::move(f).fault();
        to.push_back(*std::move(f));
        return Done{};
    };
    // first, since it soonest shows where numbers are not exact
    if (!c.evidence_groups.empty()) TRY(add(out.evidence_, likelihood_of_evidence<P>(c, work)));
    // asked for each hypothesis, the prior cancels: P(D | h) has an answer for hypotheses of prior zero too
    const auto slots = parameter_slots(c);
    const bool each = std::all_of(slots.begin(), slots.end(), [&](Slot s) { return contains(c.shape.given, s); });
    if (!each) out.base_.push_back({slots, prior_weights<P>(c.space->prior)});
    for (const auto& table : c.evidence_tables) out.evidence_.push_back(indicator<P>(table));
    if (!c.target_groups.empty()) TRY(add(out.with_targets_, likelihood_of_groups<P>(c, c.target_groups, work)));
    for (const auto& table : c.target_tables) out.with_targets_.push_back(indicator<P>(table));
    for (std::size_t d = 0; d < 2; ++d) {
        const Draw& draw = c.draws[d];
        if (!draw.mentioned) continue;
        if (c.space->outcome.is_discrete()) {
            const Slot slot = d == 0 ? c.layout.outcome() : c.layout.next_outcome();
            TRY(add(out.base_, table_of_draw<P>(c, draw, slot, work)));
            continue;
        }
        auto both = draw.evidence;
        both.insert(both.end(), draw.targets.begin(), draw.targets.end());
        if (draw.targets.empty()) {
            if (draw.evidence.empty()) continue;
            TRY(add(out.evidence_, weights_of_events<P>(c, draw, both, work)));
            continue;
        }
        TRY(add(out.with_targets_, weights_of_events<P>(c, draw, both, work)));
        if (draw.evidence.empty()) continue;
        TRY(add(out.evidence_only_, weights_of_events<P>(c, draw, draw.evidence, work)));
    }
    return out;
}

template <Prob P>
Result<Potential<P>> HypothesesMeasure<P>::marginal(std::span<const Slot> keep, Side side, Work& work) {
    Problem<P> problem{&case_->sizes, &case_->names, {}};
    for (const auto* part : {&base_, &evidence_, side == Side::all ? &with_targets_ : &evidence_only_})
        problem.potentials.insert(problem.potentials.end(), part->begin(), part->end());
    return eliminate(std::move(problem), keep, work);
}

template class HypothesesMeasure<Rational>;
template class HypothesesMeasure<LogProb>;

}  // namespace credence::rt
