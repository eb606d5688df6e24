#include "runtime/latent/sequences.hpp"

#include <fmt/format.h>

#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

/// The one column beside `sequence` and `state`.
Result<const Column*> observation_column(const Table& table, const std::string& model) {
    const Column* out = nullptr;
    for (const auto& column : table.columns) {
        if (column->name == "sequence" || column.get() == state_column(table)) continue;
        if (out)
            return Fault{
                .code = "E-COLUMN",
                .message = fmt::format("{} takes one column of observations, and there are several", model),
                .hint =
                    "select one; besides it, a column `sequence` may number the sequences, and a column `state` may hold observed states"};
        out = column.get();
    }
    if (!out) return Fault{.code = "E-COLUMN", .message = fmt::format("the table has no column of observations for {}", model)};
    return out;
}

}  // namespace

const Column* state_column(const Table& table) {
    const auto found = table.find("state");
    const std::size_t others = table.find("sequence") ? 2 : 1;  // alone it is what is observed
    return found && table.columns.size() > others ? table.columns[*found].get() : nullptr;
}

Result<DomainPtr> symbols_in(const TableView& rows, const std::string& model) {
    auto column = TRY(observation_column(*rows.table, model));
    if (column->kind == ColumnKind::label) return column->domain;
    return as_labels(std::make_shared<const Column>(*column))->domain;
}

Result<Sequences> sequences_of(const TableView& rows, std::span<const double> weights, const Hmm& hmm) {
    const Table& table = *rows.table;
    const std::string& model = hmm.name;
    const DomainPtr& symbols = hmm.symbols;
    const Column* states = state_column(table);
    const auto divider = table.find("sequence");
    auto observed = TRY(observation_column(table, model));
    const Column& column = *observed;
    if (!symbols && column.kind != ColumnKind::numeric)
        return Fault{.code = "E-TYPE", .message = fmt::format("{} emits numbers, and {} has labels", model, column.name)};
    Sequences out;
    out.seen = &column;
    std::optional<Label> last;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        const Column* d = divider ? table.columns[*divider].get() : nullptr;
        std::optional<Label> here;
        if (d && !d->is_missing(r)) here = d->label(r);
        if (i == 0 || here != last) {
            out.sequences.emplace_back();
            if (!weights.empty()) out.weights.push_back(weights[i]);
            last = here;
        }
        Sequence& s = out.sequences.back();
        if (!states || states->is_missing(r)) {
            ++out.hidden_states;
            if (states) s.states.push_back(-1);
        } else {
            const auto state = hmm.states->find(states->label(r));
            if (!state)
                return Fault{.code = "E-LABEL",
                             .message = fmt::format("{} has no state '{}'", model, states->label(r).text()),
                             .hint = "the column `state` holds states that were seen"};
            s.states.push_back(static_cast<std::int32_t>(*state));
        }
        if (!symbols) {
            s.values.push_back(column.values[r]);
            continue;
        }
        if (column.is_missing(r)) {
            s.codes.push_back(-1);
            continue;
        }
        const auto code = symbols->find(column.label(r));
        if (!code)
            return Fault{.code = "E-LABEL",
                         .message = fmt::format("{} does not emit '{}'", model, column.label(r).text()),
                         .hint = "name it in an emission, or leave all emissions open (emit ?)"};
        s.codes.push_back(static_cast<std::int32_t>(*code));
    }
    return out;
}

}  // namespace credence::rt
