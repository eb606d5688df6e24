// Products for single hypotheses, and sums over all of them.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"
#include "runtime/prob/queries/distribution_words.hpp"

namespace credence::rt {

Status SpaceExplained::write_identity(DerivationWriter& out) const {
    if (query_.given.soft.empty())
        out.note(fmt::format("{} {} were weighted by prior times likelihood and added up", space_.prior.size(), space_.words.many));
    return Done{};
}

Result<Calculation> SpaceExplained::joint(const Pairs& target, const Pairs& given) const {
    Calculation out{.heading = asked_text(Term::conditional, target, given)};
    out.value = TRY(number(asked(Term::conditional, target, given)));
    return out;
}

QueryCases SpaceProducts::cases() const {
    std::vector<double> weights;
    if (const auto* factor = std::get_if<Factor>(&answer_.value)) weights = factor->doubles();
    QueryCases out = hypotheses_as_cases(weights);
    if (question_.known) out.targets = {pairs_of(*question_.known)};
    if (question_.known) out.shown = {0};
    if (of_ == Of::likelihood && out.targets.size() > 1) std::erase_if(out.shown, [&](std::size_t h) { return space_.prior[h].is_zero(); });
    return out;
}

Status SpaceProducts::write_identity(DerivationWriter& out) const {
    if (of_ == Of::joint)
        out.formula(fmt::format("P({0}, {1}) = P({0}) * P({1} | {0})", h_, data_));
    else
        out.formula(fmt::format("{} = product of the probabilities of the observations, independent once {} is known",
                                query_text(query_, variables_), h_));
    return Done{};
}

Result<Calculation> SpaceProducts::joint(const Pairs& target, const Pairs&) const {
    const auto& observed = question_.targets;
    const auto h = hypothesis_of(target);
    const Product p = TRY(of_ == Of::joint ? prior_times_likelihood(h, observed) : likelihood(h, observed));
    Calculation out{.value = p.value};
    if (few(observed))
        out.steps = {in_names({&p, 1}), in_numbers({&p, 1})};
    else
        out.formula = "for " + text_of(target, variables_);
    return out;
}

Status SpaceSays::write_identity(DerivationWriter& out) const {
    out.note(fmt::format("once the {} is known, the answer is what it says", space_.words.one));
    return Done{};
}

Result<Calculation> SpaceSays::joint(const Pairs& target, const Pairs&) const {
    const auto [slot, value] = target[0];
    const ObservationGroup seen{case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, (*variables_[slot].variable.domain)[value], 1};
    return Calculation{.steps = {{outcome_term(*question_.known, seen)}}, .value = TRY(weight(*question_.known, seen))};
}

Result<Factor> SpacePrediction::posterior() const {
    auto found = TRY(posterior_of(space_, variables_, query_.given, query_.origin, run_));
    return std::get<Factor>(std::move(found.value));
}

Status SpacePrediction::write_identity(DerivationWriter& out) const {
    const std::string& y = space_.outcome.name;
    if (question_.evidence.empty()) {
        out.formula(fmt::format("total probability: P({1}) = sum over {2} of P({1} | {0}) * P({0})", h_, y, space_.words.many));
    } else {
        out.formula(fmt::format("P(next {1} | {2}) = sum over {3} of P({1} | {0}) * P({0} | {2})", h_, y, data_, space_.words.many));
        out.note("first the posterior");
        SpacePosterior posterior(*this);
        TRY(posterior.find_products());
        TRY(write_explanation(posterior, out));
    }
    const auto of_h = TRY(posterior());
    std::size_t live = 0;
    for (std::size_t h = 0; h < of_h.size(); ++h) live += of_h.at(h).is_zero() ? 0 : 1;
    if (live > longest_sum) out.note(fmt::format("{} terms are summed over the {}", live, space_.words.many));
    return Done{};
}

Result<Calculation> SpacePrediction::joint(const Pairs& target, const Pairs&) const {
    std::vector<ObservationGroup> values = question_.targets;
    Query seen;
    seen.targets = query_.targets;
    std::string what = sides_text(seen);
    if (!target.empty()) {
        const auto [slot, value] = target[0];
        const Label& label = (*variables_[slot].variable.domain)[value];
        values = {{case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, label, 1}};
        what = fmt::format("{} = {}", variables_[slot].variable.name, label.text());
    }
    const auto of_h = TRY(posterior());
    std::vector<Product> terms;
    Calculation out{.heading = fmt::format("P({}{})", what, bar(query_.given))};
    for (std::size_t h = 0; h < of_h.size(); ++h) {
        const Number& weight_of_h = of_h.at(h);
        if (weight_of_h.is_zero()) continue;
        terms.push_back(TRY(likelihood(h, values)));
        terms.back().times(question_.evidence.empty() ? prior_term(h) : Parts{weight_of_h}, weight_of_h);
        out.value += terms.back().value;
    }
    if (terms.size() <= longest_sum) out.steps = {in_names(terms), in_numbers(terms)};
    return out;
}

std::vector<std::size_t> SpaceWeights::possible() const {
    std::vector<std::size_t> out;
    for (std::size_t h = 0; h < posterior_.size(); ++h)
        if (!posterior_.at(h).is_zero()) out.push_back(h);
    return out;
}

QueryCases SpaceWeights::cases() const {
    QueryCases out{{}, {{}}, {}};
    std::vector<double> weights;
    for (const auto h : possible()) {
        out.targets.push_back(pairs_of(h));
        weights.push_back(posterior_.at(h).real());
    }
    out.shown = shown_cases(weights);
    return out;
}

Status SpaceWeights::write_identity(DerivationWriter& out) const {
    out.formula(fmt::format("P({0} | evidence) = P({0}) * P(evidence | {0}) / P(evidence)", h_));
    return Done{};
}

Result<Number> SpaceWeights::likelihood_of(std::size_t hypothesis) const {
    Query q;
    for (const auto& event : given_.events) (is_binding(event) ? q.given : q.targets).events.push_back(event);
    for (const auto& list : given_.observations) {
        const bool input = case_.layout.is_input(static_cast<Slot>(index(list.variable)));
        (input ? q.given : q.targets).observations.push_back(list);
    }
    q.targets.data = given_.data;
    fix(q.given, pairs_of(hypothesis), variables_);
    return number(q);
}

Result<Calculation> SpaceWeights::joint(const Pairs& target, const Pairs&) const {
    const auto h = hypothesis_of(target);
    const auto l = TRY(likelihood_of(h));
    return Calculation{.steps = {{space_.prior[h], std::string(" * "), l}}, .value = space_.prior[h] * l, .written = false};
}

Attempt<Calculations> SpaceWeights::evidence(const Pairs& given, std::span<const Number>) const {
    const std::string text = short_text(given_);
    Calculation out{.heading = fmt::format("P({})", text.empty() ? "evidence" : text)};
    std::vector<Parts> products;
    for (const auto h : possible()) {
        auto one = TRY(joint(pairs_of(h), given));
        products.push_back(std::move(one.steps[0]));
        out.value += one.value;
    }
    out.value = readable(out.value);
    if (products.size() <= longest_sum) out.steps = {joined(products, " + ")};
    return Calculations{std::move(out)};
}

Calculation SpaceWeights::quotient(const Pairs& target, const Pairs&, const Number& above, const Number& below) const {
    const auto h = hypothesis_of(target);
    Parts steps{space_.prior[h], std::string(" * "), above / space_.prior[h], std::string(" / ")};
    append(steps, operand(below));
    return {.heading = posterior_text(h, given_), .steps = {std::move(steps)}, .value = posterior_.at(h)};
}

bool SpaceSums::asks_for_hypotheses() const {
    const auto& targets = query_.targets;
    const bool free =
        targets.events.empty() && targets.observations.empty() && targets.data.empty() && case_.shape.given.empty() &&
        case_.shape.targets.size() == case_.layout.parameters &&
        std::all_of(case_.shape.targets.begin(), case_.shape.targets.end(), [&](Slot s) { return case_.layout.is_parameter(s); });
    return free || (question_.only && question_.targets.empty());
}

Status SpaceSums::write_identity(DerivationWriter& out) const {
    const bool each_alone = case_.shape.given.size() == case_.layout.parameters && !has_evidence();
    if (each_alone && !case_.shape.targets.empty())
        out.note(fmt::format("once the {} is known, the answer is what it says", space_.words.one));
    else if (!asks_for_hypotheses() && !question_.only)
        out.formula(fmt::format("{1} = sum over {2} of P(targets | {0}) * P({0}{3})", h_, query_text(query_, variables_), space_.words.many,
                                has_evidence() ? " | evidence" : ""));
    return Done{};
}

Clause SpaceSums::evidence_at(const Pairs& given) const {
    Clause out = query_.given;
    out.free.clear();
    fix(out, given, variables_);
    return out;
}

Result<Factor> SpaceSums::posterior(const Clause& given) const {
    auto found = TRY(posterior_of(space_, variables_, given, query_.origin, run_));
    return std::get<Factor>(std::move(found.value));
}

Status SpaceSums::open(const Pairs& given, DerivationWriter& out) const {
    if (given.size() == case_.layout.parameters && !has_evidence()) return Done{};
    if (!given.empty()) out.note("for " + text_of(given, variables_));
    const Clause evidence = evidence_at(given);
    if (!is_evidence(evidence)) return Done{};  // the priors are part of the sums
    const auto of_h = TRY(posterior(evidence));
    return write_explanation(SpaceWeights(*this, evidence, of_h), out);
}

Attempt<Calculations> SpaceSums::entries(std::span<const Pairs> targets, const Pairs& given) const {
    if (asks_for_hypotheses()) return Calculations{};  // their posterior is written
    if (given.size() != case_.layout.parameters || has_evidence()) return not_applicable;
    Calculations out;
    for (const auto& target : targets)
        out.push_back({.steps = {target.empty() ? Parts{} : Parts{term_of(target, given, variables_)}},
                       .value = TRY(number(asked(Term::conditional, target, given)))});
    return out;
}

Result<Calculation> SpaceSums::joint(const Pairs& target, const Pairs& given) const {
    const Clause evidence = evidence_at(given);
    const auto of_h = TRY(posterior(evidence));
    Query q;
    q.targets = query_.targets;
    q.targets.free.clear();
    fix(q.targets, target, variables_);
    std::vector<Parts> terms;
    Calculation out;
    Query seen;
    seen.targets = q.targets;
    out.heading = fmt::format("P({}{})", sides_text(seen), bar(evidence));
    for (std::size_t h = 0; h < of_h.size(); ++h) {
        if (of_h.at(h).is_zero()) continue;
        q.given = {};
        q.given.events = case_.bindings;
        fix(q.given, pairs_of(h), variables_);
        for (const auto& list : query_.given.observations)
            if (case_.layout.is_input(static_cast<Slot>(index(list.variable)))) q.given.observations.push_back(list);
        const auto p = TRY(number(q));
        if (p.is_zero()) continue;
        out.value += p * of_h.at(h);
        terms.push_back(p == Number(1) ? Parts{of_h.at(h)} : Parts{p, std::string(" * "), of_h.at(h)});
    }
    if (terms.size() <= longest_sum) out.steps = {joined(terms, " + ")};
    return out;
}

Status SpaceMixture::write_identity(DerivationWriter& out) const {
    if (names_hypothesis()) {
        out.note(fmt::format("once the {} is known, the answer is what it says", space_.words.one));
        return Done{};
    }
    const std::string given = has_evidence() || !query_.given.soft.empty() ? " | evidence" : "";
    out.formula(fmt::format("P({1}{3}) = sum over {2} of P({1} | {0}) * P({0}{3})", h_, outcome(), space_.words.many, given));
    return Done{};
}

Status SpaceMixture::open(const Pairs& given, DerivationWriter& out) const {
    return names_hypothesis() || !query_.given.soft.empty() ? Done{} : SpaceSums::open(given, out);
}

Attempt<Calculations> SpaceMixture::entries(std::span<const Pairs>, const Pairs&) const {
    const auto of_h = TRY(posterior(query_.given));
    const auto slot = static_cast<Slot>(index(query_.targets.free[0]));
    const auto& inputs = case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs;
    std::vector<std::size_t> possible;
    std::vector<double> weights;
    for (std::size_t h = 0; h < of_h.size(); ++h) {
        if (of_h.at(h).is_zero()) continue;
        possible.push_back(h);
        weights.push_back(of_h.at(h).real());
    }
    Calculation out{.written = false};
    const bool several = possible.size() > 1;
    const auto shown = shown_cases(weights);
    if (several) out.notes.push_back(fmt::format("{} is a mixture of what it is in each case:", outcome()));
    for (const auto i : shown) {
        const auto h = possible[i];
        const auto distribution = TRY(space_.outcome_of(h, inputs));
        const auto words = distribution_words(*distribution);
        const auto is = fmt::format("{} ~ {}", outcome(), words.empty() ? "a distribution of its own" : words);
        out.notes.push_back(several ? fmt::format("  {}: weight {}, {}", text_of(pairs_of(h), variables_), number_words(of_h.at(h)), is)
                                    : fmt::format("So {}.", is));
    }
    if (shown.size() < possible.size())
        out.notes.push_back(
            fmt::format("{} of {} possible {} are shown, the most probable", shown.size(), possible.size(), space_.words.many));
    return Calculations{std::move(out)};
}

}  // namespace credence::rt
