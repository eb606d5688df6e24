#include <algorithm>
#include <array>

#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::rt {

namespace {

constexpr std::array headings = {"name", "kind", "count",  "missing", "distinct", "mean",         "sd",
                                 "min",  "q25",  "median", "q75",     "max",      "most_frequent"};

Label count_label(std::size_t n) { return Label::of_number(Rational(static_cast<std::int64_t>(n))); }

/// A summary is read, not computed with: 17/6 is 2.83333 there.
Number as_decimal(const Number& n) {
    constexpr std::size_t digits = 8;
    return n.is_exact() && !n.exact().decimal(digits) ? Number::real(n.real()) : n;
}

/// The number that `quarters` fourths of the cells lie below, with linear interpolation between neighbours, as `quantile` has it.
Number quartile(const Column& column, std::vector<std::size_t>& rows, std::size_t quarters) {
    const std::size_t steps = (rows.size() - 1) * quarters;
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(steps / 4);
    const auto less = [&](std::size_t a, std::size_t b) { return column.values[a] < column.values[b]; };
    std::nth_element(rows.begin(), at, rows.end(), less);
    const Number low = column.number(*at);
    if (steps % 4 == 0) return low;
    const Number high = column.number(*std::min_element(at + 1, rows.end(), less));
    return low + (high - low) * Number(Rational(static_cast<std::int64_t>(steps % 4), 4));
}

/// The row of one column, in the order of the headings.
std::array<std::optional<Label>, headings.size()> summary(const Column& column) {
    const auto distinct = distinct_cells(column);
    std::vector<std::size_t> counts(distinct.first_row.size());
    for (const auto code : distinct.codes)
        if (code >= 0) ++counts[static_cast<std::size_t>(code)];
    const std::size_t missing = column.missing_count();

    std::array<std::optional<Label>, headings.size()> out;
    out[0] = Label::of_text(column.name);
    out[1] = Label::of_text(column.kind == ColumnKind::label ? "label" : "numeric");
    out[2] = count_label(column.rows() - missing);
    out[3] = count_label(missing);
    out[4] = count_label(counts.size());
    if (column.kind == ColumnKind::numeric) {
        if (const auto stats = moments(column)) {
            std::vector<std::size_t> rows;
            for (std::size_t r = 0; r < column.rows(); ++r)
                if (!column.is_missing(r)) rows.push_back(r);
            out[5] = Label::of_number(as_decimal(stats->mean));
            out[6] = Label::of_number(stats->sd);
            out[7] = Label::of_number(stats->min);
            for (std::size_t q = 1; q <= 3; ++q) out[7 + q] = Label::of_number(as_decimal(quartile(column, rows, q)));
            out[11] = Label::of_number(stats->max);
        }
    }
    if (!counts.empty()) {
        const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
        out[12] = column.label(distinct.first_row[static_cast<std::size_t>(most)]);
    }
    return out;
}

std::optional<ColumnKind> kind_of_heading(std::size_t heading) {
    if (heading < 2) return ColumnKind::label;
    if (heading < headings.size() - 1) return ColumnKind::numeric;
    return std::nullopt;
}

}  // namespace

Result<TablePtr> describe(const Table& table) {
    std::vector<ColumnBuilder> builders;
    for (const auto* heading : headings) builders.emplace_back(heading);
    for (const auto& column : table.columns) {
        const auto row = summary(*column);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i])
                builders[i].add(*row[i]);
            else
                builders[i].add_missing();
        }
    }
    std::vector<ColumnPtr> columns;
    for (std::size_t i = 0; i < builders.size(); ++i) {
        auto column = TRY(std::move(builders[i]).finish(kind_of_heading(i)));
        columns.push_back(column);
    }
    return make_table(std::move(columns), std::nullopt, table.columns.size());
}

}  // namespace credence::rt
