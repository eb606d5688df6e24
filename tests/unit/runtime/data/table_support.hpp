#pragma once
// What the tests of tables share: tables in a line, and tables as text to compare.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/data/csv.hpp"
#include "runtime/data/table.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt::table_test {

inline TablePtr csv(std::string_view text, const CsvOptions& options = {}) {
    auto table = read_csv(text, options);
    if (!table) FAIL(table.fault().code.text() << ": " << table.fault().message);
    return *table;
}

inline Fault csv_fault(std::string_view text, const CsvOptions& options = {}) {
    const auto table = read_csv(text, options);
    REQUIRE_FALSE(table);
    return table.fault();
}

template <class T>
T value_of(Result<T> result) {
    if (!result) FAIL(result.fault().code.text() << ": " << result.fault().message);
    return *std::move(result);
}

/// What a file was read as, or why it was not.
inline std::string text_of(const Result<FileText>& text) { return text ? std::string(text->view()) : text.fault().message; }

/// The cells of a column as texts; ∅ where one is missing.
inline std::vector<std::string> cells(const Column& column) {
    std::vector<std::string> out;
    for (std::size_t row = 0; row < column.rows(); ++row) out.push_back(column.is_missing(row) ? "∅" : column.label(row).text());
    return out;
}

inline std::vector<std::string> cells(const TablePtr& table, std::string_view name) {
    const auto found = table->find(name);
    REQUIRE(found);
    return cells(*table->columns[*found]);
}

inline std::vector<std::string> domain(const TablePtr& table, std::string_view name) {
    const auto found = table->find(name);
    REQUIRE(found);
    std::vector<std::string> out;
    for (const auto& label : table->columns[*found]->domain->labels()) out.push_back(label.text());
    return out;
}

inline ColumnKind kind(const TablePtr& table, std::string_view name) {
    const auto found = table->find(name);
    REQUIRE(found);
    return table->columns[*found]->kind;
}

using Strings = std::vector<std::string>;

/// Everything that makes a table: names, kinds, domains, cells, exactness.
inline bool same(const Column& a, const Column& b) {
    if (a.name != b.name || a.kind != b.kind || a.real != b.real || a.rows() != b.rows()) return false;
    if (a.kind == ColumnKind::label) return *a.domain == *b.domain && a.codes == b.codes;
    if (a.exact != b.exact) return false;
    for (std::size_t row = 0; row < a.rows(); ++row)
        if (a.is_missing(row) != b.is_missing(row) || (!a.is_missing(row) && a.values[row] != b.values[row])) return false;
    return true;
}

inline bool same(const Table& a, const Table& b) {
    if (a.columns.size() != b.columns.size() || a.rows() != b.rows() || a.target != b.target) return false;
    for (std::size_t c = 0; c < a.columns.size(); ++c)
        if (!same(*a.columns[c], *b.columns[c])) return false;
    return true;
}

/// The folder of shared data sets, if this machine has it.
inline std::optional<std::filesystem::path> data_folder() {
    const char* set = std::getenv("CREDENCE_DATA");
    const auto beside_source = std::filesystem::path(CREDENCE_SOURCE_DIR) / "../shared/data";
    const auto folder = set != nullptr ? std::filesystem::path(set) : beside_source.lexically_normal();
    if (std::filesystem::is_directory(folder)) return folder;
    WARN("no data in " << folder << " (set CREDENCE_DATA): skipped");
    return std::nullopt;
}

}  // namespace credence::rt::table_test
