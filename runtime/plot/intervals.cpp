// Intervals, one row each (a forest plot), in characters and as SVG.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/svg.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

/// From the lowest end to the highest; the line to compare with is within.
Range reach_of(const IntervalChart& chart) {
    Range out{chart.rows.front().low, chart.rows.front().high};
    for (const auto& row : chart.rows)
        for (const double v : {row.low, row.inner_low, row.middle, row.inner_high, row.high})
            if (std::isfinite(v)) out = {std::min(out.low, v), std::max(out.high, v)};
    if (chart.line) out = {std::min(out.low, *chart.line), std::max(out.high, *chart.line)};
    out = widened(out);
    const double pad = (out.high - out.low) * 0.03;
    return {out.low - pad, out.high + pad};
}

std::string interval_text(const IntervalChart::Row& row) {
    return fmt::format("{} [{}, {}]", short_number(row.middle), short_number(row.low), short_number(row.high));
}

}  // namespace

std::string intervals_text(const Chart& chart, const IntervalChart& intervals, const TextStyle& style) {
    const bool u = style.unicode;
    const std::size_t width = text_columns(chart, style);
    std::size_t labels = 0;
    std::size_t numbers = 0;
    for (const auto& row : intervals.rows) {
        labels = std::max(labels, columns_of(row.label));
        numbers = std::max(numbers, columns_of(interval_text(row)));
    }
    labels = std::min(labels, width / 4);
    const bool shown = labels + numbers + 4 + 16 <= width;  // the numbers give way where there is no room
    const std::size_t left = labels + 2;
    const std::size_t columns = width - left - (shown ? numbers + 2 : 1);
    const Range range = reach_of(intervals);
    const auto column = [&](double v) {
        const double share = (v - range.low) / (range.high - range.low);
        return left + static_cast<std::size_t>(
                          std::clamp(std::lround(share * static_cast<double>(columns - 1)), 0L, static_cast<long>(columns) - 1));
    };
    const std::size_t rows = intervals.rows.size();
    TextGrid grid(width, rows + 2 + (chart.x_label.empty() ? 0 : 1), u);
    if (intervals.line)
        for (std::size_t r = 0; r < rows; ++r) grid.put(column(*intervals.line), r, u ? "┊" : ":", paint_of(quiet_color));
    for (std::size_t r = 0; r < rows; ++r) {
        const auto& row = intervals.rows[r];
        const std::string label = shortened(row.label, labels, u);
        grid.put(labels - columns_of(label), r, label);
        for (std::size_t c = column(row.low); c <= column(row.high); ++c) grid.put(c, r, u ? "─" : "-", paint_of(0));
        for (std::size_t c = column(row.inner_low); c <= column(row.inner_high); ++c) grid.put(c, r, u ? "━" : "=", paint_of(0));
        grid.put(column(row.middle), r, u ? "●" : "o", paint_of(0));
        if (shown) grid.put(left + columns + 1, r, interval_text(row));
    }
    grid.line(left, rows, left + columns - 1, rows);
    const Ticks ticks = ticks_on(range, std::max<std::size_t>(3, columns / 9));
    std::size_t free = 0;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        const std::size_t at = column(ticks.at[i]);
        const std::size_t size = columns_of(ticks.text[i]);
        grid.put(at, rows, u ? "┬" : "+");
        const std::size_t start = std::min(at - std::min(at, size / 2), width - std::min(width, size));
        if (start < free) continue;
        grid.put(start, rows + 1, ticks.text[i]);
        free = start + size + 1;
    }
    if (!chart.x_label.empty()) {
        const std::string label = shortened(chart.x_label, columns, u);
        grid.put(left + (columns - columns_of(label)) / 2, rows + 2, label);
    }
    return (chart.title.empty() ? "" : shortened(chart.title, width, u) + "\n") + grid.text(style.color);
}

std::string intervals_svg(const Chart& chart, const IntervalChart& intervals) {
    constexpr double row_font = 12;
    constexpr double longest = 150;
    double labels = 0;
    double numbers = 0;
    for (const auto& row : intervals.rows) {
        labels = std::max(labels, svg_text_width(svg_shortened(row.label, longest, row_font), row_font));
        numbers = std::max(numbers, svg_text_width(interval_text(row), 11));
    }
    const double top = chart.title.empty() ? 14 : 44;
    const double below = 34 + (chart.x_label.empty() ? 0 : 20);
    const auto count = static_cast<double>(intervals.rows.size());
    const double height = chart.height > 0 ? std::max(chart.height, top + below + 12 * count) : top + 26 * count + below;
    const double step = (height - top - below) / count;
    const double left = 16 + labels + 12;
    const double right = chart.width - 22 - numbers - 10;
    const double bottom = height - below;
    const Range range = reach_of(intervals);
    const auto place = [&](double v) { return left + (v - range.low) / (range.high - range.low) * (right - left); };
    Svg svg(chart.width, height, chart.title);
    if (!chart.title.empty()) svg.text(16, 26, Anchor::start, "tt", svg_shortened(chart.title, chart.width - 32, 16));
    const Ticks ticks = ticks_on(range, std::max<std::size_t>(3, static_cast<std::size_t>((right - left) / 70)));
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        svg.line(place(ticks.at[i]), top, place(ticks.at[i]), bottom, "gr");
        svg.text(place(ticks.at[i]), bottom + 18, Anchor::middle, "n", ticks.text[i]);
    }
    if (intervals.line)
        svg.line(place(*intervals.line), top, place(*intervals.line), bottom, fmt::format("ln l{}", quiet_color),
                 "stroke-dasharray=\"6 4\"");
    const std::string thick = fmt::format("style=\"stroke-width:{}\"", svg_number(5 * chart.scale));
    const std::string thin = fmt::format("style=\"stroke-width:{}\"", svg_number(1.6 * chart.scale));
    for (std::size_t r = 0; r < intervals.rows.size(); ++r) {
        const auto& row = intervals.rows[r];
        const double y = top + (static_cast<double>(r) + 0.5) * step;
        svg.text(16 + labels, y + 4, Anchor::end, "t", svg_shortened(row.label, longest, row_font));
        svg.line(place(row.low), y, place(row.high), y, "ln l0", thin);
        svg.line(place(row.inner_low), y, place(row.inner_high), y, "ln l0", thick);
        svg.mark(place(row.middle), y, 0, 4.6 * chart.scale);
        svg.text(chart.width - 22, y + 4, Anchor::end, "n", interval_text(row));
    }
    svg.line(left, bottom, right, bottom, "ax");
    if (!chart.x_label.empty()) {
        const double centre = (left + right) / 2;
        const double room = 2 * (std::min(centre, chart.width - centre) - 8);  // it may pass below the labels and numbers
        svg.text(centre, height - 12, Anchor::middle, "t", svg_shortened(chart.x_label, room, row_font));
    }
    return std::move(svg).finished();
}

}  // namespace credence::rt
