#include "runtime/data/impute.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

/// A cell that is there, and how often it counts.
struct Counted {
    std::size_t row = 0;
    double weight = 1;
};

bool alike(std::span<const Counted> cells) {
    return std::all_of(cells.begin(), cells.end(), [](const Counted& c) { return c.weight == 1; });
}

Number middle_of(std::vector<Number> xs) {
    std::sort(xs.begin(), xs.end(), [](const Number& a, const Number& b) { return a < b; });
    const std::size_t n = xs.size();
    return n % 2 == 1 ? xs[n / 2] : (xs[n / 2 - 1] + xs[n / 2]) / Number(2);
}

/// Half of the weight is at it or below, and half at it or above; between two such numbers their middle.
Number weighted_middle(const Column& column, std::vector<Counted> cells) {
    std::sort(cells.begin(), cells.end(), [&](const Counted& a, const Counted& b) { return column.values[a.row] < column.values[b.row]; });
    double total = 0;
    for (const auto& c : cells) total += c.weight;
    double below = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        below += cells[i].weight;
        const double here = column.values[cells[i].row];
        if (2 * below == total && i + 1 < cells.size()) return Number::real((here + column.values[cells[i + 1].row]) / 2);
        if (2 * below >= total) return Number::real(here);
    }
    return Number::real(column.values[cells.back().row]);
}

/// The value that occurs most often, the first to appear of equals.
Label most_common(const Column& column, std::span<const Counted> cells) {
    std::map<std::string, double> counts;
    for (const auto& c : cells) counts[column.label(c.row).text()] += c.weight;
    const auto best = std::max_element(cells.begin(), cells.end(), [&](const Counted& a, const Counted& b) {
        return counts[column.label(a.row).text()] < counts[column.label(b.row).text()];
    });
    return column.label(best->row);
}

/// What fills a cell, from these cells of a column.
Label fill_from(const Column& column, std::span<const Counted> cells, NumberFill numbers) {
    if (column.kind == ColumnKind::label || numbers == NumberFill::most_common) return most_common(column, cells);
    if (!alike(cells)) {
        if (numbers == NumberFill::median) return Label::of_number(weighted_middle(column, {cells.begin(), cells.end()}));
        double sum = 0;
        double total = 0;
        for (const auto& c : cells) {
            sum += c.weight * column.values[c.row];
            total += c.weight;
        }
        return Label::of_number(Number::real(sum / total));
    }
    std::vector<Number> xs;
    const bool exact = !column.real && cells.size() <= max_exact_rows;
    for (const auto& c : cells) xs.push_back(exact ? column.number(c.row) : Number::real(column.values[c.row]));
    if (numbers == NumberFill::median) return Label::of_number(middle_of(std::move(xs)));
    Number total = exact ? Number(0) : Number::real(0);
    for (const auto& x : xs) total += x;
    return Label::of_number(total / Number(Rational(static_cast<std::int64_t>(xs.size()))));
}

ColumnFill fill_of(const Column& column, const TableView& from, std::span<const double> weights, ImputeOptions options) {
    std::vector<Counted> all;
    std::map<std::string, std::vector<Counted>> classes;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t row = from.row(i);
        if (column.is_missing(row)) continue;
        const Counted cell{row, weights.empty() ? 1.0 : weights[i]};
        all.push_back(cell);
        if (!options.by_class) continue;
        const Column& target = *from.table->columns[*from.table->target];
        if (!target.is_missing(row)) classes[target.label(row).text()].push_back(cell);
    }
    ColumnFill out{.column = column.name, .kind = column.kind, .by_class = {}, .otherwise = {}};
    if (!all.empty()) out.otherwise = fill_from(column, all, options.numbers);
    for (const auto& [label, rows] : classes) out.by_class.emplace(label, fill_from(column, rows, options.numbers));
    return out;
}

Result<ColumnPtr> filled(const Column& column, const ColumnFill& fill, const Column* target) {
    ColumnBuilder builder(column.name);
    for (std::size_t row = 0; row < column.rows(); ++row) {
        if (!column.is_missing(row)) {
            builder.add(column.label(row));
            continue;
        }
        const auto own = target && !target->is_missing(row) ? fill.by_class.find(target->label(row).text()) : fill.by_class.end();
        builder.add(own != fill.by_class.end() ? own->second : *fill.otherwise);
    }
    auto out = TRY(std::move(builder).finish(column.kind));
    if (column.kind != ColumnKind::label) return out;
    // The labels keep their order, and those that no row has.
    auto recoded = std::make_shared<Column>(column);
    for (std::size_t row = 0; row < column.rows(); ++row)
        if (const auto code = column.domain->find(out->label(row)))
            recoded->codes[row] = static_cast<std::int32_t>(*code);
        else
            return out;
    return ColumnPtr(std::move(recoded));
}

}  // namespace

namespace {

/// The columns meant: those named, or all but the target.
Result<std::vector<std::size_t>> chosen_columns(const Table& table, std::span<const std::string> columns) {
    std::vector<std::size_t> chosen = TRY(find_columns(table, columns));
    for (std::size_t c = 0; columns.empty() && c < table.columns.size(); ++c)
        if (table.target != c) chosen.push_back(c);
    return chosen;
}

Status check_classes(const Table& from, ImputeOptions options) {
    if (!options.by_class || from.target) return Done{};
    return Fault{.code = "E-TABLE", .message = "by_class needs a target column, and the table has none", .hint = "with_target(t, Column)"};
}

/// The column with its cells filled in; E-TABLE if the fill is none or of another kind.
Result<ColumnPtr> filled_by(const Column& column, const ColumnFill& fill, const Column* target) {
    if (fill.otherwise && fill.kind == column.kind) return filled(column, fill, target);
    return Fault{.code = "E-TABLE",
                 .message = fill.otherwise ? fmt::format("column '{}' has numbers in one table and labels in the other", column.name)
                                           : fmt::format("every cell of column '{}' is missing", column.name),
                 .hint = fill.otherwise ? "" : fmt::format("drop(t, {}) leaves the column out", column.name)};
}

}  // namespace

Result<TablePtr> impute(const Table& table, std::span<const std::string> columns, const Table& from, ImputeOptions options) {
    TRY(check_classes(from, options));
    const auto chosen = TRY(chosen_columns(table, columns));
    auto out = table.columns;
    const Column* target = options.by_class && table.target ? table.columns[*table.target].get() : nullptr;
    for (const auto c : chosen) {
        const Column& column = *table.columns[c];
        if (column.missing_count() == 0) continue;
        const auto found = from.find(column.name);
        if (!found) return no_such_column(column.name, column_names(from));
        out[c] = TRY(filled_by(column, fill_of(*from.columns[*found], {.table = &from, .rows = {}}, {}, options), target));
    }
    return make_table(std::move(out), table.target, table.rows());
}

Result<std::vector<ColumnFill>> column_fills(const TableView& from, std::span<const double> weights, std::span<const std::string> columns,
                                             ImputeOptions options) {
    TRY(check_classes(*from.table, options));
    const auto chosen = TRY(chosen_columns(*from.table, columns));
    std::vector<ColumnFill> out;
    for (const auto c : chosen) out.push_back(fill_of(*from.table->columns[c], from, weights, options));
    return out;
}

Result<TablePtr> with_fills(const Table& table, std::span<const ColumnFill> fills) {
    auto out = table.columns;
    const Column* target = table.target ? table.columns[*table.target].get() : nullptr;
    for (const auto& fill : fills) {
        const auto found = table.find(fill.column);
        if (!found || table.columns[*found]->missing_count() == 0) continue;
        out[*found] = TRY(filled_by(*table.columns[*found], fill, fill.by_class.empty() ? nullptr : target));
    }
    return make_table(std::move(out), table.target, table.rows());
}

}  // namespace credence::rt
