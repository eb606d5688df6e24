// Tables that judge a model as the charts that are drawn of them: ROC curves, calibration, learning curves. Their columns tell which it is.

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
    rt::Chart out = chart_with(options, rt::XyChart{.series = {std::move(curve), diagonal("calibrated")}, .from_zero = true},
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
    return std::nullopt;
}

}  // namespace credence::std_
