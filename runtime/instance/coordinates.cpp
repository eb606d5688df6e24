#include "runtime/instance/coordinates.hpp"

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/filled_rows.hpp"

namespace credence::rt {

namespace {

/// The matrix as a table of numeric columns, one for each term.
Table numeric_table(const Matrix& m, const std::vector<DesignTerm>& terms) {
    Table out;
    out.row_count = m.rows;
    for (std::size_t c = 0; c < m.columns; ++c) {
        auto column = std::make_shared<Column>();
        column->name = terms[c].name;
        column->kind = ColumnKind::numeric;
        column->values.resize(m.rows);
        for (std::size_t i = 0; i < m.rows; ++i) column->values[i] = m(i, c);
        out.columns.push_back(std::move(column));
    }
    return out;
}

}  // namespace

Result<Coordinates> Coordinates::fit(const Schema& schema, const TableView& rows, AxisScale scaling, std::span<const double> weights) {
    const std::span<const ColumnPtr> features(rows.table->columns.data(), schema.features.size());
    auto terms = design_terms(features, Coding::full);
    const Table numbers = numeric_table(design_matrix(features, terms, rows), terms);
    Schema numeric;
    for (const auto& t : terms) numeric.features.push_back({t.name, ColumnKind::numeric, nullptr});
    auto space =
        TRY(MetricSpace::fit(numeric, {.table = &numbers, .rows = {}}, {.metric = Metric::euclidean, .scaling = scaling}, weights));
    return Coordinates(std::move(terms), std::move(space));
}

Matrix Coordinates::scaled(const Matrix& raw) const {
    const Table numbers = numeric_table(raw, terms_);
    return space_.encode({.table = &numbers, .rows = {}});
}

Result<TablePtr> complete_table(const TableView& rows, std::span<const double> weights, const Run& run) {
    std::vector<ColumnPtr> columns = TRY(filled_features(rows, schema_with_fills(rows, weights), run));
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) places.push_back(static_cast<std::uint32_t>(rows.row(i)));
    columns.push_back(rows.table->columns[*rows.table->target]);
    if (places.size() != rows.table->row_count || !rows.all)
        for (auto& column : columns) column = take_rows(*column, places);
    const std::size_t target = columns.size() - 1;
    return make_table(std::move(columns), target, places.size());
}

Result<TablePtr> with_more_rows(const Table& old, const TableView& more) {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < more.size(); ++i) rows.push_back(static_cast<std::uint32_t>(more.row(i)));
    std::vector<ColumnPtr> columns;
    for (const auto& column : old.columns) {
        auto at = TRY(find_column(*more.table, column->name));
        const ColumnPtr added = take_rows(*more.table->columns[at], rows);
        if (column->kind == ColumnKind::numeric && added->kind == ColumnKind::label && added->missing_count() < added->rows())
            return Fault{.code = "E-TYPE", .message = fmt::format("{} was numeric in training, and has labels here", column->name)};
        columns.push_back(concat_columns(*column, *(column->kind == ColumnKind::label ? as_labels(added) : added)));
    }
    return make_table(std::move(columns), old.target, old.row_count + rows.size());
}

std::vector<double> with_more_weights(std::span<const double> old, std::size_t rows, std::span<const double> more, std::size_t added) {
    std::vector<double> out;
    if (old.empty() && more.empty()) return out;
    out.assign(old.begin(), old.end());
    out.resize(rows, 1.0);
    for (std::size_t i = 0; i < added; ++i) out.push_back(more.empty() ? 1.0 : more[i]);
    return out;
}

}  // namespace credence::rt
