#pragma once
// Finding columns by name, with an error that helps.

#include <cstddef>
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
Result<std::vector<std::size_t>> find_columns(const Table& table, std::span<const std::string> names);

}  // namespace credence::rt
