#include <limits>
#include <unordered_map>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::rt {

namespace {

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'"
std::string listed_names(std::span<const std::string> names) {
    std::vector<std::string> quoted;
    for (const auto& name : names) quoted.push_back("'" + name + "'");
    return listed(quoted, "and");
}

/// The fault of one table of two.
Fault of_table(std::string_view which, Fault fault) {
    constexpr std::string_view any = "the table";
    if (fault.message.starts_with(any)) fault.message = "the " + std::string(which) + " table" + fault.message.substr(any.size());
    return fault;
}

/// One code for each different combination of codes so far and of this column, in order of first appearance.
/// −1 stays −1 where a missing cell excludes the row, else it is a value like any other.
enum class Missing { excludes, is_a_value };
void refine(std::vector<std::int32_t>& codes, const DistinctCells& column, Missing missing) {
    std::unordered_map<std::uint64_t, std::int32_t> code_of;
    for (std::size_t row = 0; row < codes.size(); ++row) {
        const std::int32_t cell = column.codes[row];
        if (missing == Missing::excludes && (codes[row] < 0 || cell < 0)) {
            codes[row] = -1;
            continue;
        }
        const std::uint64_t key =
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(codes[row])) << 32U) | static_cast<std::uint32_t>(cell);
        codes[row] = code_of.try_emplace(key, static_cast<std::int32_t>(code_of.size())).first->second;
    }
}

std::optional<std::size_t> target_of_either(const Table& a, const Table& b, const std::vector<ColumnPtr>& columns) {
    const std::string* name = a.target ? &a.columns[*a.target]->name : b.target ? &b.columns[*b.target]->name : nullptr;
    for (std::size_t c = 0; name != nullptr && c < columns.size(); ++c)
        if (columns[c]->name == *name) return c;
    return std::nullopt;
}

}  // namespace

Result<TablePtr> concat(const Table& a, const Table& b) {
    for (const auto& column : b.columns)
        if (!a.find(column->name)) return of_table("first", no_such_column(column->name, column_names(a)));
    std::vector<ColumnPtr> columns;
    for (const auto& column : a.columns) {
        const auto in_b = b.find(column->name);
        if (!in_b) return of_table("second", no_such_column(column->name, column_names(b)));
        columns.push_back(concat_columns(*column, *b.columns[*in_b]));
    }
    const auto target = target_of_either(a, b, columns);
    return make_table(std::move(columns), target, a.rows() + b.rows());
}

/// The column with one more row, which is missing.
static ColumnPtr with_missing_row(const ColumnPtr& column) {
    auto out = std::make_shared<Column>(*column);
    if (out->kind == ColumnKind::label) {
        out->codes.push_back(-1);
        return out;
    }
    out->values.push_back(std::numeric_limits<double>::quiet_NaN());
    if (!out->exact.empty()) out->exact.emplace_back();
    return out;
}

std::vector<std::string> shared_columns(const Table& a, const Table& b) {
    std::vector<std::string> out;
    for (const auto& column : a.columns)
        if (b.find(column->name)) out.push_back(column->name);
    return out;
}

Result<TablePtr> join(const Table& a, const Table& b, std::span<const std::string> on, Unmatched rows_of_a) {
    if (on.empty())
        return Fault{.code = "E-TABLE", .message = "a join needs a column to join on", .hint = "name the columns that both tables share"};
    const auto on_a = find_columns(a, on);
    if (!on_a) return of_table("first", on_a.fault());
    const auto on_b = find_columns(b, on);
    if (!on_b) return of_table("second", on_b.fault());
    std::vector<std::string> clashes;
    std::vector<std::size_t> rest_of_b;
    for (std::size_t c = 0; c < b.columns.size(); ++c) {
        if (contains(*on_b, c)) continue;
        rest_of_b.push_back(c);
        if (a.find(b.columns[c]->name)) clashes.push_back(b.columns[c]->name);
    }
    if (!clashes.empty())
        return Fault{.code = "E-TABLE",
                     .message = "both tables have a column " + listed_names(clashes),
                     .hint = "join on it too, or rename or drop it in one of them"};

    // the rows of b below those of a: then equal keys have equal codes, whatever the kinds of the columns
    std::vector<std::int32_t> codes(a.rows() + b.rows(), 0);
    for (std::size_t k = 0; k < on.size(); ++k)
        refine(codes, distinct_cells(*concat_columns(*a.columns[(*on_a)[k]], *b.columns[(*on_b)[k]])), Missing::excludes);
    std::unordered_map<std::int32_t, std::vector<std::uint32_t>> rows_of_b;
    for (std::uint32_t row = 0; row < b.rows(); ++row) rows_of_b[codes[a.rows() + row]].push_back(row);
    std::vector<std::uint32_t> left;
    std::vector<std::uint32_t> right;
    for (std::uint32_t row = 0; row < a.rows(); ++row) {
        const auto found = codes[row] < 0 ? rows_of_b.end() : rows_of_b.find(codes[row]);
        if (found == rows_of_b.end()) {
            if (rows_of_a == Unmatched::left_out) continue;
            left.push_back(row);
            right.push_back(static_cast<std::uint32_t>(b.rows()));
            continue;
        }
        left.insert(left.end(), found->second.size(), row);
        right.insert(right.end(), found->second.begin(), found->second.end());
    }
    std::vector<ColumnPtr> columns;
    for (const auto& column : a.columns) columns.push_back(take_rows(*column, left));
    for (const auto c : rest_of_b)
        columns.push_back(rows_of_a == Unmatched::kept ? take_rows(*with_missing_row(b.columns[c]), right)
                                                       : take_rows(*b.columns[c], right));
    const auto target = target_of_either(a, b, columns);
    return make_table(std::move(columns), target, left.size());
}

Result<std::vector<Group>> group_rows(const Table& table, std::span<const std::string> columns) {
    const auto found = TRY(find_columns(table, columns));
    std::vector<std::int32_t> codes(table.rows(), 0);
    for (const auto c : found) refine(codes, distinct_cells(*table.columns[c]), Missing::is_a_value);
    std::vector<Group> groups;
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
        const auto code = static_cast<std::size_t>(codes[row]);
        if (code == groups.size()) {
            Group& group = groups.emplace_back();
            for (const auto c : found) {
                const auto& column = *table.columns[c];
                group.key.push_back(column.is_missing(row) ? std::nullopt : std::optional(column.label(row)));
            }
        }
        groups[code].rows.push_back(row);
    }
    return groups;
}

}  // namespace credence::rt
