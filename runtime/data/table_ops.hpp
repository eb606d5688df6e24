#pragma once
// What scripts do with tables. Every function leaves its argument alone and shares the columns it does not change.
// Columns that are not there: E-COLUMN, with the nearest name. Anything else that is wrong: E-TABLE.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/rng.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

// Rows. Label columns keep their whole domain, also where no row is left that has a label.

/// The given rows (counted from 0) in the given order; a row may be taken twice.
Result<TablePtr> take_rows(const Table& table, std::span<const std::uint32_t> rows);
Result<TablePtr> head(const Table& table, std::size_t n);
/// The rows that have no missing cell.
Result<TablePtr> drop_missing(const Table& table);
/// Each row as often as its count says, without the column of the counts: how tables of frequencies are printed.
Result<TablePtr> expand(const Table& table, std::string_view counts);
Result<TablePtr> shuffle(const Table& table, Rng& rng);

struct SortKey {
    std::string column;
    bool descending = false;
};
/// Stable; numbers by value, before words by their bytes; missing cells last in both directions.
Result<TablePtr> sort_by(const Table& table, std::span<const SortKey> keys);

enum class Stratified { no, yes };
/// Two tables; the first has share · rows of them (rounded half up), drawn at random, and both keep the order of the rows. Stratified,
/// each label of a label target gets its share, rounded by the largest remainders; rows without a target are a class of their own.
Result<std::pair<TablePtr, TablePtr>> split(const Table& table, const Rational& share, Rng& rng, Stratified stratified = Stratified::yes);

// Columns.

/// In the given order. The target stays the target while it is there.
Result<TablePtr> select(const Table& table, std::span<const std::string> columns);
Result<TablePtr> drop(const Table& table, std::span<const std::string> columns);
Result<TablePtr> rename(const Table& table, std::string_view old_name, std::string new_name);
enum class IfThere { refuse, replace };
Result<TablePtr> with_column(const Table& table, ColumnPtr column, IfThere if_there = IfThere::refuse);
Result<TablePtr> with_target(const Table& table, const std::optional<std::string>& name);
/// A numeric column as labels, in ascending order; a label column stays as it is.
Result<TablePtr> as_labels(const Table& table, std::string_view column);

// Several tables, and groups.

/// The rows of a, then those of b, whose columns have the same names in any order. Labels of b that a has not come after a's; where one
/// column is numeric and the other not, both become labels. The target is a's, or b's where a has none.
Result<TablePtr> concat(const Table& a, const Table& b);
/// Every row of a with every row of b that has the same labels or numbers in the columns `on`, in the order of a, then of b. A missing cell
/// equals nothing. The columns are a's, then those of b that are not in `on`; the target is a's, or b's where a has none.
enum class Unmatched { left_out, kept };
Result<TablePtr> join(const Table& a, const Table& b, std::span<const std::string> on, Unmatched rows_of_a = Unmatched::left_out);
/// The names of the columns that both have.
std::vector<std::string> shared_columns(const Table& a, const Table& b);

struct Group {
    std::vector<std::optional<Label>> key;  ///< a label for each column; nullopt if it is missing
    std::vector<std::uint32_t> rows;
};
/// In order of first appearance; missing cells form groups of their own.
Result<std::vector<Group>> group_rows(const Table& table, std::span<const std::string> columns);

// Numbers.

enum class Binning { width, frequency };
/// A numeric column as labels "<= 2.5", "2.5 .. 3.5", "> 3.5": a bin holds its upper end, not its lower one. `width` cuts the range into
/// equal lengths, `frequency` the sorted rows into equal counts, half-way between neighbours and never between equal numbers, so that
/// there may be fewer bins. Cut points are exact where the numbers are; labels show them with 6 digits, or as many as are needed to
/// distinguish them.
Result<TablePtr> discretize(const Table& table, std::string_view column, std::size_t bins, Binning method);
Result<TablePtr> discretize(const Table& table, std::string_view column, std::span<const Number> cuts);
/// Where the first of the two cuts; a column of one value is cut at it. E-TABLE if it has none.
Result<std::vector<Number>> cut_points(const Table& table, std::string_view column, std::size_t bins, Binning method);

enum class Scaling { standard, range };
/// x becomes (x − centre) / spread.
struct Scale {
    std::string column;
    Number centre;
    Number spread;
};
struct Scaled {
    TablePtr table;
    std::vector<Scale> scales;  ///< for rescale() on other tables
};
/// `standard`: mean and sample standard deviation (n − 1); `range`: least and greatest become 0 and 1. A constant column becomes 0. No
/// columns named: all numeric ones but the target. Ranges of exact numbers stay exact up to 10,000 rows.
Result<Scaled> scale(const Table& table, std::span<const std::string> columns, Scaling method);
Result<TablePtr> rescale(const Table& table, std::span<const Scale> scales);

/// Each column is replaced by columns of 0 and 1, one for each label: "Colour=red". A missing cell is missing in all of them. No columns
/// named: all label columns but the target.
Result<TablePtr> encode(const Table& table, std::span<const std::string> columns);

/// One row a column: name, kind, count (cells present), missing, distinct, min, mean, sd (n − 1), max, most_frequent (ties: the first to
/// appear). Numbers stay exact up to 10,000 rows, but for sd.
Result<TablePtr> describe(const Table& table);

}  // namespace credence::rt
