#pragma once
// Tables: typed columns of equal length. Columns are shared and immutable, so selecting and renaming cost nothing.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/label.hpp"
#include "runtime/core/rational.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/variable.hpp"

namespace credence::rt {

enum class ColumnKind { label, numeric };

/// What is wrong with a number that a numeric column cannot hold.
constexpr std::string_view out_of_range = "beyond the range of numbers in a table, about 1.8e308";

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();  ///< a numeric cell that is not there

/// Label columns hold codes into a domain, −1 for a missing cell; numeric ones doubles, NaN for a missing cell.
/// A numeric cell's exact value is its shortest decimal (0.1 is 1/10), unless `exact` keeps fractions of its own.
struct Column {
    std::string name;
    ColumnKind kind = ColumnKind::label;
    DomainPtr domain;                 ///< label columns
    std::vector<std::int32_t> codes;  ///< label columns
    std::vector<double> values;       ///< numeric columns
    std::vector<Rational> exact;      ///< numeric: empty, or one for each row where decimals are not enough
    bool real = false;                ///< numeric: cells came from doubles (samples, logs): shown with ≈

    std::size_t rows() const { return kind == ColumnKind::label ? codes.size() : values.size(); }
    bool is_missing(std::size_t row) const;
    Number number(std::size_t row) const;  ///< numeric, not missing
    Label label(std::size_t row) const;    ///< any kind, not missing
    std::size_t missing_count() const;
};
using ColumnPtr = std::shared_ptr<const Column>;

struct Table {
    std::vector<ColumnPtr> columns;
    std::optional<std::size_t> target;  ///< the column after `->`
    std::size_t row_count = 0;

    std::size_t rows() const { return row_count; }
    std::optional<std::size_t> find(std::string_view column) const;
};
using TablePtr = std::shared_ptr<const Table>;

/// Rows of a table without a copy.
struct TableView {
    const Table* table = nullptr;
    std::span<const std::uint32_t> rows;  ///< row numbers; empty and all == true: every row
    bool all = true;

    std::size_t size() const { return all ? table->row_count : rows.size(); }
    std::size_t row(std::size_t i) const { return all ? i : rows[i]; }  ///< of the table, for the view's i-th
};

/// Builds a column cell by cell and decides its kind at the end: numeric when every cell present is a number
/// (unless `force` says otherwise). Labels keep the order of first appearance. Infinite numbers are E-TABLE but in tables of results, such
/// as a log loss.
class ColumnBuilder {
public:
    enum class Range { finite, with_infinity };
    explicit ColumnBuilder(std::string name, Range range = Range::finite);
    void add(const Label& cell);
    void add_missing();
    Result<ColumnPtr> finish(std::optional<ColumnKind> force = std::nullopt) &&;

private:
    Result<ColumnPtr> numeric() &&;

    std::string name_;
    Range range_;
    std::vector<std::optional<Label>> cells_;
};

}  // namespace credence::rt
