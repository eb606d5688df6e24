#include "runtime/prob/learning/training_rows.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/learning/filled_rows.hpp"

namespace credence::rt {

Result<TrainingRows> training_rows(const TableView& rows, std::span<const double> row_weights, Coding coding, Run& run,
                                   std::optional<Scaling> scale) {
    const Table& table = *rows.table;
    TrainingRows out;
    out.schema = schema_with_fills(rows, row_weights);
    out.features = TRY(filled_features(rows, out.schema, run));
    if (scale) scale_features(rows, row_weights, *scale, out.schema, out.features);
    out.from.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.from.push_back(static_cast<std::uint32_t>(rows.row(i)));
    out.terms = design_terms(out.features, coding);
    out.x = design_matrix(out.features, out.terms, {.table = &table, .rows = out.from, .all = false});
    const Column& target = *table.columns[*table.target];
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (target.kind == ColumnKind::label)
            out.codes.push_back(target.codes[out.from[k]]);
        else
            out.values.push_back(target.values[out.from[k]]);
        out.weights.push_back(row_weights.empty() ? 1.0 : row_weights[k]);
    }
    for (std::size_t t = 0; t < out.terms.size(); ++t)
        for (std::size_t i = 0; i < out.x.rows; ++i)
            if (!std::isfinite(out.x(i, t)))
                return Fault{.code = "E-TRAIN", .message = fmt::format("{} is not finite in row {}", out.terms[t].name, out.from[i] + 1)};
    return out;
}

void keep_seen_labels(TrainingRows& rows) {
    const Domain& all = *rows.schema.target.domain;
    std::vector<std::int32_t> code(all.size(), -1);
    for (const auto c : rows.codes) code[static_cast<std::size_t>(c)] = 0;
    std::vector<Label> seen;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (code[k] < 0) continue;
        code[k] = static_cast<std::int32_t>(seen.size());
        seen.push_back(all[k]);
    }
    if (seen.size() == all.size()) return;
    for (auto& c : rows.codes) c = code[static_cast<std::size_t>(c)];
    rows.schema.target.domain = make_domain(std::move(seen));
}

Status check_labels(const TrainingRows& rows, std::string_view learner) {
    if (rows.labels() >= 2) return Done{};
    return Fault{.code = "E-TRAIN",
                 .message = fmt::format("{} needs at least two labels, and {} has only one", learner, rows.schema.target.name)};
}

Result<TrainingRows> labelled_rows(const TableView& rows, std::span<const double> row_weights, std::string_view learner, Run& run,
                                   std::optional<Scaling> scale) {
    auto data = TRY(training_rows(rows, row_weights, Coding::reference, run, scale));
    keep_seen_labels(data);
    TRY(check_labels(data, learner));
    return data;
}

Matrix numbers_of(const TableView& rows, std::span<const DesignTerm> terms) { return design_matrix(rows.table->columns, terms, rows); }

std::vector<DesignTerm> terms_of(const Schema& schema, Coding coding) {
    std::vector<ColumnPtr> columns;
    for (const auto& f : schema.features) {
        auto column = std::make_shared<Column>();
        column->name = f.name;
        column->kind = f.kind;
        column->domain = f.domain;
        columns.push_back(std::move(column));
    }
    return design_terms(columns, coding);
}

Standard standard_of(const Matrix& x, std::span<const double> weights) {
    Standard out{std::vector<double>(x.columns, 0.0), std::vector<double>(x.columns, 0.0)};
    double total = 0;
    for (const double w : weights) total += w;
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < x.columns; ++c) out.mean[c] += weights[i] / total * x(i, c);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < x.columns; ++c) {
            const double e = x(i, c) - out.mean[c];
            out.spread[c] += weights[i] / total * e * e;
        }
    for (std::size_t c = 0; c < x.columns; ++c) {
        const double sd = std::sqrt(out.spread[c]);
        out.spread[c] = sd > 1e-14 * (std::abs(out.mean[c]) + 1e-300) ? sd : 1.0;
    }
    return out;
}

Matrix standardised(const Matrix& x, const Standard& by) {
    Matrix out(x.rows, x.columns);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < x.columns; ++c) out(i, c) = (x(i, c) - by.mean[c]) / by.spread[c];
    return out;
}

std::vector<double> in_units(std::span<const double> coefficients, const Standard& by) {
    std::vector<double> out(coefficients.begin(), coefficients.end());
    for (std::size_t c = 0; c < by.mean.size(); ++c) {
        out[c + 1] /= by.spread[c];
        out[0] -= out[c + 1] * by.mean[c];
    }
    return out;
}

std::vector<double> in_spreads(std::span<const double> coefficients, const Standard& by) {
    std::vector<double> out(coefficients.begin(), coefficients.end());
    for (std::size_t c = 0; c < by.mean.size(); ++c) {
        out[0] += out[c + 1] * by.mean[c];
        out[c + 1] *= by.spread[c];
    }
    return out;
}

}  // namespace credence::rt
