// How a query on a net with numbers was answered: prior, likelihood and posterior of each part, or how it was drawn.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/counts.hpp"
#include "runtime/prob/derivation.hpp"

namespace credence::rt::continuous {

namespace {

/// A dirichlet that met counts, told of the whole and not of its sticks; nothing where the component is more than that.
std::vector<std::string> dirichlet_story(const Expanded& net, const Unrolled& problem, const Component& component) {
    if (!component.round.empty() || component.posteriors.size() != 1) return {};
    for (std::size_t node = 0; node < net.declared; ++node) {
        if (!net.is_vector(node)) continue;
        std::vector<Number> before;
        std::vector<Number> after;
        std::vector<VarId> seen;
        for (const auto stick : net.parts[node])
            for (const auto v : component.numbers) {
                const auto& instance = problem.instances[index(v)];
                const auto at = component.posteriors[0].marginals.find(v);
                if (instance.node != index(stick) || at == component.posteriors[0].marginals.end() || at->second->name() != "beta")
                    continue;
                if (!is_constant(instance.parameters[0]) || !is_constant(instance.parameters[1])) continue;
                const auto p = at->second->parameters();
                before.push_back(instance.parameters[0]->value);
                after.push_back(std::get<Number>(p[0].value));
                seen.push_back(v);
                if (seen.size() == net.parts[node].size()) {
                    before.push_back(instance.parameters[1]->value);
                    after.push_back(std::get<Number>(p[1].value));
                }
            }
        if (seen.size() != net.parts[node].size() || seen.size() != component.numbers.size()) continue;
        const auto& name = net.node(node).variable.name;
        std::string prior;
        std::string likelihood;
        std::string posterior;
        for (std::size_t i = 0; i < before.size(); ++i) {
            prior += (i ? ", " : "") + label_text(before[i]);
            likelihood += fmt::format("{}{}[{}]^{}", i ? " * " : "", name, i + 1, label_text(after[i] - before[i]));
            posterior += (i ? ", " : "") + label_text(after[i]);
        }
        return {fmt::format("Prior: {} ~ dirichlet([{}])", name, prior), fmt::format("Likelihood: {}", likelihood),
                fmt::format("Posterior: {} ~ dirichlet([{}]); one component is beta with the sum of the others", name, posterior)};
    }
    return {};
}

/// How dense an observed number is in each configuration of the discrete variables that decide it.
void tell_densities(const Unrolled& problem, DerivationWriter& out) {
    constexpr std::size_t most_told = 12;
    for (const auto& instance : problem.instances) {
        if (!instance.value || instance.set || instance.table || instance.discrete()) continue;
        std::vector<VarId> over;
        for (const auto& term : instance.parameters)
            for (const auto v : variables_of(term))
                if (std::find(over.begin(), over.end(), v) == over.end()) over.push_back(v);
        std::size_t count = 1;
        for (const auto v : over)
            count *= problem.instances[index(v)].discrete() ? problem.instances[index(v)].domain->size() : most_told + 1;
        if (over.empty() || count > most_told) continue;
        const Number& value = std::get<Number>(*instance.value);
        out.note(fmt::format("The density of {} = {} counts for each value of what decides it:", instance.name, label_text(value)));
        for (std::size_t c = 0; c < count; ++c) {
            std::map<VarId, Label> labels;
            std::string given;
            std::size_t rest = c;
            for (const auto v : over) {
                const auto& domain = *problem.instances[index(v)].domain;
                labels[v] = domain[rest % domain.size()];
                rest /= domain.size();
                given += (given.empty() ? "" : ", ") + problem.name(v) + " = " + labels[v].text();
            }
            std::vector<Number> numbers;
            std::string parameters;
            for (const auto& term : instance.parameters) {
                numbers.push_back(with_labels(term, labels)->value);
                const Number& n = numbers.back();
                parameters += (parameters.empty() ? "" : ", ") + (n.is_exact() ? label_text(n) : fmt::format("{:.6g}", n.real()));
            }
            const auto made = make_distribution(instance.family, numbers, instance.labels);
            if (made)
                out.note(fmt::format("  {}: {}({}), density {:.6g}", given, family_info(instance.family).name, parameters,
                                     std::exp((*made)->log_pdf(value))));
        }
    }
}

}  // namespace

Result<Derivation> explain(const Expanded& net, const Query& query, const Answer& answer, Run& run) {
    DerivationWriter out;
    auto choice = choice_of(query, run);
    if (!choice) return std::move(choice).fault();
    auto problem = prepare(net, query, run);
    if (!problem) return std::move(problem).fault();
    std::vector<Term> wanted;
    for (const auto id : query.targets.free)
        if (!net.variables[index(id)].variable.is_discrete() && problem->of_variable[index(id)])
            wanted.push_back(problem->of_variable[index(id)]);
    // Of a dirichlet: all its sticks.
    for (const auto id : query.targets.free)
        if (net.is_vector(net.visible[index(id)].node))
            for (std::size_t i = 0; i < problem->instances.size(); ++i) wanted.push_back(variable_term(static_cast<VarId>(i)));
    const bool drawn = answer.engine == "nuts" || answer.engine == "forward";
    auto layers = drawn ? Result<std::optional<Layered>>(std::optional<Layered>()) : layered(*problem, wanted, choice->allowed, run);
    if (!layers) return std::move(layers).fault();
    if (*layers) {
        tell_densities(*problem, out);
        constexpr std::size_t shown = 4;
        for (const auto& component : (*layers)->components) {
            if (const auto told = dirichlet_story(net, *problem, component); !told.empty()) {
                for (const auto& line : told) out.note(line);
                continue;
            }
            for (std::size_t c = 0; c < component.posteriors.size() && c < shown; ++c) {
                if (!component.round.empty()) {
                    std::string given;
                    for (const auto& [v, label] : (*layers)->labels(component, c))
                        given += (given.empty() ? "" : ", ") + problem->name(v) + " = " + label.text();
                    out.note(fmt::format("Given {}:", given));
                }
                for (const auto& line : component.posteriors[c].story) out.note(component.round.empty() ? line : "  " + line);
                if (!component.round.empty())
                    out.note(fmt::format("  the evidence then has density {:.6g}", std::exp(component.posteriors[c].log_evidence)));
            }
            if (component.posteriors.size() > shown)
                out.note(fmt::format("… and {} more configurations", component.posteriors.size() - shown));
            if (!component.round.empty()) out.note("Each configuration counts by its prior probability times that density.");
        }
    } else {
        out.note("No exact engine covers the query: draws from the posterior stand for it.");
        if (answer.engine == "nuts")
            out.note("The No-U-Turn sampler follows the gradient of the log density; numbers with bounds are moved on an unbounded scale.");
        else
            out.note("Nothing was observed, so every variable is drawn after its parents.");
    }
    std::string figures;
    for (const auto& [name, number] : answer.counts)
        figures += fmt::format("{}{} {}", figures.empty() ? ": " : ", ", name,
                               number.is_exact() ? label_text(number) : fmt::format("{:.5g}", number.real()));
    if (query.by.origin == Origin::none) out.note(fmt::format("Answered by {}{}.", answer.engine, figures));
    return std::move(out).take();
}

}  // namespace credence::rt::continuous
