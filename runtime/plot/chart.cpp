#include "runtime/plot/chart.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/plot/chart_render.hpp"

namespace credence::rt {

namespace {

/// Out to a round number of a finer step than the axis shows, so that little room is lost above and below.
Range rounded_out(Range range, std::size_t ticks) { return out_to_ticks(widened(range), 4 * ticks); }

class ChartPicture : public Picture {
public:
    explicit ChartPicture(Chart chart) : chart_(std::move(chart)) {}
    std::string text(const TextStyle& style) const override { return chart_text(chart_, style); }
    std::string svg() const override { return chart_svg(chart_); }
    std::string narrow_svg() const override {
        if (!chart_.as_wide_as_the_text) return svg();
        Chart narrow = chart_;
        narrow.width = narrow_width;
        if (narrow.height == 0 && (std::holds_alternative<XyChart>(narrow.body) || std::holds_alternative<ColumnChart>(narrow.body) ||
                                   std::holds_alternative<StackedChart>(narrow.body) || std::holds_alternative<SurfaceChart>(narrow.body)))
            narrow.height = 300;
        return chart_svg(narrow);
    }

private:
    Chart chart_;
};

struct Extent {
    bool any = false;
    Range range;
    void add(double v) {
        if (!std::isfinite(v)) return;
        range = any ? Range{std::min(range.low, v), std::max(range.high, v)} : Range{v, v};
        any = true;
    }
};

Range padded(Range range) {
    const double pad = (range.high - range.low) * 0.03;
    return {range.low - pad, range.high + pad};
}

Plane plane_of_series(const XyChart& chart, std::size_t y_ticks) {
    Extent x;
    Extent y;
    bool points = false;
    bool whole = true;
    for (const auto& series : chart.series) {
        points = points || series.mark == XySeries::Mark::points;
        for (const double v : series.x) {
            x.add(v);
            whole = whole && v == std::floor(v);
        }
        for (const double v : series.y) y.add(v);
        for (const double v : series.y_high) y.add(v);
    }
    if (chart.from_zero && !chart.log_y) y.add(0);
    Range across = widened(x.range);
    if (points) {  // so that no mark sits on the frame
        across = padded(across);
        if (!chart.from_zero) y.range = padded(widened(y.range));
    }
    return {.x = across,
            .y = chart.log_y ? padded(widened(y.range)) : rounded_out(y.range, y_ticks),
            .least_x_step = whole && !chart.log_x ? 1.0 : 0.0,
            .log_x = chart.log_x,
            .log_y = chart.log_y};
}

}  // namespace

Plane plane_of(const Chart& chart, std::size_t y_ticks) {
    if (const auto* xy = std::get_if<XyChart>(&chart.body)) return plane_of_series(*xy, y_ticks);
    if (const auto* columns = std::get_if<ColumnChart>(&chart.body)) {
        Extent y;
        y.add(0);
        for (const double v : columns->heights) y.add(v);
        return {{columns->edges.front(), columns->edges.back()}, rounded_out(y.range, y_ticks)};
    }
    if (const auto* stacked = std::get_if<StackedChart>(&chart.body)) {
        std::vector<double> totals(stacked->series.front().values.size(), 0);
        for (const auto& series : stacked->series)
            for (std::size_t i = 0; i < totals.size(); ++i)
                if (std::isfinite(series.values[i])) totals[i] += series.values[i];
        const double highest = *std::max_element(totals.begin(), totals.end());
        // Shares that add up to 1 but for the last bit end at 1.
        return {{0.5, static_cast<double>(totals.size()) + 0.5}, {0, std::abs(highest - 1) < 1e-9 ? 1 : highest > 0 ? highest : 1}, 1};
    }
    const auto& surface = std::get<SurfaceChart>(chart.body);
    return {{surface.x_low, surface.x_high}, {surface.y_low, surface.y_high}};
}

std::vector<std::pair<std::string, std::size_t>> legend_of(const Chart& chart) {
    std::vector<std::pair<std::string, std::size_t>> out;
    if (const auto* bars = std::get_if<BarChart>(&chart.body); bars && bars->series.size() > 1)
        for (std::size_t i = 0; i < bars->series.size(); ++i) out.emplace_back(bars->series[i].name, i);
    if (const auto* xy = std::get_if<XyChart>(&chart.body); xy && xy->series.size() > 1)
        for (std::size_t i = 0; i < xy->series.size(); ++i)
            if (!xy->series[i].name.empty()) out.emplace_back(xy->series[i].name, i);
    if (const auto* stacked = std::get_if<StackedChart>(&chart.body))
        for (std::size_t i = 0; i < stacked->series.size(); ++i) out.emplace_back(stacked->series[i].name, i);
    if (const auto* surface = std::get_if<SurfaceChart>(&chart.body))
        for (std::size_t i = 0; i < surface->classes.size(); ++i) out.emplace_back(surface->classes[i], i);
    return out;
}

std::optional<double> y_at(const XySeries& series, const std::vector<double>& ys, double x) {
    for (std::size_t i = 0; i + 1 < series.x.size(); ++i) {
        const double x0 = series.x[i];
        const double x1 = series.x[i + 1];
        if (!(x0 <= x && x <= x1) || !std::isfinite(ys[i]) || !std::isfinite(ys[i + 1])) continue;
        return x1 > x0 ? ys[i] + (ys[i + 1] - ys[i]) * (x - x0) / (x1 - x0) : ys[i];
    }
    return std::nullopt;
}

Range shade_range(const std::vector<double>& values, bool from_zero) {
    Extent out;
    for (const double v : values) out.add(v);
    if (from_zero && out.range.low >= 0) out.range.low = 0;
    if (!(out.range.high > out.range.low)) out.range.high = out.range.low + 1;
    return out.range;
}

std::string chart_text(const Chart& chart, const TextStyle& style) {
    if (const auto* bars = std::get_if<BarChart>(&chart.body)) return bars_text(chart, *bars, style);
    if (const auto* heat = std::get_if<HeatMap>(&chart.body)) return heat_text(chart, *heat, style);
    if (const auto* intervals = std::get_if<IntervalChart>(&chart.body)) return intervals_text(chart, *intervals, style);
    return plane_text(chart, style);
}

std::string chart_svg(const Chart& chart) {
    if (const auto* bars = std::get_if<BarChart>(&chart.body)) return bars_svg(chart, *bars);
    if (const auto* heat = std::get_if<HeatMap>(&chart.body)) return heat_svg(chart, *heat);
    if (const auto* intervals = std::get_if<IntervalChart>(&chart.body)) return intervals_svg(chart, *intervals);
    return plane_svg(chart);
}

namespace {

void make_drawable(std::vector<double>& values) {
    for (double& v : values)
        if (!std::isnan(v)) v = drawable(v);
}
void make_drawable(std::vector<XySeries>& series) {
    for (auto& s : series) {
        make_drawable(s.x);
        make_drawable(s.y);
        make_drawable(s.y_high);
    }
}

void take_logarithms(std::vector<double>& values) {
    for (double& v : values) v = v > 0 ? std::log10(v) : std::nan("");
}

struct MakeDrawable {
    void operator()(BarChart& chart) const {
        for (auto& series : chart.series) make_drawable(series.values);
    }
    void operator()(XyChart& chart) const {
        make_drawable(chart.series);
        for (auto& series : chart.series) {
            if (chart.log_x) take_logarithms(series.x);
            if (chart.log_y) take_logarithms(series.y);
            if (chart.log_y) take_logarithms(series.y_high);
        }
    }
    void operator()(StackedChart& chart) const {
        for (auto& series : chart.series) make_drawable(series.values);
    }
    void operator()(IntervalChart& chart) const {
        for (auto& row : chart.rows)
            for (double* v : {&row.low, &row.inner_low, &row.middle, &row.inner_high, &row.high}) *v = drawable(*v);
    }
    void operator()(ColumnChart& chart) const {
        make_drawable(chart.edges);
        make_drawable(chart.heights);
    }
    void operator()(HeatMap& chart) const { make_drawable(chart.values); }
    void operator()(SurfaceChart& chart) const {
        for (double* v : {&chart.x_low, &chart.x_high, &chart.y_low, &chart.y_high}) *v = drawable(*v);
        make_drawable(chart.values);
        make_drawable(chart.points);
    }
};

}  // namespace

std::size_t text_columns(const Chart& chart, const TextStyle& style) {
    constexpr std::size_t least = 24;
    const std::size_t room = std::max(style.width, least);
    return chart.as_wide_as_the_text ? room : std::clamp(static_cast<std::size_t>(chart.width / 8), least, room);
}

void make_drawable(Chart& chart) { std::visit(MakeDrawable{}, chart.body); }

PicturePtr make_picture(Chart chart) {
    make_drawable(chart);
    return std::make_shared<const ChartPicture>(std::move(chart));
}

}  // namespace credence::rt
