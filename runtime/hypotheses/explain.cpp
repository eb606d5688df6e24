// Prior times likelihood for each hypothesis, their sum, and the quotients; predictions as sums over the posterior.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"

namespace credence::rt {

Result<Derivation> SpaceExplainer::explain() {
    case_ = TRY(digest(space_, variables_, query_, run_));
    collect_groups();
    TRY(write());
    return std::move(out_).take();
}

void SpaceExplainer::collect_groups() {
    evidence_ = case_.evidence_groups;
    expressible_ = query_.given.soft.empty();
    std::map<Slot, std::size_t> fixed;  // parameters that the target sets, by their value
    std::map<Slot, std::size_t> known;  // and the evidence
    const auto add = [&](std::span<const Event> events, std::vector<ObservationGroup>& to, bool target) {
        for (const auto& event : conjuncts(events)) {
            const auto about = variables_of(event);
            const auto slot = static_cast<Slot>(index(about[0]));
            if (about.size() == 1 && case_.layout.is_input(slot)) continue;
            if (about.size() == 1 && case_.layout.is_parameter(slot) && event.kind == Event::Kind::atom &&
                event.atom.compare == Compare::equal) {
                (target ? fixed : known)[slot] = *space_.parameters[slot].domain->find(event.atom.values[0]);
                continue;
            }
            const bool single = event.kind == Event::Kind::atom && event.atom.compare == Compare::equal && case_.layout.is_outcome(slot);
            if (!single)
                expressible_ = false;
            else
                to.push_back({case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, event.atom.values[0], 1});
            if (target && !case_.layout.is_outcome(slot)) expressible_ = false;
        }
    };
    add(query_.given.events, evidence_, false);
    targets_ = case_.target_groups;
    add(query_.targets.events, targets_, true);
    const auto hypothesis = [&](const std::map<Slot, std::size_t>& values) -> std::optional<std::size_t> {
        if (values.size() != case_.layout.parameters) return std::nullopt;
        std::size_t h = 0;
        for (const auto& [slot, value] : values) h = h * case_.sizes[slot] + value;
        return h;
    };
    only_ = hypothesis(fixed);
    known_ = hypothesis(known);
    expressible_ = expressible_ && (fixed.empty() || only_) && (known.empty() || (known_ && evidence_.empty()));
    // the same draw on both sides of the bar is not a product of independent draws
    const bool both =
        std::any_of(query_.given.events.begin(), query_.given.events.end(), [&](const Event& e) { return names_outcome(e); }) &&
        (std::any_of(query_.targets.events.begin(), query_.targets.events.end(), [&](const Event& e) { return names_outcome(e); }) ||
         asked(case_.layout.outcome()));
    same_draw_ = both;
    expressible_ = expressible_ && !both;
}

bool SpaceExplainer::names_outcome(const Event& event) const {
    const auto about = variables_of(event);
    return contains(about, static_cast<VarId>(case_.layout.outcome()));
}

bool SpaceExplainer::asked(Slot slot) const { return contains(case_.shape.answer, slot); }

Status SpaceExplainer::write() {
    if (!query_.given.soft.empty()) return write_uncertain();
    const bool for_each = !case_.shape.given.empty();
    bool over_parameters = !case_.shape.targets.empty();
    bool over_outcome = !case_.shape.targets.empty();
    for (const auto slot : case_.shape.targets) {
        over_parameters = over_parameters && case_.layout.is_parameter(slot);
        over_outcome = over_outcome && case_.layout.is_outcome(slot) && space_.outcome.is_discrete();
    }
    const bool all_parameters = case_.shape.targets.size() == case_.layout.parameters;
    const bool each_hypothesis = case_.shape.given.size() == case_.layout.parameters;
    if (expressible_ && known_) {
        if (case_.shape.targets.empty() && !for_each && !targets_.empty() && !only_) return write_likelihoods();
        if (over_outcome && case_.shape.targets.size() == 1 && !for_each && targets_.empty()) return write_prediction(*known_);
        return write_over_hypotheses();
    }
    if (expressible_ && over_parameters && all_parameters && !for_each && targets_.empty()) return write_posterior();
    if (expressible_ && case_.shape.targets.empty() && each_hypothesis && evidence_.empty() && !targets_.empty())
        return write_likelihoods();
    if (expressible_ && over_outcome && case_.shape.targets.size() == 1 && !for_each && targets_.empty()) return write_predictive(true);
    if (expressible_ && !only_ && case_.shape.targets.empty() && !for_each && !targets_.empty() && few(targets_))
        return write_predictive(false);
    const bool one = expressible_ && only_ && case_.shape.targets.empty() && !for_each;
    if (one && targets_.empty()) return write_posterior();
    const bool each = expressible_ && !only_ && over_parameters && all_parameters && !for_each;
    if ((one || each) && evidence_.empty() && few(targets_)) return write_joints();
    return write_over_hypotheses();
}

bool SpaceExplainer::has_evidence() const { return is_evidence(query_.given); }

bool SpaceExplainer::is_evidence(const Clause& given) const {
    const bool bound = std::all_of(given.events.begin(), given.events.end(), [&](const Event& e) { return is_binding(e); });
    return !bound || !given.observations.empty() || !given.data.empty();
}

bool SpaceExplainer::is_binding(const Event& event) const {
    const auto about = variables_of(event);
    return std::all_of(about.begin(), about.end(), [&](VarId v) { return case_.layout.is_input(static_cast<Slot>(index(v))); });
}

bool SpaceExplainer::only_hypotheses() const {
    return query_.targets.events.empty() && query_.targets.observations.empty() && query_.targets.data.empty() &&
           case_.shape.given.empty() && case_.shape.targets.size() == case_.layout.parameters &&
           std::all_of(case_.shape.targets.begin(), case_.shape.targets.end(), [&](Slot s) { return case_.layout.is_parameter(s); });
}

Pairs SpaceExplainer::pairs_of(std::size_t hypothesis) const {
    Pairs out(case_.layout.parameters);
    for (std::size_t p = out.size(); p-- > 0;) {
        out[p] = {static_cast<Slot>(p), hypothesis % case_.sizes[p]};
        hypothesis /= case_.sizes[p];
    }
    return out;
}

Result<Number> SpaceExplainer::weight(std::size_t hypothesis, const ObservationGroup& group) const {
    if (space_.table.empty()) {
        const auto distribution = TRY(space_.outcome_of(hypothesis, group.inputs));
        return distribution->pdf(outcome_value(*distribution, group.value));
    }
    const auto at = space_.outcome.domain->find(group.value);
    return at ? space_.table[hypothesis * space_.outcome.size() + *at] : Number(0);
}

ProbabilityTerm SpaceExplainer::outcome_term(std::size_t hypothesis, const ObservationGroup& group) const {
    ProbabilityTerm out{.event = {{space_.outcome.name, group.value}}, .given = named(pairs_of(hypothesis), variables_)};
    for (std::size_t k = 0; k < group.inputs.size(); ++k) out.given.emplace_back(space_.inputs[k], group.inputs[k]);
    return out;
}

Result<Product> SpaceExplainer::likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const {
    Product out;
    for (const auto& group : groups) out.times({outcome_term(hypothesis, group)}, TRY(weight(hypothesis, group)), group.count);
    return out;
}

Result<Product> SpaceExplainer::prior_times_likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const {
    Product out;
    out.times(prior_term(hypothesis), space_.prior[hypothesis]);
    out.times(TRY(likelihood(hypothesis, groups)));
    return out;
}

std::string SpaceExplainer::posterior_text(std::size_t hypothesis, const Clause& given) const {
    return fmt::format("P({}{})", text_of(pairs_of(hypothesis), variables_), bar(given));
}

Result<Number> SpaceExplainer::number(const Query& query) const {
    auto answer = TRY(ask_space(space_, variables_, query, run_));
    return std::get<Number>(answer.value);
}

bool SpaceExplainer::few(std::span<const ObservationGroup> groups) const { return groups.size() <= longest_sum; }

std::string SpaceExplainer::short_text(const Clause& given) const {
    constexpr std::size_t longest = 60;
    Query q;
    q.targets = given;
    std::string out = sides_text(q);
    return given.data.empty() && out.size() <= longest && out.find("…") == std::string::npos ? out : "";
}

std::string SpaceExplainer::data_text() const {
    if (std::string text = short_text(query_.given); !text.empty()) return text;
    std::int64_t n = 0;
    for (const auto& group : evidence_) n += group.count;
    return counted(n, "observation");
}

std::string SpaceExplainer::bar(const Clause& given) const {
    if (given.events.empty() && given.observations.empty() && given.data.empty()) return "";
    const std::string text = short_text(given);
    return " | " + (text.empty() ? data_ : text);
}

Status SpaceExplainer::write_joints() {
    out_.formula(fmt::format("P({0}, {1}) = P({0}) * P({1} | {0})", h_, data_));
    std::vector<double> weights;
    if (const auto* factor = std::get_if<Factor>(&answer_.value)) weights = factor->doubles();
    auto shown = shown_cases(weights);
    if (only_) shown.assign(1, *only_);
    for (const auto h : shown) {
        const Product joint = TRY(prior_times_likelihood(h, targets_));
        out_.calculation("", {in_names({&joint, 1}), in_numbers({&joint, 1})}, joint.value);
    }
    out_.note_shown(shown.size(), weights.size(), space_.words.many);
    return Done{};
}

Status SpaceExplainer::write_likelihoods() {
    out_.formula(fmt::format("{} = product of the probabilities of the observations, independent once {} is known",
                             query_text(query_, variables_), h_));
    std::vector<double> weights;
    if (const auto* factor = std::get_if<Factor>(&answer_.value)) weights = factor->doubles();
    auto shown = shown_cases(weights);
    if (known_) shown.assign(1, *known_);
    for (const auto h : shown) {
        if (space_.prior[h].is_zero()) continue;
        const Product l = TRY(likelihood(h, targets_));
        if (!few(targets_)) out_.formula("for " + text_of(pairs_of(h), variables_));
        out_.calculation("", {few(targets_) ? in_names({&l, 1}) : Parts{}, few(targets_) ? in_numbers({&l, 1}) : Parts{}}, l.value);
    }
    out_.note_shown(shown.size(), weights.size(), space_.words.many);
    return Done{};
}

Status SpaceExplainer::write_prediction(std::size_t hypothesis) {
    out_.note(fmt::format("once the {} is known, the answer is what it says", space_.words.one));
    const auto& draw = case_.draws[case_.layout.is_next(case_.shape.targets[0]) ? 1 : 0];
    for (const auto& label : space_.outcome.domain->labels()) {
        const ObservationGroup value{draw.inputs, label, 1};
        out_.calculation("", {Parts{outcome_term(hypothesis, value)}}, TRY(weight(hypothesis, value)));
    }
    return Done{};
}

Result<Derivation> explain_space(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer,
                                 Run& run) {
    return SpaceExplainer(space, variables, query, answer, run).explain();
}

}  // namespace credence::rt
