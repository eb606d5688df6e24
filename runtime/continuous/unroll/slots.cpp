// The discrete variables of an unrolled query by number, and the events about numbers by what they are over.

#include <algorithm>

#include "runtime/continuous/unroll/unrolled.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

void number_slots(Unrolled& problem) {
    const auto& variables = problem.net->variables;
    problem.slots.assign(problem.instances.size(), 0);
    problem.sizes.clear();
    problem.slot_names.clear();
    std::vector<bool> taken(problem.instances.size(), false);
    for (std::size_t v = 0; v < variables.size(); ++v) {
        const auto& variable = variables[v].variable;
        problem.sizes.push_back(variable.is_discrete() ? variable.size() : 1);
        problem.slot_names.push_back(variable.name);
        const auto& term = problem.of_variable[v];
        if (!term || !variable.is_discrete() || term->op != TermOp::variable) continue;
        problem.slots[index(term->variable)] = static_cast<Slot>(v);
        taken[index(term->variable)] = true;
    }
    for (std::size_t i = 0; i < problem.instances.size(); ++i) {
        if (taken[i] || !problem.instances[i].discrete()) continue;
        problem.slots[i] = static_cast<Slot>(problem.sizes.size());
        problem.sizes.push_back(problem.instances[i].domain->size());
        problem.slot_names.push_back(problem.instances[i].name);
    }
    for (auto& event : problem.real_events) {
        event.over.clear();
        for (const auto id : variables_of(event.event)) {
            if (variables[index(id)].variable.is_discrete()) continue;
            for (const auto v : variables_of(problem.of_variable[index(id)]))
                if (problem.instances[index(v)].is_real_latent()) event.over.push_back(v);
        }
        std::sort(event.over.begin(), event.over.end());
        event.over.erase(std::unique(event.over.begin(), event.over.end()), event.over.end());
    }
}

}  // namespace credence::rt::continuous
