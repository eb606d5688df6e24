#pragma once
// Columns by name and by content: what the operations on tables share.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/result.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

/// E-COLUMN: what columns there are, and the nearest to the one asked for.
Fault no_such_column(std::string_view asked, std::span<const std::string> names);

std::vector<std::string> column_names(const Table& table);
Result<std::size_t> find_column(const Table& table, std::string_view name);
/// Each once: E-TABLE when a name comes twice.
Result<std::vector<std::size_t>> find_columns(const Table& table, std::span<const std::string> names);
/// E-TABLE when it holds labels; `purpose` ends the message: "only numbers can be …".
Result<std::size_t> find_numeric(const Table& table, std::string_view name, std::string_view purpose);

/// Columns and target; the number of rows is the columns', or `rows` if there are none.
TablePtr make_table(std::vector<ColumnPtr> columns, std::optional<std::size_t> target, std::size_t rows);

ColumnPtr take_rows(const Column& column, std::span<const std::uint32_t> rows);
ColumnPtr concat_columns(const Column& a, const Column& b);
ColumnPtr as_labels(const ColumnPtr& column);
/// Of a column of labels: those that some row has, in the order of its domain; a filtered table knows the others too.
std::vector<Label> seen_labels(const Column& column);

/// A number for each different cell, in order of first appearance; −1 for missing ones.
struct DistinctCells {
    std::vector<std::int32_t> codes;       ///< one for each row
    std::vector<std::uint32_t> first_row;  ///< one for each code
};
DistinctCells distinct_cells(const Column& column);

/// Whether numbers look like measurements and not like codes of classes: more than two different ones, of which some are fractions, or
/// there are many of them, or few rows share one.
bool seem_measured(const Column& numbers);

/// Exact arithmetic over a column's rows is worth its time up to here.
constexpr std::size_t max_exact_rows = 10'000;

struct Moments {
    std::size_t count = 0;
    Number min;
    Number max;
    Number mean;
    Number sd;  ///< of a sample, n − 1; 0 if there is one number only
};
/// Of the cells that are present, in fractions where the column is exact and not long; nullopt when there are none.
std::optional<Moments> moments(const Column& column);

}  // namespace credence::rt
