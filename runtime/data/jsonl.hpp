#pragma once
// Tables as JSON lines: one object on each line.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

struct JsonlOptions {
    std::vector<std::pair<std::string, ColumnKind>> types = {};  ///< columns whose kind is not to be inferred
    const Run* run = nullptr;                                    ///< if given, it can stop the reading and receives its progress
};

/// The columns are all keys in order of first appearance; null, or a key that a line has not, is a missing cell. Numbers are exact
/// decimals, texts and booleans labels ("12" is a number). Blank lines are skipped. Faults: E-TABLE with the line (not an object, or an
/// object or list inside one), E-TEXT, E-COLUMN (`types` names a column that is not there).
Result<TablePtr> read_jsonl(std::string_view text, const JsonlOptions& options = {});
/// Also E-FILE; messages begin with the path.
Result<TablePtr> load_jsonl(const FilePath& path, const JsonlOptions& options = {});

/// Missing cells are null; numbers are written in full.
std::string write_jsonl(const Table& table);

}  // namespace credence::rt
