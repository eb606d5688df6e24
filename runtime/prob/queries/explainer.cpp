#include "runtime/prob/queries/explainer.hpp"

#include "runtime/prob/queries/explain_soft.hpp"

namespace credence::rt {

namespace {

void write_calculation(const Calculation& calculation, DerivationWriter& out) {
    if (!calculation.formula.empty()) out.formula(calculation.formula);
    if (!calculation.heading.empty()) out.heading(calculation.heading);
    for (const auto& note : calculation.notes) out.note(note);
    if (calculation.written) out.calculation("", calculation.steps, calculation.value);
}

Status write_cases(const Explained& model, std::span<const Pairs> targets, const Pairs& given, bool all, DerivationWriter& out) {
    TRY(model.open(given, out));
    if (auto entries = TRY(model.entries(targets, given).or_nothing())) {
        for (const auto& entry : *entries) write_calculation(entry, out);
        return Done{};
    }
    std::vector<Number> joints;
    for (const auto& target : targets) {
        const auto joint = TRY(model.joint(target, given));
        write_calculation(joint, out);
        joints.push_back(joint.value);
    }
    if (!model.is_conditional()) return Done{};
    const auto evidence = TRY(model.evidence(given, all ? std::span<const Number>(joints) : std::span<const Number>()).or_nothing());
    if (!evidence) return Done{};
    for (const auto& part : *evidence) write_calculation(part, out);
    for (std::size_t i = 0; i < targets.size(); ++i)
        write_calculation(model.quotient(targets[i], given, joints[i], evidence->back().value), out);
    return Done{};
}

}  // namespace

Result<Calculation> Explained::joint(const Pairs& target, const Pairs& given) const {
    Calculation out;
    out.value = TRY(number(asked(Term::joint, target, given)));
    out.written = !is_conditional();
    if (out.written) out.heading = asked_text(Term::joint, target, given);
    return out;
}

Attempt<Calculations> Explained::evidence(const Pairs& given, std::span<const Number>) const {
    Calculation out{.written = false};
    out.value = TRY(number(asked(Term::evidence, {}, given)));
    if (out.value.is_zero()) return not_applicable;
    return Calculations{std::move(out)};
}

Calculation Explained::quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const {
    return {.heading = asked_text(Term::conditional, target, given), .steps = {rt::quotient(above, below)}, .value = above / below};
}

Query Explained::asked(Term term, const Pairs& target, const Pairs& given) const {
    const Query full = in_case(query_, term == Term::evidence ? Pairs{} : target, given, variables_);
    if (term == Term::conditional) return full;
    Query out;
    out.doing = query_.doing;
    if (term == Term::joint) out.targets = full.targets;
    out.targets.events.insert(out.targets.events.end(), full.given.events.begin(), full.given.events.end());
    out.targets.observations.insert(out.targets.observations.end(), full.given.observations.begin(), full.given.observations.end());
    out.targets.data.insert(out.targets.data.end(), full.given.data.begin(), full.given.data.end());
    out.given.soft = query_.given.soft;
    return out;
}

std::string Explained::asked_text(Term term, const Pairs& target, const Pairs& given) const {
    return query_text(asked(term, target, given), variables_);
}

Status write_explanation(const Explained& model, DerivationWriter& out) {
    TRY(model.write_identity(out));
    const auto cases = model.cases();
    if (!model.query().given.soft.empty() && model.follows_soft_rule())
        return explain_soft(
            model.query(), model.variables(), cases, [&](const Query& q) { return model.number(q); }, out);
    for (std::size_t g = 0; g < cases.givens.size(); ++g) {
        std::vector<Pairs> targets;
        for (const auto i : cases.shown)
            if (i % cases.givens.size() == g && merged(cases.target(i), cases.givens[g])) targets.push_back(cases.target(i));
        if (targets.empty()) continue;
        TRY(write_cases(model, targets, cases.givens[g], targets.size() == cases.targets.size(), out));
    }
    out.note_shown(cases.shown.size(), cases.size(), model.cases_called());
    return Done{};
}

Result<Derivation> explanation(const Explained& model) {
    DerivationWriter out;
    TRY(write_explanation(model, out));
    return std::move(out).take();
}

}  // namespace credence::rt
