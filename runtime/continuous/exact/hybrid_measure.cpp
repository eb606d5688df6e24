// A hybrid as a measure over its discrete variables, and what its events and terms are with labels put in.

#include <algorithm>
#include <cmath>

#include "runtime/continuous/exact/exact.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

Weight Weight::of(const Number& number) {
    Weight out;
    out.log = number.sign() > 0 ? number.log() : -INFINITY;
    if (number.is_exact()) out.exact = number.exact();
    return out;
}

const Component* Hybrid::of(VarId number) const {
    for (const auto& component : components)
        if (std::binary_search(component.numbers.begin(), component.numbers.end(), number)) return &component;
    return nullptr;
}

std::map<VarId, Label> Hybrid::labels(const Component& component, std::size_t configuration) const {
    std::map<VarId, Label> out;
    for (std::size_t k = component.discrete.size(); k-- > 0;) {
        const auto& domain = *problem->instances[index(component.discrete[k])].domain;
        out[component.discrete[k]] = domain[configuration % domain.size()];
        configuration /= domain.size();
    }
    return out;
}

Term with_labels(const Term& term, const std::map<VarId, Label>& labels) {
    return rewrite(term, [&](const TermNode& leaf) -> Term {
        const auto at = labels.find(leaf.variable);
        return at == labels.end() ? nullptr : leaf_value(leaf, at->second);
    });
}

template <Prob P>
Result<Problem<P>> HybridMeasure<P>::problem(Side side, const Run& run) const {
    const Unrolled& problem = *hybrid_.problem;
    Problem<P> all;
    all.sizes = &problem.sizes;
    all.names = &problem.slot_names;
    all.potentials = weights_;
    for (const auto& table : hybrid_.tables) {
        using When = Hybrid::Table::When;
        if ((table.when == When::evidence && side == Side::all) || (table.when == When::all && side == Side::evidence)) continue;
        Potential<P> potential{table.slots, {}};
        for (const auto& weight : table.weights) {
            if constexpr (std::same_as<P, Rational>)
                potential.values.push_back(*weight.exact);
            else
                potential.values.push_back(LogProb::of_log(weight.log));
        }
        all.potentials.push_back(std::move(potential));
    }
    const auto add_events = [&](const std::vector<Event>& events) -> Status {
        for (const auto& event : events) {
            auto table = TRY(table_of(event, problem.net->variables, run));
            all.potentials.push_back(indicator<P>(table));
        }
        return Done{};
    };
    TRY(add_events(problem.discrete_evidence));
    if (side == Side::all) TRY(add_events(problem.discrete_targets));
    return all;
}

template <Prob P>
Result<Potential<P>> HybridMeasure<P>::marginal(std::span<const Slot> keep, Side side, Work& work) {
    auto all = TRY(problem(side, work.run()));
    return eliminate<P>(std::move(all), keep, work);
}

template class HybridMeasure<Rational>;
template class HybridMeasure<LogProb>;

bool holds_with(const Event& event, const Variables& variables, const std::function<double(VarId)>& number,
                const std::function<Label(VarId)>& label) {
    const auto inner = [&](const Event& part) { return holds_with(part, variables, number, label); };
    switch (event.kind) {
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(), inner);
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(), inner);
        case Event::Kind::negation:
            return !inner(event.parts[0]);
        case Event::Kind::atom:
            break;
    }
    const auto& atom = event.atom;
    if (variables[index(atom.variable)].variable.is_discrete()) return holds(atom, label(atom.variable));
    const double x = number(atom.variable);
    const auto value = [&](std::size_t i) { return number_meant(atom.values[i]).real(); };
    switch (atom.compare) {
        case Compare::equal:
            return x == value(0);
        case Compare::not_equal:
            return x != value(0);
        case Compare::less:
            return x < value(0);
        case Compare::less_equal:
            return x <= value(0);
        case Compare::greater:
            return x > value(0);
        case Compare::greater_equal:
            return x >= value(0);
        case Compare::one_of:
            for (std::size_t i = 0; i < atom.values.size(); ++i)
                if (x == value(i)) return true;
            return false;
    }
    return false;
}

}  // namespace credence::rt::continuous
