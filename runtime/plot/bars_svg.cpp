// Bars and heat maps as SVG.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/chart_render.hpp"
#include "runtime/plot/svg.hpp"

namespace credence::rt {

namespace {

constexpr double label_font = 12;
constexpr double longest_label = 190;

double draw_bars_title(Svg& svg, const Chart& chart) {
    if (chart.title.empty()) return 14;
    svg.text(16, 26, Anchor::start, "tt", svg_shortened(chart.title, chart.width - 32, 16));
    return 42;
}

double longest_of(const std::vector<std::string>& labels) {
    double out = 0;
    for (const auto& label : labels) out = std::max(out, svg_text_width(svg_shortened(label, longest_label, label_font), label_font));
    return out;
}

}  // namespace

std::string bars_svg(const Chart& chart, const BarChart& bars) {
    const double per_label = bars.series.size() == 1 ? 24 : 15 * static_cast<double>(bars.series.size()) + 10;
    const auto legend = legend_of(chart);
    // The names of the series are in rows above the bars: their number decides the height.
    double legend_rows = 0;
    std::vector<std::pair<double, double>> places;
    double at = 16;
    for (const auto& [name, index] : legend) {
        const double room = svg_text_width(svg_shortened(name, longest_label, label_font), label_font) + 34;
        if (legend_rows == 0) legend_rows = 1;
        if (at > 16 && at + room > chart.width - 16) {
            at = 16;
            ++legend_rows;
        }
        places.emplace_back(at, legend_rows - 1);
        at += room;
    }
    const double top = (chart.title.empty() ? 14 : 42) + legend_rows * 20;
    const double below = 14 + (chart.x_label.empty() ? 0 : 20) + (bars.left_out > 0 ? 18 : 0);
    const double natural = top + per_label * static_cast<double>(bars.labels.size()) + below;
    const double height = chart.height > 0 ? std::max(chart.height, top + below + 8 * static_cast<double>(bars.labels.size())) : natural;
    const double step = (height - top - below) / static_cast<double>(bars.labels.size());

    Range range{0, 0};
    double value_width = 0;
    for (const auto& series : bars.series)
        for (const double v : series.values) {
            if (std::isfinite(v)) range = {std::min(range.low, v), std::max(range.high, v)};
            value_width = std::max(value_width, svg_text_width(short_number(v), 11));
        }
    if (!(range.high > range.low)) range.high = range.low + 1;
    Svg svg(chart.width, height, chart.title);
    draw_bars_title(svg, chart);
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const double y = (chart.title.empty() ? 14 : 42) + places[i].second * 20;
        svg.rect(places[i].first, y - 4, 12, 12, fmt::format("f{}", legend[i].second % palette_size));
        svg.text(places[i].first + 17, y + 6, Anchor::start, "t", svg_shortened(legend[i].first, longest_label, label_font));
    }
    const double labels = longest_of(bars.labels);
    const double left = 16 + labels + 8 + (range.low < 0 ? value_width + 6 : 0);
    const double right = chart.width - 22 - value_width;
    const double zero = left - range.low / (range.high - range.low) * (right - left);
    const double unit = (right - left) / (range.high - range.low);
    const double thick = std::min(20.0, step * 0.76 / static_cast<double>(bars.series.size()));
    for (std::size_t i = 0; i < bars.labels.size(); ++i) {
        const double middle = top + (static_cast<double>(i) + 0.5) * step;
        svg.text(16 + labels, middle + 4, Anchor::end, "t", svg_shortened(bars.labels[i], longest_label, label_font));
        for (std::size_t s = 0; s < bars.series.size(); ++s) {
            const double v = bars.series[s].values[i];
            const double y = middle + (static_cast<double>(s) - static_cast<double>(bars.series.size()) / 2) * thick;
            const double length = std::isfinite(v) ? std::abs(v) * unit : 0;
            const bool negative = v < 0;
            svg.rect(negative ? zero - length : zero, y + 0.5, length, thick - 1, fmt::format("f{}", s % palette_size));
            svg.text(negative ? zero - length - 5 : zero + length + 5, y + thick / 2 + 4, negative ? Anchor::end : Anchor::start, "n",
                     short_number(v));
        }
    }
    svg.line(zero, top - 2, zero, height - below + 2, "ax");
    if (bars.left_out > 0) svg.text(16 + labels, height - below + 14, Anchor::end, "n", fmt::format("… {} more", bars.left_out));
    if (!chart.x_label.empty())
        svg.text((left + right) / 2, height - 12, Anchor::middle, "t", svg_shortened(chart.x_label, right - left, label_font));
    return std::move(svg).finished();
}

std::string heat_svg(const Chart& chart, const HeatMap& heat) {
    const Range range = shade_range(heat.values, heat.from_zero);
    const auto columns = static_cast<double>(heat.columns.size());
    const auto rows = static_cast<double>(heat.rows.size());
    double value_width = 0;
    for (const double v : heat.values) value_width = std::max(value_width, svg_text_width(short_number(v), 11));
    const double left = 16 + (heat.row_title.empty() ? 0 : 22) + longest_of(heat.rows) + 8;
    const double bar_room = shade_bar_room(range);
    const double cell_width = std::clamp((chart.width - left - 22 - bar_room) / columns, 3.0, 110.0);
    const double longest_column = longest_of(heat.columns);
    const bool tilted = longest_column + 6 > cell_width;
    const double head = tilted ? std::min(longest_column * 0.72, 150.0) + 14 : 20;
    const double title = chart.title.empty() ? 14 : 42;
    const double top = title + (heat.column_title.empty() ? 0 : 16) + head;
    const double cell_height = chart.height > 0 ? std::max(3.0, (chart.height - top - 18) / rows) : std::clamp(360 / rows, 4.0, 44.0);
    const double right = left + cell_width * columns;
    Svg svg(std::max(chart.width, right + 22 + bar_room), top + cell_height * rows + 18, chart.title);
    draw_bars_title(svg, chart);
    if (!heat.column_title.empty())
        svg.text((left + right) / 2, title + 6, Anchor::middle, "t",
                 svg_shortened(heat.column_title, std::max(120.0, right - left), label_font));
    // Labels that would run into each other are left out, every so-manieth stays.
    const auto every_column = static_cast<std::size_t>(std::ceil(14 / cell_width));
    const auto every_row = static_cast<std::size_t>(std::ceil(14 / cell_height));
    for (std::size_t c = 0; c < heat.columns.size(); c += every_column) {
        const double x = left + (static_cast<double>(c) + 0.5) * cell_width;
        const std::string label = svg_shortened(heat.columns[c], longest_label, label_font);
        if (tilted)
            svg.text(x, top - 7, Anchor::start, "t", label,
                     fmt::format("transform=\"rotate(-45 {} {})\"", svg_number(x), svg_number(top - 7)));
        else
            svg.text(x, top - 8, Anchor::middle, "t", label);
    }
    if (!heat.row_title.empty()) {
        const double middle = top + rows * cell_height / 2;
        svg.text(24, middle, Anchor::middle, "t", svg_shortened(heat.row_title, std::max(80.0, rows * cell_height), label_font),
                 fmt::format("transform=\"rotate(-90 24 {})\"", svg_number(middle)));
    }
    const bool numbers = value_width + 6 <= cell_width && cell_height >= 14;
    for (std::size_t r = 0; r < heat.rows.size(); ++r) {
        const double y = top + static_cast<double>(r) * cell_height;
        if (r % every_row == 0)
            svg.text(left - 8, y + cell_height / 2 + 4, Anchor::end, "t", svg_shortened(heat.rows[r], longest_label, label_font));
        for (std::size_t c = 0; c < heat.columns.size(); ++c) {
            const double v = heat.values[r * heat.columns.size() + c];
            const Shade shade = heat_shade((v - range.low) / (range.high - range.low));
            const double x = left + static_cast<double>(c) * cell_width;
            const double seam = cell_width > 8 ? 1 : 0;
            svg.rect(x, y, cell_width - seam, cell_height - seam, "cell",
                     fmt::format("fill=\"{}\"{}", shade.fill, seam > 0 ? "" : " shape-rendering=\"crispEdges\""));
            if (numbers)
                svg.text(x + cell_width / 2, y + cell_height / 2 + 4, Anchor::middle, "n", short_number(v),
                         fmt::format("style=\"fill:{}\"", shade.dark ? "#fff" : "#1b1f24"));
        }
    }
    draw_shade_bar(svg, right + 12, top, top + std::max(cell_height * rows, 40.0), range);
    return std::move(svg).finished();
}

}  // namespace credence::rt
