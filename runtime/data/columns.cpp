#include "runtime/data/columns.hpp"

#include <algorithm>

#include "runtime/core/suggest.hpp"

namespace credence::rt {

Fault no_such_column(std::string_view asked, std::span<const std::string> names) {
    constexpr std::size_t shown = 12;
    Fault fault{.code = "E-COLUMN", .message = "the table has no column '" + std::string(asked) + "'"};
    fault.label = names.empty() ? "it has no columns" : "its columns are ";
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) fault.label += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > shown) fault.label += ", … (" + std::to_string(names.size() - shown) + " more)";
    if (const auto near = nearest(asked, names)) fault.hint = "did you mean '" + *near + "'?";
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
        const auto found = find_column(table, name);
        if (!found) return found.fault();
        out.push_back(*found);
    }
    return out;
}

}  // namespace credence::rt
