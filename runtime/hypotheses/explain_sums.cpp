// What has no shorter way: the posterior of each hypothesis, and for each case of the targets the sum over them.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"
#include "runtime/prob/queries/explain_soft.hpp"

namespace credence::rt {

Status SpaceExplainer::write_over_hypotheses() {
    const bool each_alone = case_.shape.given.size() == case_.layout.parameters && !has_evidence();
    if (each_alone && case_.shape.targets.size() > 0)
        out_.note(fmt::format("once the {} is known, the answer is what it says", space_.words.one));
    else if (!only_hypotheses() && !only_)
        out_.formula(fmt::format("{1} = sum over {2} of P(targets | {0}) * P({0}{3})", h_, query_text(query_, variables_),
                                 space_.words.many, has_evidence() ? " | evidence" : ""));
    const auto* factor = std::get_if<Factor>(&answer_.value);
    if (same_draw_ || !(factor || std::holds_alternative<Number>(answer_.value))) return write_added_up();
    const auto cells = configurations(case_.shape.targets, case_.sizes);
    const auto givens = configurations(case_.shape.given, case_.sizes);
    for (std::size_t g = 0; g < givens.size() && g < cases_shown; ++g) {
        if (!givens[g].empty() && !each_alone) out_.note("for " + text_of(givens[g], variables_));
        Clause given = query_.given;
        given.free.clear();
        fix(given, givens[g], variables_);
        const auto posterior = TRY(posterior_of(space_, variables_, given, query_.origin, run_));
        const Factor& of_h = std::get<Factor>(posterior.value);
        std::vector<double> weights;
        for (std::size_t x = 0; x < cells.size(); ++x) weights.push_back(factor ? factor->at(x * givens.size() + g).real() : 1);
        const auto shown = shown_cases(weights);
        if (each_alone) {
            write_entries(cells, shown, g, givens);
        } else {
            const auto live = TRY(write_weights(given, of_h));
            for (const auto x : shown)
                if (!only_hypotheses() && !(only_ && targets_.empty())) TRY(write_sum(cells[x], given, of_h, live));
        }
        if (!only_hypotheses()) out_.note_shown(shown.size(), cells.size());
    }
    if (givens.size() > cases_shown) out_.note(fmt::format("{} of {} conditions are shown", cases_shown, givens.size()));
    return Done{};
}

Status SpaceExplainer::write_added_up() {
    out_.note(fmt::format("{} {} were weighted by prior times likelihood and added up", space_.prior.size(), space_.words.many));
    const auto told = [&](const Pairs& cell, const Number& value) {
        Query q = in_case(query_, cell, {}, variables_);
        q.given.free = query_.given.free;
        out_.calculation(query_text(q, variables_), {}, value);
    };
    if (const auto* value = std::get_if<Number>(&answer_.value)) told({}, *value);
    const auto* factor = std::get_if<Factor>(&answer_.value);
    const auto cells = configurations(case_.shape.targets, case_.sizes);
    if (factor && factor->size() == cells.size())
        for (const auto x : shown_cases(factor->doubles())) told(cells[x], factor->at(x));
    return Done{};
}

Status SpaceExplainer::write_uncertain() {
    const auto ask = [&](const Query& q) { return number(q); };
    return explain_soft(query_, variables_, query_cases(case_.shape, case_.sizes, answer_), ask, out_);
}

void SpaceExplainer::write_entries(std::span<const Pairs> cells, std::span<const std::size_t> shown, std::size_t g,
                                   std::span<const Pairs> givens) {
    const auto* factor = std::get_if<Factor>(&answer_.value);
    for (const auto x : shown) {
        const Number p = factor ? factor->at(x * givens.size() + g) : std::get<Number>(answer_.value);
        out_.calculation("", {cells[x].empty() ? Parts{} : Parts{term_of(cells[x], givens[g], variables_)}}, p);
    }
}

Result<std::vector<std::size_t>> SpaceExplainer::write_weights(const Clause& given, const Factor& of_h) {
    std::vector<std::size_t> live;
    std::vector<double> weights;
    for (std::size_t h = 0; h < of_h.size(); ++h) {
        if (of_h.at(h).is_zero()) continue;
        live.push_back(h);
        weights.push_back(of_h.at(h).real());
    }
    const auto shown = shown_cases(weights);
    std::vector<Parts> products;
    Number total = 0;
    if (!is_evidence(given)) return live;  // the priors stand in the sums
    out_.formula(fmt::format("P({0} | evidence) = P({0}) * P(evidence | {0}) / P(evidence)", h_));
    for (const auto h : live) {
        const auto l = TRY(likelihood_of(given, h));
        products.push_back({space_.prior[h], std::string(" * "), l});
        total += space_.prior[h] * l;
    }
    total = readable(total);
    const std::string text = short_text(given);
    out_.calculation(fmt::format("P({})", text.empty() ? "evidence" : text),
                     {products.size() <= longest_sum ? joined(products, " + ") : Parts{}}, total);
    for (const auto i : shown) {
        Parts steps = products[i];
        append(steps, {std::string(" / ")});
        append(steps, operand(total));
        out_.calculation(posterior_text(live[i], given), {steps}, of_h.at(live[i]));
    }
    out_.note_shown(shown.size(), live.size(), "possible " + space_.words.many);
    return live;
}

Result<Number> SpaceExplainer::likelihood_of(const Clause& given, std::size_t hypothesis) const {
    Query q;
    for (const auto& event : given.events) (is_binding(event) ? q.given : q.targets).events.push_back(event);
    for (const auto& list : given.observations) {
        const bool input = case_.layout.is_input(static_cast<Slot>(index(list.variable)));
        (input ? q.given : q.targets).observations.push_back(list);
    }
    q.targets.data = given.data;
    fix(q.given, pairs_of(hypothesis), variables_);
    return number(q);
}

Status SpaceExplainer::write_sum(const Pairs& cell, const Clause& given, const Factor& of_h, std::span<const std::size_t> live) {
    Query q;
    q.targets = query_.targets;
    q.targets.free.clear();
    fix(q.targets, cell, variables_);
    std::vector<Parts> terms;
    Number total = 0;
    for (const auto h : live) {
        q.given = {};
        q.given.events = case_.bindings;
        fix(q.given, pairs_of(h), variables_);
        for (const auto& list : query_.given.observations)
            if (case_.layout.is_input(static_cast<Slot>(index(list.variable)))) q.given.observations.push_back(list);
        const auto p = TRY(number(q));
        if (p.is_zero()) continue;
        total += p * of_h.at(h);
        terms.push_back(p == Number(1) ? Parts{of_h.at(h)} : Parts{p, std::string(" * "), of_h.at(h)});
    }
    Query asked;
    asked.targets = q.targets;
    out_.calculation(fmt::format("P({}{})", sides_text(asked), bar(given)), {terms.size() > longest_sum ? Parts{} : joined(terms, " + ")},
                     total);
    return Done{};
}

std::string SpaceExplainer::sides_text(const Query& asked) const {
    const std::string text = query_text(asked, variables_);
    return text.substr(2, text.size() - 3);
}

}  // namespace credence::rt
