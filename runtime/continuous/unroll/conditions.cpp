// A component with the labels of its discrete variables fixed: its densities, and the evidence about its numbers besides.

#include <functional>

#include "runtime/continuous/exact/axes.hpp"
#include "runtime/continuous/exact/exact.hpp"
#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

Subproblem subproblem_of(const Unrolled& problem, const Component& component, const std::map<VarId, Label>& labels) {
    Subproblem subproblem{&problem, component.numbers, {}, {}};
    for (const auto i : component.factors) {
        const auto& instance = problem.instances[i];
        DensityFactor factor;
        factor.family = instance.family;
        factor.instance = i;
        for (const auto& term : instance.parameters) factor.parameters.push_back(with_labels(term, labels));
        settle_case(factor.family, factor.parameters);
        if (instance.is_real_latent()) {
            factor.x = variable_term(static_cast<VarId>(i));
            subproblem.factors.push_back(std::move(factor));
            continue;
        }
        if (instance.tied) {
            factor.x = with_labels(instance.tied, labels);
            subproblem.factors.push_back(std::move(factor));
            continue;
        }
        if (instance.censored) {
            factor.kind = DensityFactor::Kind::interval;
            factor.region = instance.region;
            factor.x = constant_term(0);
            subproblem.factors.push_back(std::move(factor));
            continue;
        }
        const Outcome value = instance.value ? *instance.value : Outcome(labels.at(static_cast<VarId>(i)));
        if (instance.family == Family::categorical) {
            factor.kind = DensityFactor::Kind::weight;
            factor.weight = factor.parameters[*instance.domain->find(std::get<Label>(value))];
            factor.parameters.clear();
            factor.x = constant_term(0);
            if (factor.weight->has_variables && is_truth(factor.weight)) {
                subproblem.conditions.push_back(factor.weight);
                continue;
            }
        } else {
            TermNode leaf;
            leaf.op = TermOp::variable;
            factor.x = leaf_value(leaf, value);
        }
        const bool certain = factor.family == Family::bernoulli && factor.parameters.size() == 1 && factor.parameters[0]->has_variables &&
                             is_truth(factor.parameters[0]);
        if (certain)
            subproblem.conditions.push_back(factor.x->value.is_zero() ? make_term(TermOp::not_, {factor.parameters[0]})
                                                                      : factor.parameters[0]);
        else
            subproblem.factors.push_back(std::move(factor));
    }
    return subproblem;
}

namespace {

/// An event as a term that is 1 or 0: `number` gives what a number of the model is here, `label` what label a discrete variable has.
Term truth_term(const Event& event, const Variables& variables, const std::function<Term(VarId)>& number,
                const std::function<Label(VarId)>& label) {
    const auto inner = [&](const Event& part) { return truth_term(part, variables, number, label); };
    if (event.kind == Event::Kind::negation) return make_term(TermOp::not_, {inner(event.parts[0])});
    if (event.kind != Event::Kind::atom) {
        const bool all = event.kind == Event::Kind::all;
        Term out = constant_term(all ? 1 : 0);
        for (const auto& part : event.parts) out = make_term(all ? TermOp::and_ : TermOp::or_, {out, inner(part)});
        return out;
    }
    const auto& atom = event.atom;
    if (variables[index(atom.variable)].variable.is_discrete()) return constant_term(holds(atom, label(atom.variable)) ? 1 : 0);
    const Term x = number(atom.variable);
    const auto value = [&](std::size_t i) { return constant_term(number_meant(atom.values[i])); };
    switch (atom.compare) {
        case Compare::equal:
            return make_term(TermOp::equal, {x, value(0)});
        case Compare::not_equal:
            return make_term(TermOp::not_, {make_term(TermOp::equal, {x, value(0)})});
        case Compare::less:
            return make_term(TermOp::less, {x, value(0)});
        case Compare::less_equal:
            return make_term(TermOp::less_equal, {x, value(0)});
        case Compare::greater:
            return make_term(TermOp::less, {value(0), x});
        case Compare::greater_equal:
            return make_term(TermOp::less_equal, {value(0), x});
        case Compare::one_of:
            break;
    }
    Term out = constant_term(0);
    for (std::size_t i = 0; i < atom.values.size(); ++i) out = make_term(TermOp::or_, {out, make_term(TermOp::equal, {x, value(i)})});
    return out;
}

}  // namespace

Term event_term(const Unrolled& problem, const Event& event, const std::map<VarId, Label>& labels) {
    const auto number = [&](VarId id) {
        return rewrite(problem.of_variable[index(id)], [&](const TermNode& leaf) -> Term {
            if (const auto at = labels.find(leaf.variable); at != labels.end()) return leaf_value(leaf, at->second);
            const auto& value = problem.instances[index(leaf.variable)].value;
            return value ? leaf_value(leaf, *value) : nullptr;
        });
    };
    const auto label = [&](VarId id) {
        const VarId v = problem.of_variable[index(id)]->variable;
        const auto& value = problem.instances[index(v)].value;
        return value ? std::get<Label>(*value) : labels.at(v);
    };
    return truth_term(event, problem.net->variables, number, label);
}

Term condition_of(const Unrolled& problem, const Component& component, const Subproblem& subproblem, const std::map<VarId, Label>& labels,
                  bool all) {
    std::vector<Term> parts = subproblem.conditions;
    for (const auto e : component.events)
        if (const auto& event = problem.real_events[e]; event.evidence || all) parts.push_back(event_term(problem, event.event, labels));
    Term out = constant_term(1);
    for (const auto& one : parts) out = is_constant(out) && !out->value.is_zero() ? one : make_term(TermOp::and_, {out, one});
    return out;
}

}  // namespace credence::rt::continuous
