#pragma once
// Tables in databases: what is asked of one, whichever it is.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

    std::optional<ColumnKind> type_of(std::string_view column) const;
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

/// From a server, whose address (postgresql://…) stands in place of a path. Where the program was built without libpq, a fault.
Result<TablePtr> load_postgres(const FilePath& address, const DatabaseQuery& query);
inline bool is_server_address(std::string_view path) { return path.starts_with("postgresql://") || path.starts_with("postgres://"); }

/// "name" in quotes, as SQL has it.
std::string sql_name(std::string_view name);
/// The table that is meant by a name, or the only one where there is none. `database` is the subject of the faults.
Result<std::string> table_in_database(const std::string& database, const std::vector<std::string>& names, const std::string& table);
std::string its_tables(const std::vector<std::string>& names);
/// `taken`: "each ? of the query takes".
Fault wrong_number_of_parameters(std::size_t wanted, std::size_t given, std::string_view taken);

/// Columns of that many names are all different, and `types` names none but those.
Status check_result_columns(const std::vector<std::string>& names, const DatabaseQuery& query);
/// The words after a fault of a query: where in it the mistake is (a byte, from 0; negative: not known).
std::string query_excerpt(std::string_view query, long at);

}  // namespace credence::rt
