// What all derivations on a space write with: hypotheses, observations, likelihoods.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"

namespace credence::rt {

Result<Number> SpaceExplained::number(const Query& query) const {
    auto answer = TRY(ask_space(space_, variables_, query, run_));
    return std::get<Number>(answer.value);
}

bool SpaceExplained::is_evidence(const Clause& given) const {
    const bool bound = std::all_of(given.events.begin(), given.events.end(), [&](const Event& e) { return is_binding(e); });
    return !bound || !given.observations.empty() || !given.data.empty();
}

bool SpaceExplained::is_binding(const Event& event) const {
    const auto about = variables_of(event);
    return std::all_of(about.begin(), about.end(), [&](VarId v) { return case_.layout.is_input(static_cast<Slot>(index(v))); });
}

Pairs SpaceExplained::pairs_of(std::size_t hypothesis) const {
    Pairs out(case_.layout.parameters);
    for (std::size_t p = out.size(); p-- > 0;) {
        out[p] = {static_cast<Slot>(p), hypothesis % case_.sizes[p]};
        hypothesis /= case_.sizes[p];
    }
    return out;
}

Result<Number> SpaceExplained::weight(std::size_t hypothesis, const ObservationGroup& group) const {
    if (space_.table.empty()) {
        const auto distribution = TRY(space_.outcome_of(hypothesis, group.inputs));
        return distribution->pdf(outcome_value(*distribution, group.value));
    }
    const auto at = space_.outcome.domain->find(group.value);
    return at ? space_.table[hypothesis * space_.outcome.size() + *at] : Number(0);
}

ProbabilityTerm SpaceExplained::outcome_term(std::size_t hypothesis, const ObservationGroup& group) const {
    ProbabilityTerm out{.event = {{space_.outcome.name, group.value}}, .given = named(pairs_of(hypothesis), variables_)};
    for (std::size_t k = 0; k < group.inputs.size(); ++k) out.given.emplace_back(space_.inputs[k], group.inputs[k]);
    return out;
}

Result<Product> SpaceExplained::likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const {
    Product out;
    for (const auto& group : groups) out.times({outcome_term(hypothesis, group)}, TRY(weight(hypothesis, group)), group.count);
    return out;
}

Result<Product> SpaceExplained::prior_times_likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const {
    Product out;
    out.times(prior_term(hypothesis), space_.prior[hypothesis]);
    out.times(TRY(likelihood(hypothesis, groups)));
    return out;
}

std::string SpaceExplained::posterior_text(std::size_t hypothesis, const Clause& given) const {
    return fmt::format("P({}{})", text_of(pairs_of(hypothesis), variables_), bar(given));
}

std::string SpaceExplained::short_text(const Clause& given) const {
    constexpr std::size_t longest = 60;
    Query q;
    q.targets = given;
    std::string out = sides_text(q);
    return given.data.empty() && out.size() <= longest && out.find("…") == std::string::npos ? out : "";
}

std::string SpaceExplained::data_text() const {
    if (std::string text = short_text(query_.given); !text.empty()) return text;
    std::int64_t n = 0;
    for (const auto& group : question_.evidence) n += group.count;
    return counted(n, "observation");
}

std::string SpaceExplained::bar(const Clause& given) const {
    if (given.events.empty() && given.observations.empty() && given.data.empty()) return "";
    const std::string text = short_text(given);
    return " | " + (text.empty() ? data_ : text);
}

std::string SpaceExplained::sides_text(const Query& asked) const {
    const std::string text = query_text(asked, variables_);
    return text.substr(2, text.size() - 3);
}

std::size_t SpaceExplained::hypothesis_of(const Pairs& pairs) const {
    std::size_t out = 0;
    for (const auto& [slot, value] : pairs) out = out * case_.sizes[slot] + value;
    return out;
}

QueryCases SpaceExplained::hypotheses_as_cases(std::span<const double> weights) const {
    QueryCases out{{}, {{}}, {0}};
    if (question_.only)
        out.targets = {pairs_of(*question_.only)};
    else
        for (std::size_t h = 0; h < space_.prior.size(); ++h) out.targets.push_back(pairs_of(h));
    if (!question_.only) out.shown = shown_cases(weights);
    return out;
}

}  // namespace credence::rt
