#include "runtime/prob/models/empirical_counts.hpp"

#include <algorithm>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

std::optional<Fault> not_for_tables(const Query& query) {
    if (!query.doing.empty())
        return Fault{.code = "E-DO", .message = "do is for nets; a table does not allow interventions", .origin = query.doing[0].origin};
    for (const auto* clause : {&query.targets, &query.given}) {
        for (const auto& list : clause->observations)
            return Fault{.code = "E-QUERY",
                         .message = "the rows of a table are independent: a list gives no information about the others",
                         .origin = list.origin,
                         .hint = "the probability of a list is asked for before the bar: P(X = [a, b]) in t"};
        for (const auto& data : clause->data)
            return Fault{.code = "E-QUERY",
                         .message = "the rows of a table are independent: another table gives no information about them",
                         .origin = data.origin,
                         .hint = "the probability of a table under another: P(t) in u"};
    }
    return std::nullopt;
}

}  // namespace

std::vector<Slot> named_columns(const Query& query) {
    std::vector<Slot> out;
    const auto add = [&](VarId v) { out.push_back(static_cast<Slot>(index(v))); };
    for (const auto* clause : {&query.targets, &query.given}) {
        for (const auto v : clause->free) add(v);
        for (const auto& e : clause->events)
            for (const auto v : variables_of(e)) add(v);
        for (const auto& soft : clause->soft) add(soft.variable);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

namespace {

/// Rows with a missing cell that the query names, each as often as it stands for one.
std::size_t left_out_of(const Table& table, std::span<const std::int64_t> times, const Query& query) {
    std::int64_t out = 0;
    const auto named = named_columns(query);
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (std::any_of(named.begin(), named.end(), [&](Slot slot) { return table.columns[slot]->is_missing(row); })) out += times[row];
    return static_cast<std::size_t>(out);
}

void keep_where(RowMask& mask, const RowMask& other) {
    for (std::size_t row = 0; row < mask.size(); ++row) mask[row] = static_cast<char>(mask[row] & other[row]);
}

}  // namespace

EvidenceRows evidence_rows(const Table& table, const Query& query) {
    EvidenceRows out{RowMask(table.rows(), 1), 0};
    for (const auto slot : named_columns(query)) {
        const Column& column = *table.columns[slot];
        if (column.missing_count() == 0) continue;
        for (std::size_t row = 0; row < out.mask.size(); ++row)
            if (column.is_missing(row)) out.mask[row] = 0;
    }
    out.left_out = static_cast<std::size_t>(std::count(out.mask.begin(), out.mask.end(), 0));
    for (const auto& event : query.given.events) keep_where(out.mask, rows_where(event, table));
    return out;
}

Result<EmpiricalCounts> count_rows(const Table& table, std::span<const std::int64_t> times, const Variables& variables, const Query& query,
                                   const Run& run) {
    if (auto fault = not_for_tables(query)) return *std::move(fault);
    TRY(check_soft(query.given.soft, variables));
    EmpiricalCounts out;
    out.variables = variables;
    const Shape shape = shape_of(query);
    out.over = shape.answer;
    for (const auto& soft : query.given.soft) {
        const auto slot = static_cast<Slot>(index(soft.variable));
        if (!contains(out.over, slot)) out.over.push_back(slot);
    }
    std::vector<CodedColumn> columns;
    for (const auto slot : out.over) {
        columns.push_back(coded(*table.columns[slot]));
        out.variables[slot].variable.domain = columns.back().domain;
    }
    for (const auto& v : out.variables) {
        out.sizes.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
        out.names.push_back(v.variable.name);
    }
    if (auto fault = too_large({}, out.over, out.sizes, out.names, sizeof(std::int64_t), run)) return *std::move(fault);

    const auto evidence = evidence_rows(table, query);
    out.left_out = evidence.left_out;
    if (!times.empty()) out.left_out = left_out_of(table, times, query);
    RowMask target(table.rows(), 1);
    for (const auto& event : query.targets.events) keep_where(target, rows_where(event, table));

    std::vector<std::uint32_t> at(table.rows(), 0);  // the cell of each row in the table of counts
    for (std::size_t v = 0; v < out.over.size(); ++v) {
        const auto& codes = columns[v].codes != nullptr ? *columns[v].codes : columns[v].own;
        const auto size = static_cast<std::uint32_t>(out.sizes[out.over[v]]);
        for (std::size_t row = 0; row < at.size(); ++row) at[row] = at[row] * size + static_cast<std::uint32_t>(codes[row]);
        if (run.stopped()) return stopped_fault();
    }
    const auto cells = static_cast<std::size_t>(table_size(out.over, out.sizes));
    out.under_evidence.assign(cells, 0);
    out.under_all.assign(cells, 0);
    for (std::size_t row = 0; row < at.size(); ++row) {
        if (!evidence.mask[row]) continue;
        const std::int64_t n = times.empty() ? 1 : times[row];
        out.under_evidence[at[row]] += n;
        out.under_all[at[row]] += n * target[row];
        out.rows += static_cast<std::size_t>(n);
    }
    return out;
}

}  // namespace credence::rt
