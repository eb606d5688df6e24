#pragma once
// Several files as one table.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

/// * ? or [ in it.
bool is_pattern(const std::string& path);
/// The paths that a pattern means, sorted; `resolve` is the way to files. * and ? do not match a slash, or a point at the start of a
/// name. E-FILE if there is none.
Result<std::vector<std::string>> matching_paths(const std::string& pattern,
                                                const std::function<Result<FilePath>(const std::string&)>& resolve);

/// The same columns are in all tables: else E-TABLE, by the names of the tables.
Status check_same_columns(std::span<const TablePtr> tables, std::span<const std::string> names);
/// Columns that hold numbers in some of these tables and labels in others.
std::vector<std::string> mixed_columns(std::span<const TablePtr> tables);
/// The rows of all, one table after the other, with the columns in the order of the first. Labels are merged by their order of appearance.
TablePtr stacked(std::span<const TablePtr> tables);

}  // namespace credence::rt
