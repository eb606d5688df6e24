// Charts with two number axes in characters: lines of dots, marks, upright bars, surfaces.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

constexpr std::array<std::string_view, 8> marks{"●", "▲", "■", "◆", "○", "△", "□", "◇"};
constexpr std::array<std::string_view, 8> marks_ascii{"o", "x", "#", "+", "@", "%", "&", "$"};
constexpr std::array<std::string_view, 8> fills{"█", "░", "▓", "▒", "=", "+", "-", ":"};
constexpr std::array<std::string_view, 8> fills_ascii{"#", ".", "=", "-", "*", "o", "%", "+"};
constexpr std::array<std::string_view, 6> grounds{"·", "░", "▒", "▓", "-", ":"};
constexpr std::array<std::string_view, 6> grounds_ascii{".", "-", ":", "=", "'", "_"};
constexpr std::array<std::string_view, 5> ramp{" ", "░", "▒", "▓", "█"};
constexpr std::array<std::string_view, 5> ramp_ascii{" ", ".", "-", "+", "#"};

template <std::size_t N>
std::string pick(const std::array<std::string_view, N>& from, std::size_t i) {
    return std::string(from[i % N]);
}

/// The grid with its frame, and where numbers lie on it.
struct TextPlane {
    TextGrid grid;
    std::size_t left;  ///< first column of the area
    std::size_t top;
    std::size_t columns;
    std::size_t rows;
    Plane plane;

    double across(double x) const { return (x - plane.x.low) / (plane.x.high - plane.x.low); }
    double up(double y) const { return (y - plane.y.low) / (plane.y.high - plane.y.low); }
    /// The middle of the first and last cell stand for the ends of the range.
    long dot_x(double x) const { return std::lround(across(x) * static_cast<double>(2 * columns - 1)); }
    long dot_y(double y) const { return std::lround((1 - up(y)) * static_cast<double>(4 * rows - 1)); }

    void dot(long x, long y, Paint paint, bool over) {
        if (x < 0 || y < 0 || x >= static_cast<long>(2 * columns) || y >= static_cast<long>(4 * rows)) return;
        grid.dot(2 * left + static_cast<std::size_t>(x), 4 * top + static_cast<std::size_t>(y), paint, over);
    }
    void mark(double x, double y, const std::string& glyph, Paint paint) {
        if (!std::isfinite(x) || !std::isfinite(y)) return;
        const long c = std::clamp(dot_x(x) / 2, 0L, static_cast<long>(columns) - 1);
        const long r = std::clamp(dot_y(y) / 4, 0L, static_cast<long>(rows) - 1);
        grid.put(left + static_cast<std::size_t>(c), top + static_cast<std::size_t>(r), glyph, paint);
    }
};

/// How a line is drawn.
struct Pen {
    Paint paint = 0;
    bool dashed = false;
    bool over = false;  ///< covers marks
};

void dots_between(TextPlane& p, long x0, long y0, long x1, long y1, Pen pen) {
    const long steps = std::max({std::labs(x1 - x0), std::labs(y1 - y0), 1L});
    for (long i = 0; i <= steps; ++i) {  // whole-number rounding of x0 + i·Δ/steps, half away from zero on both axes
        const long x = x0 + (2 * i * (x1 - x0) + (x1 >= x0 ? steps : -steps)) / (2 * steps);
        const long y = y0 + (2 * i * (y1 - y0) + (y1 >= y0 ? steps : -steps)) / (2 * steps);
        if (!pen.dashed || (std::labs(x1 - x0) >= std::labs(y1 - y0) ? x : y) % 4 < 2) p.dot(x, y, pen.paint, pen.over);
    }
}

/// The cells whose middle lies between the two curves.
void draw_band(TextPlane& p, const XySeries& series, Paint paint) {
    for (std::size_t c = 0; c < p.columns; ++c) {
        const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(p.columns);
        const double x = p.plane.x.low + share * (p.plane.x.high - p.plane.x.low);
        const auto low = y_at(series, series.y, x);
        const auto high = y_at(series, series.y_high, x);
        if (!low || !high) continue;
        for (std::size_t r = 0; r < p.rows; ++r) {
            const double middle = 1 - (static_cast<double>(r) + 0.5) / static_cast<double>(p.rows);
            if (p.up(std::min(*low, *high)) <= middle && middle <= p.up(std::max(*low, *high)))
                p.grid.shade(p.left + c, p.top + r, p.grid.unicode() ? "░" : ":", paint);
        }
    }
}

/// A line would not be seen behind so many points.
bool is_crowded(const XyChart& chart, std::size_t columns) {
    return std::any_of(chart.series.begin(), chart.series.end(),
                       [&](const XySeries& s) { return s.mark == XySeries::Mark::points && s.x.size() > 2 * columns; });
}

void draw_series(TextPlane& p, const XySeries& series, std::size_t index, bool marked, bool over = false) {
    const bool u = p.grid.unicode();
    const std::string glyph = u ? pick(marks, index) : pick(marks_ascii, index);
    const std::size_t n = series.x.size();
    const Pen pen{paint_of(color_of(series, index)), series.dashed, over};
    if (series.mark == XySeries::Mark::band) return draw_band(p, series, pen.paint);
    if (series.mark == XySeries::Mark::points) {
        for (std::size_t i = 0; i < n; ++i) p.mark(series.x[i], series.y[i], glyph, pen.paint);
        return;
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (!std::isfinite(series.y[i]) || !std::isfinite(series.y[i + 1]) || !std::isfinite(series.x[i + 1] - series.x[i])) continue;
        const long x0 = p.dot_x(series.x[i]);
        const long y0 = p.dot_y(series.y[i]);
        const long x1 = p.dot_x(series.x[i + 1]);
        const long y1 = p.dot_y(series.y[i + 1]);
        if (series.mark == XySeries::Mark::steps) {
            dots_between(p, x0, y0, x1, y0, pen);
            dots_between(p, x1, y0, x1, y1, pen);
        } else {
            dots_between(p, x0, y0, x1, y1, pen);
        }
    }
    if ((!marked || series.dashed) && n > 1) return;
    // Marks distinguish several lines: on all points where there are few, else on some, shifted from series to series.
    const std::size_t every = std::max<std::size_t>(1, n / std::max<std::size_t>(1, p.columns / 6));
    for (std::size_t i = every > 1 ? (index * every / 3) % every : 0; i < n; i += every) p.mark(series.x[i], series.y[i], glyph, pen.paint);
}

void draw_columns(TextPlane& p, const ColumnChart& chart) {
    static constexpr std::array<std::string_view, 9> eighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double per_unit = static_cast<double>(8 * p.rows);
    const long zero = std::lround(p.up(0) * per_unit);
    for (std::size_t b = 0; b < chart.heights.size(); ++b) {
        const auto edge = [&](double x) { return static_cast<std::size_t>(std::lround(p.across(x) * static_cast<double>(p.columns))); };
        const std::size_t from = edge(chart.edges[b]);
        std::size_t to = edge(chart.edges[b + 1]);
        if (chart.apart && to > from + 1) --to;
        const long height = std::isfinite(chart.heights[b]) ? std::lround(p.up(chart.heights[b]) * per_unit) : zero;
        const auto [low, high] = std::minmax(zero, height);
        for (std::size_t r = 0; r < p.rows; ++r) {
            const long base = static_cast<long>(8 * (p.rows - 1 - r));
            const long filled = std::clamp(high - base, 0L, 8L) - std::clamp(low - base, 0L, 8L);
            if (filled == 0) continue;
            const bool part_below = low <= base;  // eighths grow from the bottom of a cell: only then can a part be shown
            const std::string glyph = p.grid.unicode() ? std::string(eighths[part_below ? static_cast<std::size_t>(filled) : 8])
                                      : filled >= 4    ? "#"
                                                       : "_";
            for (std::size_t c = from; c < to; ++c) p.grid.put(p.left + c, p.top + r, glyph, paint_of(0));
        }
    }
}

/// Each cell shows the share that covers its middle.
void draw_stacked(TextPlane& p, const StackedChart& chart) {
    const bool u = p.grid.unicode();
    const std::size_t steps = chart.series.front().values.size();
    const bool apart = p.columns >= 4 * steps;
    const auto step_at = [&](std::size_t c) {
        const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(p.columns);
        return std::min(steps - 1, static_cast<std::size_t>(share * static_cast<double>(steps)));
    };
    for (std::size_t c = 0; c < p.columns; ++c) {
        const std::size_t step = step_at(c);
        if (apart && c + 1 < p.columns && step_at(c + 1) != step) continue;
        for (std::size_t r = 0; r < p.rows; ++r) {
            const double middle = p.plane.y.high * (static_cast<double>(p.rows - 1 - r) + 0.5) / static_cast<double>(p.rows);
            double sum = 0;
            for (std::size_t s = 0; s < chart.series.size(); ++s) {
                if (!std::isfinite(chart.series[s].values[step])) continue;
                sum += chart.series[s].values[step];
                if (middle > sum) continue;
                p.grid.put(p.left + c, p.top + r, u ? pick(fills, s) : pick(fills_ascii, s), paint_of(s));
                break;
            }
        }
    }
}

void draw_surface(TextPlane& p, const SurfaceChart& surface) {
    const bool u = p.grid.unicode();
    const Range range = surface.classes.empty() ? shade_range(surface.values) : Range{};
    for (std::size_t r = 0; r < p.rows; ++r)
        for (std::size_t c = 0; c < p.columns; ++c) {
            const std::size_t i = c * surface.x_cells / p.columns;
            const std::size_t j = (p.rows - 1 - r) * surface.y_cells / p.rows;
            const double v = surface.values[j * surface.x_cells + i];
            std::size_t k = 0;
            if (!std::isfinite(v)) continue;
            if (surface.classes.empty())
                k = static_cast<std::size_t>(std::clamp(std::lround((v - range.low) / (range.high - range.low) * 4), 0L, 4L));
            else
                k = static_cast<std::size_t>(v);
            const std::string glyph =
                surface.classes.empty() ? (u ? pick(ramp, k) : pick(ramp_ascii, k)) : (u ? pick(grounds, k) : pick(grounds_ascii, k));
            p.grid.put(p.left + c, p.top + r, glyph, surface.classes.empty() ? Paint{0} : paint_of(k));
        }
    for (std::size_t s = 0; s < surface.points.size(); ++s) draw_series(p, surface.points[s], s, true);
}

/// One line needs no marks, whatever points are beside it.
std::size_t line_count(const XyChart& chart) {
    return static_cast<std::size_t>(std::count_if(chart.series.begin(), chart.series.end(), [](const XySeries& s) {
        return !s.dashed && (s.mark == XySeries::Mark::line || s.mark == XySeries::Mark::steps);
    }));
}

void draw_frame(TextPlane& p, const Ticks& x, const Ticks& y) {
    const bool u = p.grid.unicode();
    const std::size_t axis = p.left - 1;
    const std::size_t bottom = p.top + p.rows;
    p.grid.line(axis, p.top, axis, bottom);
    p.grid.line(axis, bottom, axis + p.columns, bottom);
    for (std::size_t i = 0; i < y.at.size(); ++i) {
        const long row = std::clamp(p.dot_y(y.at[i]) / 4, 0L, static_cast<long>(p.rows) - 1);
        const std::size_t at = p.top + static_cast<std::size_t>(row);
        p.grid.put(axis, at, u ? "┤" : "+");
        p.grid.put(axis - 1 - columns_of(y.text[i]), at, y.text[i]);
    }
    std::size_t free = 0;  // first column where a label may begin
    for (std::size_t i = 0; i < x.at.size(); ++i) {
        const long column = std::clamp(p.dot_x(x.at[i]) / 2, 0L, static_cast<long>(p.columns) - 1);
        const std::size_t at = p.left + static_cast<std::size_t>(column);
        const std::size_t size = columns_of(x.text[i]);
        p.grid.put(at, bottom, u ? "┬" : "+");
        std::size_t start = at - std::min(at, size / 2);
        if (start + size > p.grid.columns()) start = p.grid.columns() - size;
        if (start < free) continue;
        p.grid.put(start, bottom + 1, x.text[i]);
        free = start + size + 1;
    }
}

/// The sign of a series with its name.
struct LegendItem {
    std::string sign;
    std::string name;
    Paint paint = 0;
};

std::vector<LegendItem> legend_items(const Chart& chart, bool u) {
    std::vector<LegendItem> out;
    const auto* surface = std::get_if<SurfaceChart>(&chart.body);
    const auto* xy = std::get_if<XyChart>(&chart.body);
    const bool stacked = std::holds_alternative<StackedChart>(chart.body);
    for (const auto& [name, index] : legend_of(chart)) {
        std::string sign = u ? pick(marks, index) : pick(marks_ascii, index);
        if (surface) sign = (u ? pick(grounds, index) : pick(grounds_ascii, index)) + (surface->points.empty() ? "" : " " + sign);
        if (stacked) sign = u ? pick(fills, index) : pick(fills_ascii, index);
        const XySeries* series = xy ? &xy->series[index] : nullptr;
        if (series && series->mark == XySeries::Mark::band)
            sign = u ? "░" : ":";
        else if (series && series->dashed)
            sign = u ? "┄" : "--";
        else if (series && series->mark != XySeries::Mark::points && line_count(*xy) == 1)
            sign = u ? "─" : "-";
        out.push_back({std::move(sign), name, paint_of(series ? color_of(*series, index) : index)});
    }
    // What the shades of a surface stand for: the middle of each.
    if (surface && surface->classes.empty()) {
        const Range range = shade_range(surface->values);
        for (std::size_t i = 0; i < ramp.size(); ++i) {
            const double value = range.low + (range.high - range.low) * static_cast<double>(i) / static_cast<double>(ramp.size() - 1);
            out.push_back({u ? pick(ramp, i) : pick(ramp_ascii, i), short_number(value)});
            if (i == 0) out.back().sign = "blank";
        }
    }
    return out;
}

/// As many lines as it takes.
std::vector<std::string> legend_lines(const Chart& chart, const TextStyle& style, std::size_t width) {
    std::vector<std::string> out;
    std::size_t used = 0;
    for (const auto& item : legend_items(chart, style.unicode)) {
        const std::string name = shortened(item.name, std::min<std::size_t>(24, width - 4), style.unicode);
        const std::size_t size = columns_of(item.sign) + 1 + columns_of(name);
        if (out.empty() || used + 3 + size > width) {
            out.emplace_back();
            used = 0;
        } else {
            out.back() += "   ";
            used += 3;
        }
        out.back() += painted(item.sign, style.color ? item.paint : Paint{0}) + " " + name;
        used += size;
    }
    return out;
}

}  // namespace

std::string plane_text(const Chart& chart, const TextStyle& style) {
    const bool u = style.unicode;
    const std::size_t width = text_columns(chart, style);
    const std::size_t rows = chart.height > 0 ? std::clamp<std::size_t>(static_cast<std::size_t>(chart.height / 20), 4, 200) : 14;
    const std::size_t y_ticks = std::max<std::size_t>(3, rows / 2);
    const Plane plane = plane_of(chart, y_ticks);
    const Ticks y = plane.y_ticks(y_ticks);
    std::size_t margin = 0;
    for (const auto& text : y.text) margin = std::max(margin, columns_of(text));
    const std::size_t left = margin + 2;
    std::size_t columns = width > left + 9 ? width - left - 1 : 8;
    if (const auto* bars = std::get_if<ColumnChart>(&chart.body); bars && bars->heights.size() <= columns)
        columns -= columns % bars->heights.size();  // all bars alike

    std::string head;
    if (!chart.title.empty()) head += shortened(chart.title, width, u) + "\n";
    for (const auto& line : legend_lines(chart, style, width)) head += line + "\n";
    const std::size_t top = chart.y_label.empty() ? 0 : 1;
    TextPlane p{TextGrid(left + columns + 1, top + rows + 2 + (chart.x_label.empty() ? 0 : 1), u), left, top, columns, rows, plane};
    if (!chart.y_label.empty()) p.grid.put(0, 0, shortened(chart.y_label, p.grid.columns(), u));
    draw_frame(p, plane.x_ticks(std::max<std::size_t>(3, columns / 9)), y);
    if (const auto* xy = std::get_if<XyChart>(&chart.body))
        for (const bool bands : {true, false})  // lines and points stand before the bands
            for (std::size_t s = 0; s < xy->series.size(); ++s)
                if ((xy->series[s].mark == XySeries::Mark::band) == bands) {
                    draw_series(p, xy->series[s], s, line_count(*xy) > 1, is_crowded(*xy, columns));
                }
    if (const auto* stacked = std::get_if<StackedChart>(&chart.body)) draw_stacked(p, *stacked);
    if (const auto* bars = std::get_if<ColumnChart>(&chart.body)) draw_columns(p, *bars);
    if (const auto* surface = std::get_if<SurfaceChart>(&chart.body)) draw_surface(p, *surface);
    if (!chart.x_label.empty()) {
        const std::string label = shortened(chart.x_label, columns, u);
        p.grid.put(left + (columns - columns_of(label)) / 2, top + rows + 2, label);
    }
    return head + p.grid.text(style.color);
}

}  // namespace credence::rt
