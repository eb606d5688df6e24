#include "runtime/data/table_ops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/core/contains.hpp"
#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

std::vector<std::uint32_t> all_rows(const Table& table) {
    std::vector<std::uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

TablePtr taken(const Table& table, std::span<const std::uint32_t> rows) {
    std::vector<ColumnPtr> columns;
    for (const auto& column : table.columns) columns.push_back(take_rows(*column, rows));
    return make_table(std::move(columns), table.target, rows.size());
}

void shuffle_rows(std::vector<std::uint32_t>& rows, Rng& rng) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);  // Fisher and Yates
}

/// A place in the order for each row; missing cells come last.
std::vector<std::uint32_t> ranks(const Column& column, bool descending) {
    const auto distinct = distinct_cells(column);
    std::vector<std::uint32_t> order(distinct.first_row.size());
    std::iota(order.begin(), order.end(), 0U);
    if (column.kind == ColumnKind::numeric && column.exact.empty()) {
        const auto value = [&](std::uint32_t code) { return column.values[distinct.first_row[code]]; };
        std::sort(order.begin(), order.end(), [&](auto i, auto j) { return value(i) < value(j); });
    } else {
        std::vector<Label> labels;
        for (const auto row : distinct.first_row) labels.push_back(column.label(row));
        std::sort(order.begin(), order.end(), [&](auto i, auto j) { return labels[i] < labels[j]; });
    }
    if (descending) std::reverse(order.begin(), order.end());
    std::vector<std::uint32_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> out;
    out.reserve(column.rows());
    for (const auto code : distinct.codes)
        out.push_back(code < 0 ? static_cast<std::uint32_t>(rank.size()) : rank[static_cast<std::size_t>(code)]);
    return out;
}

/// Where the target goes when only `kept` columns stay.
std::optional<std::size_t> target_among(const Table& table, std::span<const std::size_t> kept) {
    if (!table.target) return std::nullopt;
    const auto found = std::find(kept.begin(), kept.end(), *table.target);
    if (found == kept.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kept.begin());
}

TablePtr with_only(const Table& table, std::span<const std::size_t> kept) {
    std::vector<ColumnPtr> columns;
    for (const auto c : kept) columns.push_back(table.columns[c]);
    return make_table(std::move(columns), target_among(table, kept), table.rows());
}

Fault name_taken(const std::string& name) {
    return {.code = "E-TABLE", .message = "the table has a column '" + name + "' already", .hint = "choose another name"};
}

/// How many rows of each stratum go to the first table: shares rounded down, and the rest to the largest remainders.
std::vector<std::size_t> quotas(std::span<const std::vector<std::uint32_t>> strata, const Rational& share, std::size_t total) {
    std::vector<std::size_t> out;
    std::vector<Rational> remainders;
    std::size_t given = 0;
    for (const auto& rows : strata) {
        const Rational due = share * Rational(static_cast<std::int64_t>(rows.size()));
        const Rational whole = due.floor();
        out.push_back(static_cast<std::size_t>(*whole.to_int64()));
        remainders.push_back(due - whole);
        given += out.back();
    }
    std::vector<std::size_t> order(strata.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return remainders[i] > remainders[j]; });
    for (std::size_t i = 0; given < total; ++i, ++given) ++out[order[i]];
    return out;
}

}  // namespace

Result<TablePtr> take_rows(const Table& table, std::span<const std::uint32_t> rows) {
    for (const auto row : rows) {
        if (row >= table.rows())
            return Fault{.code = "E-TABLE",
                         .message = "there is no row " + std::to_string(std::uint64_t{row} + 1),
                         .label = "the table has " + std::to_string(table.rows()) + " rows"};
    }
    return taken(table, rows);
}

Result<TablePtr> head(const Table& table, std::size_t n) {
    if (n >= table.rows()) return make_table(table.columns, table.target, table.rows());
    auto rows = all_rows(table);
    rows.resize(n);
    return taken(table, rows);
}

Result<TablePtr> drop_missing(const Table& table) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < table.rows(); ++row)
        if (std::none_of(table.columns.begin(), table.columns.end(), [row](const auto& column) { return column->is_missing(row); }))
            rows.push_back(row);
    if (rows.size() == table.rows()) return make_table(table.columns, table.target, table.rows());
    return taken(table, rows);
}

Result<TablePtr> expand(const Table& table, std::string_view counts) {
    constexpr double most_rows = 50'000'000;
    const std::size_t at = TRY(find_column(table, counts));
    const Column& column = *table.columns[at];
    std::vector<std::uint32_t> rows;
    double total = 0;
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
        const bool number = column.kind == ColumnKind::numeric && !column.is_missing(row);
        const double n = number ? column.values[row] : -1;
        if (!(n >= 0) || n != std::floor(n))
            return Fault{.code = "E-TABLE",
                         .message = "row " + std::to_string(std::uint64_t{row} + 1) + ": " +
                                    (column.is_missing(row) ? "the count is missing" : "'" + column.label(row).text() + "' is not a count"),
                         .hint = "counts are whole numbers, 0 or more"};
        total += n;
        if (total > most_rows)
            return Fault{.code = "E-COST",
                         .message = "the table would have more than 50,000,000 rows",
                         .hint = "learners take counts: Column instead"};
        rows.insert(rows.end(), static_cast<std::size_t>(n), row);
    }
    auto columns = table.columns;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(at));
    std::optional<std::size_t> target = table.target;
    if (target == at) target.reset();
    if (target && *target > at) --*target;
    const auto rest = make_table(std::move(columns), target, table.rows());
    return taken(*rest, rows);
}

Result<TablePtr> shuffle(const Table& table, Rng& rng) {
    auto rows = all_rows(table);
    shuffle_rows(rows, rng);
    return taken(table, rows);
}

Result<TablePtr> sort_by(const Table& table, std::span<const SortKey> keys) {
    std::vector<std::vector<std::uint32_t>> rank;
    for (const auto& key : keys) {
        const auto found = TRY(find_column(table, key.column));
        rank.push_back(ranks(*table.columns[found], key.descending));
    }
    auto rows = all_rows(table);
    std::stable_sort(rows.begin(), rows.end(), [&](auto i, auto j) {
        for (const auto& of : rank)
            if (of[i] != of[j]) return of[i] < of[j];
        return false;
    });
    return taken(table, rows);
}

Result<std::pair<TablePtr, TablePtr>> split(const Table& table, const Rational& share, Rng& rng, Stratified stratified) {
    if (share < Rational(0) || share > Rational(1))
        return Fault{.code = "E-TABLE",
                     .message = "a share of " + share.text() + " is not between 0 and 1",
                     .hint = "2/3 puts two rows out of three into the first table"};
    std::vector<std::vector<std::uint32_t>> strata(1);
    if (stratified == Stratified::yes && table.target && table.columns[*table.target]->kind == ColumnKind::label) {
        const auto& target = *table.columns[*table.target];
        strata.resize(target.domain->size() + 1);
        for (std::uint32_t row = 0; row < table.rows(); ++row) strata[static_cast<std::size_t>(target.codes[row] + 1)].push_back(row);
    } else {
        strata[0] = all_rows(table);
    }
    const auto total = *(share * Rational(static_cast<std::int64_t>(table.rows())) + Rational(1, 2)).floor().to_int64();
    const auto quota = quotas(strata, share, static_cast<std::size_t>(total));
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> second;
    for (std::size_t s = 0; s < strata.size(); ++s) {
        shuffle_rows(strata[s], rng);
        const auto middle = strata[s].begin() + static_cast<std::ptrdiff_t>(quota[s]);
        first.insert(first.end(), strata[s].begin(), middle);
        second.insert(second.end(), middle, strata[s].end());
    }
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    return std::pair(taken(table, first), taken(table, second));
}

Result<TablePtr> select(const Table& table, std::span<const std::string> columns) {
    const auto kept = TRY(find_columns(table, columns));
    return with_only(table, kept);
}

Result<TablePtr> drop(const Table& table, std::span<const std::string> columns) {
    const auto dropped = TRY(find_columns(table, columns));
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (!contains(dropped, c)) kept.push_back(c);
    return with_only(table, kept);
}

Result<TablePtr> rename(const Table& table, std::string_view old_name, std::string new_name) {
    const auto found = TRY(find_column(table, old_name));
    if (new_name.empty()) return Fault{.code = "E-TABLE", .message = "a column needs a name"};
    if (const auto taken_by = table.find(new_name); taken_by && *taken_by != found) return name_taken(new_name);
    auto renamed = std::make_shared<Column>(*table.columns[found]);
    renamed->name = std::move(new_name);
    auto columns = table.columns;
    columns[found] = std::move(renamed);
    return make_table(std::move(columns), table.target, table.rows());
}

Result<TablePtr> with_column(const Table& table, ColumnPtr column, IfThere if_there) {
    if (!table.columns.empty() && column->rows() != table.rows())
        return Fault{.code = "E-TABLE",
                     .message = "column '" + column->name + "' is " + std::to_string(column->rows()) + " long, the table has " +
                                std::to_string(table.rows()) + " rows"};
    auto columns = table.columns;
    if (const auto there = table.find(column->name)) {
        if (if_there == IfThere::refuse) return name_taken(column->name);
        columns[*there] = std::move(column);
    } else {
        columns.push_back(std::move(column));
    }
    return make_table(std::move(columns), table.target, table.rows());
}

Result<TablePtr> with_target(const Table& table, const std::optional<std::string>& name) {
    if (!name) return make_table(table.columns, std::nullopt, table.rows());
    const auto found = TRY(find_column(table, *name));
    return make_table(table.columns, found, table.rows());
}

Result<TablePtr> as_labels(const Table& table, std::string_view column) {
    const auto found = TRY(find_column(table, column));
    auto columns = table.columns;
    columns[found] = as_labels(columns[found]);
    return make_table(std::move(columns), table.target, table.rows());
}

}  // namespace credence::rt
