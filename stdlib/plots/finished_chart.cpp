// What the options add to a chart of any value.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using rt::Fault;
using rt::Result;
using rt::XySeries;

namespace {

/// From the least to the greatest x of all series.
std::pair<double, double> ends_of(const rt::XyChart& chart) {
    std::pair<double, double> out{0, 0};
    bool any = false;
    for (const auto& series : chart.series)
        for (const double x : series.x) {
            if (!std::isfinite(x)) continue;
            out = any ? std::pair{std::min(out.first, x), std::max(out.second, x)} : std::pair{x, x};
            any = true;
        }
    return out;
}

XySeries compared(std::string name, std::pair<double, double> x, std::pair<double, double> y) {
    return {.name = std::move(name), .x = {x.first, x.second}, .y = {y.first, y.second}, .color = rt::quiet_color, .dashed = true};
}

/// The line of least squares through the first series.
Result<XySeries> fitted_line(const rt::XyChart& chart, const PlotOptions& options) {
    const auto& series = chart.series.front();
    double n = 0;
    double mean_x = 0;
    double mean_y = 0;
    const auto each = [&](const auto& use) {
        for (std::size_t i = 0; i < series.x.size(); ++i)
            if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) use(series.x[i], series.y[i]);
    };
    each([&](double x, double y) {
        n += 1;
        mean_x += (x - mean_x) / n;
        mean_y += (y - mean_y) / n;
    });
    double xx = 0;
    double xy = 0;
    each([&](double x, double y) {
        xx += (x - mean_x) * (x - mean_x);
        xy += (x - mean_x) * (y - mean_y);
    });
    if (!(xx > 0))
        return Fault{.code = "E-PARAMETER",
                     .message = "a line needs points at two different x at least",
                     .origin = options.at_line,
                     .label = "line: fit"};
    const double slope = xy / xx;
    const auto ends = ends_of(chart);
    return compared("fit", ends, {mean_y + slope * (ends.first - mean_x), mean_y + slope * (ends.second - mean_x)});
}

rt::Status add_lines(rt::XyChart& chart, const PlotOptions& options) {
    const auto ends = ends_of(chart);
    const bool named = chart.series.size() > 1;
    if (options.compared_line == "identity") chart.series.push_back(compared(named ? "identity" : "", ends, ends));
    if (options.compared_line == "fit") {
        auto line = TRY(fitted_line(chart, options));
        if (!named) line.name.clear();
        chart.series.push_back(std::move(line));
    }
    for (const double level : options.levels) chart.series.push_back(compared("", ends, {level, level}));
    return rt::Done{};
}

}  // namespace

Result<rt::Chart> finished_chart(rt::Chart chart, const PlotOptions& options) {
    auto* plane = std::get_if<rt::XyChart>(&chart.body);
    auto* forest = std::get_if<rt::IntervalChart>(&chart.body);
    const bool lines = !options.levels.empty() || !options.compared_line.empty();
    if (lines && forest && options.compared_line.empty() && options.levels.size() == 1)
        forest->line = options.levels.front();
    else if (lines && plane)
        TRY(add_lines(*plane, options));
    else if (lines)
        return Fault{.code = "E-PARAMETER",
                     .message = "plot: a line to compare with is drawn over lines and points, or at one number of a forest",
                     .origin = options.at_line};
    if (!options.log.empty()) {
        if (!plane)
            return Fault{.code = "E-PARAMETER",
                         .message = "plot: only lines and points have axes of logarithms",
                         .origin = options.at_log,
                         .hint = "kind: lines or kind: scatter, where the value can be shown so"};
        plane->log_x = options.log != "y";
        plane->log_y = options.log != "x";
        const auto has_logarithm = [](double v) { return v > 0; };
        for (const bool vertical : {false, true}) {
            if (!(vertical ? plane->log_y : plane->log_x)) continue;
            const bool any = std::any_of(plane->series.begin(), plane->series.end(), [&](const XySeries& s) {
                const auto& values = vertical ? s.y : s.x;
                return std::any_of(values.begin(), values.end(), has_logarithm);
            });
            if (!any)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("plot: no {} is greater than 0, so none has a logarithm", vertical ? "y" : "x"),
                             .origin = options.at_log};
        }
    }
    return chart;
}

}  // namespace credence::std_
