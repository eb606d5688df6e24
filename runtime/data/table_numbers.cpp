#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "runtime/core/chars.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::rt {

namespace {

/// The rows that have a number, in its order.
std::vector<std::size_t> sorted_rows(const Column& column) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < column.rows(); ++row)
        if (!column.is_missing(row)) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [&](auto i, auto j) { return column.values[i] < column.values[j]; });
    return rows;
}

std::vector<Number> equal_width_cuts(const Moments& range, std::size_t bins) {
    std::vector<Number> cuts;
    const Number width = range.max - range.min;
    for (std::size_t i = 1; i < bins; ++i)
        cuts.push_back(range.min + width * Number(Rational(static_cast<std::int64_t>(i), static_cast<std::int64_t>(bins))));
    return cuts;
}

std::vector<Number> equal_frequency_cuts(const Column& column, std::size_t bins) {
    const auto rows = sorted_rows(column);
    const auto is_step = [&](std::size_t at) {
        return at > 0 && at < rows.size() && column.values[rows[at - 1]] < column.values[rows[at]];
    };
    // the place nearest to `wanted` at which neighbours differ, the lower of two as near; there is one, since not all are equal
    const auto nearest_step = [&](std::size_t wanted) {
        for (std::size_t distance = 0;; ++distance) {
            if (wanted >= distance && is_step(wanted - distance)) return wanted - distance;
            if (is_step(wanted + distance)) return wanted + distance;
        }
    };
    std::vector<Number> cuts;
    std::size_t last = 0;
    for (std::size_t i = 1; i < bins; ++i) {
        const std::size_t at = nearest_step((2 * i * rows.size() + bins) / (2 * bins));
        if (at <= last) continue;
        cuts.push_back((column.number(rows[at - 1]) + column.number(rows[at])) / Number(2));
        last = at;
    }
    return cuts;
}

std::string rounded(double value, int digits) {
    std::array<char, 40> buffer{};
    const auto [end, error] = to_chars(buffer.data(), buffer.data() + buffer.size(), value, chars_format::general, digits);
    return error == std::errc{} ? std::string(buffer.data(), end) : label_text(Number::real(value));
}

/// The cut points in as few digits, from six on, as are needed to distinguish them.
std::vector<std::string> cut_texts(std::span<const Number> cuts) {
    for (int digits = 6;; ++digits) {
        std::vector<std::string> out;
        for (const auto& cut : cuts) out.push_back(rounded(cut.real(), digits));
        if (digits >= 17 || std::set<std::string>(out.begin(), out.end()).size() == cuts.size()) return out;
    }
}

ColumnPtr binned(const Column& column, std::span<const Number> cuts) {
    const auto texts = cut_texts(cuts);
    std::vector<Label> labels = {Label::of_text("<= " + texts.front())};
    for (std::size_t i = 1; i < cuts.size(); ++i) labels.push_back(Label::of_text(texts[i - 1] + " .. " + texts[i]));
    labels.push_back(Label::of_text("> " + texts.back()));
    // doubles suffice: numbers round in order, so a number and a cut change places only where they differ by less than an ulp
    std::vector<double> limits;
    for (const auto& cut : cuts) limits.push_back(cut.real());
    auto out = std::make_shared<Column>();
    out->name = column.name;
    out->domain = make_domain(std::move(labels));
    out->codes.reserve(column.rows());
    for (const double value : column.values)
        out->codes.push_back(
            std::isnan(value) ? -1 : static_cast<std::int32_t>(std::lower_bound(limits.begin(), limits.end(), value) - limits.begin()));
    return out;
}

TablePtr with_replaced(const Table& table, std::size_t c, ColumnPtr column) {
    auto columns = table.columns;
    columns[c] = std::move(column);
    return make_table(std::move(columns), table.target, table.rows());
}

/// The named columns, or all of a kind but the target.
Result<std::vector<std::size_t>> named_or_all(const Table& table, std::span<const std::string> names, ColumnKind kind) {
    if (!names.empty()) return find_columns(table, names);
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c]->kind == kind && table.target != c) out.push_back(c);
    return out;
}

Result<ColumnPtr> rescaled(const Column& column, const Scale& scale) {
    if (column.real || !scale.centre.is_exact() || !scale.spread.is_exact() || column.rows() > max_exact_rows) {
        auto out = std::make_shared<Column>();
        out->name = column.name;
        out->kind = ColumnKind::numeric;
        out->real = true;
        out->values.reserve(column.rows());
        const double centre = scale.centre.real();
        const double spread = scale.spread.real();
        for (const double value : column.values) out->values.push_back((value - centre) / spread);
        return ColumnPtr(std::move(out));
    }
    ColumnBuilder builder(column.name);
    for (std::size_t row = 0; row < column.rows(); ++row) {
        if (column.is_missing(row))
            builder.add_missing();
        else
            builder.add(Label::of_number((column.number(row) - scale.centre) / scale.spread));
    }
    return std::move(builder).finish(ColumnKind::numeric);
}

}  // namespace

Result<std::vector<Number>> cut_points(const Table& table, std::string_view column, std::size_t bins, Binning method) {
    const auto found = TRY(find_numeric(table, column, "cut into bins"));
    const Column& numbers = *table.columns[found];
    if (bins < 2) return Fault{.code = "E-TABLE", .message = "column '" + numbers.name + "' needs at least 2 bins"};
    const auto range = moments(numbers);
    if (!range) return Fault{.code = "E-TABLE", .message = "column '" + numbers.name + "' has no values: there is nothing to cut"};
    if (range->min == range->max) return std::vector{range->min};
    return method == Binning::width ? equal_width_cuts(*range, bins) : equal_frequency_cuts(numbers, bins);
}

Result<TablePtr> discretize(const Table& table, std::string_view column, std::size_t bins, Binning method) {
    const auto cuts = TRY(cut_points(table, column, bins, method));
    const auto found = TRY(find_numeric(table, column, "cut into bins"));
    const Column& numbers = *table.columns[found];
    if (const auto range = moments(numbers); range && range->min == range->max)
        return Fault{
            .code = "E-TABLE",
            .message = "column '" + numbers.name + "' has one value only, " + label_text(range->min) + ": there is nothing to cut"};
    return with_replaced(table, found, binned(numbers, cuts));
}

Result<TablePtr> discretize(const Table& table, std::string_view column, std::span<const Number> cuts) {
    const auto found = TRY(find_numeric(table, column, "cut into bins"));
    if (cuts.empty()) return Fault{.code = "E-TABLE", .message = "column '" + std::string(column) + "' needs at least one cut point"};
    for (std::size_t i = 1; i < cuts.size(); ++i)
        if (!(cuts[i - 1] < cuts[i]))
            return Fault{.code = "E-TABLE",
                         .message = "the cut point " + label_text(cuts[i]) + " comes after " + label_text(cuts[i - 1]),
                         .hint = "cut points ascend"};
    return with_replaced(table, found, binned(*table.columns[found], cuts));
}

Result<Scaled> scale(const Table& table, std::span<const std::string> columns, Scaling method) {
    const auto chosen = TRY(named_or_all(table, columns, ColumnKind::numeric));
    Scaled out;
    for (const auto c : chosen) {
        const auto& name = table.columns[c]->name;
        TRY(find_numeric(table, name, "scaled"));
        const auto range = moments(*table.columns[c]);
        Scale one{name, 0, 1};
        if (range && range->min != range->max) {
            one.centre = method == Scaling::standard ? range->mean : range->min;
            one.spread = method == Scaling::standard ? range->sd : range->max - range->min;
        } else if (range) {
            one.centre = range->min;
        }
        out.scales.push_back(std::move(one));
    }
    out.table = TRY(rescale(table, out.scales));
    return out;
}

Result<TablePtr> rescale(const Table& table, std::span<const Scale> scales) {
    auto columns = table.columns;
    for (const auto& one : scales) {
        const auto found = TRY(find_numeric(table, one.column, "scaled"));
        columns[found] = TRY(rescaled(*columns[found], one));
    }
    return make_table(std::move(columns), table.target, table.rows());
}

Result<TablePtr> encode(const Table& table, std::span<const std::string> columns) {
    const auto chosen = TRY(named_or_all(table, columns, ColumnKind::label));
    std::vector<ColumnPtr> out;
    std::optional<std::size_t> target;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = *table.columns[c];
        if (!contains(chosen, c)) {
            if (table.target == c) target = out.size();
            out.push_back(table.columns[c]);
            continue;
        }
        if (column.kind != ColumnKind::label)
            return Fault{.code = "E-TABLE",
                         .message = "column '" + column.name + "' is numeric already",
                         .hint = "as_labels turns its numbers into labels"};
        for (std::size_t code = 0; code < column.domain->size(); ++code) {
            auto indicator = std::make_shared<Column>();
            indicator->name = column.name + "=" + (*column.domain)[code].text();
            indicator->kind = ColumnKind::numeric;
            if (table.find(indicator->name))
                return Fault{.code = "E-TABLE",
                             .message = "the table has a column '" + indicator->name + "' already",
                             .hint = "rename it before encoding"};
            indicator->values.reserve(column.rows());
            for (const auto cell : column.codes)
                indicator->values.push_back(cell < 0 ? missing_value : static_cast<std::size_t>(cell) == code ? 1.0 : 0.0);
            out.push_back(std::move(indicator));
        }
    }
    return make_table(std::move(out), target, table.rows());
}

}  // namespace credence::rt
