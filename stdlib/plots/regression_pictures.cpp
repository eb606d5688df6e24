// Regressions: the line through the points, residuals against predictions, and their quantiles against those of the normal.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/instance/gaussian_process.hpp"
#include "runtime/regression/residuals.hpp"
#include "stdlib/plots/picture_of.hpp"

namespace credence::std_ {

using rt::Attempt;
using rt::Fault;
using rt::XySeries;

namespace {

/// The rows as points and the fitted values, in the order of the column, as a line.
rt::Chart fit_chart(const rt::Residuals& of, const PlotOptions& options) {
    XySeries points{.name = "rows", .x = of.inputs, .y = {}, .mark = XySeries::Mark::points};
    if (!of.grid.empty()) {
        for (std::size_t i = 0; i < of.inputs.size(); ++i) points.y.push_back(of.fitted[i] + of.values[i]);
        XySeries band{.name = "95 % of observations", .x = of.grid, .y = of.low, .mark = XySeries::Mark::band, .color = 1};
        band.y_high = of.high;
        XySeries curve{.name = "model", .x = of.grid, .y = of.curve};
        return chart_with(options, rt::XyChart{.series = {std::move(points), std::move(curve), std::move(band)}}, of.feature, of.target);
    }
    std::vector<std::pair<double, double>> line;
    for (std::size_t i = 0; i < of.inputs.size(); ++i) {
        points.y.push_back(of.fitted[i] + of.values[i]);
        line.emplace_back(of.inputs[i], of.fitted[i]);
    }
    std::sort(line.begin(), line.end());
    XySeries curve{.name = "model", .x = {}, .y = {}};
    for (const auto& [x, y] : line) {
        if (!curve.x.empty() && curve.x.back() == x) continue;
        curve.x.push_back(x);
        curve.y.push_back(y);
    }
    return chart_with(options, rt::XyChart{.series = {std::move(points), std::move(curve)}}, of.feature, of.target);
}

/// Residuals in units of sigma against the quantiles of the normal: on the line where the noise is normal.
rt::Chart quantile_chart(const rt::Residuals& of) {
    std::vector<double> residuals = of.values;
    std::sort(residuals.begin(), residuals.end());
    XySeries points{.name = "residuals", .x = {}, .y = {}, .mark = XySeries::Mark::points};
    const double n = static_cast<double>(residuals.size());
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        const double p = (static_cast<double>(i) + 0.5) / n;  // Hazen's plotting position
        points.x.push_back(rt::normal_quantile(p, 1 - p));
        points.y.push_back(residuals[i] / of.sigma);
    }
    XySeries line{.name = "normal",
                  .x = {points.x.front(), points.x.back()},
                  .y = {points.x.front(), points.x.back()},
                  .color = rt::quiet_color,
                  .dashed = true};
    return {.title = "normal Q\u2013Q",
            .x_label = "quantile of the normal",
            .y_label = "residual / sigma",
            .body = rt::XyChart{.series = {std::move(points), std::move(line)}}};
}

rt::Chart residual_chart(const rt::Residuals& of) {
    const auto [low, high] = std::minmax_element(of.fitted.begin(), of.fitted.end());
    XySeries points{.name = "residuals", .x = of.fitted, .y = of.values, .mark = XySeries::Mark::points};
    XySeries zero{.name = "", .x = {*low, *high}, .y = {0, 0}, .color = rt::quiet_color, .dashed = true};
    return {.title = "residuals",
            .x_label = fmt::format("predicted {}", of.target),
            .y_label = "residual",
            .body = rt::XyChart{.series = {std::move(points), std::move(zero)}}};
}

std::optional<rt::Residuals> left_by(const rt::Model& model) {
    if (const auto* process = dynamic_cast<const rt::GaussianProcess*>(&model)) return process->residuals();
    return rt::residuals_of(model);
}

}  // namespace

Attempt<rt::PicturePtr> picture_of_regression(const rt::Model& model, const PlotOptions& options) {
    const auto of = left_by(model);
    if (!of || options.data || !options.kind.empty()) return rt::not_applicable;
    if (of->values.size() < 2) return Fault{.code = "E-EMPTY", .message = "the model has no residuals to plot", .origin = options.at_value};
    if (!of->inputs.empty()) {
        auto chart = TRY(finished_chart(fit_chart(*of, options), options));
        return rt::make_picture(std::move(chart));
    }
    if (!(of->sigma > 0))
        return Fault{.code = "E-EMPTY",
                     .message = "the model fits all rows exactly, or has no degrees of freedom left: there are no residuals to plot",
                     .origin = options.at_value};
    std::vector<rt::Chart> charts;
    if (!of->fitted.empty()) charts.push_back(residual_chart(*of));
    charts.push_back(quantile_chart(*of));
    return rt::make_panels(options.title, std::move(charts));
}

}  // namespace credence::std_
