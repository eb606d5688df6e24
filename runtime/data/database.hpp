#pragma once
// Tables in databases: what is asked of one, whichever it is.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

using DatabaseValue = std::variant<std::monostate, std::int64_t, double, std::string>;  ///< nothing: a missing cell

/// A query with the values of its parameters, or a table by name. Both empty: the only table that there is.
struct DatabaseQuery {
    std::string query = {};
    std::vector<DatabaseValue> parameters = {};
    std::string table = {};
    std::vector<std::pair<std::string, ColumnKind>> types = {};  ///< columns whose kind is not to be that of their values
    const Run* run = nullptr;                                    ///< where there is one, it stops the reading
};

/// One kind of database that lies in a file.
struct DatabaseFormat {
    /// Faults: E-FILE, E-TABLE, E-COLUMN, and E-PARAMETER where the query or the name of the table is wrong.
    Result<TablePtr> (*read)(const FilePath& file, const DatabaseQuery& query);
    /// In one transaction; a table of that name is replaced, what else is in the database stays.
    Status (*write)(const Table& table, const FilePath& file, const std::string& name, const Run* run);
};

/// By libsqlite3; in the browser, which has none, a fault.
Result<TablePtr> load_sqlite(const FilePath& file, const DatabaseQuery& query);
Status save_sqlite(const Table& table, const FilePath& file, const std::string& name, const Run* run);

/// Columns of that many names are all different, and `types` names none but those.
Status check_result_columns(const std::vector<std::string>& names, const DatabaseQuery& query);
/// The words after a fault of a query: where in it the mistake is (a byte, from 0; negative: not known).
std::string query_excerpt(std::string_view query, long at);

}  // namespace credence::rt
