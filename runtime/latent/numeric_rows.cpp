#include "runtime/latent/numeric_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "runtime/core/text.hpp"

namespace credence::rt {

Result<NumericRows> numeric_rows(const TableView& rows, std::span<const double> weights, std::string_view learner, std::string_view hidden,
                                 std::size_t k, Run& run) {
    NumericRows out;
    std::vector<const Column*> columns;
    for (std::size_t c = 0; c < rows.table->columns.size(); ++c) {
        const Column& column = *rows.table->columns[c];
        if (rows.table->target == c) continue;
        if (column.name == hidden) {
            if (run.note) run.note(fmt::format("the column {} is left out, because {} is meant to find it", column.name, learner));
            continue;
        }
        if (column.kind == ColumnKind::label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} takes numbers, and {} has labels", learner, column.name),
                         .hint = fmt::format("leave it out, drop(t, [{0}]), or turn it into numbers, encode(t, {0})", column.name)};
        columns.push_back(&column);
        out.schema.features.push_back({column.name, ColumnKind::numeric, nullptr});
    }
    if (columns.empty()) return Fault{.code = "E-COLUMN", .message = fmt::format("{} needs numeric columns, and there are none", learner)};
    std::vector<Label> numbers;
    for (std::size_t j = 1; j <= k; ++j) numbers.push_back(Label::of_number(Rational(static_cast<std::int64_t>(j))));
    out.schema.target = {std::string(hidden), ColumnKind::label, make_domain(std::move(numbers))};
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool whole = std::none_of(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(rows.row(i)); });
        if (whole) kept.push_back(i);
    }
    const std::size_t gaps = rows.size() - kept.size();
    if (gaps > 0 && run.note) run.note(fmt::format("{} with a missing cell {} left out", counted(gaps, "row"), gaps == 1 ? "was" : "were"));
    if (kept.empty()) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", learner)};
    out.values = Matrix(kept.size(), columns.size());
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double x = columns[j]->values[rows.row(kept[i])];
            if (!std::isfinite(x))
                return Fault{.code = "E-TRAIN",
                             .message = fmt::format("{} is infinite in row {}", columns[j]->name, rows.row(kept[i]) + 1)};
            out.values(i, j) = x;
        }
    if (!weights.empty())
        for (const auto i : kept) out.weights.push_back(weights[i]);
    std::set<std::vector<double>> different;
    for (std::size_t i = 0; i < kept.size() && different.size() < k; ++i)
        different.emplace(out.values.row(i).begin(), out.values.row(i).end());
    if (different.size() < k)
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} with k = {} needs at least that many different rows, and there {} {}", learner, k,
                                            different.size() == 1 ? "is" : "are", different.size())};
    return out;
}

std::vector<std::size_t> ascending_rows(const Matrix& points) {
    std::vector<std::size_t> out(points.rows);
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        return std::lexicographical_compare(points.row(a).begin(), points.row(a).end(), points.row(b).begin(), points.row(b).end());
    });
    return out;
}

}  // namespace credence::rt
