// A trained model over its number features: the regions of its classes, or the curve or surface of its numbers.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/ticks.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "stdlib/plots/chart_of.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;
using rt::XySeries;

namespace {

/// The range of a column of the examples, with a little room.
Result<rt::Range> range_of(const rt::Table& data, const std::string& name, const PlotOptions& options) {
    const auto at = data.find(name);
    const rt::Column* column = at ? data.columns[*at].get() : nullptr;
    if (!column || column->kind != rt::ColumnKind::numeric)
        return Fault{.code = "E-COLUMN", .message = fmt::format("data has no column {} of numbers", name), .origin = options.at_data};
    rt::Range out{0, 0};
    bool any = false;
    for (const double v : column->values) {
        if (!std::isfinite(v)) continue;
        out = any ? rt::Range{std::min(out.low, v), std::max(out.high, v)} : rt::Range{v, v};
        any = true;
    }
    out = rt::widened(out);
    const double pad = (out.high - out.low) * 0.05;
    return rt::Range{out.low - pad, out.high + pad};
}

rt::ColumnPtr number_column(const std::string& name, std::vector<double> values) {
    rt::Column out;
    out.name = name;
    out.kind = rt::ColumnKind::numeric;
    out.real = true;
    out.values = std::move(values);
    return std::make_shared<const rt::Column>(std::move(out));
}

std::vector<double> middles(rt::Range range, std::size_t n) {
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i)
        out.push_back(range.low + (range.high - range.low) * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
    return out;
}

/// Codes of classes, or predicted numbers.
Result<std::vector<double>> answers_of(CallContext& c, const rt::Predictor& predictor, const rt::Table& rows) {
    const rt::TableView view{.table = &rows, .rows = {}};
    std::vector<double> out(rows.row_count);
    if (const auto* classifier = dynamic_cast<const rt::Classifier*>(&predictor)) {
        std::vector<std::int32_t> codes(rows.row_count);
        TRY(classifier->classify(view, codes, c.run()));
        std::copy(codes.begin(), codes.end(), out.begin());
        return out;
    }
    TRY(dynamic_cast<const rt::Regressor&>(predictor).predict(view, out, c.run()));
    return out;
}

std::vector<std::string> class_names(const rt::Predictor& predictor) {
    std::vector<std::string> out;
    if (predictor.schema().target.domain)
        for (const auto& label : predictor.schema().target.domain->labels()) out.push_back(label.text());
    return out;
}

/// The examples as points, one series a class; a single one where the target is a number or not there.
std::vector<XySeries> examples_of(const rt::Table& data, const rt::Predictor& predictor, const rt::Column& x, const rt::Column& y) {
    const auto names = class_names(predictor);
    const auto target = data.find(predictor.schema().target.name);
    if (names.empty() || !target) return {};
    std::vector<XySeries> out;
    for (const auto& name : names) out.push_back({.name = name, .x = {}, .y = {}, .mark = XySeries::Mark::points});
    for (std::size_t r = 0; r < data.rows(); ++r) {
        if (data.columns[*target]->is_missing(r) || x.is_missing(r) || y.is_missing(r)) continue;
        const auto code = predictor.schema().target.domain->find(data.columns[*target]->label(r));
        if (!code) continue;
        out[*code].x.push_back(x.values[r]);
        out[*code].y.push_back(y.values[r]);
    }
    return out;
}

Result<rt::Chart> surface_of(CallContext& c, const rt::Predictor& predictor, const PlotOptions& options) {
    const auto& features = predictor.schema().features;
    auto x = TRY(range_of(*options.data, features[0].name, options));
    auto y = TRY(range_of(*options.data, features[1].name, options));
    constexpr std::size_t x_cells = 144;
    constexpr std::size_t y_cells = 84;
    const auto xs = middles(x, x_cells);
    const auto ys = middles(y, y_cells);
    std::vector<double> first;
    std::vector<double> second;
    for (const double v : ys)
        for (const double u : xs) {
            first.push_back(u);
            second.push_back(v);
        }
    rt::Table grid;
    grid.row_count = first.size();
    grid.columns = {number_column(features[0].name, std::move(first)), number_column(features[1].name, std::move(second))};
    auto values = TRY(answers_of(c, predictor, grid));
    rt::SurfaceChart out{.x_low = x.low,
                         .x_high = x.high,
                         .y_low = y.low,
                         .y_high = y.high,
                         .x_cells = x_cells,
                         .y_cells = y_cells,
                         .values = std::move(values),
                         .classes = class_names(predictor),
                         .points = examples_of(*options.data, predictor, *options.data->columns[*options.data->find(features[0].name)],
                                               *options.data->columns[*options.data->find(features[1].name)])};
    const bool numbers = out.classes.empty();
    auto chart = chart_with(options, std::move(out), features[0].name, features[1].name);
    if (numbers && chart.title.empty()) chart.title = predictor.schema().target.name;  // what the colours mean
    return chart;
}

/// The predicted number with the examples, or the probability of each class, over one feature.
Result<rt::Chart> curve_of(CallContext& c, const rt::Predictor& predictor, const PlotOptions& options) {
    const auto& feature = predictor.schema().features[0];
    const auto& target = predictor.schema().target;
    auto range = TRY(range_of(*options.data, feature.name, options));
    constexpr std::size_t points = 201;
    const auto xs = middles(range, points);
    rt::Table grid;
    grid.row_count = points;
    grid.columns = {number_column(feature.name, xs)};
    const rt::TableView view{.table = &grid, .rows = {}};
    rt::XyChart out;
    if (const auto* classifier = dynamic_cast<const rt::Classifier*>(&predictor)) {
        const auto names = class_names(predictor);
        std::vector<double> p(points * names.size());
        TRY(classifier->probabilities(view, p, c.run()));
        for (std::size_t k = 0; k < names.size(); ++k) {
            XySeries s{.name = names[k], .x = xs, .y = {}};
            for (std::size_t i = 0; i < points; ++i) s.y.push_back(p[i * names.size() + k]);
            out.series.push_back(std::move(s));
        }
        out.from_zero = true;
        return chart_with(options, std::move(out), feature.name, fmt::format("P({} | {})", target.name, feature.name));
    }
    auto values = TRY(answers_of(c, predictor, grid));
    const auto found = options.data->find(target.name);
    if (found && options.data->columns[*found]->kind == rt::ColumnKind::numeric) {
        const auto& x = *options.data->columns[*options.data->find(feature.name)];
        out.series.push_back(
            {.name = "examples", .x = x.values, .y = options.data->columns[*found]->values, .mark = XySeries::Mark::points});
    }
    out.series.push_back({.name = "model", .x = xs, .y = std::move(values)});
    return chart_with(options, std::move(out), feature.name, target.name);
}

}  // namespace

Result<rt::Chart> chart_of_model(CallContext& c, const ModelValue& m, const PlotOptions& options) {
    if (auto chart = TRY(chart_of_mixture(c, m, options))) return *std::move(chart);
    const rt::Predictor* predictor = m.model->predictor();
    if (!predictor)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a model of kind {} has no target to plot", m.model->kind()),
                     .origin = options.at_value,
                     .hint = m.model->kind() == "net" ? "draw(…) shows a net, plot(P(X | …)) an answer" : "plot(P(X | …)) shows an answer"};
    if (!options.kind.empty()) return not_that_kind(options, "a trained model", "its predictions over its features; leave out kind");
    const auto& features = predictor->schema().features;
    const bool numeric =
        std::all_of(features.begin(), features.end(), [](const rt::Field& f) { return f.kind == rt::ColumnKind::numeric; });
    if (!numeric || features.empty() || features.size() > 2) {
        std::string names;
        for (const auto& f : features)
            names += (names.empty() ? "" : ", ") + f.name + (f.kind == rt::ColumnKind::numeric ? "" : " (labels)");
        return Fault{
            .code = "E-TYPE",
            .message = "a trained model is plotted over one or two features of numbers",
            .origin = options.at_value,
            .label = fmt::format("this one has {}", names.empty() ? "none" : names),
            .hint = m.model->kind() == "decision_tree" ? "draw(model) shows the tree" : "train it on select(t, …) with two of them"};
    }
    if (!options.data)
        return Fault{.code = "E-ARGUMENT",
                     .message = "the range to plot the model over is not known",
                     .origin = options.at_value,
                     .hint = "give a table with the columns it was trained on: plot(model, data: t)"};
    return features.size() == 2 ? surface_of(c, *predictor, options) : curve_of(c, *predictor, options);
}

}  // namespace credence::std_
