// Tables from a PostgreSQL server: a table by its name, or what a query gives.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/postgres.hpp"
#include "runtime/data/table_parcel.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/data/typed_cells.hpp"

namespace credence::rt {

namespace {

// Numbers of types in the server's catalogue (pg_type).
enum : Oid {
    type_bool = 16,
    type_bytea = 17,
    type_int8 = 20,
    type_int2 = 21,
    type_int4 = 23,
    type_oid = 26,
    type_float4 = 700,
    type_float8 = 701,
    type_numeric = 1700
};

/// The query that reads a table, the only one where none is named.
Result<std::string> query_of_table(const PostgresServer& server, const std::string& table) {
    const auto rows =
        TRY(server.all("select table_name from information_schema.tables where table_schema = any (current_schemas(false)) order by 1"));
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(row[0]);
    const auto named = TRY(table_in_database("the database", names, table));
    return "select * from " + sql_name(named);
}

Status add_cell(const PGresult* result, int column, TypedCells& cells, std::size_t row) {
    if (libpq().is_null(result, 0, column) != 0) {
        cells.add_missing();
        return Done{};
    }
    const auto bad = [&](const std::string& what, std::string hint) {
        return Fault{.code = "E-TABLE",
                     .message = fmt::format("row {} has {} in column '{}'", row + 1, what, cells.name()),
                     .hint = std::move(hint)};
    };
    const std::string_view text(libpq().value(result, 0, column), static_cast<std::size_t>(libpq().length(result, 0, column)));
    switch (libpq().ftype(result, column)) {
        case type_bool:
            return cells.add_text(text == "t" ? "true" : "false");
        case type_int2:
        case type_int4:
        case type_int8:
        case type_oid:
        case type_float4:
        case type_float8:
        case type_numeric: {
            const auto number = Rational::parse(text);
            if (!number) return bad(fmt::format("{}, which is not a finite number", text), "leave such rows out of the query");
            return cells.add_exact(*number);
        }
        case type_bytea:
            return bad("binary data", "leave the column out of the query, or make a text of it: encode(…, 'hex')");
        default:
            return cells.add_text(text);
    }
}

Result<TablePtr> read_rows(const PostgresServer& server, const DatabaseQuery& asked) {
    std::vector<TypedCells> cells;
    std::vector<std::string> names;
    std::size_t rows = 0;
    for (;; ++rows) {
        const auto one = TRY(server.next());
        const int width = libpq().nfields(one.get());
        if (names.empty()) {
            for (int c = 0; c < width; ++c) names.emplace_back(libpq().fname(one.get(), c));
            TRY(check_result_columns(names, asked));
            for (const auto& name : names) cells.emplace_back(name, asked.type_of(name));
        }
        if (libpq().ntuples(one.get()) == 0) break;
        if (rows == std::numeric_limits<std::uint32_t>::max())
            return Fault{.code = "E-TABLE", .message = "the table has more than 4294967295 rows"};
        for (int c = 0; c < width; ++c) TRY(add_cell(one.get(), c, cells[static_cast<std::size_t>(c)], rows));
    }
    std::vector<ColumnPtr> columns;
    for (auto& column : cells) columns.push_back(std::move(column).finish());
    return make_table(std::move(columns), std::nullopt, rows);
}

Result<TablePtr> read_postgres(const std::string& address, const DatabaseQuery& asked) {
    const auto server = TRY(PostgresServer::open(address, asked.run));
    const std::string text = asked.query.empty() ? TRY(query_of_table(server, asked.table)) : asked.query;
    TRY(server.prepare(text, asked.parameters.size()));
    TRY(server.start(asked.parameters));
    return read_rows(server, asked);
}

}  // namespace

Result<TablePtr> load_postgres(const FilePath& address, const DatabaseQuery& asked) {
    return by_first_reader(address, [&](const FilePath& own) { return read_postgres(own.path, asked); });
}

}  // namespace credence::rt
