#include <algorithm>
#include <limits>

#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/database.hpp"
#include "runtime/data/sqlite_file.hpp"
#include "runtime/data/table_parcel.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/data/typed_cells.hpp"

namespace credence::rt {

namespace {

std::string_view text_of(sqlite3_stmt* row, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    return {bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

Result<std::vector<std::string>> table_names(const SqliteFile& database) {
    auto rows = TRY(database.prepare(
        "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name"));
    std::vector<std::string> out;
    int status = SQLITE_ROW;
    while ((status = sqlite3_step(rows.get())) == SQLITE_ROW) out.emplace_back(text_of(rows.get(), 0));
    if (status != SQLITE_DONE) return database.fault();
    return out;
}

/// The query that reads a table, the only one where none is named.
Result<std::string> query_of_table(const SqliteFile& database, const std::string& file, const std::string& table) {
    const auto names = TRY(table_names(database));
    const auto named = TRY(table_in_database("'" + file + "'", names, table));
    return "select * from " + sql_name(named);
}

/// One statement, and nothing after it.
Result<SqliteStatement> prepare_query(const SqliteFile& database, const std::string& query) {
    std::string_view rest;
    auto prepared = database.prepare(query, &rest);
    if (!prepared) {
        Fault fault = std::move(prepared).fault();
        if (fault.message.find("no such table") != std::string::npos)
            if (const auto names = table_names(database)) fault.hint = its_tables(*names);
        return fault;
    }
    const auto second = database.prepare(rest);
    if (!*prepared || !second || *second)
        return Fault{.code = "E-PARAMETER",
                     .message = *prepared ? "a query is one statement" : "the query is empty",
                     .label = *prepared ? query_excerpt(query, static_cast<long>(query.size() - rest.size())) : ""};
    return prepared;
}

Status bind_parameters(const SqliteFile& database, sqlite3_stmt* query, const std::vector<DatabaseValue>& parameters) {
    const auto wanted = static_cast<std::size_t>(sqlite3_bind_parameter_count(query));
    if (wanted != parameters.size()) return wrong_number_of_parameters(wanted, parameters.size(), "each ? of the query takes");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const int place = static_cast<int>(i) + 1;
        int status = SQLITE_OK;
        if (const auto* integer = std::get_if<std::int64_t>(&parameters[i]))
            status = sqlite3_bind_int64(query, place, *integer);
        else if (const auto* real = std::get_if<double>(&parameters[i]))
            status = sqlite3_bind_double(query, place, *real);
        else if (const auto* text = std::get_if<std::string>(&parameters[i]))
            status = sqlite3_bind_text64(query, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
        if (status != SQLITE_OK) return database.fault();
    }
    return Done{};
}

Status add_cell(sqlite3_stmt* row, int column, TypedCells& cells, std::size_t rows) {
    const auto bad = [&](const std::string& what, std::string hint) {
        return Fault{.code = "E-TABLE",
                     .message = "row " + std::to_string(rows + 1) + " has " + what + " in column '" + cells.name() + "'",
                     .hint = std::move(hint)};
    };
    switch (sqlite3_column_type(row, column)) {
        case SQLITE_NULL:
            cells.add_missing();
            return Done{};
        case SQLITE_INTEGER:
            cells.add_integer(sqlite3_column_int64(row, column));
            return Done{};
        case SQLITE_FLOAT:
            return cells.add_real(sqlite3_column_double(row, column));
        case SQLITE_TEXT: {
            const auto text = text_of(row, column);
            if (first_invalid_utf8(text)) return bad("a text that is not UTF-8", "hex(…) in the query makes a text of its bytes");
            return cells.add_text(text);
        }
        default:
            return bad("binary data", "leave the column out of the query, or make a text of it: hex(…)");
    }
}

Result<TablePtr> read_rows(const SqliteFile& database, sqlite3_stmt* query, std::string_view text, const DatabaseQuery& asked) {
    const int width = sqlite3_column_count(query);
    std::vector<std::string> names;
    for (int c = 0; c < width; ++c) names.emplace_back(sqlite3_column_name(query, c));
    TRY(check_result_columns(names, asked));
    std::vector<TypedCells> cells;
    for (const auto& name : names) cells.emplace_back(name, asked.type_of(name));
    std::size_t rows = 0;
    int status = SQLITE_ROW;
    for (; (status = sqlite3_step(query)) == SQLITE_ROW; ++rows) {
        if (rows == std::numeric_limits<std::uint32_t>::max())
            return Fault{.code = "E-TABLE", .message = "the table has more than 4294967295 rows"};
        for (int c = 0; c < width; ++c) TRY(add_cell(query, c, cells[static_cast<std::size_t>(c)], rows));
    }
    if (status != SQLITE_DONE) return database.fault(text);
    std::vector<ColumnPtr> columns;
    for (auto& column : cells) columns.push_back(std::move(column).finish());
    return make_table(std::move(columns), std::nullopt, rows);
}

Result<TablePtr> read_sqlite(const FilePath& file, const DatabaseQuery& asked) {
    const auto database = TRY(SqliteFile::open(file, SqliteFile::Use::read, asked.run));
    std::string text = asked.query;
    if (text.empty()) text = TRY(query_of_table(database, file.path, asked.table));
    const auto query = TRY(prepare_query(database, text));
    TRY(bind_parameters(database, query.get(), asked.parameters));
    auto table = read_rows(database, query.get(), text, asked);
    if (!table && table.fault().code == "E-TABLE") return in_file(file, std::move(table).fault());
    return table;
}

}  // namespace

Result<TablePtr> load_sqlite(const FilePath& file, const DatabaseQuery& asked) {
    return by_first_reader(file, [&](const FilePath& own) { return read_sqlite(own, asked); });
}

}  // namespace credence::rt
