#include "runtime/data/stack.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

/// Appends what `rest` matches below `prefix`, which is empty or ends in a slash.
Status expand(const std::string& prefix, const std::string& rest, const std::function<Result<FilePath>(const std::string&)>& resolve,
              std::vector<std::string>& out) {
    const auto slash = rest.find('/');
    const std::string part = rest.substr(0, slash);
    const bool last = slash == std::string::npos;
    if (!is_pattern(part)) {
        if (!last) return expand(prefix + part + "/", rest.substr(slash + 1), resolve, out);
        const auto file = TRY(resolve(prefix + part));
        if (open_data(file)) out.push_back(prefix + part);
        return Done{};
    }
    const auto folder = TRY(resolve(prefix.empty() ? "." : prefix));
    const auto names = folder_entries(folder);
    if (!names) return Done{};  // there is no such folder, so nothing in it matches
    for (const auto& name : *names) {
        if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
        const auto file = resolve(prefix + name);
        if (!file || is_folder(*file) == last) continue;
        if (last)
            out.push_back(prefix + name);
        else
            TRY(expand(prefix + name + "/", rest.substr(slash + 1), resolve, out));
    }
    return Done{};
}

/// A column of labels in which nothing is known may be one of numbers as well.
bool says_its_kind(const Column& column) { return column.kind == ColumnKind::numeric || column.domain->size() > 0; }

ColumnPtr stacked_columns(std::span<const ColumnPtr> columns) {
    if (columns.size() == 1) return columns[0];
    const std::size_t half = columns.size() / 2;
    return concat_columns(*stacked_columns(columns.first(half)), *stacked_columns(columns.subspan(half)));
}

}  // namespace

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

Result<std::vector<std::string>> matching_paths(const std::string& pattern,
                                                const std::function<Result<FilePath>(const std::string&)>& resolve) {
    std::vector<std::string> out;
    const bool absolute = pattern.starts_with('/');
    TRY(expand(absolute ? "/" : "", pattern.substr(absolute ? 1 : 0), resolve, out));
    if (out.empty()) return Fault{.code = "E-FILE", .message = "no file matches '" + pattern + "'"};
    std::sort(out.begin(), out.end());
    return out;
}

Status check_same_columns(std::span<const TablePtr> tables, std::span<const std::string> names) {
    const Table& first = *tables[0];
    for (std::size_t i = 1; i < tables.size(); ++i) {
        const auto differs = [&](const Table& a, const Table& b) {
            return std::find_if(a.columns.begin(), a.columns.end(), [&](const auto& column) { return !b.find(column->name); });
        };
        if (const auto less = differs(first, *tables[i]); less != first.columns.end())
            return Fault{.code = "E-TABLE",
                         .message = "'" + names[i] + "' has no column '" + (*less)->name + "', which '" + names[0] + "' has"};
        if (const auto more = differs(*tables[i], first); more != tables[i]->columns.end())
            return Fault{.code = "E-TABLE",
                         .message = "'" + names[i] + "' has a column '" + (*more)->name + "', which '" + names[0] + "' has not"};
    }
    return Done{};
}

std::vector<std::string> mixed_columns(std::span<const TablePtr> tables) {
    std::vector<std::string> out;
    for (const auto& column : tables[0]->columns) {
        bool numbers = false;
        bool labels = false;
        for (const auto& table : tables) {
            const Column& same = *table->columns[*table->find(column->name)];
            if (says_its_kind(same)) (same.kind == ColumnKind::numeric ? numbers : labels) = true;
        }
        if (numbers && labels) out.push_back(column->name);
    }
    return out;
}

TablePtr stacked(std::span<const TablePtr> tables) {
    std::size_t rows = 0;
    for (const auto& table : tables) rows += table->rows();
    std::vector<ColumnPtr> columns;
    for (const auto& column : tables[0]->columns) {
        std::vector<ColumnPtr> parts;
        for (const auto& table : tables) parts.push_back(table->columns[*table->find(column->name)]);
        columns.push_back(stacked_columns(parts));
    }
    return make_table(std::move(columns), tables[0]->target, rows);
}

}  // namespace credence::rt
