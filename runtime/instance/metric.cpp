#include "runtime/instance/metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

constexpr std::array<std::string_view, 6> metric_names = {"euclidean", "manhattan", "chebyshev", "cosine", "hamming", "gower"};
constexpr double farthest = 1e150;    // a coordinate: squares of differences, and their sums, stay finite
constexpr double narrowest = 1e-300;  // a spread that can be divided by

constexpr std::array<std::string_view, 3> scaling_names = {"none", "standard", "range"};

struct Extent {
    std::size_t count = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double sd = 0;
};

Extent extent_of(const Column& column, const TableView& rows, std::span<const double> weights) {
    Extent out;
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double x = column.values[rows.row(i)];
        if (std::isnan(x)) continue;
        ++out.count;
        out.low = std::min(out.low, x);
        out.high = std::max(out.high, x);
        sum += x * (weights.empty() ? 1 : weights[i]);
        total += weights.empty() ? 1 : weights[i];
    }
    if (out.count == 0) return {.count = 0, .low = 0, .high = 0};
    out.mean = sum / total;
    double squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double e = column.values[rows.row(i)] - out.mean;
        if (!std::isnan(e)) squares += e * e * (weights.empty() ? 1 : weights[i]);
    }
    if (total > 1) out.sd = std::sqrt(squares / (total - 1));
    return out;
}

Result<std::vector<double>> axes_by_column(const Schema& schema, const MetricOptions& options) {
    std::vector<double> out(schema.features.size(), 1.0);
    std::vector<std::string> names;
    for (const auto& f : schema.features) names.push_back(f.name);
    for (std::size_t i = 0; i < options.axes.size(); ++i) {
        const auto at = std::find(names.begin(), names.end(), options.axis_names[i]);
        if (at == names.end()) {
            Fault fault{.code = "E-COLUMN",
                        .message = fmt::format("there is no column '{}' to stretch", options.axis_names[i]),
                        .label = fmt::format("the columns are {}", joined(names, ", "))};
            if (const auto near = nearest(options.axis_names[i], names)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        out[static_cast<std::size_t>(at - names.begin())] = options.axes[i];
    }
    return out;
}

Fault refused(std::string message, std::string hint) {
    return {.code = "E-PARAMETER", .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

std::string_view name_of(Metric metric) { return metric_names[static_cast<std::size_t>(metric)]; }
std::string_view name_of(AxisScale scaling) { return scaling_names[static_cast<std::size_t>(scaling)]; }

std::optional<Metric> metric_named(std::string_view name) {
    for (std::size_t i = 0; i < metric_names.size(); ++i)
        if (metric_names[i] == name) return static_cast<Metric>(i);
    return std::nullopt;
}

std::optional<AxisScale> scaling_named(std::string_view name) {
    for (std::size_t i = 0; i < scaling_names.size(); ++i)
        if (scaling_names[i] == name) return static_cast<AxisScale>(i);
    return std::nullopt;
}

Result<MetricSpace> MetricSpace::fit(const Schema& schema, const TableView& rows, MetricOptions options, std::span<const double> weights) {
    MetricSpace out;
    const Metric metric = options.metric;
    if (options.scaling != AxisScale::none && (metric == Metric::gower || metric == Metric::hamming))
        return refused(
            fmt::format("scale: {} changes nothing under {}", name_of(options.scaling), name_of(metric)),
            metric == Metric::gower ? "gower divides each column by its range already" : "hamming counts the columns that differ");
    if (!options.axis_names.empty()) {
        options.axes = TRY(axes_by_column(schema, options));
        options.axis_names.clear();
    }
    if (!options.axes.empty() && options.axes.size() != schema.features.size())
        return refused(fmt::format("{} axes for {} columns", options.axes.size(), schema.features.size()),
                       "one weight for each column, in order");
    for (const double z : options.axes)
        if (!std::isfinite(z) || z < 0) return refused(fmt::format("an axis is stretched by 0 or more, not by {}", z), "0 drops a column");
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
        const Field& field = schema.features[c];
        Coordinate at;
        at.stretch = options.axes.empty() ? 1 : options.axes[c];
        if (field.kind == ColumnKind::label) {
            if (metric == Metric::cosine)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("cosine compares numbers, and {} has labels", field.name),
                             .hint = "metric: gower, or encode(t) first"};
            at.label = true;
            out.columns_.push_back(at);
            continue;
        }
        const Extent e = extent_of(*rows.table->columns[c], rows, weights);
        if (metric != Metric::hamming && std::max(std::abs(e.low), std::abs(e.high)) > farthest)
            return Fault{.code = "E-RANGE",
                         .message = fmt::format("column {} reaches {:.3g}, too large for distances", field.name,
                                                std::abs(e.low) > std::abs(e.high) ? e.low : e.high),
                         .hint = fmt::format("distances take numbers up to {:g}: divide the column first", farthest)};
        if (metric == Metric::gower) {
            at.factor = e.high - e.low > narrowest ? 1 / (e.high - e.low) : std::numeric_limits<double>::infinity();
        } else if (metric != Metric::hamming) {
            if (options.scaling == AxisScale::standard && e.sd > narrowest) at.factor = 1 / e.sd;
            if (options.scaling == AxisScale::range && e.high - e.low > narrowest) at.factor = 1 / (e.high - e.low);
            if (options.scaling != AxisScale::none) at.shift = options.scaling == AxisScale::standard ? e.mean : e.low;
            at.factor *= at.stretch;
        }
        out.columns_.push_back(at);
    }
    out.options_ = std::move(options);
    return out;
}

std::optional<Norm> MetricSpace::norm() const {
    if (columns_.empty()) return std::nullopt;
    for (const auto& c : columns_)
        if (c.label) return std::nullopt;
    switch (options_.metric) {
        case Metric::euclidean:
            return Norm::euclidean;
        case Metric::manhattan:
            return Norm::manhattan;
        case Metric::chebyshev:
            return Norm::chebyshev;
        case Metric::cosine:
        case Metric::hamming:
        case Metric::gower:
            return std::nullopt;
    }
    return std::nullopt;
}

Matrix MetricSpace::encode(const TableView& rows) const {
    Matrix out(rows.size(), columns_.size());
    const bool raw = options_.metric == Metric::hamming || options_.metric == Metric::gower;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = *rows.table->columns[c];
        const Coordinate& at = columns_[c];
        for (std::size_t i = 0; i < out.rows; ++i) {
            const std::size_t row = rows.row(i);
            if (at.label)
                out(i, c) = column.codes[row] < 0 ? std::numeric_limits<double>::quiet_NaN() : column.codes[row];
            else
                out(i, c) = raw ? column.values[row] : std::clamp((column.values[row] - at.shift) * at.factor, -farthest, farthest);
        }
    }
    if (options_.metric != Metric::cosine) return out;
    for (std::size_t i = 0; i < out.rows; ++i) {
        double largest = 0;  // divided by it first, so that no square vanishes
        for (const double x : out.row(i)) largest = std::max(largest, std::abs(x));
        if (!(largest > narrowest)) continue;
        double squares = 0;
        for (double& x : out.row(i)) {
            x /= largest;
            squares += x * x;
        }
        for (double& x : out.row(i)) x /= std::sqrt(squares);
    }
    return out;
}

double MetricSpace::distance(const double* a, const double* b) const {
    const std::size_t n = columns_.size();
    double sum = 0;
    switch (options_.metric) {
        case Metric::euclidean:
            for (std::size_t c = 0; c < n; ++c) {
                const double e = columns_[c].label ? (a[c] != b[c] ? columns_[c].stretch : 0) : a[c] - b[c];
                sum += e * e;
            }
            return std::sqrt(sum);
        case Metric::manhattan:
            for (std::size_t c = 0; c < n; ++c) sum += columns_[c].label ? (a[c] != b[c] ? columns_[c].stretch : 0) : std::abs(a[c] - b[c]);
            return sum;
        case Metric::chebyshev:
            for (std::size_t c = 0; c < n; ++c)
                sum = std::max(sum, columns_[c].label ? (a[c] != b[c] ? columns_[c].stretch : 0) : std::abs(a[c] - b[c]));
            return sum;
        case Metric::cosine: {
            // 1 − cos of unit vectors is |a − b|² / 2, and so exactly 0 for equal directions; nothing is similar to the zero vector.
            double size_a = 0;
            double size_b = 0;
            for (std::size_t c = 0; c < n; ++c) {
                sum += (a[c] - b[c]) * (a[c] - b[c]);
                size_a += a[c] * a[c];
                size_b += b[c] * b[c];
            }
            return (size_a > 0) == (size_b > 0) ? sum / 2 : 1;
        }
        case Metric::hamming:
            for (std::size_t c = 0; c < n; ++c) sum += a[c] != b[c] ? columns_[c].stretch : 0;
            return sum;
        case Metric::gower: {
            // Gower (1971): the mean over the columns that both rows have
            double weight = 0;
            for (std::size_t c = 0; c < n; ++c) {
                if (std::isnan(a[c]) || std::isnan(b[c])) continue;
                weight += columns_[c].stretch;
                if (a[c] == b[c]) continue;
                sum += columns_[c].label ? columns_[c].stretch
                                         : columns_[c].stretch * std::min(1.0, std::abs(a[c] - b[c]) * columns_[c].factor);
            }
            return weight > 0 ? sum / weight : 1;
        }
    }
    return sum;
}

std::string MetricSpace::distance_text(const double* a, const double* b) const {
    constexpr std::size_t most_columns = 6;
    if (columns_.empty() || columns_.size() > most_columns) return {};
    const auto size_of = [](double x) { return x < 0 ? fmt::format("({:.6g})", x) : fmt::format("{:.6g}", x); };
    const auto difference = [&](std::size_t c) {  // of labels its size, of numbers as it is computed
        if (only_equality(c)) return fmt::format("{:.6g}", a[c] != b[c] ? columns_[c].stretch : 0.0);
        return fmt::format("{} - {}", size_of(a[c]), size_of(b[c]));
    };
    const auto all = [&](std::string_view between, const auto& term) {
        std::string out;
        for (std::size_t c = 0; c < columns_.size(); ++c) out += (out.empty() ? "" : std::string(between)) + term(c);
        return out;
    };
    const auto absolute = [&](std::size_t c) { return only_equality(c) ? difference(c) : "|" + difference(c) + "|"; };
    switch (options_.metric) {
        case Metric::euclidean:
            return fmt::format("sqrt({})", all(" + ", [&](std::size_t c) {
                                   return only_equality(c) ? difference(c) + "^2" : "(" + difference(c) + ")^2";
                               }));
        case Metric::manhattan:
        case Metric::hamming:
            return all(" + ", absolute);
        case Metric::chebyshev:
            return fmt::format("max({})", all(", ", absolute));
        case Metric::cosine:
            return fmt::format("1 - ({})", all(" + ", [&](std::size_t c) { return size_of(a[c]) + " * " + size_of(b[c]); }));
        case Metric::gower: {
            std::string sum;
            double weight = 0;
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                if (std::isnan(a[c]) || std::isnan(b[c])) continue;
                weight += columns_[c].stretch;
                const std::string times = columns_[c].stretch == 1 ? "" : fmt::format("{:.6g} * ", columns_[c].stretch);
                sum += sum.empty() ? "" : " + ";
                if (columns_[c].label)
                    sum += fmt::format("{:.6g}", a[c] != b[c] ? columns_[c].stretch : 0.0);
                else if (std::isinf(columns_[c].factor))
                    sum += fmt::format("{:.6g}", a[c] != b[c] ? columns_[c].stretch : 0.0);
                else
                    sum += fmt::format("{}min(1, |{}| / {:.6g})", times, difference(c), 1 / columns_[c].factor);
            }
            return weight > 0 ? fmt::format("({}) / {:.6g}", sum, weight) : std::string();
        }
    }
    return {};
}

Json MetricSpace::save() const {
    std::vector<double> numbers;
    for (const auto& c : columns_) {
        numbers.push_back(c.shift);
        numbers.push_back(c.factor);
        numbers.push_back(c.stretch);
    }
    return {{"metric", name_of(options_.metric)},
            {"scale", name_of(options_.scaling)},
            {"columns", saved(std::span<const double>(numbers))},
            {"axes", saved(std::span<const double>(options_.axes))}};
}

Result<MetricSpace> MetricSpace::load(const Json& json, const Schema& schema) {
    auto metric = TRY(read_text(json, "metric"));
    auto scaling = TRY(read_text(json, "scale"));
    auto numbers = TRY(read_reals(json, "columns"));
    auto axes = TRY(read_reals(json, "axes"));
    const auto m = metric_named(metric);
    const auto s = scaling_named(scaling);
    if (!m || !s) return damaged("there is no such metric or scale");
    if (numbers.size() != 3 * schema.features.size()) return damaged("there are not three numbers for each column");
    MetricSpace out;
    out.options_ = {*m, *s, std::move(axes)};
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
        const Coordinate at{schema.features[c].kind == ColumnKind::label, numbers[3 * c], numbers[3 * c + 1], numbers[3 * c + 2]};
        const bool scales = at.factor >= 0 && (at.factor <= 1 / narrowest || *m == Metric::gower);
        if (!(std::abs(at.shift) <= farthest) || !scales || !(at.stretch >= 0 && std::isfinite(at.stretch)))
            return damaged("a column's scale is out of range");
        out.columns_.push_back(at);
    }
    return out;
}

}  // namespace credence::rt
