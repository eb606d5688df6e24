#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "runtime/data/database.hpp"
#include "runtime/data/same_file.hpp"
#include "runtime/data/sqlite_file.hpp"

namespace credence::rt {

namespace {

std::optional<std::int64_t> whole(const Number& number) {
    return number.is_exact() && number.exact().is_integer() ? number.exact().to_int64() : std::nullopt;
}

enum class SqlType { text, integer, real };

/// Numbers are stored as INTEGER where all of them are whole and have room there.
SqlType type_of(const Column& column) {
    if (column.kind == ColumnKind::label) return SqlType::text;
    for (std::size_t row = 0; row < column.rows(); ++row) {
        if (column.is_missing(row)) continue;
        if (column.real || !whole(column.number(row))) return SqlType::real;
    }
    return SqlType::integer;
}

int bind_cell(sqlite3_stmt* row_of, int place, const Column& column, SqlType type, std::size_t row) {
    if (column.is_missing(row)) return sqlite3_bind_null(row_of, place);
    switch (type) {
        case SqlType::integer:
            return sqlite3_bind_int64(row_of, place, *whole(column.number(row)));
        case SqlType::real:
            return sqlite3_bind_double(row_of, place, column.values[row]);
        case SqlType::text: {
            const auto& text = (*column.domain)[static_cast<std::size_t>(column.codes[row])].text();
            return sqlite3_bind_text64(row_of, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
        }
    }
    return SQLITE_ERROR;
}

Status write_rows(const SqliteFile& database, const Table& table, const std::string& name, const Run* run) {
    std::string columns, places;
    std::vector<SqlType> types;
    for (const auto& column : table.columns) {
        types.push_back(type_of(*column));
        const char* type = types.back() == SqlType::text ? " text" : types.back() == SqlType::integer ? " integer" : " real";
        columns += (columns.empty() ? "" : ", ") + sql_name(column->name) + type;
        places += places.empty() ? "?" : ", ?";
    }
    TRY(database.execute("drop table if exists " + sql_name(name)));
    TRY(database.execute("create table " + sql_name(name) + " (" + columns + ")"));
    const auto insert = TRY(database.prepare("insert into " + sql_name(name) + " values (" + places + ")"));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (run && run->stopped()) return stopped_fault();
        for (std::size_t c = 0; c < types.size(); ++c)
            if (bind_cell(insert.get(), static_cast<int>(c) + 1, *table.columns[c], types[c], row) != SQLITE_OK) return database.fault();
        if (sqlite3_step(insert.get()) != SQLITE_DONE) return database.fault();
        sqlite3_reset(insert.get());
    }
    return Done{};
}

}  // namespace

Status save_sqlite(const Table& table, const FilePath& file, const std::string& name, const Run* run) {
    if (table.columns.empty()) return Fault{.code = "E-TABLE", .message = "a table without columns cannot be stored in a database"};
    return by_first_rank(file, [&]() -> Status {
        const bool is_new = !open_path(file, O_RDONLY | O_NONBLOCK).is_open();
        const auto write = [&]() -> Status {
            const auto database = TRY(SqliteFile::open(file, SqliteFile::Use::write, run));
            TRY(database.execute("begin immediate"));
            TRY(write_rows(database, table, name, run));
            return database.execute("commit");  // what is not committed is taken back when the database is closed
        };
        auto done = write();
        if (const Descriptor folder = open_folder_of(file); !done && is_new && folder.is_open())
            ::unlinkat(folder.get(), std::filesystem::path(file.path).filename().c_str(), 0);
        return done;
    });
}

}  // namespace credence::rt
