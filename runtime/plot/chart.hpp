#pragma once
// Charts as data: what is shown and in which form; the renderings are the picture's business.

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/core/picture.hpp"

namespace credence::rt {

/// A horizontal bar a label and series.
struct BarChart {
    struct Series {
        std::string name;
        std::vector<double> values;  ///< one for each label
    };
    std::vector<std::string> labels;
    std::vector<Series> series;
    std::size_t left_out = 0;  ///< entries beyond those shown
};

struct XySeries {
    enum class Mark {
        line,
        points,
        steps,
        band,  ///< the area from y to y_high
    };
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
    Mark mark = Mark::line;
    std::vector<double> y_high = {};
    std::optional<std::size_t> color = {};  ///< place in the palette; by default that of the series
    bool dashed = false;                    ///< a line to compare with
};
constexpr std::size_t quiet_color = 7;  ///< the palette's grey

/// Lines and points on two axes.
struct XyChart {
    std::vector<XySeries> series;
    bool from_zero = false;  ///< the y axis includes 0: densities
    bool filled = false;     ///< the area under lines
    bool log_x = false;      ///< axes of logarithms; numbers that have none are left out
    bool log_y = false;
};

/// Upright bars side by side on a number axis: heights.size() + 1 edges.
struct ColumnChart {
    std::vector<double> edges;
    std::vector<double> heights;
    bool apart = false;  ///< single values, not intervals
};

/// The shares of a whole at steps 1, 2 …, one above the other.
struct StackedChart {
    std::vector<BarChart::Series> series;
};

/// Where numbers lie, one row each: the middle, an inner and an outer interval.
struct IntervalChart {
    struct Row {
        std::string label;
        double low = 0, inner_low = 0, middle = 0, inner_high = 0, high = 0;
    };
    std::vector<Row> rows;
    std::optional<double> line = {};  ///< an upright line to compare with
};

/// A number for each pair of labels, row by row.
struct HeatMap {
    std::string row_title;
    std::string column_title;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values;
    bool from_zero = true;  ///< the lightest shade is 0, as of probabilities; else the least value
};

/// A model's predictions over a rectangle: a class or a number for each cell, rows from the lowest y up.
struct SurfaceChart {
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    std::size_t x_cells = 0, y_cells = 0;
    std::vector<double> values;             ///< of classes: their numbers from 0
    std::vector<std::string> classes = {};  ///< empty: the values are numbers
    std::vector<XySeries> points = {};      ///< examples on top; with classes, one series a class
};

struct Chart {
    std::string title = {};
    std::string x_label = {};
    std::string y_label = {};
    double width = 640;               ///< of the SVG; a terminal takes a column for 8 and a row for 20
    bool as_wide_as_the_text = true;  ///< characters take the width of the terminal in place of that
    double height = 0;                ///< 0: what the chart needs
    double scale = 1;                 ///< of marks and lines in the SVG
    std::variant<BarChart, XyChart, ColumnChart, StackedChart, IntervalChart, HeatMap, SurfaceChart> body = {};
};

PicturePtr make_picture(Chart chart);
/// Several charts with two number axes, side by side where there is room.
PicturePtr make_panels(std::string title, std::vector<Chart> charts);
/// How many columns of characters a chart takes.
std::size_t text_columns(const Chart& chart, const TextStyle& style);

}  // namespace credence::rt
