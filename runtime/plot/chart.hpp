#pragma once
// Charts as data: what is shown and in which form; the renderings are the picture's business.

#include <cstddef>
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
    enum class Mark { line, points, steps };
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
    Mark mark = Mark::line;
};

/// Lines and points on two axes.
struct XyChart {
    std::vector<XySeries> series;
    bool from_zero = false;  ///< the y axis includes 0: densities
    bool filled = false;     ///< the area under lines
};

/// Upright bars side by side on a number axis: heights.size() + 1 edges.
struct ColumnChart {
    std::vector<double> edges;
    std::vector<double> heights;
    bool apart = false;  ///< single values, not intervals
};

/// A number for each pair of labels, row by row.
struct HeatMap {
    std::string row_title;
    std::string column_title;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values;
};

/// What a model says over a rectangle: a class or a number for each cell, rows from the lowest y up.
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
    std::variant<BarChart, XyChart, ColumnChart, HeatMap, SurfaceChart> body = {};
};

PicturePtr make_picture(Chart chart);
/// How many columns of characters a chart takes.
std::size_t text_columns(const Chart& chart, const TextStyle& style);

}  // namespace credence::rt
