#pragma once
// The renderings of charts, and what the two back ends decide alike.

#include <string>
#include <vector>

#include "runtime/plot/chart.hpp"
#include "runtime/plot/ticks.hpp"

namespace credence::rt {

class TextGrid;

std::string chart_text(const Chart& chart, const TextStyle& style);
std::string chart_svg(const Chart& chart);

// By form, the terminal's.
std::string bars_text(const Chart& chart, const BarChart& bars, const TextStyle& style);
std::string heat_text(const Chart& chart, const HeatMap& heat, const TextStyle& style);
std::string plane_text(const Chart& chart, const TextStyle& style);  ///< lines, points, columns and surfaces

// By form, SVG.
std::string bars_svg(const Chart& chart, const BarChart& bars);
std::string heat_svg(const Chart& chart, const HeatMap& heat);
std::string plane_svg(const Chart& chart);

/// The rectangle of numbers that a chart with two axes shows.
struct Plane {
    Range x;
    Range y;
    double least_x_step = 0;  ///< 1 where x counts something: no 2.5 between positions 2 and 3
};
Plane plane_of(const Chart& chart, std::size_t y_ticks);
/// Names for a legend with the number of the series; none where there is nothing to tell apart.
std::vector<std::pair<std::string, std::size_t>> legend_of(const Chart& chart);
/// The largest value of a heat map, and the smallest (0 where none is negative).
Range shade_range(const std::vector<double>& values);

}  // namespace credence::rt
