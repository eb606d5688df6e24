#pragma once
// The renderings of charts, and what the two back ends decide alike.

#include <optional>
#include <string>
#include <vector>

#include "runtime/plot/chart.hpp"
#include "runtime/plot/ticks.hpp"

namespace credence::rt {

class Svg;
class TextGrid;

constexpr double narrow_width = 350;  ///< of a picture on a telephone

/// Numbers as an axis can place them: none too large, and logarithms where the axis has them.
void make_drawable(Chart& chart);
std::string chart_text(const Chart& chart, const TextStyle& style);
std::string chart_svg(const Chart& chart);

// By form, the terminal's.
std::string bars_text(const Chart& chart, const BarChart& bars, const TextStyle& style);
std::string heat_text(const Chart& chart, const HeatMap& heat, const TextStyle& style);
std::string plane_text(const Chart& chart, const TextStyle& style);  ///< lines, points, columns, shares and surfaces
std::string intervals_text(const Chart& chart, const IntervalChart& intervals, const TextStyle& style);

// By form, SVG.
std::string bars_svg(const Chart& chart, const BarChart& bars);
std::string heat_svg(const Chart& chart, const HeatMap& heat);
std::string plane_svg(const Chart& chart);
std::string intervals_svg(const Chart& chart, const IntervalChart& intervals);
/// Into a part of a picture that is `width` by `height`.
void draw_plane(Svg& svg, const Chart& chart, double width, double height);
/// Beside a rectangle, from its right edge: the shades of a range with numbers. Its width is `shade_bar_room`.
void draw_shade_bar(Svg& svg, double left, double top, double bottom, Range range);
double shade_bar_room(Range range);

/// The rectangle of numbers that a chart with two axes shows.
struct Plane {
    Range x;
    Range y;
    double least_x_step = 0;  ///< 1 if x counts something: no 2.5 between positions 2 and 3
    bool log_x = false;       ///< the ranges are powers of ten
    bool log_y = false;

    Ticks x_ticks(std::size_t most) const { return log_x ? log_ticks_on(x, most) : ticks_on(x, most, least_x_step); }
    Ticks y_ticks(std::size_t most) const { return log_y ? log_ticks_on(y, most) : ticks_on(y, most); }
};
Plane plane_of(const Chart& chart, std::size_t y_ticks);
/// Names for a legend with the number of the series; none if there is nothing to distinguish.
std::vector<std::pair<std::string, std::size_t>> legend_of(const Chart& chart);
inline std::size_t color_of(const XySeries& series, std::size_t index) { return series.color.value_or(index); }
/// The y of a series (or the upper end of a band) at x, between the two numbers beside it; nothing outside of them.
std::optional<double> y_at(const XySeries& series, const std::vector<double>& ys, double x);
/// The largest value of a heat map, and the smallest (from_zero: 0 where none is negative).
Range shade_range(const std::vector<double>& values, bool from_zero = true);

}  // namespace credence::rt
