// Bars and heat maps in characters.

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

constexpr std::array<std::string_view, 8> series_fill{"█", "▒", "▓", "░", "=", "+", "-", ":"};
constexpr std::array<std::string_view, 8> series_fill_ascii{"#", "=", "+", "-", "*", "o", "%", "."};

std::string fill_of(std::size_t series, bool unicode) {
    return std::string(unicode ? series_fill[series % series_fill.size()] : series_fill_ascii[series % series_fill_ascii.size()]);
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

std::string padded(std::string text, std::size_t columns) {
    const std::size_t used = columns_of(text);
    return text + std::string(columns - std::min(columns, used), ' ');
}

std::string padded_left(const std::string& text, std::size_t columns) {
    const std::size_t used = columns_of(text);
    return std::string(columns - std::min(columns, used), ' ') + text;
}

std::string without_end_blanks(std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line + "\n";
}

/// To the right of the zero line in eighths of a column, to the left in whole ones.
std::string bar_of(double value, Range range, std::size_t columns, std::size_t series, bool unicode) {
    static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double unit = static_cast<double>(columns) / (range.high - range.low);
    const auto zero = static_cast<std::size_t>(std::lround(-range.low * unit));
    if (!std::isfinite(value)) return std::string(zero, ' ');
    if (value < 0) {
        const std::size_t length = std::min(zero, static_cast<std::size_t>(std::lround(-value * unit)));
        return std::string(zero - length, ' ') + repeated(fill_of(series, unicode), length);
    }
    const double length = value * unit;
    if (!unicode || series > 0)
        return std::string(zero, ' ') + repeated(fill_of(series, unicode), static_cast<std::size_t>(std::lround(length)));
    const auto parts = static_cast<std::size_t>(std::lround(length * 8));
    return std::string(zero, ' ') + repeated("█", parts / 8) + std::string(eighths[parts % 8]);
}

}  // namespace

std::string bars_text(const Chart& chart, const BarChart& bars, const TextStyle& style) {
    const bool u = style.unicode;
    const std::size_t width = text_columns(chart, style);
    Range range{0, 0};
    std::size_t label_width = 0;
    std::size_t value_width = 0;
    for (const auto& label : bars.labels) label_width = std::max(label_width, columns_of(label));
    for (const auto& series : bars.series)
        for (const double v : series.values) {
            if (std::isfinite(v)) range = {std::min(range.low, v), std::max(range.high, v)};
            value_width = std::max(value_width, columns_of(short_number(v)));
        }
    if (!(range.high > range.low)) range.high = range.low + 1;
    label_width = std::min(label_width, width / 3);
    const std::size_t room = width - std::min(width - 8, label_width + value_width + 3);

    std::string out;
    if (!chart.title.empty()) out += without_end_blanks(shortened(chart.title, width, u));
    if (bars.series.size() > 1) {
        std::size_t used = 0;
        for (std::size_t s = 0; s < bars.series.size(); ++s) {  // as many lines as it takes
            const std::string name = shortened(bars.series[s].name, std::min<std::size_t>(24, width - 4), u);
            const bool first = used == 0;
            const bool fits = used + 3 + 3 + columns_of(name) <= width;
            out += first ? "" : fits ? "   " : "\n";
            used = (first || !fits ? 0 : used + 3) + 3 + columns_of(name);
            out += painted(fill_of(s, u) + fill_of(s, u), style.color ? paint_of(s) : Paint{0}) + " " + name;
        }
        out += "\n";
    }
    for (std::size_t i = 0; i < bars.labels.size(); ++i)
        for (std::size_t s = 0; s < bars.series.size(); ++s) {
            const double value = bars.series[s].values[i];
            const std::string label = s == 0 ? shortened(bars.labels[i], label_width, u) : "";
            std::string bar = bar_of(value, range, room, s, u);
            const std::string gap = bar.empty() || bar.back() == ' ' ? "" : " ";
            if (style.color && !gap.empty()) bar = painted(bar, paint_of(s));
            out += without_end_blanks(padded(label, label_width) + "  " + bar + gap + short_number(value));
        }
    if (bars.left_out > 0) out += (u ? "… " : "... ") + std::to_string(bars.left_out) + " more\n";
    if (!chart.x_label.empty()) out += without_end_blanks(std::string(label_width + 2, ' ') + shortened(chart.x_label, room, u));
    return out;
}

std::string heat_text(const Chart& chart, const HeatMap& heat, const TextStyle& style) {
    static constexpr std::array<std::string_view, 5> shades{"·", "░", "▒", "▓", "█"};
    static constexpr std::array<std::string_view, 5> shades_ascii{".", "-", "+", "*", "#"};
    const bool u = style.unicode;
    const std::size_t width = text_columns(chart, style);
    const Range range = shade_range(heat.values, heat.from_zero);
    const std::size_t n = heat.columns.size();
    const auto shade = [&](double v) {
        const double t = (v - range.low) / (range.high - range.low);
        const auto i = std::isfinite(t) ? static_cast<std::size_t>(std::clamp(std::lround(t * 4), 0L, 4L)) : 0U;
        return std::string(v == 0 && range.low == 0 ? " " : u ? shades[i] : shades_ascii[i]);
    };
    std::size_t row_width = columns_of(heat.row_title);
    for (const auto& label : heat.rows) row_width = std::max(row_width, columns_of(label));
    row_width = std::min(row_width, width / 3);

    std::string out;
    if (!chart.title.empty()) out += without_end_blanks(shortened(chart.title, width, u));
    std::size_t cell = 0;
    std::size_t value_width = 0;
    for (const double v : heat.values) value_width = std::max(value_width, columns_of(short_number(v)));
    for (const auto& label : heat.columns) cell = std::max(cell, columns_of(label));
    cell = std::max(std::min<std::size_t>(cell, 14), value_width + 3);
    const bool numbers = row_width + n * (cell + 2) <= width;
    if (numbers) {
        if (!heat.column_title.empty())
            out += without_end_blanks(std::string(row_width + 2, ' ') + shortened(heat.column_title, width - row_width - 2, u));
        std::string head = padded(shortened(heat.row_title, row_width, u), row_width);
        for (const auto& label : heat.columns) head += "  " + padded_left(shortened(label, cell, u), cell);
        out += without_end_blanks(head);
        for (std::size_t r = 0; r < heat.rows.size(); ++r) {
            std::string line = padded(shortened(heat.rows[r], row_width, u), row_width);
            for (std::size_t c = 0; c < n; ++c) {
                const double v = heat.values[r * n + c];
                line +=
                    "  " + std::string(cell - value_width - 3, ' ') + shade(v) + shade(v) + " " + padded_left(short_number(v), value_width);
            }
            out += without_end_blanks(line);
        }
        return out;
    }
    // Too many columns for numbers: shades alone, and where even these do not fit, every so-manieth column.
    const std::size_t room = width - row_width - 2;
    const std::size_t each = 2 * n <= room ? 2 : 1;
    const std::size_t step = each == 2 ? 1 : (n + room - 1) / room;
    std::string ends = heat.column_title.empty() ? "" : heat.column_title + ": ";
    ends += heat.columns.front() + (u ? " … " : " .. ") + heat.columns.back();
    out += without_end_blanks(padded(shortened(heat.row_title, row_width, u), row_width) + "  " + shortened(ends, room, u));
    for (std::size_t r = 0; r < heat.rows.size(); ++r) {
        std::string line = padded(shortened(heat.rows[r], row_width, u), row_width) + "  ";
        for (std::size_t c = 0; c < n; c += step) line += repeated(shade(heat.values[r * n + c]), each);
        out += without_end_blanks(line);
    }
    return out +
           shortened(std::string(row_width + 2, ' ') + (u ? "· " : ". ") + short_number(range.low) + (u ? " … █ " : " .. # ") +
                         short_number(range.high),
                     width, u) +
           "\n";
}

}  // namespace credence::rt
