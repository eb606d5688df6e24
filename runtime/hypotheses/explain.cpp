// What a query on a space asks, and the way in which its answer is derived.

#include <algorithm>
#include <map>

#include "runtime/core/contains.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"

namespace credence::rt {

Result<SpaceQuestion> read_question(const HypothesisSpace& space, const Variables& variables, const Query& query, const Run& run) {
    SpaceQuestion out;
    out.digested = TRY(digest(space, variables, query, run));
    const HypothesesCase& c = out.digested;
    out.evidence = c.evidence_groups;
    out.targets = c.target_groups;
    out.expressible = query.given.soft.empty();
    std::map<Slot, std::size_t> fixed;  // parameters that the target sets, by their value
    std::map<Slot, std::size_t> known;  // and the evidence
    const auto add = [&](std::span<const Event> events, std::vector<ObservationGroup>& to, bool target) {
        for (const auto& event : conjuncts(events)) {
            const auto about = variables_of(event);
            const auto slot = static_cast<Slot>(index(about[0]));
            const bool is_value = event.kind == Event::Kind::atom && event.atom.compare == Compare::equal;
            if (about.size() == 1 && c.layout.is_input(slot)) continue;
            if (about.size() == 1 && c.layout.is_parameter(slot) && is_value) {
                (target ? fixed : known)[slot] = *space.parameters[slot].domain->find(event.atom.values[0]);
                continue;
            }
            if (!is_value || !c.layout.is_outcome(slot))
                out.expressible = false;
            else
                to.push_back({c.draws[c.layout.is_next(slot) ? 1 : 0].inputs, event.atom.values[0], 1});
        }
    };
    add(query.given.events, out.evidence, false);
    add(query.targets.events, out.targets, true);
    const auto hypothesis = [&](const std::map<Slot, std::size_t>& values) -> std::optional<std::size_t> {
        if (values.size() != c.layout.parameters) return std::nullopt;
        std::size_t h = 0;
        for (const auto& [slot, value] : values) h = h * c.sizes[slot] + value;
        return h;
    };
    out.only = hypothesis(fixed);
    out.known = hypothesis(known);
    out.expressible = out.expressible && (fixed.empty() || out.only) && (known.empty() || (out.known && out.evidence.empty()));
    // the same draw on both sides of the bar is not a product of independent draws
    const auto names_outcome = [&](const Event& event) { return contains(variables_of(event), static_cast<VarId>(c.layout.outcome())); };
    out.same_draw = std::any_of(query.given.events.begin(), query.given.events.end(), names_outcome) &&
                    (std::any_of(query.targets.events.begin(), query.targets.events.end(), names_outcome) ||
                     contains(c.shape.answer, c.layout.outcome()));
    out.expressible = out.expressible && !out.same_draw;
    return out;
}

Result<Derivation> explain_space(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer,
                                 Run& run) {
    const auto question = TRY(read_question(space, variables, query, run));
    const SpaceExplained base(space, variables, query, answer, question, run);
    const auto& layout = question.digested.layout;
    const Shape& shape = question.digested.shape;
    const auto all_are = [&](auto&& wanted) {
        return !shape.targets.empty() && std::all_of(shape.targets.begin(), shape.targets.end(), wanted);
    };
    const bool free = !shape.targets.empty();
    const bool for_each = !shape.given.empty();
    const bool observed = !question.targets.empty();
    const bool few = question.targets.size() <= longest_sum;
    const bool over_outcome = all_are([&](Slot s) { return layout.is_outcome(s) && space.outcome.is_discrete(); }) &&
                              shape.targets.size() == 1 && !for_each && !observed;
    const bool over_hypotheses =
        all_are([&](Slot s) { return layout.is_parameter(s); }) && shape.targets.size() == layout.parameters && !for_each;
    const bool one_hypothesis = question.only && !free && !for_each;
    const bool sums = !question.same_draw && !std::holds_alternative<Assignment>(answer.value);
    if (std::holds_alternative<DistributionPtr>(answer.value)) return explanation(SpaceMixture(base));
    if (!query.given.soft.empty()) return explanation(base);
    if (question.expressible && question.known) {
        if (!free && !for_each && observed && !question.only) return explanation(SpaceProducts(base, SpaceProducts::Of::likelihood));
        if (over_outcome) return explanation(SpaceSays(base));
    } else if (question.expressible) {
        if ((over_hypotheses || one_hypothesis) && !observed) {
            SpacePosterior posterior(base);
            TRY(posterior.find_products());
            return explanation(posterior);
        }
        if (!free && shape.given.size() == layout.parameters && question.evidence.empty() && observed)
            return explanation(SpaceProducts(base, SpaceProducts::Of::likelihood));
        if (over_outcome || (!question.only && !free && !for_each && observed && few)) return explanation(SpacePrediction(base));
        if ((one_hypothesis || (over_hypotheses && !question.only)) && question.evidence.empty() && few)
            return explanation(SpaceProducts(base, SpaceProducts::Of::joint));
    }
    return sums ? explanation(SpaceSums(base)) : explanation(base);
}

}  // namespace credence::rt
