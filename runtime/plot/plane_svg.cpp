// Charts with two number axes as SVG.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/svg.hpp"

namespace credence::rt {

namespace {

struct Frame {
    double left, top, right, bottom;
    Plane plane;
    double x(double v) const { return left + (v - plane.x.low) / (plane.x.high - plane.x.low) * (right - left); }
    double y(double v) const { return bottom - (v - plane.y.low) / (plane.y.high - plane.y.low) * (bottom - top); }
};

constexpr std::size_t few_points = 40;  // lines with more carry no marks

std::string_view dashes(std::size_t series) { return series >= palette_size / 2 ? "stroke-dasharray=\"6 4\"" : ""; }

void draw_lines(Svg& svg, const Frame& f, const XySeries& series, std::size_t index, bool filled, bool marked) {
    std::string path;
    bool pen = false;
    double first = 0;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!std::isfinite(series.y[i]) || !std::isfinite(series.x[i])) {
            pen = false;
            continue;
        }
        const double x = f.x(series.x[i]);
        const double y = f.y(series.y[i]);
        if (path.empty()) first = x;
        if (pen && series.mark == XySeries::Mark::steps) path += fmt::format("H{}", svg_number(x));
        path += fmt::format("{}{} {}", pen ? "L" : "M", svg_number(x), svg_number(y));
        pen = true;
    }
    if (path.empty()) return;
    if (filled) {
        const double zero = std::clamp(f.y(0), f.top, f.bottom);
        svg.path(path + fmt::format("V{}H{}z", svg_number(zero), svg_number(first)), fmt::format("area f{}", index % palette_size));
    }
    svg.path(path, fmt::format("ln l{}", index % palette_size), dashes(index));
    if (marked && series.x.size() <= few_points)
        for (std::size_t i = 0; i < series.x.size(); ++i)
            if (std::isfinite(series.y[i])) svg.mark(f.x(series.x[i]), f.y(series.y[i]), index, 3.2);
}

void draw_points(Svg& svg, const Frame& f, const XySeries& series, std::size_t index) {
    const double size = series.x.size() > 1000 ? 2 : series.x.size() > 200 ? 2.8 : 3.8;
    for (std::size_t i = 0; i < series.x.size(); ++i)
        if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) svg.mark(f.x(series.x[i]), f.y(series.y[i]), index, size);
}

void draw_series_svg(Svg& svg, const Frame& f, const XyChart& chart) {
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        const auto& series = chart.series[s];
        if (series.mark == XySeries::Mark::points)
            draw_points(svg, f, series, s);
        else
            draw_lines(svg, f, series, s, chart.filled, chart.series.size() > 1 || series.x.size() == 1);
    }
}

void draw_columns_svg(Svg& svg, const Frame& f, const ColumnChart& chart) {
    for (std::size_t b = 0; b < chart.heights.size(); ++b) {
        if (!std::isfinite(chart.heights[b]) || chart.heights[b] == 0) continue;
        const double width = f.x(chart.edges[b + 1]) - f.x(chart.edges[b]);
        const double gap = chart.apart ? width * 0.15 : std::min(0.5, width * 0.05);
        const double zero = f.y(0);
        const double end = f.y(chart.heights[b]);
        svg.rect(f.x(chart.edges[b]) + gap, std::min(zero, end), width - 2 * gap, std::abs(zero - end), "f0");
    }
}

void draw_surface_svg(Svg& svg, const Frame& f, const SurfaceChart& s) {
    const Range range = s.classes.empty() ? shade_range(s.values) : Range{};
    const double w = (f.right - f.left) / static_cast<double>(s.x_cells);
    const double h = (f.bottom - f.top) / static_cast<double>(s.y_cells);
    for (std::size_t j = 0; j < s.y_cells; ++j)
        for (std::size_t i = 0; i < s.x_cells;) {  // neighbours of one colour become one rectangle
            const double v = s.values[j * s.x_cells + i];
            std::size_t end = i + 1;
            while (end < s.x_cells && s.values[j * s.x_cells + end] == v) ++end;
            const double x = f.left + static_cast<double>(i) * w;
            const double y = f.bottom - static_cast<double>(j + 1) * h;
            const double width = static_cast<double>(end - i) * w;
            if (s.classes.empty())
                svg.rect(x, y, width + 0.3, h + 0.3, "cell",
                         fmt::format("fill=\"{}\"", heat_shade((v - range.low) / (range.high - range.low)).fill));
            else
                svg.rect(x, y, width, h, fmt::format("f{}", static_cast<std::size_t>(v) % palette_size),
                         "fill-opacity=\".22\" shape-rendering=\"crispEdges\"");
            i = end;
        }
    for (std::size_t k = 0; k < s.points.size(); ++k) draw_points(svg, f, s.points[k], k);
}

void draw_axes(Svg& svg, const Frame& f, const Ticks& x, const Ticks& y, bool grid) {
    for (std::size_t i = 0; i < y.at.size(); ++i) {
        const double at = f.y(y.at[i]);
        if (grid) svg.line(f.left, at, f.right, at, "gr");
        svg.text(f.left - 7, at + 4, Anchor::end, "n", y.text[i]);
    }
    double free = 0;
    for (std::size_t i = 0; i < x.at.size(); ++i) {
        const double at = f.x(x.at[i]);
        const double half = svg_text_width(x.text[i], 11) / 2;
        svg.line(at, f.bottom, at, f.bottom + 5, "ax");
        if (at - half < free) continue;
        svg.text(at, f.bottom + 18, Anchor::middle, "n", x.text[i]);
        free = at + half + 6;
    }
    svg.line(f.left, f.bottom, f.right, f.bottom, "ax");
    svg.line(f.left, f.top, f.left, f.bottom, "ax");
}

}  // namespace

std::string plane_svg(const Chart& chart) {
    const double width = chart.width;
    const double height = chart.height > 0 ? chart.height : 400;
    const Plane plane = plane_of(chart, 6);
    const Ticks y = ticks_on(plane.y, 6);
    double label_width = 0;
    for (const auto& text : y.text) label_width = std::max(label_width, svg_text_width(text, 11));

    Svg svg(width, height, chart.title);
    double top = 16;
    if (!chart.title.empty()) {
        svg.text(16, top + 10, Anchor::start, "tt", svg_shortened(chart.title, width - 32, 16));
        top += 26;
    }
    const bool is_surface = std::holds_alternative<SurfaceChart>(chart.body);
    double at = 16;
    const auto legend = legend_of(chart);
    for (const auto& [name, index] : legend) {
        const std::string shown = svg_shortened(name, 180, 12);
        const double room = svg_text_width(shown, 12) + 34;
        if (at > 16 && at + room > width - 16) {
            at = 16;
            top += 18;
        }
        const auto* xy = std::get_if<XyChart>(&chart.body);
        if (is_surface)
            svg.rect(at, top - 5, 12, 12, fmt::format("f{}", index % palette_size), "fill-opacity=\".45\"");
        else if (xy && xy->series[index].mark != XySeries::Mark::points)
            svg.line(at, top + 1, at + 13, top + 1, fmt::format("ln l{}", index % palette_size), dashes(index));
        if (!xy || xy->series[index].mark == XySeries::Mark::points || xy->series[index].x.size() <= few_points)
            svg.mark(at + 6.5, top + 1, index, 3.8);
        svg.text(at + 17, top + 5, Anchor::start, "t", shown);
        at += room;
    }
    if (!legend.empty()) top += 22;
    const Frame f{16 + (chart.y_label.empty() ? 0 : 20) + label_width + 8, top + 2, width - 22,
                  height - 32 - (chart.x_label.empty() ? 0 : 20), plane};
    if (const auto* surface = std::get_if<SurfaceChart>(&chart.body)) draw_surface_svg(svg, f, *surface);
    draw_axes(svg, f, ticks_on(plane.x, std::max<std::size_t>(3, static_cast<std::size_t>((f.right - f.left) / 70)), plane.least_x_step), y,
              !is_surface);
    if (const auto* xy = std::get_if<XyChart>(&chart.body)) draw_series_svg(svg, f, *xy);
    if (const auto* bars = std::get_if<ColumnChart>(&chart.body)) draw_columns_svg(svg, f, *bars);
    if (!chart.x_label.empty())
        svg.text((f.left + f.right) / 2, height - 12, Anchor::middle, "t", svg_shortened(chart.x_label, f.right - f.left, 12));
    if (!chart.y_label.empty()) {
        const std::string x = svg_number(22);
        const std::string middle = svg_number((f.top + f.bottom) / 2);
        svg.text(22, (f.top + f.bottom) / 2, Anchor::middle, "t", svg_shortened(chart.y_label, f.bottom - f.top, 12),
                 fmt::format("transform=\"rotate(-90 {} {})\"", x, middle));
    }
    return std::move(svg).finished();
}

}  // namespace credence::rt
