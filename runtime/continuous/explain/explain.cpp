// How a query on a net with numbers was answered: prior, likelihood and posterior of each subproblem, or how it was drawn.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/exact/chains.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/explain/explain_sums.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt::continuous {

namespace {

/// A vector that met counts, told of the whole and not of its sticks; nothing if the component is more than that.
std::vector<std::string> vector_story(const Expanded& net, const Unrolled& problem, const Component& component) {
    if (!component.discrete.empty() || component.posteriors.size() != 1) return {};
    for (std::size_t node = 0; node < net.declared; ++node) {
        if (!net.is_vector(node)) continue;
        std::vector<std::pair<Number, Number>> betas_before;
        std::vector<std::pair<Number, Number>> betas_after;
        for (const auto stick : net.parts[node])
            for (const auto v : component.numbers) {
                const auto& instance = problem.instances[index(v)];
                const auto at = component.posteriors[0].marginals.find(v);
                if (instance.node != index(stick) || at == component.posteriors[0].marginals.end() || at->second->name() != "beta")
                    continue;
                if (!is_constant(instance.parameters[0]) || !is_constant(instance.parameters[1])) continue;
                const auto p = at->second->parameters();
                betas_before.emplace_back(instance.parameters[0]->value, instance.parameters[1]->value);
                betas_after.emplace_back(std::get<Number>(p[0].value), std::get<Number>(p[1].value));
            }
        if (betas_after.size() != net.parts[node].size() || betas_after.size() != component.numbers.size()) continue;
        const auto family = net.node(node).family;
        const auto before = family->vector->from_sticks(betas_before);
        const auto after = family->vector->from_sticks(betas_after);
        if (!before || !after) continue;
        const auto& name = net.node(node).variable.name;
        std::string prior;
        std::string likelihood;
        std::string posterior;
        for (std::size_t i = 0; i < before->size(); ++i) {
            prior += (i ? ", " : "") + label_text((*before)[i]);
            likelihood += fmt::format("{}{}[{}]^{}", i ? " * " : "", name, i + 1, label_text((*after)[i] - (*before)[i]));
            posterior += (i ? ", " : "") + label_text((*after)[i]);
        }
        return {fmt::format("Prior: {} ~ {}([{}])", name, family->name, prior), fmt::format("Likelihood: {}", likelihood),
                fmt::format("Posterior: {} ~ {}([{}]); one component is beta with the sum of the others", name, family->name, posterior)};
    }
    return {};
}

/// Whether something was observed in a component: otherwise its numbers keep their priors.
bool is_observed(const Unrolled& problem, const Component& component) {
    return std::any_of(component.factors.begin(), component.factors.end(),
                       [&](std::size_t i) { return !problem.instances[i].is_real_latent(); });
}

/// What was integrated over a component's numbers; of the first configurations, where there are several.
void tell_integrals(const Component& component, DerivationWriter& out) {
    constexpr std::size_t told = 4;
    for (std::size_t c = 0; c < component.posteriors.size() && c < told; ++c)
        for (const auto& line : component.posteriors[c].integrals) out.note(line);
}

/// What the distribution of a computed number is: an integral for each of its values.
void tell_distribution(const Unrolled& problem, const Hybrid& hybrid, const Term& term, DerivationWriter& out, const Run& run) {
    const auto from = variables_of(term);
    const auto number = std::find_if(from.begin(), from.end(), [&](VarId v) { return problem.instances[index(v)].is_real_latent(); });
    const Component* component = number == from.end() ? nullptr : hybrid.of(*number);
    if (!component || component->posteriors.empty()) return;
    const auto labels = hybrid.labels(*component, 0);
    const Term here = with_labels(term, labels);
    const Subproblem subproblem = subproblem_of(problem, *component, labels);
    const std::vector<Term> terms{condition_of(problem, *component, subproblem, labels, false), here};
    const auto on = here->op == TermOp::variable ? std::nullopt : on_axes(subproblem, component->posteriors[0], terms, run);
    if (!on || on->axes.size() != 2) return;
    const auto name = [&](VarId v) { return problem.name(v); };
    std::string condition = term_text(here, name) + " <= z";
    if (terms[0]->has_variables) condition += ", " + term_text(terms[0], name);
    out.note("For each z, " + integral_words(*on, condition));
}

/// Where the derivation does not end with the value itself: the value.
void tell_value(const Query& query, const Answer& answer, const Variables& variables, DerivationWriter& out) {
    if (const auto* number = std::get_if<Number>(&answer.value)) {
        out.note(query_text(query, variables) + ":");
        out.begin({*number});
        out.result(*number);
    } else if (const auto* factor = std::get_if<Factor>(&answer.value); factor && factor->size() <= longest_sum) {
        const auto over = factor->variables();
        for (std::size_t e = 0; e < factor->size(); ++e) {
            std::string name;
            std::size_t rest = e;
            for (std::size_t k = over.size(); k-- > 0;) {
                name = over[k].name + " = " + (*over[k].domain)[rest % over[k].size()].text() + (name.empty() ? "" : ", ") + name;
                rest /= over[k].size();
            }
            out.note(name + ":");
            out.begin({factor->at(e)});
            out.result(factor->at(e));
        }
    }
}

}  // namespace

namespace {

/// How an engine that does not solve the query exactly goes about it; nothing for those that do.
std::optional<std::string_view> told_engine(std::string_view engine) {
    if (engine == "nuts")
        return "The No-U-Turn sampler follows the gradient of the log density; numbers with bounds are moved on an unbounded scale.";
    if (engine == "forward") return "Nothing was observed, so every variable is drawn after its parents.";
    if (engine == "laplace")
        return "They come from the normal distribution with the curvature of the log density at its highest point, on an unbounded scale, "
               "and "
               "are chosen by importance weights.";
    if (engine == "variational")
        return "They come from the normal distribution that is closest to the posterior on an unbounded scale, and are chosen by "
               "importance "
               "weights.";
    if (engine == "map")
        return "A climb along the gradient ends at the most probable values; the curvature of the log density there gives the standard "
               "errors.";
    return std::nullopt;
}

}  // namespace

Result<Derivation> explain(const Expanded& net, const Query& query, const Answer& answer, Run& run) {
    DerivationWriter out;
    const Choice choice = choice_of(query, run);
    if (asks_for_data(query)) return explain_data(net, query, answer, choice, run);
    auto problem = TRY(prepare(net, query, run));
    std::vector<Term> wanted;
    for (const auto id : query.targets.free)
        if (!net.variables[index(id)].variable.is_discrete() && problem.of_variable[index(id)])
            wanted.push_back(problem.of_variable[index(id)]);
    // Of a dirichlet: all its sticks.
    for (const auto id : query.targets.free)
        if (net.is_vector(net.visible[index(id)].node))
            for (std::size_t i = 0; i < problem.instances.size(); ++i) wanted.push_back(variable_term(static_cast<VarId>(i)));
    const auto how = told_engine(answer.engine);
    const bool drawn = how.has_value();
    auto solved = drawn ? Attempt<Hybrid>(not_applicable) : solve_hybrid(problem, wanted, choice.allowed, run);
    const bool chained = !solved && answer.engine == chains_engine;
    auto hybrid = TRY((chained ? Attempt<Hybrid>(not_applicable) : std::move(solved)).or_nothing());
    if (hybrid) {
        constexpr std::size_t shown = 4;
        for (const auto& component : hybrid->components) {
            if (!is_observed(problem, component)) {
                tell_integrals(component, out);
                continue;
            }
            if (const auto told = vector_story(net, problem, component); !told.empty()) {
                for (const auto& line : told) out.note(line);
                tell_integrals(component, out);
                continue;
            }
            for (std::size_t c = 0; c < component.posteriors.size() && c < shown; ++c) {
                if (!component.discrete.empty()) {
                    std::string given;
                    for (const auto& [v, label] : hybrid->labels(component, c))
                        given += (given.empty() ? "" : ", ") + problem.name(v) + " = " + label.text();
                    out.note(fmt::format("Given {}:", given));
                }
                for (const auto& line : component.posteriors[c].story) out.note(component.discrete.empty() ? line : "  " + line);
                if (!component.discrete.empty())
                    out.note(fmt::format("  the evidence then has density {:.6g}", std::exp(component.posteriors[c].log_evidence)));
            }
            tell_integrals(component, out);
            if (component.posteriors.size() > shown)
                out.note(fmt::format("… and {} more configurations", component.posteriors.size() - shown));
        }
        if (query.targets.free.size() == 1 && wanted.size() == 1) tell_distribution(problem, *hybrid, wanted[0], out, run);
        auto told = TRY(tell_sums(*hybrid, query, answer, out, run));
        if (!told) tell_value(query, answer, net.variables, out);
    } else {
        if (chained)
            out.note(
                "The labels and counts are summed out one after the other. What is computed from them is carried along, so no table "
                "over all of them is needed.");
        else if (!choice.peak)
            out.note(choice.exact ? "No exact engine covers the query: it is answered by draws from the posterior."
                                  : "It is answered by draws from the posterior.");
        if (how) out.note(std::string(*how));
    }
    if (!hybrid) tell_value(query, answer, net.variables, out);
    std::string figures;  // of draws; those of an elimination are not part of a derivation
    for (const auto& [name, number] : drawn ? answer.counts : decltype(answer.counts)())
        figures += fmt::format("{}{} {}", figures.empty() ? ": " : ", ", name,
                               number.is_exact() ? label_text(number) : fmt::format("{:.5g}", number.real()));
    if (!query.by.is_chosen()) out.note(fmt::format("Answered by {}{}.", answer.engine, figures));
    return std::move(out).take();
}

}  // namespace credence::rt::continuous
