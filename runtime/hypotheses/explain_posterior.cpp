// Posteriors as prior times likelihood over their sum, and predictions as sums over them.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"

namespace credence::rt {

Result<std::vector<Number>> SpaceExplainer::products() const {
    std::vector<Number> out;
    for (std::size_t h = 0; h < space_.prior.size(); ++h) {
        out.push_back(readable(TRY(prior_times_likelihood(h, evidence_)).value));
        if (run_.stopped()) return stopped_fault();
    }
    return out;
}

Result<SpaceExplainer::Joint> SpaceExplainer::write_products(const std::vector<Number>& products) {
    Joint out;
    std::vector<double> weights;
    for (const auto& p : products) weights.push_back(p.real());
    std::size_t impossible = 0;
    for (const auto h : shown_cases(weights)) {
        if (!space_.prior[h].is_zero())
            out.shown.push_back(h);
        else
            ++impossible;
    }
    if (only_ && !space_.prior[*only_].is_zero() && !contains(out.shown, *only_)) out.shown.push_back(*only_);
    for (const auto& p : products) out.total += p;
    out.total = readable(out.total);
    for (const auto h : out.shown) {
        out.products.push_back(products[h]);
        const Product joint = TRY(prior_times_likelihood(h, evidence_));
        const Number& prior = space_.prior[h];
        out_.calculation("",
                         {few(evidence_) ? in_names({&joint, 1}) : Parts{},
                          few(evidence_) ? in_numbers({&joint, 1}) : Parts{prior, std::string(" * "), joint.value / prior}},
                         products[h]);
    }
    if (impossible > 0) out_.note(fmt::format("{} {} of prior zero are left out", impossible, space_.words.many));
    if (out.shown.size() + impossible < space_.prior.size()) out_.note_shown(out.shown.size(), space_.prior.size(), space_.words.many);
    return out;
}

bool SpaceExplainer::complete(const Joint& joint) const {
    Number sum = 0;
    for (const auto& p : joint.products) sum += p;
    return sum == joint.total;
}

void SpaceExplainer::write_total(const Joint& joint) {
    if (!complete(joint)) {
        out_.note(fmt::format("P({}), the sum over all {} {}, is the divisor below", data_, space_.prior.size(), space_.words.many));
        return;
    }
    out_.formula(fmt::format("P({1}) = sum over {2} of P({1} | {0}) * P({0})", h_, data_, space_.words.many));
    std::vector<Parts> numbers;
    for (const auto& p : joint.products) numbers.push_back({p});
    out_.calculation("", {joined(numbers, " + ")}, joint.total);
}

std::optional<Pairs> SpaceExplainer::single_observation() const {
    if (evidence_.size() != 1 || !case_.evidence_groups.empty() || !space_.outcome.is_discrete() || !evidence_[0].inputs.empty())
        return std::nullopt;
    const auto value = space_.outcome.domain->find(evidence_[0].value);
    if (!value) return std::nullopt;
    return Pairs{{case_.layout.outcome(), *value}};
}

Status SpaceExplainer::write_posterior() {
    if (evidence_.empty()) {
        out_.note("without evidence the answer is the prior");
        std::vector<double> weights;
        for (std::size_t h = 0; h < space_.prior.size(); ++h) weights.push_back(space_.prior[h].real());
        auto shown = shown_cases(weights);
        if (only_) shown.assign(1, *only_);
        for (const auto h : shown) out_.calculation("", {prior_term(h)}, space_.prior[h]);
        if (!only_) out_.note_shown(shown.size(), weights.size(), space_.words.many);
        return Done{};
    }
    out_.formula(fmt::format("P({0} | {1}) = P({1} | {0}) * P({0}) / P({1})", h_, data_));
    if (data_ != space_.outcome.name) out_.note(fmt::format("{} is {}", data_, data_text()));
    const auto all = TRY(products());
    if (out_of_range(all)) return write_posterior_alone();
    const auto joint = TRY(write_products(all));
    write_total(joint);
    const auto single = single_observation();
    for (std::size_t i = 0; i < joint.shown.size(); ++i) {
        if (only_ && *only_ != joint.shown[i]) continue;
        const std::size_t h = joint.shown[i];
        out_.calculation(single ? "" : posterior_text(h, query_.given),
                         {single ? Parts{term_of(pairs_of(h), *single, variables_)} : Parts{}, quotient(joint.products[i], joint.total)},
                         joint.products[i] / joint.total);
    }
    return Done{};
}

bool SpaceExplainer::out_of_range(std::span<const Number> products) {
    constexpr double smallest = 1e-290;
    double largest = 0;
    for (const auto& p : products) largest = std::max(largest, p.real());
    return !(largest > smallest);
}

Status SpaceExplainer::write_posterior_alone() {
    out_.note("the products are too small to write as decimals; they were added up as logarithms");
    const auto posterior = TRY(posterior_of(space_, variables_, query_.given, query_.origin, run_));
    const Factor& of_h = std::get<Factor>(posterior.value);
    const auto shown = shown_cases(of_h.doubles());
    for (const auto h : shown) out_.calculation(posterior_text(h, query_.given), {}, of_h.at(h));
    out_.note_shown(shown.size(), of_h.size(), space_.words.many);
    return Done{};
}

Status SpaceExplainer::write_predictive(bool every_value) {
    const std::string& y = space_.outcome.name;
    if (evidence_.empty()) {
        out_.formula(fmt::format("total probability: P({1}) = sum over {2} of P({1} | {0}) * P({0})", h_, y, space_.words.many));
    } else {
        out_.formula(fmt::format("P(next {1} | {2}) = sum over {3} of P({1} | {0}) * P({0} | {2})", h_, y, data_, space_.words.many));
        out_.note("first the posterior");
    }
    auto posterior = TRY(posterior_of(space_, variables_, query_.given, query_.origin, run_));
    const Factor& of_h = std::get<Factor>(posterior.value);
    if (!evidence_.empty()) TRY(write_posterior());

    std::vector<std::size_t> live;
    for (std::size_t h = 0; h < of_h.size(); ++h)
        if (!of_h.at(h).is_zero()) live.push_back(h);
    if (live.size() > longest_sum) out_.note(fmt::format("{} terms are summed over the {}", live.size(), space_.words.many));
    if (!every_value) {
        Query targets;
        targets.targets = query_.targets;
        return write_mixture(targets_, sides_text(targets), of_h, live);
    }
    const Slot slot = case_.shape.targets[0];
    for (const auto& label : space_.outcome.domain->labels()) {
        const ObservationGroup value{case_.draws[case_.layout.is_next(slot) ? 1 : 0].inputs, label, 1};
        const std::string text = fmt::format("{} = {}", variables_[slot].variable.name, label.text());
        TRY(write_mixture(std::span(&value, 1), text, of_h, live));
    }
    return Done{};
}

Status SpaceExplainer::write_mixture(std::span<const ObservationGroup> values, const std::string& what, const Factor& posterior,
                                     std::span<const std::size_t> live) {
    std::vector<Product> terms;
    Number total = 0;
    for (const auto h : live) {
        const Number& weight_of_h = posterior.at(h);
        terms.push_back(TRY(likelihood(h, values)));
        terms.back().times(evidence_.empty() ? prior_term(h) : Parts{weight_of_h}, weight_of_h);
        total += terms.back().value;
    }
    const bool written = terms.size() <= longest_sum;
    out_.calculation(fmt::format("P({}{})", what, bar(query_.given)),
                     {written ? in_names(terms) : Parts{}, written ? in_numbers(terms) : Parts{}}, total);
    return Done{};
}

}  // namespace credence::rt
