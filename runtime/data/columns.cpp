#include "runtime/data/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::rt {

namespace {

/// Codes by a key of each row; `key` gives nullopt for a missing cell.
template <class Key, class KeyOf>
DistinctCells number_keys(std::size_t rows, const KeyOf& key_of) {
    DistinctCells out;
    out.codes.reserve(rows);
    std::unordered_map<Key, std::int32_t> code_of;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::optional<Key> key = key_of(row);
        if (!key) {
            out.codes.push_back(-1);
            continue;
        }
        const auto [found, is_new] = code_of.try_emplace(*key, static_cast<std::int32_t>(out.first_row.size()));
        if (is_new) out.first_row.push_back(static_cast<std::uint32_t>(row));
        out.codes.push_back(found->second);
    }
    return out;
}

ColumnPtr concat_numbers(const Column& a, const Column& b) {
    auto out = std::make_shared<Column>(a);
    out->values.insert(out->values.end(), b.values.begin(), b.values.end());
    out->real = a.real || b.real;
    if (out->real) {
        out->exact.clear();
    } else if (!a.exact.empty() || !b.exact.empty()) {
        out->exact.clear();
        for (const Column* part : {&a, &b})
            for (std::size_t row = 0; row < part->rows(); ++row)
                out->exact.push_back(part->is_missing(row) ? Rational() : part->number(row).exact());
    }
    return out;
}

ColumnPtr concat_labels(const Column& a, const Column& b) {
    auto out = std::make_shared<Column>(a);
    std::vector<Label> labels = a.domain->labels();
    std::vector<std::int32_t> codes_of_b;
    for (const auto& label : b.domain->labels()) {
        const auto known = a.domain->find(label);
        codes_of_b.push_back(static_cast<std::int32_t>(known.value_or(labels.size())));
        if (!known) labels.push_back(label);
    }
    for (const auto code : b.codes) out->codes.push_back(code < 0 ? -1 : codes_of_b[static_cast<std::size_t>(code)]);
    if (labels.size() > a.domain->size()) out->domain = make_domain(std::move(labels));
    return out;
}

/// A label column in which every cell is missing does not determine its kind: the numeric column of as many rows.
ColumnPtr missing_numbers(const Column& column) {
    auto out = std::make_shared<Column>();
    out->name = column.name;
    out->kind = ColumnKind::numeric;
    out->values.assign(column.rows(), missing_value);
    return out;
}

Moments exact_moments(const Column& column, std::span<const std::size_t> present) {
    const Number first = column.number(present[0]);
    Moments out{.count = present.size(), .min = first, .max = first, .mean = 0, .sd = 0};
    Rational sum;
    for (const std::size_t row : present) {
        const Rational x = column.number(row).exact();
        sum += x;
        if (x < out.min.exact()) out.min = x;
        if (x > out.max.exact()) out.max = x;
    }
    const Rational mean = sum / Rational(static_cast<std::int64_t>(present.size()));
    Rational squares;
    for (const std::size_t row : present) {
        const Rational difference = column.number(row).exact() - mean;
        squares += difference * difference;
    }
    out.mean = mean;
    if (present.size() > 1)
        out.sd = Number::real(std::sqrt((squares / Rational(static_cast<std::int64_t>(present.size() - 1))).to_double()));
    return out;
}

Moments real_moments(const Column& column, std::span<const std::size_t> present) {
    std::size_t least = present[0];
    std::size_t greatest = present[0];
    double sum = 0;
    for (const std::size_t row : present) {
        sum += column.values[row];
        if (column.values[row] < column.values[least]) least = row;
        if (column.values[row] > column.values[greatest]) greatest = row;
    }
    const auto n = static_cast<double>(present.size());
    const double first_mean = sum / n;
    // two passes, with the correction of Chan, Golub & LeVeque (1983), eq. 1.7
    double squares = 0;
    double left_over = 0;
    for (const std::size_t row : present) {
        const double difference = column.values[row] - first_mean;
        squares += difference * difference;
        left_over += difference;
    }
    const double sd = present.size() > 1 ? std::sqrt(std::max(0.0, squares - left_over * left_over / n) / (n - 1)) : 0;
    return {.count = present.size(),
            .min = column.number(least),
            .max = column.number(greatest),
            .mean = Number::real(first_mean + left_over / n),
            .sd = Number::real(sd)};
}

}  // namespace

Fault no_such_column(std::string_view asked, std::span<const std::string> names) {
    constexpr std::size_t shown = 12;
    Fault fault{.code = "E-COLUMN", .message = "the table has no column '" + std::string(asked) + "'"};
    fault.label = names.empty() ? "it has no columns" : "its columns are ";
    constexpr std::size_t longest = 60;  // of a name; a first line that is not a header has longer ones
    bool cut = false;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
        std::size_t end = std::min(names[i].size(), longest);
        while (end < names[i].size() && end > 0 && (static_cast<unsigned char>(names[i][end]) & 0xC0U) == 0x80U) --end;
        fault.label += (i == 0 ? "" : ", ") + names[i].substr(0, end) + (end < names[i].size() ? "…" : "");
        cut = cut || end < names[i].size();
    }
    if (names.size() > shown) fault.label += ", … (" + std::to_string(names.size() - shown) + " more)";
    if (const auto near = nearest(asked, names))
        fault.hint = "did you mean '" + *near + "'?";
    else if (cut)
        fault.hint = "if the first line of the file is not a header, use load(…, header: false)";
    return fault;
}

std::vector<std::string> column_names(const Table& table) {
    std::vector<std::string> names;
    for (const auto& column : table.columns) names.push_back(column->name);
    return names;
}

Result<std::size_t> find_column(const Table& table, std::string_view name) {
    if (const auto found = table.find(name)) return *found;
    return no_such_column(name, column_names(table));
}

Result<std::vector<std::size_t>> find_columns(const Table& table, std::span<const std::string> names) {
    std::vector<std::size_t> out;
    for (const auto& name : names) {
        const auto found = TRY(find_column(table, name));
        if (contains(out, found))
            return Fault{.code = "E-TABLE", .message = "column '" + name + "' is named twice", .hint = "name it once"};
        out.push_back(found);
    }
    return out;
}

Result<std::size_t> find_numeric(const Table& table, std::string_view name, std::string_view purpose) {
    auto found = find_column(table, name);
    if (found && table.columns[*found]->kind != ColumnKind::numeric)
        return Fault{.code = "E-TABLE",
                     .message = "column '" + std::string(name) + "' holds labels; only numbers can be " + std::string(purpose)};
    return found;
}

TablePtr make_table(std::vector<ColumnPtr> columns, std::optional<std::size_t> target, std::size_t rows) {
    auto table = std::make_shared<Table>();
    table->row_count = columns.empty() ? rows : columns.front()->rows();
    table->columns = std::move(columns);
    table->target = target;
    return table;
}

ColumnPtr take_rows(const Column& column, std::span<const std::uint32_t> rows) {
    auto out = std::make_shared<Column>();
    out->name = column.name;
    out->kind = column.kind;
    out->domain = column.domain;
    out->real = column.real;
    const auto take = [rows](const auto& from, auto& to) {
        if (from.empty()) return;
        to.reserve(rows.size());
        for (const auto row : rows) to.push_back(from[row]);
    };
    take(column.codes, out->codes);
    take(column.values, out->values);
    take(column.exact, out->exact);
    return out;
}

ColumnPtr concat_columns(const Column& a, const Column& b) {
    if (a.kind == b.kind) return a.kind == ColumnKind::numeric ? concat_numbers(a, b) : concat_labels(a, b);
    const auto says_nothing = [](const Column& column) { return column.kind == ColumnKind::label && column.domain->size() == 0; };
    if (says_nothing(a)) return concat_numbers(*missing_numbers(a), b);
    if (says_nothing(b)) return concat_numbers(a, *missing_numbers(b));
    return concat_labels(*as_labels(std::make_shared<const Column>(a)), *as_labels(std::make_shared<const Column>(b)));
}

ColumnPtr as_labels(const ColumnPtr& column) {
    if (column->kind == ColumnKind::label) return column;
    const auto distinct = distinct_cells(*column);
    std::vector<Label> labels;
    for (const auto row : distinct.first_row) labels.push_back(column->label(row));
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return labels[i] < labels[j]; });
    std::vector<std::int32_t> rank(labels.size());
    std::vector<Label> sorted;
    for (const auto i : order) {
        rank[i] = static_cast<std::int32_t>(sorted.size());
        sorted.push_back(labels[i]);
    }
    auto out = std::make_shared<Column>();
    out->name = column->name;
    out->domain = make_domain(std::move(sorted));
    for (const auto code : distinct.codes) out->codes.push_back(code < 0 ? -1 : rank[static_cast<std::size_t>(code)]);
    return out;
}

std::vector<Label> seen_labels(const Column& column) {
    std::vector<bool> seen(column.domain->size(), false);
    for (const auto code : column.codes)
        if (code >= 0) seen[static_cast<std::size_t>(code)] = true;
    std::vector<Label> out;
    for (std::size_t k = 0; k < seen.size(); ++k)
        if (seen[k]) out.push_back((*column.domain)[k]);
    return out;
}

DistinctCells distinct_cells(const Column& column) {
    if (column.kind == ColumnKind::label) {
        return number_keys<std::int32_t>(
            column.rows(), [&](std::size_t row) { return column.codes[row] < 0 ? std::nullopt : std::optional(column.codes[row]); });
    }
    if (column.exact.empty()) {
        return number_keys<double>(
            column.rows(), [&](std::size_t row) { return column.is_missing(row) ? std::nullopt : std::optional(column.values[row]); });
    }
    return number_keys<std::string>(
        column.rows(), [&](std::size_t row) { return column.is_missing(row) ? std::nullopt : std::optional(column.exact[row].text()); });
}

bool seem_measured(const Column& numbers) {
    constexpr std::size_t many = 10;
    constexpr std::size_t rows_for_each = 2;
    std::vector<double> seen;
    std::size_t rows = 0;
    bool fractions = false;
    for (const double v : numbers.values) {
        if (std::isnan(v)) continue;
        ++rows;
        if (std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
        seen.push_back(v);
        fractions = fractions || v != std::floor(v);
        if (seen.size() > many) return true;
    }
    return seen.size() > 2 && (fractions || rows < rows_for_each * seen.size());
}

std::optional<Moments> moments(const Column& column) {
    std::vector<std::size_t> present;
    for (std::size_t row = 0; row < column.rows(); ++row)
        if (!column.is_missing(row)) present.push_back(row);
    if (present.empty()) return std::nullopt;
    return column.real || column.rows() > max_exact_rows ? real_moments(column, present) : exact_moments(column, present);
}

}  // namespace credence::rt
