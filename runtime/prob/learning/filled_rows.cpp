#include "runtime/prob/learning/filled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/data/design.hpp"

namespace credence::rt {

Schema schema_with_fills(const TableView& rows, std::span<const double> weights) {
    Schema out = schema_of(*rows.table);
    const auto columns = feature_columns(*rows.table);
    for (std::size_t f = 0; f < columns.size(); ++f) {
        const Column& column = *columns[f];
        const bool labels = column.kind == ColumnKind::label;
        std::vector<double> counts(labels ? column.domain->size() : 0, 0.0);
        double sum = 0;
        double total = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t row = rows.row(i);
            if (column.is_missing(row)) continue;
            const double w = weights.empty() ? 1.0 : weights[i];
            total += w;
            if (labels)
                counts[static_cast<std::size_t>(column.codes[row])] += w;
            else
                sum += w * column.values[row];
        }
        if (total == 0) continue;
        out.features[f].fill = labels ? static_cast<double>(std::max_element(counts.begin(), counts.end()) - counts.begin()) : sum / total;
    }
    return out;
}

Result<std::vector<ColumnPtr>> filled_features(const TableView& rows, const Schema& schema, const Run& run) {
    std::vector<ColumnPtr> out = feature_columns(*rows.table);
    bool gaps = false;
    for (std::size_t f = 0; f < out.size(); ++f) {
        bool missing = false;
        for (std::size_t i = 0; i < rows.size() && !missing; ++i) missing = out[f]->is_missing(rows.row(i));
        if (!missing) continue;
        if (!schema.features[f].fill)
            return Fault{.code = "E-MISSING",
                         .message = fmt::format("every cell of {} is missing", out[f]->name),
                         .hint = fmt::format("drop(t, {}) leaves the column out", out[f]->name)};
        out[f] = filled(out[f], schema.features[f]);
        gaps = true;
    }
    // without their number, so that the folds of a cross-validation give one note
    if (gaps && run.note) run.note("missing cells are filled in: numbers with the mean of their column, labels with the most common one");
    return out;
}

FieldScale scale_of(const Column& column, const TableView& rows, std::span<const double> weights, Scaling method) {
    const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
    double total = 0;
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double x = column.values[rows.row(i)];
        if (std::isnan(x)) continue;
        total += weight(i);
        sum += weight(i) * x;
        low = std::min(low, x);
        high = std::max(high, x);
    }
    if (!(low <= high)) return {};
    const double mean = sum / total;
    double squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double e = column.values[rows.row(i)] - mean;
        if (!std::isnan(e)) squares += weight(i) * e * e;
    }
    const bool standard = method == Scaling::standard;
    const double unit = standard ? (total > 1 ? std::sqrt(squares / (total - 1)) : 0) : high - low;
    const bool constant = !(high > low) || !(unit > 1e-300) || !std::isfinite(unit);
    return {standard ? mean : low, constant ? 1.0 : unit};
}

void scale_features(const TableView& rows, std::span<const double> weights, Scaling method, Schema& schema,
                    std::vector<ColumnPtr>& features) {
    for (std::size_t f = 0; f < features.size(); ++f) {
        if (features[f]->kind != ColumnKind::numeric) continue;
        schema.features[f].scale = scale_of(*features[f], rows, weights, method);
        features[f] = scaled(features[f], schema.features[f]);
    }
}

}  // namespace credence::rt
