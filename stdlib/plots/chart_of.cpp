#include "stdlib/plots/chart_of.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/binning.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;
using rt::XySeries;

rt::Chart chart_with(const PlotOptions& options, ChartBody body, std::string x_label, std::string y_label) {
    return {.title = options.title,
            .x_label = options.x_label.value_or(std::move(x_label)),
            .y_label = options.y_label.value_or(std::move(y_label)),
            .width = options.width.value_or(rt::Chart().width),
            .as_wide_as_the_text = !options.width,
            .height = options.height,
            .scale = options.scale,
            .body = std::move(body)};
}

Fault not_that_kind(const PlotOptions& options, std::string_view what, std::string_view kinds) {
    return {.code = "E-PARAMETER",
            .message = fmt::format("{} is not shown as {}", what, options.kind),
            .origin = options.at_kind,
            .label = fmt::format("it can be shown as {}", kinds)};
}

rt::BarChart bars_of(std::vector<std::string> labels, std::vector<rt::BarChart::Series> series) {
    constexpr std::size_t most = 40;
    rt::BarChart out{.labels = std::move(labels), .series = std::move(series)};
    if (out.labels.size() > most) {
        out.left_out = out.labels.size() - most;
        out.labels.resize(most);
        for (auto& s : out.series) s.values.resize(most);
    }
    return out;
}

namespace {

constexpr std::string_view plottable = "factors, records, distributions, lists, tables and trained models can be plotted";

Fault not_plotted(const PlotOptions& options, std::string message, std::string hint = {}) {
    return {.code = "E-TYPE",
            .message = std::move(message),
            .origin = options.at_value,
            .label = std::string(plottable),
            .hint = std::move(hint)};
}

/// The numbers of a list, or nothing if an item is not a number.
std::optional<std::vector<double>> numbers_in(const List& items) {
    std::vector<double> out;
    for (const auto& item : items) {
        const auto* n = item.get<rt::Number>();
        if (!n) return std::nullopt;
        out.push_back(n->real());
    }
    return out;
}

std::vector<double> counting(std::size_t n) {
    std::vector<double> out;
    for (std::size_t i = 1; i <= n; ++i) out.push_back(static_cast<double>(i));
    return out;
}

Result<rt::Chart> series_chart(std::vector<XySeries> series, const PlotOptions& options, std::string x_label) {
    const bool known = options.kind.empty() || options.kind == "lines" || options.kind == "steps" || options.kind == "scatter";
    if (!known) return not_that_kind(options, "a set of series", "lines, steps or scatter");
    for (auto& s : series)
        s.mark = options.kind == "steps"     ? XySeries::Mark::steps
                 : options.kind == "scatter" ? XySeries::Mark::points
                                             : XySeries::Mark::line;
    return chart_with(options, rt::XyChart{.series = std::move(series)}, std::move(x_label));
}

Result<rt::Chart> chart_of_numbers(std::vector<double> values, const PlotOptions& options) {
    if (options.kind == "histogram") {
        std::erase_if(values, [](double v) { return !std::isfinite(v); });
        if (values.empty()) return Fault{.code = "E-EMPTY", .message = "there are no finite numbers to count", .origin = options.at_value};
        auto bins = rt::binned(values, options.bins);
        return chart_with(options, rt::ColumnChart{std::move(bins.edges), std::move(bins.counts)}, "", "count");
    }
    if (options.kind == "bars") {
        std::vector<std::string> labels;
        for (std::size_t i = 1; i <= values.size(); ++i) labels.push_back(std::to_string(i));
        return chart_with(options, bars_of(std::move(labels), {{"", std::move(values)}}));
    }
    if (options.kind == "heat") return not_that_kind(options, "a list of numbers", "lines, steps, scatter, histogram or bars");
    XySeries series{.name = "", .x = counting(values.size()), .y = std::move(values)};
    return series_chart({std::move(series)}, options, "");
}

/// Pairs [x, y]: a line where x only grows, else points.
Result<rt::Chart> chart_of_pairs(const std::vector<std::vector<double>>& pairs, const PlotOptions& options) {
    XySeries series;
    bool grows = true;
    for (const auto& pair : pairs) {
        grows = grows && (series.x.empty() || pair[0] > series.x.back());
        series.x.push_back(pair[0]);
        series.y.push_back(pair[1]);
    }
    PlotOptions chosen = options;
    if (chosen.kind.empty()) chosen.kind = grows && pairs.size() > 1 ? "lines" : "scatter";
    return series_chart({std::move(series)}, chosen, "");
}

Result<rt::Chart> chart_of_labels(const List& items, const PlotOptions& options) {
    if (!options.kind.empty() && options.kind != "bars") return not_that_kind(options, "a list of labels", "bars");
    std::vector<rt::Label> labels;
    for (const auto& item : items) labels.push_back(*item.as_label());
    std::vector<std::string> names;
    std::vector<double> counts;
    for (const auto& label : labels) {
        const auto at = std::find(names.begin(), names.end(), label.text());
        if (at == names.end()) {
            names.push_back(label.text());
            counts.push_back(1);
        } else {
            ++counts[static_cast<std::size_t>(at - names.begin())];
        }
    }
    return chart_with(options, bars_of(std::move(names), {{"count", std::move(counts)}}), "count");
}

/// Records of the same keys are rows of a table: `.history` of selections, `.neighbors(x)`.
Result<rt::Chart> chart_of_records(const List& items, const PlotOptions& options) {
    rt::Table table;
    table.row_count = items.size();
    for (const auto& [key, first] : (*items[0].get<RecordPtr>())->entries) {
        rt::ColumnBuilder column(key);
        bool cells = true;
        for (const auto& item : items) {
            const Value* cell = (*item.get<RecordPtr>())->find(key);
            const auto label = cell ? cell->as_label() : std::nullopt;
            cells = cells && (label || !cell);
            if (label)
                column.add(*label);
            else
                column.add_missing();
        }
        if (!cells) continue;  // an entry that is not a cell of a table, such as a list
        auto made = TRY(std::move(column).finish());
        table.columns.push_back(std::move(made));
    }
    if (table.columns.empty()) return not_plotted(options, "the records hold neither numbers nor labels");
    return chart_of_table(table, options);
}

/// Distributions over the same labels, one for each step: their shares one above the other, or a line for each label.
Result<rt::Chart> chart_of_steps(const std::vector<FactorPtr>& steps, const PlotOptions& options) {
    const auto& variable = steps.front()->variables().front();
    std::vector<rt::BarChart::Series> series;
    for (const auto& label : variable.domain->labels()) series.push_back({label.text(), {}});
    for (const auto& step : steps) {
        const auto& domain = *step->variables().front().domain;
        if (domain.labels() != variable.domain->labels()) return not_plotted(options, "these distributions are not over the same labels");
        const auto values = step->doubles();
        for (std::size_t i = 0; i < values.size(); ++i) series[i].values.push_back(values[i]);
    }
    if (options.kind.empty() || options.kind == "stacked")
        return chart_with(options, rt::StackedChart{std::move(series)}, "step", fmt::format("P({})", variable.name));
    std::vector<XySeries> lines;
    for (auto& s : series) lines.push_back({.name = s.name, .x = counting(s.values.size()), .y = std::move(s.values)});
    return series_chart(std::move(lines), options, "step");
}

/// The factors of a list, where all items are factors over one variable.
std::vector<FactorPtr> steps_in(const List& items) {
    std::vector<FactorPtr> out;
    for (const auto& item : items) {
        const auto* factor = item.get<FactorPtr>();
        if (!factor || (*factor)->variables().size() != 1) return {};
        out.push_back(*factor);
    }
    return out;
}

Result<rt::Chart> chart_of_list(const List& items, const PlotOptions& options) {
    if (items.empty()) return Fault{.code = "E-EMPTY", .message = "an empty list cannot be plotted", .origin = options.at_value};
    if (auto numbers = numbers_in(items)) return chart_of_numbers(*std::move(numbers), options);
    if (std::all_of(items.begin(), items.end(), [](const Value& v) { return v.as_label().has_value(); }))
        return chart_of_labels(items, options);
    if (std::all_of(items.begin(), items.end(), [](const Value& v) { return v.is<RecordPtr>(); })) return chart_of_records(items, options);
    if (const auto steps = steps_in(items); !steps.empty()) return chart_of_steps(steps, options);
    std::vector<std::vector<double>> lists;
    for (const auto& item : items) {
        const List* inner = item.items();
        auto numbers = inner ? numbers_in(*inner) : std::nullopt;
        if (!numbers || numbers->empty())
            return not_plotted(options, fmt::format("a list of {} cannot be plotted", items[0].kind()),
                               "lists of numbers, of labels, of pairs [x, y], of lists, of records and of distributions can");
        lists.push_back(*std::move(numbers));
    }
    if (std::all_of(lists.begin(), lists.end(), [](const auto& l) { return l.size() == 2; })) return chart_of_pairs(lists, options);
    std::vector<XySeries> series;
    for (auto& list : lists)
        series.push_back({.name = std::to_string(series.size() + 1), .x = counting(list.size()), .y = std::move(list)});
    return series_chart(std::move(series), options, "");
}

/// The curves of several densities on one pair of axes; over labels, their bars side by side.
Result<rt::Chart> overlaid(const Record& record, const PlotOptions& options) {
    std::optional<rt::Chart> out;
    for (const auto& [key, value] : record.entries) {
        auto chart = TRY(chart_of_distribution(**value.get<rt::DistributionPtr>(), options));
        auto* curves = std::get_if<rt::XyChart>(&chart.body);
        auto* bars = std::get_if<rt::BarChart>(&chart.body);
        if (curves) curves->filled = false;
        if (curves) curves->series[0].name = key;
        if (bars) bars->series[0].name = key;
        auto* all_curves = out ? std::get_if<rt::XyChart>(&out->body) : nullptr;
        auto* all_bars = out ? std::get_if<rt::BarChart>(&out->body) : nullptr;
        if (!out && (curves || bars))
            out = std::move(chart);
        else if (curves && all_curves)
            all_curves->series.push_back(std::move(curves->series[0]));
        else if (bars && all_bars && bars->labels == all_bars->labels)
            all_bars->series.push_back(std::move(bars->series[0]));
        else
            return not_plotted(options, "these distributions have no common axis",
                               "plot densities together, or those over the same labels");
    }
    return *std::move(out);
}

/// The outlines of several histograms, with the same bins.
Result<rt::Chart> overlaid_histograms(const Record& record, const PlotOptions& options) {
    std::vector<std::vector<double>> lists;
    std::vector<double> all;
    for (const auto& [key, value] : record.entries) {
        auto numbers = *numbers_in(**value.get<ListPtr>());
        std::erase_if(numbers, [](double v) { return !std::isfinite(v); });
        all.insert(all.end(), numbers.begin(), numbers.end());
        lists.push_back(std::move(numbers));
    }
    if (all.empty()) return Fault{.code = "E-EMPTY", .message = "there are no finite numbers to count", .origin = options.at_value};
    const auto bins = rt::binned(all, options.bins);
    rt::XyChart out{.series = {}, .from_zero = true, .filled = true};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        XySeries outline{.name = record.entries[i].first, .x = bins.edges, .y = {}, .mark = XySeries::Mark::steps};
        outline.y.assign(bins.edges.size(), 0);
        for (const double v : lists[i]) {
            const auto after = std::upper_bound(bins.edges.begin(), bins.edges.end(), v);
            const auto bin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - bins.edges.begin() - 1));
            outline.y[std::min(bin, bins.counts.size() - 1)] += 1;
        }
        outline.y.back() = outline.y[outline.y.size() - 2];  // the last step goes on to its edge
        out.series.push_back(std::move(outline));
    }
    return chart_with(options, std::move(out), "", "count");
}

Result<rt::Chart> chart_of_record(const Record& record, const PlotOptions& options) {
    if (record.entries.empty()) return Fault{.code = "E-EMPTY", .message = "an empty record cannot be plotted", .origin = options.at_value};
    const auto all = [&](auto test) {
        return std::all_of(record.entries.begin(), record.entries.end(), [&](const auto& e) { return test(e.second); });
    };
    if (all([](const Value& v) { return v.is<rt::Number>(); })) return chart_of_factor(*record_as_factor(record, ""), options);
    // What `grid` found: its table lists all combinations.
    if (const Value* tried = record.find("table"); tried && tried->is<rt::TablePtr>() && record.find("best") && record.find("score"))
        return chart_of_table(**tried->get<rt::TablePtr>(), options);
    if (all([](const Value& v) { return v.is<ListPtr>() && numbers_in(**v.get<ListPtr>()) && !(*v.get<ListPtr>())->empty(); })) {
        if (options.kind == "histogram") return overlaid_histograms(record, options);
        std::vector<XySeries> series;
        for (const auto& [key, value] : record.entries) {
            auto numbers = *numbers_in(**value.get<ListPtr>());
            series.push_back({.name = key, .x = counting(numbers.size()), .y = std::move(numbers)});
        }
        return series_chart(std::move(series), options, "");
    }
    if (all([](const Value& v) { return v.is<rt::DistributionPtr>(); })) return overlaid(record, options);
    // Rows of a two-way table: records or factors over the same labels.
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values;
    for (const auto& [key, value] : record.entries) {
        std::optional<rt::Factor> row;
        if (const auto* r = value.get<RecordPtr>()) row = record_as_factor(**r, "");
        if (const auto* f = value.get<FactorPtr>(); f && (*f)->variables().size() == 1) row = **f;
        std::vector<std::string> labels;
        if (row)
            for (const auto& label : row->variables()[0].domain->labels()) labels.push_back(label.text());
        if (!row || (!columns.empty() && labels != columns)) {
            std::string hint;
            for (const auto& [name, entry] : record.entries)
                if (hint.empty() && (entry.is<FactorPtr>() || entry.is<rt::TablePtr>() || entry.is<ListPtr>()))
                    hint = fmt::format("plot one of its entries, such as .{}", name);
            return not_plotted(options, fmt::format("a record with {} under {} cannot be plotted", value.kind(), key), hint);
        }
        columns = std::move(labels);
        rows.push_back(key);
        const auto numbers = row->doubles();
        values.insert(values.end(), numbers.begin(), numbers.end());
    }
    if (options.kind.empty() || options.kind == "bars") {
        std::vector<rt::BarChart::Series> series;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(r * columns.size());
            series.push_back({rows[r], {first, first + static_cast<std::ptrdiff_t>(columns.size())}});
        }
        return chart_with(options, bars_of(std::move(columns), std::move(series)));
    }
    if (options.kind != "heat") return not_that_kind(options, "a record of records", "bars or heat");
    return chart_with(options, rt::HeatMap{"", "", std::move(rows), std::move(columns), std::move(values)});
}

}  // namespace

Result<rt::Chart> chart_of(CallContext& c, const Value& value, const PlotOptions& options) {
    if (const auto* f = value.get<FactorPtr>()) return chart_of_factor(**f, options);
    if (const auto* r = value.get<RecordPtr>()) return chart_of_record(**r, options);
    if (const auto* d = value.get<rt::DistributionPtr>()) return chart_of_distribution(**d, options);
    if (const auto* t = value.get<rt::TablePtr>()) return chart_of_table(**t, options);
    if (const auto* m = value.get<ModelValue>()) return chart_of_model(c, *m, options);
    if (const List* items = value.items()) return chart_of_list(*items, options);
    if (value.is<rt::FunctionGraphPtr>()) return not_plotted(options, "a graph is drawn, not plotted", "write draw(…)");
    return not_plotted(options, fmt::format("{} cannot be plotted", value.kind()),
                       value.is<FunctionPtr>() ? "give the range of its argument: plot(f, 0..6)" : "");
}

}  // namespace credence::std_
