// Factors and distributions as charts.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/ticks.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using rt::Fault;
using rt::Result;
using rt::XySeries;

namespace {

/// The labels as numbers where all are, ascending.
std::optional<std::vector<double>> axis_of(const rt::Domain& domain) {
    std::vector<double> out;
    for (const auto& label : domain.labels()) {
        if (!label.number()) return std::nullopt;
        const double v = label.number()->real();
        if (!std::isfinite(v) || (!out.empty() && v <= out.back())) return std::nullopt;
        out.push_back(v);
    }
    return out;
}

bool evenly_spaced(const std::vector<double>& xs) {
    const double step = xs[1] - xs[0];
    for (std::size_t i = 1; i < xs.size(); ++i)
        if (std::abs(xs[i] - xs[i - 1] - step) > 1e-9 * (std::abs(step) + std::abs(xs[i]))) return false;
    return true;
}

rt::ColumnChart columns_on(const std::vector<double>& xs, std::vector<double> heights) {
    const double step = xs[1] - xs[0];
    rt::ColumnChart out{{}, std::move(heights), true};
    for (const double x : xs) out.edges.push_back(x - step / 2);
    out.edges.push_back(xs.back() + step / 2);
    return out;
}

std::vector<std::string> texts_of(const rt::Domain& domain) {
    std::vector<std::string> out;
    for (const auto& label : domain.labels()) out.push_back(label.text());
    return out;
}

Result<rt::Chart> one_variable(const rt::Factor& f, const PlotOptions& options) {
    const auto& variable = f.variables()[0];
    const auto xs = axis_of(*variable.domain);
    constexpr std::size_t few = 8;
    constexpr std::size_t many = 60;
    std::string kind = options.kind;
    if (kind.empty()) kind = !xs || xs->size() < few ? "bars" : xs->size() <= many && evenly_spaced(*xs) ? "histogram" : "lines";
    if (kind == "bars") return chart_with(options, bars_of(texts_of(*variable.domain), {{"", f.doubles()}}), variable.name);
    if (kind == "heat" || kind == "stacked" || kind == "forest" || kind == "traces")
        return not_that_kind(options, "a factor over one variable", "bars, lines, steps, scatter or, over numbers, histogram");
    if (kind == "histogram") {
        if (!xs || xs->size() < 2 || !evenly_spaced(*xs))
            return not_that_kind(options, "a factor over labels that are not evenly spaced numbers", "bars or lines");
        return chart_with(options, columns_on(*xs, f.doubles()), variable.name);
    }
    XySeries series{.name = "", .x = xs.value_or(std::vector<double>{}), .y = f.doubles()};
    if (!xs)
        for (std::size_t i = 1; i <= f.size(); ++i) series.x.push_back(static_cast<double>(i));
    series.mark = kind == "steps" ? XySeries::Mark::steps : kind == "scatter" ? XySeries::Mark::points : XySeries::Mark::line;
    return chart_with(options, rt::XyChart{.series = {std::move(series)}, .from_zero = true, .filled = kind == "lines"}, variable.name);
}

Result<rt::Chart> two_variables(const rt::Factor& f, const PlotOptions& options) {
    const auto& rows = f.variables()[0];
    const auto& columns = f.variables()[1];
    const auto values = f.doubles();
    if (options.kind.empty() || options.kind == "heat")
        return chart_with(options, rt::HeatMap{rows.name, columns.name, texts_of(*rows.domain), texts_of(*columns.domain), values});
    const bool lines = options.kind == "lines" || options.kind == "steps" || options.kind == "scatter";
    if (!lines && options.kind != "bars")
        return not_that_kind(options, "a factor over two variables", "heat, bars, lines, steps or scatter");
    if (!lines) {
        std::vector<rt::BarChart::Series> series;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            series.push_back({fmt::format("{} = {}", columns.name, (*columns.domain)[c].text()), {}});
            for (std::size_t r = 0; r < rows.size(); ++r) series.back().values.push_back(values[r * columns.size() + c]);
        }
        return chart_with(options, bars_of(texts_of(*rows.domain), std::move(series)), rows.name);
    }
    // A line for each value of the first variable over the values of the second.
    const auto xs = axis_of(*columns.domain);
    std::vector<XySeries> series;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        XySeries s{.name = fmt::format("{} = {}", rows.name, (*rows.domain)[r].text()), .x = {}, .y = {}};
        for (std::size_t c = 0; c < columns.size(); ++c) {
            s.x.push_back(xs ? (*xs)[c] : static_cast<double>(c + 1));
            s.y.push_back(values[r * columns.size() + c]);
        }
        s.mark = options.kind == "steps"     ? XySeries::Mark::steps
                 : options.kind == "scatter" ? XySeries::Mark::points
                                             : XySeries::Mark::line;
        series.push_back(std::move(s));
    }
    return chart_with(options, rt::XyChart{.series = std::move(series)}, columns.name);
}

Fault no_density(const rt::Distribution& d, const PlotOptions& options) {
    return {.code = "E-TYPE",
            .message = fmt::format("{} is over vectors: it has no curve", d.name()),
            .origin = options.at_value,
            .hint = "plot one of its numbers: plot(d[1])"};
}

/// Two numbers together: draws as points. A family is drawn from with a seed of its own, so that its picture is always the same.
Result<rt::Chart> chart_of_pair(const rt::Distribution& d, const PlotOptions& options) {
    if (!options.kind.empty() && options.kind != "points") return not_that_kind(options, "two numbers together", "points");
    constexpr std::size_t most_points = 1000;
    rt::XySeries cloud;
    cloud.mark = rt::XySeries::Mark::points;
    if (const auto* draws = rt::joint_draws(d)) {
        const auto& x = (*draws)[0];
        const std::size_t step = (x.size() + most_points - 1) / most_points;
        for (std::size_t i = 0; i < x.size(); i += step) {
            cloud.x.push_back(x[i]);
            cloud.y.push_back((*draws)[1][i]);
        }
    } else {
        rt::Rng rng(1);
        for (std::size_t i = 0; i < most_points; ++i) {
            const auto point = std::get<rt::Point>(d.sample(rng));
            cloud.x.push_back(point[0].real());
            cloud.y.push_back(point[1].real());
        }
    }
    const auto names = rt::coordinate_names(d);
    return chart_with(options, rt::XyChart{.series = {std::move(cloud)}}, names.empty() ? "" : names[0], names.empty() ? "" : names[1]);
}

/// Where all but a thousandth of each tail lies; a density that has no quantile there is an error of its own.
Result<rt::Range> bulk_of(const rt::Distribution& d, double tail) {
    auto low = TRY(d.quantile(rt::Number::real(tail)));
    auto high = TRY(d.quantile(rt::Number::real(1 - tail)));
    return rt::Range{low.real(), high.real()};
}

}  // namespace

Result<XySeries> density_curve(const rt::Distribution& d, rt::Range range, std::size_t points) {
    XySeries out;
    for (std::size_t i = 0; i < points; ++i) {
        const double x = range.low + (range.high - range.low) * static_cast<double>(i) / static_cast<double>(points - 1);
        auto p = TRY(d.pdf(rt::Outcome(rt::Number::real(x))));
        out.x.push_back(x);
        out.y.push_back(p.real());
    }
    return out;
}

Result<XySeries> interval_band(const rt::Distribution& d, double share) {
    auto low = TRY(d.quantile(rt::Number::real((1 - share) / 2)));
    auto high = TRY(d.quantile(rt::Number::real((1 + share) / 2)));
    auto out = TRY(density_curve(d, {low.real(), high.real()}, 121));
    out.name = fmt::format("{:.6g} % interval", share * 100);
    out.mark = XySeries::Mark::band;
    out.y_high = out.y;
    std::fill(out.y.begin(), out.y.end(), 0);
    out.color = 0;
    return out;
}

Result<rt::Chart> chart_of_factor(const rt::Factor& f, const PlotOptions& options) {
    if (f.size() == 0) return Fault{.code = "E-EMPTY", .message = "the factor has no entries", .origin = options.at_value};
    if (f.variables().size() == 1) return one_variable(f, options);
    if (f.variables().size() == 2) return two_variables(f, options);
    if (!options.kind.empty() && options.kind != "bars")
        return not_that_kind(options, fmt::format("a factor over {} variables", f.variables().size()), "bars");
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < f.size(); ++i) {
        std::string text;
        for (const auto& label : f.labels(i)) text += (text.empty() ? "" : ", ") + label.text();
        labels.push_back(std::move(text));
    }
    std::string names;
    for (const auto& v : f.variables()) names += (names.empty() ? "" : ", ") + v.name;
    return chart_with(options, bars_of(std::move(labels), {{"", f.doubles()}}), names);
}

Result<rt::Chart> chart_of_distribution(const rt::Distribution& d, const PlotOptions& options) {
    if (const auto domain = d.finite_values()) {
        std::vector<rt::Number> weights;
        for (const auto& label : domain->labels()) {
            auto p = TRY(d.pdf(d.support() == rt::Support::labels ? rt::Outcome(label) : rt::Outcome(*label.number())));
            weights.push_back(std::move(p));
        }
        return chart_of_factor(rt::Factor::of_numbers({rt::Variable{"", domain}}, weights), options);
    }
    if (d.support() == rt::Support::vectors && rt::dimension_of(d) == 2) return chart_of_pair(d, options);
    if (d.support() == rt::Support::vectors || d.support() == rt::Support::labels) return no_density(d, options);
    auto range = TRY(bulk_of(d, 0.001));
    if (d.support() == rt::Support::integers) {
        std::vector<rt::Label> labels;
        std::vector<rt::Number> weights;
        const double step = std::max(1.0, std::ceil((range.high - range.low) / 400));
        for (double k = range.low; k <= range.high; k += step) {
            const rt::Number x = rt::Number(rt::Rational(static_cast<std::int64_t>(k)));
            auto p = TRY(d.pdf(rt::Outcome(x)));
            labels.push_back(rt::Label::of_number(x));
            weights.push_back(rt::Number::real(p.real()));
        }
        return chart_of_factor(rt::Factor::of_numbers({rt::Variable{"", rt::make_domain(std::move(labels))}}, weights), options);
    }
    if (!options.kind.empty() && options.kind != "lines") return not_that_kind(options, "a density", "lines");
    // A little beyond the bulk, so that the end of the curve is visible; a bounded support ends where its density does.
    constexpr std::size_t points = 241;
    const double pad = (range.high - range.low) * 0.05;
    auto curve = TRY(density_curve(d, {range.low - pad, range.high + pad}, points));
    const bool within = options.interval.has_value();
    rt::XyChart body{.series = {std::move(curve)}, .from_zero = true, .filled = !within};
    if (within) {
        auto band = TRY(interval_band(d, *options.interval));
        body.series[0].name = "density";
        body.series.push_back(std::move(band));
    }
    return chart_with(options, std::move(body), options.variable, "density");
}

}  // namespace credence::std_
