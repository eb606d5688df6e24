// Posteriors as prior times likelihood over their sum.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/hypotheses/ask.hpp"
#include "runtime/hypotheses/space_explainer.hpp"

namespace credence::rt {

Status SpacePosterior::find_products() {
    for (std::size_t h = 0; h < space_.prior.size() && !question_.evidence.empty(); ++h) {
        products_.push_back(readable(TRY(prior_times_likelihood(h, question_.evidence)).value));
        if (run_.stopped()) return stopped_fault();
    }
    return Done{};
}

std::vector<std::size_t> SpacePosterior::hypotheses_shown() const {
    std::vector<double> weights;
    for (const auto& p : products_) weights.push_back(p.real());
    auto out = shown_cases(weights);
    std::erase_if(out, [&](std::size_t h) { return space_.prior[h].is_zero(); });
    if (const auto only = question_.only; only && !space_.prior[*only].is_zero() && !contains(out, *only)) out.push_back(*only);
    return out;
}

bool SpacePosterior::is_out_of_range() const {
    constexpr double smallest = 1e-290;
    return std::none_of(products_.begin(), products_.end(), [](const Number& p) { return p.real() > smallest; });
}

QueryCases SpacePosterior::cases() const {
    std::vector<double> weights;
    if (const auto* factor = std::get_if<Factor>(&answer_.value)) weights = factor->doubles();
    QueryCases out = hypotheses_as_cases(weights);
    if (!question_.only && !products_.empty() && !is_out_of_range()) out.shown = hypotheses_shown();
    return out;
}

Status SpacePosterior::write_identity(DerivationWriter& out) const {
    if (question_.evidence.empty()) {
        out.note("without evidence the answer is the prior");
        return Done{};
    }
    out.formula(fmt::format("P({0} | {1}) = P({1} | {0}) * P({0}) / P({1})", h_, data_));
    if (data_ != space_.outcome.name) out.note(fmt::format("{} is {}", data_, data_text()));
    if (is_out_of_range()) out.note("the products are too small to write as decimals; they were added up as logarithms");
    return Done{};
}

Attempt<Calculations> SpacePosterior::entries(std::span<const Pairs> targets, const Pairs&) const {
    Calculations out;
    if (question_.evidence.empty()) {
        for (const auto& target : targets) {
            const auto h = hypothesis_of(target);
            out.push_back({.steps = {prior_term(h)}, .value = space_.prior[h]});
        }
        return out;
    }
    if (!is_out_of_range()) return not_applicable;
    const auto posterior = TRY(posterior_of(space_, variables_, query_.given, query_.origin, run_));
    for (const auto& target : targets) {
        const auto h = hypothesis_of(target);
        out.push_back({.heading = posterior_text(h, query_.given), .value = std::get<Factor>(posterior.value).at(h)});
    }
    return out;
}

Result<Calculation> SpacePosterior::joint(const Pairs& target, const Pairs&) const {
    return Calculation{.value = products_[hypothesis_of(target)], .written = false};
}

Attempt<Calculations> SpacePosterior::evidence(const Pairs&, std::span<const Number>) const {
    Calculations out;
    std::vector<Parts> numbers;
    Number sum = 0;
    Calculation total;
    for (const auto& p : products_) total.value += p;
    total.value = readable(total.value);
    for (const auto h : hypotheses_shown()) {
        const Product joint = TRY(prior_times_likelihood(h, question_.evidence));
        const bool written = few(question_.evidence);
        out.push_back(
            {.steps = {written ? in_names({&joint, 1}) : Parts{},
                       written ? in_numbers({&joint, 1}) : Parts{space_.prior[h], std::string(" * "), joint.value / space_.prior[h]}},
             .value = products_[h]});
        numbers.push_back({products_[h]});
        sum += products_[h];
    }
    const auto all = space_.prior.size();
    std::size_t impossible = 0;
    for (std::size_t h = 0; h < all && all <= longest_sum; ++h) impossible += space_.prior[h].is_zero() ? 1 : 0;
    if (impossible > 0) total.notes.push_back(fmt::format("{} {} of prior zero are left out", impossible, space_.words.many));
    if (sum == total.value) {
        total.formula = fmt::format("P({1}) = sum over {2} of P({1} | {0}) * P({0})", h_, data_, space_.words.many);
        total.steps = {joined(numbers, " + ")};
    } else {
        total.notes.push_back(fmt::format("P({}), the sum over all {} {}, is the divisor below", data_, all, space_.words.many));
        total.written = false;
    }
    out.push_back(std::move(total));
    return out;
}

Calculation SpacePosterior::quotient(const Pairs& target, const Pairs&, const Number& above, const Number& below) const {
    Calculation out{.steps = {rt::quotient(above, below)}, .value = above / below};
    if (const auto single = single_observation())
        out.steps.insert(out.steps.begin(), Parts{term_of(target, *single, variables_)});
    else
        out.heading = posterior_text(hypothesis_of(target), query_.given);
    return out;
}

std::optional<Pairs> SpacePosterior::single_observation() const {
    const auto& evidence = question_.evidence;
    if (evidence.size() != 1 || !case_.evidence_groups.empty() || !space_.outcome.is_discrete() || !evidence[0].inputs.empty())
        return std::nullopt;
    const auto value = space_.outcome.domain->find(evidence[0].value);
    if (!value) return std::nullopt;
    return Pairs{{case_.layout.outcome(), *value}};
}

}  // namespace credence::rt
