#include "runtime/hypotheses/ask.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/hypotheses/measure.hpp"

namespace credence::rt {

namespace {

Result<bool> impossible(const HypothesisSpace& space, const Variables& variables, const Clause& given, const Run& run) {
    Query query;
    query.given = given;
    const auto c = TRY(digest(space, variables, query, run));
    return in_best_numbers(run, c.exact, [&]<Prob P>(Work& work) -> Result<bool> {
        auto measure = TRY(HypothesesMeasure<P>::make(c, work));
        const ZeroFault never = [](auto) { return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"}; };
        TRY(apply_soft_evidence<P>(measure, query, variables, never, work));
        const auto total = TRY(measure.marginal({}, Side::evidence, work));
        return total.values[0].is_zero();
    });
}

/// E-ZERO naming the contradiction. What binds an input is not evidence: it stays with every part that is tried.
Fault space_zero_fault(const HypothesesCase& c, const Query& query, std::span<const std::pair<Slot, std::size_t>> configuration,
                       const Run& run) {
    const Variables& variables = *c.variables;
    Clause given = query.given;
    given.free.clear();
    given.events.clear();
    for (const auto& event : conjuncts(query.given.events)) {
        const auto about = variables_of(event);
        const bool binding =
            std::any_of(about.begin(), about.end(), [&](VarId v) { return c.layout.is_input(static_cast<Slot>(index(v))); });
        if (!binding) given.events.push_back(event);
    }
    for (const auto& [slot, value] : configuration)
        given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables[slot].variable.domain)[value], Origin::none));
    Clause inputs;
    for (const auto& list : query.given.observations)
        if (c.layout.is_input(static_cast<Slot>(index(list.variable)))) inputs.observations.push_back(list);
    std::erase_if(given.observations, [&](const Observations& list) { return c.layout.is_input(static_cast<Slot>(index(list.variable))); });
    return zero_fault(items_of(given, variables), query.origin, [&](const Clause& subset) {
        Clause part = subset;
        part.events.insert(part.events.end(), c.bindings.begin(), c.bindings.end());
        part.observations.insert(part.observations.end(), inputs.observations.begin(), inputs.observations.end());
        return impossible(*c.space, variables, part, run);
    });
}

/// "next Candy" is asked for, and Candy is what the answer is over; unless both are.
void rename_next(const HypothesesCase& c, Answer& answer) {
    const auto asked = [&](Slot s) { return contains(c.shape.answer, s); };
    if (asked(c.layout.outcome()) || !asked(c.layout.next_outcome())) return;
    const std::string& next = c.names[c.layout.next_outcome()];
    if (auto* factor = std::get_if<Factor>(&answer.value)) {
        auto over = factor->variables();
        for (auto& v : over)
            if (v.name == next) v.name = c.space->outcome.name;
        *factor = factor->is_exact() ? Factor(std::move(over), factor->exact()) : Factor(std::move(over), factor->real());
    } else if (auto* assignment = std::get_if<Assignment>(&answer.value)) {
        for (auto& [v, label] : assignment->values)
            if (v.name == next) v.name = c.space->outcome.name;
    }
}

Result<Answer> ask_discrete(const HypothesesCase& c, const Query& query, const Run& run) {
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return space_zero_fault(c, query, configuration, run);
    };
    auto answer = in_best_numbers(run, c.exact, [&]<Prob P>(Work& work) -> Result<Answer> {
        auto measure = TRY(HypothesesMeasure<P>::make(c, work));
        return answer_query<P>(measure, query, *c.variables, zero, work);
    });
    if (!answer) {
        Fault fault = std::move(answer).fault();
        if (fault.origin == Origin::none) fault.origin = query.origin;
        return fault;
    }
    rename_next(c, *answer);
    answer->notes = c.notes;
    return answer;
}

/// A number-valued outcome asked for free: the mixture of the hypotheses' predictions, weighted by the posterior.
Result<Answer> predictive(const HypothesesCase& c, Slot slot, const Query& query, const Run& run) {
    const Draw& draw = c.draws[c.layout.is_next(slot) ? 1 : 0];
    if (c.shape.answer.size() != 1 || c.shape.target_events || query.goal != Goal::probability || !draw.evidence.empty()) {
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} takes any number, so it must be the only target, without events on it", c.names[slot]),
                     .origin = query.origin,
                     .hint = fmt::format("ask for an event, as in P({} < 3 | …), or for the parameters", c.names[slot])};
    }
    auto answer = posterior_of(*c.space, *c.variables, query.given, query.origin, run);
    if (!answer) return answer;
    const Factor& posterior = std::get<Factor>(answer->value);
    std::vector<Number> weights;
    std::vector<DistributionPtr> parts;
    for (std::size_t h = 0; h < posterior.size(); ++h) {
        const Number weight = posterior.at(h);
        if (weight.is_zero()) continue;
        auto distribution = TRY(c.space->outcome_of(h, draw.inputs));
        weights.push_back(weight);
        parts.push_back(std::move(distribution));
    }
    if (parts.size() == 1) {
        answer->value = parts[0];
        return answer;
    }
    answer->value = TRY(make_mixture(std::move(weights), std::move(parts)));
    return answer;
}

}  // namespace

Result<Answer> posterior_of(const HypothesisSpace& space, const Variables& variables, const Clause& given, Origin origin, const Run& run) {
    Query query;
    query.given = given;
    query.origin = origin;
    for (std::size_t p = 0; p < space.parameters.size(); ++p) query.targets.free.push_back(static_cast<VarId>(p));
    const auto c = TRY(digest(space, variables, query, run));
    return ask_discrete(c, query, run);
}

Result<Answer> ask_space(const HypothesisSpace& space, const Variables& variables, const Query& query, Run& run) {
    const auto c = TRY(digest(space, variables, query, run));
    const auto number = free_number(c);
    auto answer = number ? predictive(c, *number, query, run) : ask_discrete(c, query, run);
    if (!answer) return answer;
    answer->engine = "enumeration";
    answer->counts = {{"hypotheses", Number(Rational(static_cast<std::int64_t>(space.prior.size())))}};
    return answer;
}

}  // namespace credence::rt
