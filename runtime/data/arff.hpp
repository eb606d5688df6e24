#pragma once
// Tables in Weka's attribute-relation files.

#include <string>
#include <string_view>

#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

/// Attributes that are numeric, real or integer give numeric columns; nominal ones label columns with the declared values in their order;
/// strings and dates label columns. Keywords in any case, names and values in single or double quotes with backslashes, % comments, ? for
/// missing. The format names no target, so the table has none. Faults: E-TABLE with the line, E-TEXT.
Result<TablePtr> read_arff(std::string_view text, const Run* run = nullptr);
/// Also E-FILE; messages begin with the path.
Result<TablePtr> load_arff(const FilePath& path, const Run* run = nullptr);

/// Label columns become nominal attributes with their values in order.
std::string write_arff(const Table& table, std::string_view relation);

}  // namespace credence::rt
