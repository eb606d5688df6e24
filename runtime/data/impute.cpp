#include "runtime/data/impute.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

Number middle_of(std::vector<Number> xs) {
    std::sort(xs.begin(), xs.end(), [](const Number& a, const Number& b) { return a < b; });
    const std::size_t n = xs.size();
    return n % 2 == 1 ? xs[n / 2] : (xs[n / 2 - 1] + xs[n / 2]) / Number(2);
}

/// The value that occurs most often, the first to appear of equals.
Label most_common(const Column& column, std::span<const std::size_t> rows) {
    std::map<std::string, std::size_t> counts;
    for (const auto row : rows) ++counts[column.label(row).text()];
    const auto best = std::max_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        return counts[column.label(a).text()] < counts[column.label(b).text()];
    });
    return column.label(*best);
}

/// What fills a cell, from these rows of a column, which are not missing.
Label fill_from(const Column& column, std::span<const std::size_t> rows, NumberFill numbers) {
    if (column.kind == ColumnKind::label || numbers == NumberFill::most_common) return most_common(column, rows);
    std::vector<Number> xs;
    const bool exact = !column.real && rows.size() <= max_exact_rows;
    for (const auto row : rows) xs.push_back(exact ? column.number(row) : Number::real(column.values[row]));
    if (numbers == NumberFill::median) return Label::of_number(middle_of(std::move(xs)));
    Number total = exact ? Number(0) : Number::real(0);
    for (const auto& x : xs) total += x;
    return Label::of_number(total / Number(Rational(static_cast<std::int64_t>(xs.size()))));
}

/// What fills a column: for every class that has a cell, and for all others.
struct ColumnFill {
    std::map<std::string, Label> by_class;
    std::optional<Label> otherwise;
};

ColumnFill fill_of(const Column& column, const Table& from, ImputeOptions options) {
    std::vector<std::size_t> all;
    std::map<std::string, std::vector<std::size_t>> classes;
    for (std::size_t row = 0; row < from.rows(); ++row) {
        if (column.is_missing(row)) continue;
        all.push_back(row);
        if (!options.by_class) continue;
        const Column& target = *from.columns[*from.target];
        if (!target.is_missing(row)) classes[target.label(row).text()].push_back(row);
    }
    ColumnFill out;
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

Result<TablePtr> impute(const Table& table, std::span<const std::string> columns, const Table& from, ImputeOptions options) {
    if (options.by_class && !from.target)
        return Fault{
            .code = "E-TABLE", .message = "by_class needs a target column, and the table has none", .hint = "with_target(t, Column)"};
    std::vector<std::size_t> chosen = TRY(find_columns(table, columns));
    for (std::size_t c = 0; columns.empty() && c < table.columns.size(); ++c)
        if (table.target != c) chosen.push_back(c);
    auto out = table.columns;
    const Column* target = options.by_class && table.target ? table.columns[*table.target].get() : nullptr;
    for (const auto c : chosen) {
        const Column& column = *table.columns[c];
        if (column.missing_count() == 0) continue;
        const auto found = from.find(column.name);
        if (!found) return no_such_column(column.name, column_names(from));
        const Column& source = *from.columns[*found];
        const ColumnFill fill = fill_of(source, from, options);
        if (!fill.otherwise || source.kind != column.kind)
            return Fault{.code = "E-TABLE",
                         .message = fill.otherwise
                                        ? fmt::format("column '{}' has numbers in one table and labels in the other", column.name)
                                        : fmt::format("every cell of column '{}' is missing", column.name),
                         .hint = fill.otherwise ? "" : fmt::format("drop(t, {}) leaves the column out", column.name)};
        out[c] = TRY(filled(column, fill, target));
    }
    return make_table(std::move(out), table.target, table.rows());
}

}  // namespace credence::rt
