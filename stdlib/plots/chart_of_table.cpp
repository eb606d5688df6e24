// Tables as charts: which columns make the axes.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/plot/binning.hpp"
#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using rt::Column;
using rt::ColumnKind;
using rt::Fault;
using rt::Result;
using rt::Table;
using rt::XySeries;

namespace {

/// The columns that the options name, or that suggest themselves.
struct Axes {
    const Column* x = nullptr;
    std::vector<const Column*> y;
    const Column* classes = nullptr;  ///< colours the points
    const Column* low = nullptr;      ///< of a band
    const Column* high = nullptr;
};

bool is_number(const Column& column) { return column.kind == ColumnKind::numeric; }

Result<Axes> named_axes(const Table& table, const PlotOptions& options) {
    Axes out;
    const auto find = [&](const std::string& name, rt::Origin origin) -> Result<const Column*> {
        if (const auto at = table.find(name)) return table.columns[*at].get();
        std::vector<std::string> names;
        for (const auto& column : table.columns) names.push_back(column->name);
        Fault fault = rt::no_such_column(name, names);
        fault.origin = origin;
        return fault;
    };
    if (options.x) { out.x = TRY(find(*options.x, options.at_x)); }
    for (const auto& name : options.y) {
        auto y = TRY(find(name, options.at_y));
        out.y.push_back(y);
    }
    for (std::size_t i = 0; i < options.bands.size(); ++i) {
        auto end = TRY(find(options.bands[i], options.at_bands));
        if (!is_number(*end))
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("a band needs numbers, and {} holds labels", end->name),
                         .origin = options.at_bands};
        (i == 0 ? out.low : out.high) = end;
    }
    if (table.target && !is_number(*table.columns[*table.target])) out.classes = table.columns[*table.target].get();
    return out;
}

/// Where the script named no columns: a numeric target over the first number, the first two numbers coloured by a label target, else
/// the first column with all other numbers over it.
void suggest_axes(const Table& table, Axes& axes) {
    const Column* target = table.target ? table.columns[*table.target].get() : nullptr;
    std::vector<const Column*> numbers;
    for (const auto& column : table.columns)
        if (is_number(*column) && column.get() != target && column.get() != axes.x && column.get() != axes.low &&
            column.get() != axes.high && column->name != "standard_error")
            numbers.push_back(column.get());  // the standard errors of a learning curve are not a line of their own
    if (!axes.x) {
        if (!target && !is_number(*table.columns[0]))
            axes.x = table.columns[0].get();
        else if (!numbers.empty()) {
            const auto first = std::find_if(numbers.begin(), numbers.end(), [&](const Column* c) { return !rt::contains(axes.y, c); });
            axes.x = first != numbers.end() ? *first : numbers[0];
            std::erase(numbers, axes.x);
        } else {
            axes.x = target ? target : table.columns[0].get();
        }
    }
    if (!axes.y.empty()) return;
    if (target && is_number(*target) && target != axes.x)
        axes.y = {target};
    else if (target && !numbers.empty() && is_number(*axes.x))
        axes.y = {numbers[0]};
    else if (!target)
        axes.y = numbers;
}

std::vector<double> finite_of(const Column& column) {
    std::vector<double> out = column.values;
    std::erase_if(out, [](double v) { return !std::isfinite(v); });
    return out;
}

Result<rt::Chart> histogram_of(const Column& column, const PlotOptions& options) {
    if (!is_number(column))
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a histogram needs numbers, and {} holds labels", column.name),
                     .origin = options.at_x,
                     .hint = "kind: bars counts labels"};
    const auto values = finite_of(column);
    if (values.empty())
        return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no number to count", column.name), .origin = options.at_value};
    auto bins = rt::binned(values, options.bins);
    return chart_with(options, rt::ColumnChart{std::move(bins.edges), std::move(bins.counts)}, column.name, "count");
}

Result<rt::Chart> counts_of(const Column& column, const PlotOptions& options) {
    std::vector<std::string> labels;
    std::vector<double> counts;
    if (is_number(column)) return histogram_of(column, options);
    for (const auto& label : column.domain->labels()) labels.push_back(label.text());
    counts.assign(labels.size(), 0);
    for (const auto code : column.codes)
        if (code >= 0) ++counts[static_cast<std::size_t>(code)];
    return chart_with(options, bars_of(std::move(labels), {{"count", std::move(counts)}}), column.name);
}

/// A bar a row and number column, or, where one label occurs in several rows, the mean of its rows.
Result<rt::Chart> bars_by_label(const Axes& axes, const PlotOptions& options) {
    std::vector<std::string> labels;
    for (const auto& label : axes.x->domain->labels()) labels.push_back(label.text());
    std::vector<rt::BarChart::Series> series;
    bool means = false;
    for (const Column* y : axes.y) {
        std::vector<double> sums(labels.size(), 0);
        std::vector<double> counts(labels.size(), 0);
        for (std::size_t r = 0; r < axes.x->codes.size(); ++r) {
            if (axes.x->codes[r] < 0 || y->is_missing(r)) continue;
            sums[static_cast<std::size_t>(axes.x->codes[r])] += y->values[r];
            counts[static_cast<std::size_t>(axes.x->codes[r])] += 1;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            means = means || counts[i] > 1;
            if (counts[i] > 0) sums[i] /= counts[i];
        }
        series.push_back({y->name, std::move(sums)});
    }
    const std::string what = axes.y.size() == 1 ? axes.y[0]->name : "value";
    return chart_with(options, bars_of(std::move(labels), std::move(series)),
                      means ? fmt::format("mean {} by {}", what, axes.x->name) : axes.x->name);
}

/// Rows of numbers under labels as they are, or how often two labels occur together.
Result<rt::Chart> heat_of(const Table& table, const Axes& axes, const PlotOptions& options) {
    if (is_number(*axes.x))
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a heat map needs labels for its rows, and {} holds numbers", axes.x->name),
                     .origin = options.at_x,
                     .hint = "x: names a column of labels"};
    rt::HeatMap heat{.row_title = axes.x->name, .column_title = "", .rows = {}, .columns = {}, .values = {}};
    if (axes.y.size() == 1 && !is_number(*axes.y[0])) {
        const Column& other = *axes.y[0];
        heat.column_title = other.name;
        for (const auto& label : axes.x->domain->labels()) heat.rows.push_back(label.text());
        for (const auto& label : other.domain->labels()) heat.columns.push_back(label.text());
        heat.values.assign(heat.rows.size() * heat.columns.size(), 0);
        for (std::size_t r = 0; r < table.rows(); ++r)
            if (axes.x->codes[r] >= 0 && other.codes[r] >= 0)
                ++heat.values[static_cast<std::size_t>(axes.x->codes[r]) * heat.columns.size() + static_cast<std::size_t>(other.codes[r])];
        return chart_with(options, std::move(heat));
    }
    if (axes.y.empty())
        return Fault{
            .code = "E-TYPE", .message = "a heat map needs columns of numbers, or a second column of labels", .origin = options.at_value};
    for (const Column* y : axes.y) heat.columns.push_back(y->name);
    for (std::size_t r = 0; r < table.rows(); ++r) {
        heat.rows.push_back(axes.x->is_missing(r) ? "?" : axes.x->label(r).text());
        for (const Column* y : axes.y) heat.values.push_back(y->is_missing(r) ? std::nan("") : y->values[r]);
    }
    return chart_with(options, std::move(heat));
}

XySeries series_between(const Column& x, const Column& y, XySeries::Mark mark) {
    XySeries out{.name = y.name, .x = {}, .y = {}, .mark = mark};
    for (std::size_t r = 0; r < x.values.size(); ++r) {
        if (!std::isfinite(x.values[r])) continue;
        out.x.push_back(x.values[r]);
        out.y.push_back(y.values[r]);
    }
    return out;
}

Result<rt::Chart> points_by_class(const Axes& axes, const PlotOptions& options) {
    std::vector<XySeries> series;
    for (const auto& label : axes.classes->domain->labels())
        series.push_back({.name = label.text(), .x = {}, .y = {}, .mark = XySeries::Mark::points});
    for (std::size_t r = 0; r < axes.x->values.size(); ++r) {
        if (axes.classes->codes[r] < 0) continue;
        auto& s = series[static_cast<std::size_t>(axes.classes->codes[r])];
        s.x.push_back(axes.x->values[r]);
        s.y.push_back(axes.y[0]->values[r]);
    }
    return chart_with(options, rt::XyChart{.series = std::move(series)}, axes.x->name, axes.y[0]->name);
}

Result<rt::Chart> lines_or_points(const Axes& axes, const PlotOptions& options, const std::string& kind) {
    for (const Column* column : axes.y)
        if (!is_number(*column))
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} needs numbers, and {} holds labels", kind, column->name),
                         .origin = options.at_y};
    if (!is_number(*axes.x))
        return Fault{
            .code = "E-TYPE", .message = fmt::format("{} needs numbers, and {} holds labels", kind, axes.x->name), .origin = options.at_x};
    if (axes.y.empty())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} needs two columns of numbers, and there is only {}", kind, axes.x->name),
                     .origin = options.at_value,
                     .hint = "kind: histogram shows one"};
    if (kind == "scatter" && axes.classes && axes.y.size() == 1) return points_by_class(axes, options);
    const auto mark = kind == "scatter" ? XySeries::Mark::points : kind == "steps" ? XySeries::Mark::steps : XySeries::Mark::line;
    std::vector<XySeries> series;
    for (const Column* y : axes.y) series.push_back(series_between(*axes.x, *y, mark));
    if (axes.low) {
        XySeries band = series_between(*axes.x, *axes.low, XySeries::Mark::band);
        band.y_high = series_between(*axes.x, *axes.high, XySeries::Mark::band).y;
        band.name = fmt::format("{} to {}", axes.low->name, axes.high->name);
        band.color = 0;
        series.push_back(std::move(band));
    }
    return chart_with(options, rt::XyChart{.series = std::move(series)}, axes.x->name, axes.y.size() == 1 ? axes.y[0]->name : "");
}

bool grows(const Column& column) {
    for (std::size_t r = 1; r < column.values.size(); ++r)
        if (!(column.values[r] > column.values[r - 1])) return false;
    return true;
}

}  // namespace

Result<rt::Chart> chart_of_table(const Table& table, const PlotOptions& options) {
    if (table.columns.empty() || table.rows() == 0)
        return Fault{.code = "E-EMPTY", .message = "an empty table cannot be plotted", .origin = options.at_value};
    if (options.kind == "stacked" || options.kind == "forest" || options.kind == "traces")
        return not_that_kind(options, "a table", "bars, lines, steps, scatter, histogram or heat");
    if (auto scores = chart_of_scores(table, options)) return *std::move(scores);
    auto found = TRY(named_axes(table, options));
    Axes axes = std::move(found);
    const bool only_x = axes.x && axes.y.empty();
    if (options.kind == "histogram" || (options.kind.empty() && only_x && is_number(*axes.x))) {
        if (!axes.x && axes.y.size() == 1) axes.x = axes.y[0];
        if (!axes.x)
            for (const auto& column : table.columns)
                if (!axes.x && is_number(*column)) axes.x = column.get();
        return histogram_of(axes.x ? *axes.x : *table.columns[0], options);
    }
    if (only_x && !is_number(*axes.x) && (options.kind.empty() || options.kind == "bars")) return counts_of(*axes.x, options);
    suggest_axes(table, axes);
    std::string kind = options.kind;
    const bool label_pair = axes.y.size() == 1 && !is_number(*axes.y[0]);
    if (kind.empty() && axes.low && is_number(*axes.x)) kind = "lines";
    if (kind.empty())
        kind = label_pair && !is_number(*axes.x)       ? "heat"
               : !is_number(*axes.x) || axes.y.empty() ? "bars"
               : table.target || !grows(*axes.x)       ? "scatter"
                                                       : "lines";
    if (axes.low && (kind == "heat" || kind == "bars"))
        return Fault{.code = "E-PARAMETER",
                     .message = "a band is drawn beside lines or points",
                     .origin = options.at_bands,
                     .hint = "x: names a column of numbers"};
    if (kind == "heat") return heat_of(table, axes, options);
    if (kind != "bars") return lines_or_points(axes, options, kind);
    if (axes.y.empty() || label_pair) return counts_of(*axes.x, options);
    if (is_number(*axes.x)) {
        std::vector<std::string> labels;
        std::vector<rt::BarChart::Series> series;
        for (std::size_t r = 0; r < table.rows(); ++r) labels.push_back(axes.x->is_missing(r) ? "?" : axes.x->label(r).text());
        for (const Column* y : axes.y) series.push_back({y->name, y->values});
        return chart_with(options, bars_of(std::move(labels), std::move(series)), axes.x->name);
    }
    return bars_by_label(axes, options);
}

}  // namespace credence::std_
