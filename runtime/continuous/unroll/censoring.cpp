#include "runtime/continuous/unroll/censoring.hpp"

#include <algorithm>
#include <map>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/exact/axes.hpp"
#include "runtime/continuous/exact/exact.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

bool has_latent_label(const Unrolled& problem, const Term& term) {
    const auto from = variables_of(term);
    return std::any_of(from.begin(), from.end(), [&](VarId v) { return problem.instances[index(v)].discrete(); });
}

/// `a and b`, `not (a or b)`, `not (x < 1)` as comparisons that all hold.
void take_apart(const Term& term, bool negated, std::vector<Term>& out) {
    if (term->op == TermOp::not_) {
        take_apart(term->parts[0], !negated, out);
    } else if (term->op == (negated ? TermOp::or_ : TermOp::and_)) {
        for (const auto& part : term->parts) take_apart(part, negated, out);
    } else if (negated && (term->op == TermOp::less || term->op == TermOp::less_equal)) {
        out.push_back(make_term(term->op == TermOp::less ? TermOp::less_equal : TermOp::less, {term->parts[1], term->parts[0]}));
    } else {
        out.push_back(negated ? make_term(TermOp::not_, {term}) : term);
    }
}

/// A term that is 0 or 1 as a condition made of comparisons; null if it may be anything else.
Term as_condition(const Term& term) {
    if (is_constant(term)) return is_truth(term) ? term : nullptr;
    const auto joined = [](TermOp op, const Term& a, const Term& b) -> Term {
        if (!a || !b) return nullptr;
        const bool all = op == TermOp::and_;
        for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
            if (is_constant(one)) return one->value.is_zero() == all ? one : other;
        return make_term(op, {a, b});
    };
    const auto opposite = [](const Term& of) -> Term { return of ? make_term(TermOp::not_, {of}) : nullptr; };
    if (term->op == TermOp::multiply) return joined(TermOp::and_, as_condition(term->parts[0]), as_condition(term->parts[1]));
    if (term->op == TermOp::choose) {
        const Term when = as_condition(term->parts[0]);
        return joined(TermOp::or_, joined(TermOp::and_, when, as_condition(term->parts[1])),
                      joined(TermOp::and_, opposite(when), as_condition(term->parts[2])));
    }
    return is_truth(term) ? term : nullptr;
}

/// What has to hold so that a label that was observed, and that other variables decide, is as it is; null where it is drawn.
Term deciding_condition(const Instance& instance, VarId own) {
    if (!instance.value || instance.set || instance.table) return nullptr;
    if (instance.family == Family::categorical && instance.domain)
        return as_condition(instance.parameters[*instance.domain->find(std::get<Label>(*instance.value))]);
    if (instance.family != Family::bernoulli || instance.parameters.size() != 1) return nullptr;
    const Term truth = as_condition(instance.parameters[0]);
    const bool holds = !leaf_value(*variable_term(own), *instance.value)->value.is_zero();
    return holds || !truth ? truth : make_term(TermOp::not_, {truth});
}

/// The values at which a comparison in the term changes; false if one of them is not of a linear function.
bool collect_marks(const Term& term, std::vector<Number>& out) {
    if (!term->has_variables) return true;
    if (term->op == TermOp::less || term->op == TermOp::less_equal || term->op == TermOp::equal) {
        const auto linear = as_linear(make_term(TermOp::subtract, {term->parts[0], term->parts[1]}));
        if (!linear || linear->coefficients.size() != 1) return false;
        if (!linear->coefficients[0].second.is_zero()) out.push_back(-linear->constant / linear->coefficients[0].second);
        return true;
    }
    if (!is_truth(term) || term->parts.empty()) return false;
    return std::all_of(term->parts.begin(), term->parts.end(), [&](const Term& part) { return collect_marks(part, out); });
}

/// The numbers that other instances, the query, or conditions together with other numbers speak of.
std::vector<bool> spoken_of(const Unrolled& problem, const Query& query, std::span<const Term> wanted,
                            const std::vector<Condition>& conditions) {
    std::vector<bool> out(problem.instances.size(), false);
    const auto mark = [&](const Term& term) {
        if (term)
            for (const auto v : variables_of(term)) out[index(v)] = true;
    };
    const auto mark_variable = [&](VarId id) { mark(problem.of_variable[index(id)]); };
    std::vector<bool> is_condition(problem.instances.size(), false);
    for (const auto& condition : conditions) {
        if (condition.instance) is_condition[*condition.instance] = true;
        if (variables_of(condition.truth).size() > 1) mark(condition.truth);
    }
    for (std::size_t i = 0; i < problem.instances.size(); ++i) {
        if (is_condition[i]) continue;
        for (const auto& term : problem.instances[i].parameters) mark(term);
        mark(problem.instances[i].tied);
    }
    for (const auto& term : wanted) mark(term);
    for (const auto id : query.targets.free) mark_variable(id);
    for (const auto& event : query.targets.events)
        for (const auto id : variables_of(event)) mark_variable(id);
    for (const auto id : query.given.free) mark_variable(id);
    for (const auto& event : problem.real_events) {
        if (!event.evidence) continue;
        bool taken = false;
        for (const auto& condition : conditions) taken = taken || condition.event == &event - problem.real_events.data();
        if (!taken)
            for (const auto v : event.over) out[index(v)] = true;
    }
    return out;
}

}  // namespace

std::vector<Condition> evidence_conditions(const Unrolled& problem) {
    std::vector<Condition> out;
    const auto add = [&](const Term& truth, Condition like) {
        if (!truth->has_variables || has_latent_label(problem, truth)) return;
        std::vector<Term> parts;
        take_apart(truth, false, parts);
        for (auto& part : parts) {
            like.truth = std::move(part);
            out.push_back(like);
        }
    };
    for (std::size_t e = 0; e < problem.real_events.size(); ++e) {
        const auto& event = problem.real_events[e];
        if (!event.evidence) continue;
        const auto about = variables_of(event.event);
        const bool known = std::all_of(about.begin(), about.end(), [&](VarId id) {
            const Term& term = problem.of_variable[index(id)];
            return !problem.net->variables[index(id)].variable.is_discrete() ||
                   (term->op == TermOp::variable && problem.instances[index(term->variable)].value);
        });
        if (known) add(event_term(problem, event.event), {.truth = nullptr, .event = e});
    }
    for (std::size_t i = 0; i < problem.instances.size(); ++i) {
        if (const Term truth = deciding_condition(problem.instances[i], static_cast<VarId>(i)))
            add(truth, {.truth = nullptr, .event = {}, .instance = i});
    }
    return out;
}

std::optional<Region> region_of(const Instance& instance, VarId number, std::span<const Term> conditions) {
    std::vector<Number> marks;
    for (const auto& condition : conditions) {
        const auto from = variables_of(condition);
        if (from.size() != 1 || from[0] != number || !collect_marks(condition, marks)) return std::nullopt;
    }
    return region_where(std::move(marks), range_of(instance.family) == Range::counts, [&](double x) {
        return std::all_of(conditions.begin(), conditions.end(),
                           [&](const Term& condition) { return evaluate(condition, [x](const TermNode&) { return x; }) != 0; });
    });
}

void censor(Unrolled& problem, const Query& query, std::span<const Term> wanted) {
    const auto conditions = evidence_conditions(problem);
    const auto taken = spoken_of(problem, query, wanted, conditions);
    std::map<VarId, std::vector<const Condition*>> by_number;
    for (const auto& condition : conditions)
        if (const auto from = variables_of(condition.truth); from.size() == 1 && !taken[index(from[0])])
            by_number[from[0]].push_back(&condition);
    std::map<VarId, Region> regions;
    std::size_t hard = 0;  // of which an exact engine would have to integrate one more number
    for (const auto& [v, own] : by_number) {
        const auto& instance = problem.instances[index(v)];
        if (!instance.is_real_latent() || instance.table || instance.set || !instance.family->log_density) continue;
        std::size_t unknown = 0;
        for (const auto& term : instance.parameters)
            for (const auto parent : variables_of(term)) unknown += problem.instances[index(parent)].is_real_latent() ? 1 : 0;
        if (unknown == 0) continue;
        std::vector<Term> terms;
        for (const auto* condition : own) terms.push_back(condition->truth);
        auto region = region_of(instance, v, terms);
        if (!region || region->empty()) continue;
        hard += unknown > 1 || instance.family != Family::normal ? 2 : 1;
        regions.emplace(v, *std::move(region));
    }
    if (hard < 2) return;  // one normal number with one unknown mean: its event has a closed form
    std::vector<std::size_t> spent;
    for (auto& [v, region] : regions) {
        auto& instance = problem.instances[index(v)];
        instance.region = std::move(region);
        instance.censored = true;
        ++problem.observed;
        for (const auto* condition : by_number[v]) {
            if (condition->event) spent.push_back(*condition->event);
            if (condition->instance) problem.instances[*condition->instance].set = true;
        }
    }
    std::sort(spent.begin(), spent.end());
    spent.erase(std::unique(spent.begin(), spent.end()), spent.end());
    for (std::size_t k = spent.size(); k-- > 0;)
        problem.real_events.erase(problem.real_events.begin() + static_cast<std::ptrdiff_t>(spent[k]));
}

}  // namespace credence::rt::continuous
