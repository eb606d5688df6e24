// Tables that judge a model as the charts that are drawn of them: ROC curves, calibration, learning curves. Their columns identify the
// kind.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using rt::XySeries;

namespace {

const rt::Column* number_named(const rt::Table& table, std::string_view name) {
    const auto at = table.find(name);
    const rt::Column* column = at ? table.columns[*at].get() : nullptr;
    return column && column->kind == rt::ColumnKind::numeric ? column : nullptr;
}

XySeries diagonal(std::string name) {
    return {.name = std::move(name), .x = {0, 1}, .y = {0, 1}, .color = rt::quiet_color, .dashed = true};
}

/// The curve goes through (0, 0) and (1, 1); its area by trapezoids.
rt::Chart roc_chart(const rt::Column& x, const rt::Column& y, const PlotOptions& options) {
    std::vector<std::pair<double, double>> points{{0, 0}};
    for (std::size_t r = 0; r < x.values.size(); ++r)
        if (std::isfinite(x.values[r]) && std::isfinite(y.values[r])) points.emplace_back(x.values[r], y.values[r]);
    points.emplace_back(1, 1);
    std::sort(points.begin(), points.end());
    XySeries curve{.name = "model", .x = {}, .y = {}};
    double area = 0;
    for (const auto& [u, v] : points) {
        if (!curve.x.empty()) area += (u - curve.x.back()) * (v + curve.y.back()) / 2;
        curve.x.push_back(u);
        curve.y.push_back(v);
    }
    rt::Chart out = chart_with(options, rt::XyChart{.series = {std::move(curve), diagonal("chance")}, .from_zero = true},
                               "false positive rate", "true positive rate");
    if (out.title.empty()) out.title = fmt::format("ROC curve, AUC {:.4g}", area);
    return out;
}

rt::Chart calibration_chart(const rt::Column& predicted, const rt::Column& observed, const PlotOptions& options) {
    XySeries curve{.name = "model", .x = predicted.values, .y = observed.values};
    XySeries bins{.name = "", .x = curve.x, .y = curve.y, .mark = XySeries::Mark::points, .color = 0};
    rt::Chart out =
        chart_with(options, rt::XyChart{.series = {std::move(curve), diagonal("calibrated"), std::move(bins)}, .from_zero = true},
                   "predicted probability", "share observed");
    if (out.title.empty()) out.title = "calibration";
    return out;
}

/// The band is two standard errors wide on each side.
rt::Chart learning_chart(const rt::Table& table, const PlotOptions& options) {
    const auto& size = *number_named(table, "size");
    const auto& test = *number_named(table, "test_score");
    const auto& error = *number_named(table, "standard_error");
    XySeries band{.name = "test ± 2 standard errors", .x = size.values, .y = {}, .mark = XySeries::Mark::band, .color = 1};
    for (std::size_t r = 0; r < table.rows(); ++r) {
        band.y.push_back(test.values[r] - 2 * error.values[r]);
        band.y_high.push_back(test.values[r] + 2 * error.values[r]);
    }
    rt::XyChart body;
    body.series = {{.name = "train", .x = size.values, .y = number_named(table, "train_score")->values},
                   {.name = "test", .x = size.values, .y = test.values},
                   std::move(band)};
    return chart_with(options, std::move(body), "rows learned from", "score");
}

/// The scores of `grid`: over one parameter of numbers a line with a band of two standard errors on each side, over two parameters a heat
/// map, over others one interval for each combination.
rt::Chart grid_chart(const rt::Table& table, const PlotOptions& options) {
    const rt::Column& score = *table.columns[table.columns.size() - 2];
    const rt::Column& error = *table.columns.back();
    const std::size_t parameters = table.columns.size() - 2;
    const auto cell = [&](std::size_t column, std::size_t row) {
        const rt::Column& c = *table.columns[column];
        return c.is_missing(row) ? std::string("?") : c.label(row).text();
    };
    if (parameters == 1 && table.columns[0]->kind == rt::ColumnKind::numeric && table.rows() > 1) {
        XySeries line{.name = score.name, .x = table.columns[0]->values, .y = score.values};
        XySeries band{.name = "± 2 standard errors", .x = line.x, .y = {}, .mark = XySeries::Mark::band, .color = 0};
        for (std::size_t r = 0; r < table.rows(); ++r) {
            band.y.push_back(score.values[r] - 2 * error.values[r]);
            band.y_high.push_back(score.values[r] + 2 * error.values[r]);
        }
        XySeries points{.name = "", .x = line.x, .y = line.y, .mark = XySeries::Mark::points, .color = 0};
        return chart_with(options, rt::XyChart{.series = {std::move(line), std::move(band), std::move(points)}}, table.columns[0]->name,
                          score.name);
    }
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    if (parameters == 2)
        for (std::size_t r = 0; r < table.rows(); ++r) {
            if (std::find(rows.begin(), rows.end(), cell(0, r)) == rows.end()) rows.push_back(cell(0, r));
            if (std::find(columns.begin(), columns.end(), cell(1, r)) == columns.end()) columns.push_back(cell(1, r));
        }
    if (parameters == 2 && rows.size() * columns.size() == table.rows() && rows.size() > 1 && columns.size() > 1) {
        rt::HeatMap map{table.columns[0]->name, table.columns[1]->name, std::move(rows), std::move(columns), score.values, false};
        rt::Chart out = chart_with(options, std::move(map));
        if (out.title.empty()) out.title = score.name;
        return out;
    }
    rt::IntervalChart all;
    for (std::size_t r = 0; r < table.rows(); ++r) {
        std::string label;
        for (std::size_t p = 0; p < parameters; ++p) label += (p > 0 ? ", " : "") + cell(p, r);
        const double at = score.values[r];
        const double e = error.values[r];
        all.rows.push_back({std::move(label), at - 2 * e, at - e, at, at + e, at + 2 * e});
    }
    return chart_with(options, std::move(all), fmt::format("{}, with one and two standard errors", score.name));
}

/// Parameters, the score, its standard error: what `grid` makes.
bool is_grid(const rt::Table& table) {
    const std::size_t n = table.columns.size();
    const auto is = [&](std::size_t column, std::string_view name) {
        return table.columns[column]->name == name && table.columns[column]->kind == rt::ColumnKind::numeric;
    };
    return n > 2 && table.rows() > 0 && is(n - 1, "standard_error") && (is(n - 2, "accuracy") || is(n - 2, "rmse"));
}

}  // namespace

std::optional<rt::Chart> chart_of_scores(const rt::Table& table, const PlotOptions& options) {
    if (!options.kind.empty() || options.x || !options.y.empty()) return std::nullopt;
    const auto has = [&](std::initializer_list<std::string_view> names) {
        return std::all_of(names.begin(), names.end(), [&](std::string_view name) { return number_named(table, name) != nullptr; });
    };
    if (has({"threshold", "false_positive_rate", "true_positive_rate"}))
        return roc_chart(*number_named(table, "false_positive_rate"), *number_named(table, "true_positive_rate"), options);
    if (has({"low", "high", "rows", "predicted", "observed"}))
        return calibration_chart(*number_named(table, "predicted"), *number_named(table, "observed"), options);
    if (has({"size", "train_score", "test_score", "standard_error"})) return learning_chart(table, options);
    if (is_grid(table)) return grid_chart(table, options);
    return std::nullopt;
}

}  // namespace credence::std_
