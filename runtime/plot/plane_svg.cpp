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
    double scale = 1;  ///< of marks and lines
    double x(double v) const { return left + (v - plane.x.low) / (plane.x.high - plane.x.low) * (right - left); }
    double y(double v) const { return bottom - (v - plane.y.low) / (plane.y.high - plane.y.low) * (bottom - top); }
};

constexpr std::size_t few_points = 40;  // lines with more carry no marks

std::string stroke_of(const XySeries& series, std::size_t index, double scale) {
    std::string out = series.dashed || index >= palette_size / 2 ? "stroke-dasharray=\"6 4\"" : "";
    if (scale != 1) out += fmt::format("{}style=\"stroke-width:{}\"", out.empty() ? "" : " ", svg_number(2 * scale));
    return out;
}

void draw_lines(Svg& svg, const Frame& f, const XySeries& series, std::size_t index, bool filled, bool marked) {
    const std::size_t color = color_of(series, index);
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
        const double zero = f.plane.log_y ? f.bottom : std::clamp(f.y(0), f.top, f.bottom);
        svg.path(path + fmt::format("V{}H{}z", svg_number(zero), svg_number(first)), fmt::format("area f{}", color % palette_size));
    }
    svg.path(path, fmt::format("ln l{}", color % palette_size), stroke_of(series, index, f.scale));
    if (marked)
        for (std::size_t i = 0; i < series.x.size(); ++i)
            if (std::isfinite(series.x[i]) && std::isfinite(series.y[i]))
                svg.mark(f.x(series.x[i]), f.y(series.y[i]), color, 3.2 * f.scale);
}

void draw_band_svg(Svg& svg, const Frame& f, const XySeries& series, std::size_t index) {
    const std::string classes = fmt::format("area f{}", color_of(series, index) % palette_size);
    const auto ends_at = [&](std::size_t i) {
        return i == series.x.size() || !std::isfinite(series.x[i]) || !std::isfinite(series.y[i]) || !std::isfinite(series.y_high[i]);
    };
    for (std::size_t from = 0; from < series.x.size(); ++from) {  // each stretch without a gap
        if (ends_at(from)) continue;
        std::size_t to = from;
        while (!ends_at(to + 1)) ++to;
        std::string path;
        for (std::size_t i = from; i <= to; ++i)
            path += fmt::format("{}{} {}", path.empty() ? "M" : "L", svg_number(f.x(series.x[i])), svg_number(f.y(series.y_high[i])));
        for (std::size_t i = to + 1; i-- > from;) path += fmt::format("L{} {}", svg_number(f.x(series.x[i])), svg_number(f.y(series.y[i])));
        svg.path(path + "z", classes);
        from = to;
    }
}

void draw_points(Svg& svg, const Frame& f, const XySeries& series, std::size_t index) {
    const double size = f.scale * (series.x.size() > 1000 ? 2 : series.x.size() > 200 ? 2.8 : 3.8);
    for (std::size_t i = 0; i < series.x.size(); ++i)
        if (std::isfinite(series.x[i]) && std::isfinite(series.y[i]))
            svg.mark(f.x(series.x[i]), f.y(series.y[i]), color_of(series, index), size);
}

bool is_line(const XySeries& s) { return s.mark == XySeries::Mark::line || s.mark == XySeries::Mark::steps; }

/// Marks at the points of a line tell it apart from others; an outline in steps needs none.
bool is_marked(const XySeries& series, const XyChart& chart) {
    const auto lines = std::count_if(chart.series.begin(), chart.series.end(), [](const XySeries& s) { return !s.dashed && is_line(s); });
    return !series.dashed && series.mark == XySeries::Mark::line && series.x.size() <= few_points && (lines > 1 || series.x.size() == 1);
}

void draw_series_svg(Svg& svg, const Frame& f, const XyChart& chart) {
    for (std::size_t s = 0; s < chart.series.size(); ++s)
        if (chart.series[s].mark == XySeries::Mark::band) draw_band_svg(svg, f, chart.series[s], s);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        const auto& series = chart.series[s];
        if (series.mark == XySeries::Mark::band) continue;
        if (series.mark == XySeries::Mark::points)
            draw_points(svg, f, series, s);
        else
            draw_lines(svg, f, series, s, chart.filled && !series.dashed, is_marked(series, chart));
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

/// The shares of all steps as one area for each series, with steps in its edges.
void draw_stacked_svg(Svg& svg, const Frame& f, const StackedChart& chart) {
    const std::size_t steps = chart.series.front().values.size();
    std::vector<double> below(steps, 0);
    const auto edge = [&](std::size_t i) { return svg_number(f.x(static_cast<double>(i) + 0.5)); };
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        std::vector<double> above = below;
        for (std::size_t i = 0; i < steps; ++i)
            if (std::isfinite(chart.series[s].values[i])) above[i] += chart.series[s].values[i];
        std::string path = fmt::format("M{} {}", edge(0), svg_number(f.y(above[0])));
        for (std::size_t i = 0; i < steps; ++i) {
            if (i > 0 && above[i] != above[i - 1]) path += fmt::format("V{}", svg_number(f.y(above[i])));
            if (i + 1 == steps || above[i + 1] != above[i]) path += fmt::format("H{}", edge(i + 1));
        }
        for (std::size_t i = steps; i-- > 0;) {
            if (i + 1 == steps || below[i + 1] != below[i]) path += fmt::format("V{}", svg_number(f.y(below[i])));
            if (i == 0 || below[i - 1] != below[i]) path += fmt::format("H{}", edge(i));
        }
        svg.path(path + "z", fmt::format("f{}", s % palette_size), "shape-rendering=\"crispEdges\"");
        below = std::move(above);
    }
}

/// Cells of one colour are one path, its edges on whole pixels: so nothing shines through between them.
void draw_surface_svg(Svg& svg, const Frame& f, const SurfaceChart& s) {
    constexpr std::size_t shades = 48;
    const Range range = s.classes.empty() ? shade_range(s.values) : Range{};
    const auto color = [&](double v) {
        if (!std::isfinite(v)) return shades;  // left out
        if (!s.classes.empty()) return static_cast<std::size_t>(v) % palette_size;
        return std::min(shades - 1, static_cast<std::size_t>((v - range.low) / (range.high - range.low) * shades));
    };
    const double w = (f.right - f.left) / static_cast<double>(s.x_cells);
    const double h = (f.bottom - f.top) / static_cast<double>(s.y_cells);
    std::vector<std::string> paths(shades);
    for (std::size_t j = 0; j < s.y_cells; ++j)
        for (std::size_t i = 0; i < s.x_cells;) {
            const std::size_t k = color(s.values[j * s.x_cells + i]);
            std::size_t end = i + 1;
            while (end < s.x_cells && color(s.values[j * s.x_cells + end]) == k) ++end;
            if (k < shades)
                paths[k] +=
                    fmt::format("M{} {}H{}V{}H{}z", svg_number(f.left + static_cast<double>(i) * w),
                                svg_number(f.bottom - static_cast<double>(j + 1) * h), svg_number(f.left + static_cast<double>(end) * w),
                                svg_number(f.bottom - static_cast<double>(j) * h), svg_number(f.left + static_cast<double>(i) * w));
            i = end;
        }
    for (std::size_t k = 0; k < shades; ++k) {
        if (paths[k].empty()) continue;
        const std::string crisp = " shape-rendering=\"crispEdges\"";
        if (s.classes.empty())
            svg.path(paths[k], "cell",
                     fmt::format("fill=\"{}\"", heat_shade((static_cast<double>(k) + 0.5) / static_cast<double>(shades)).fill) + crisp);
        else
            svg.path(paths[k], fmt::format("f{}", k), "fill-opacity=\".22\"" + crisp);
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

/// Names in rows from (16, top); the y below them.
double draw_legend(Svg& svg, const Chart& chart, double width, double top) {
    const auto legend = legend_of(chart);
    const auto* xy = std::get_if<XyChart>(&chart.body);
    double at = 16;
    for (const auto& [name, index] : legend) {
        const std::string shown = svg_shortened(name, std::min(180.0, width - 60), 12);
        const double room = svg_text_width(shown, 12) + 34;
        if (at > 16 && at + room > width - 16) {
            at = 16;
            top += 18;
        }
        const XySeries* series = xy ? &xy->series[index] : nullptr;
        const std::size_t color = (series ? color_of(*series, index) : index) % palette_size;
        const bool line = series && is_line(*series);
        if (std::holds_alternative<SurfaceChart>(chart.body))
            svg.rect(at, top - 5, 12, 12, fmt::format("f{}", color), "fill-opacity=\".45\"");
        else if (std::holds_alternative<StackedChart>(chart.body))
            svg.rect(at, top - 5, 12, 12, fmt::format("f{}", color));
        else if (series && series->mark == XySeries::Mark::band)
            svg.rect(at, top - 5, 12, 12, fmt::format("area f{}", color));
        else if (line)
            svg.line(at, top + 1, at + 13, top + 1, fmt::format("ln l{}", color), stroke_of(*series, index, chart.scale));
        const bool points = series && (series->mark == XySeries::Mark::points || is_marked(*series, *xy));
        if (points || std::holds_alternative<SurfaceChart>(chart.body)) svg.mark(at + 6.5, top + 1, color, 3.8);
        svg.text(at + 17, top + 5, Anchor::start, "t", shown);
        at += room;
    }
    return legend.empty() ? top : top + 22;
}

}  // namespace

void draw_plane(Svg& svg, const Chart& chart, double width, double height) {
    const std::size_t most_y = height < 300 ? 5 : 6;
    const Plane plane = plane_of(chart, most_y);
    const Ticks y = plane.y_ticks(most_y);
    double label_width = 0;
    for (const auto& text : y.text) label_width = std::max(label_width, svg_text_width(text, 11));
    double top = 16;
    if (!chart.title.empty()) {
        svg.text(16, top + 10, Anchor::start, "tt", svg_shortened(chart.title, width - 32, 16));
        top += 26;
    }
    const auto* surface = std::get_if<SurfaceChart>(&chart.body);
    const bool shaded = surface && surface->classes.empty();
    top = draw_legend(svg, chart, width, top);
    const Frame f{16 + (chart.y_label.empty() ? 0 : 20) + label_width + 8,
                  top + 2,
                  width - 22 - (shaded ? shade_bar_room(shade_range(surface->values)) : 0),
                  height - 32 - (chart.x_label.empty() ? 0 : 20),
                  plane,
                  chart.scale};
    if (surface) draw_surface_svg(svg, f, *surface);
    if (shaded) draw_shade_bar(svg, f.right + 12, f.top, f.bottom, shade_range(surface->values));
    draw_axes(svg, f, plane.x_ticks(std::max<std::size_t>(3, static_cast<std::size_t>((f.right - f.left) / 70))), y, !surface);
    if (const auto* xy = std::get_if<XyChart>(&chart.body)) draw_series_svg(svg, f, *xy);
    if (const auto* bars = std::get_if<ColumnChart>(&chart.body)) draw_columns_svg(svg, f, *bars);
    if (const auto* stacked = std::get_if<StackedChart>(&chart.body)) draw_stacked_svg(svg, f, *stacked);
    if (!chart.x_label.empty())
        svg.text((f.left + f.right) / 2, height - 12, Anchor::middle, "t", svg_shortened(chart.x_label, f.right - f.left, 12));
    if (!chart.y_label.empty()) {
        const std::string x = svg_number(22);
        const std::string middle = svg_number((f.top + f.bottom) / 2);
        svg.text(22, (f.top + f.bottom) / 2, Anchor::middle, "t", svg_shortened(chart.y_label, f.bottom - f.top, 12),
                 fmt::format("transform=\"rotate(-90 {} {})\"", x, middle));
    }
}

std::string plane_svg(const Chart& chart) {
    const double height = chart.height > 0 ? chart.height : 400;
    Svg svg(chart.width, height, chart.title);
    draw_plane(svg, chart, chart.width, height);
    return std::move(svg).finished();
}

}  // namespace credence::rt
