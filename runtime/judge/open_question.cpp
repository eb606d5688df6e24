#include "runtime/judge/open_question.hpp"

#include <fmt/format.h>

#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

Query OpenQuestion::at(std::size_t row) const {
    Query query;
    query.targets.free = {target};
    for (const auto& [id, column] : given) {
        if (column->is_missing(row)) continue;
        const Label value = column->label(row);
        const Variable& v = model->variables()[index(id)].variable;
        if (v.is_discrete() ? !v.domain->find(value) : !value.number()) continue;
        query.given.events.push_back(event_equal(id, value, Origin::none));
    }
    return query;
}

Query OpenQuestion::alone() const {
    Query out;
    out.targets.free = {target};
    return out;
}

Result<Answer> OpenQuestion::answer(std::size_t row, std::size_t& impossible, Run& run) const {
    if (run.stopped()) return stopped_fault();
    auto answer = model->ask(at(row), run);
    if (answer) return answer;
    Fault fault = std::move(answer).fault();
    if (fault.code == "E-ZERO") {
        ++impossible;
        return model->ask(alone(), run);
    }
    fault.message += fmt::format(" (row {})", row + 1);
    return fault;
}

OpenQuestion question_of(const Model& model, const Table& table, const std::string& target) {
    OpenQuestion out{.model = &model};
    for (std::size_t v = 0; v < model.variables().size(); ++v) {
        const auto& variable = model.variables()[v];
        if (variable.next) continue;
        if (variable.variable.name == target)
            out.target = static_cast<VarId>(v);
        else if (const auto column = table.find(variable.variable.name))
            out.given.emplace_back(static_cast<VarId>(v), table.columns[*column].get());
    }
    return out;
}

void note_impossible(std::size_t rows, const std::string& target, Run& run) {
    if (rows == 0 || !run.note) return;
    run.note(fmt::format(
        "{} row{} probability zero in the model and {} P({}) alone; with m: 1 (in counting or the learner) nothing is impossible", rows,
        rows == 1 ? " has" : "s have", rows == 1 ? "gets" : "get", target));
}

}  // namespace credence::rt
