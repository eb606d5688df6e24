#pragma once
// An SQLite database that is open: opened below --root like every file, and its errors in words.

#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"

namespace credence::rt {

using SqliteStatement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

class SqliteFile {
public:
    enum class Use { read, write };
    /// Where another program is writing, it waits for it some seconds. For reading, nothing but a query that reads is let through.
    static Result<SqliteFile> open(const FilePath& file, Use use, const Run* run);

    sqlite3* get() const { return connection_.get(); }
    /// The first statement of `sql`; `rest` is what follows it. No statement if there is nothing but blanks.
    Result<SqliteStatement> prepare(std::string_view sql, std::string_view* rest = nullptr) const;
    /// Runs a statement that gives no rows.
    Status execute(std::string_view sql) const;
    /// What the last error means. `query`: where it was one of the script's.
    Fault fault(std::string_view query = {}) const;

private:
    SqliteFile(FilePath file, Use use) : file_(std::move(file)), use_(use) {}

    FilePath file_;
    Use use_;
    Descriptor folder_{-1};  // held as long as the connection, whose path goes through it
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_{nullptr, sqlite3_close_v2};
};

}  // namespace credence::rt
