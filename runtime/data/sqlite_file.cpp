#include "runtime/data/sqlite_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "runtime/data/database.hpp"

namespace credence::rt {

namespace {

namespace fs = std::filesystem;

constexpr int wait_milliseconds = 20;
constexpr int most_waits = 250;               // five seconds
constexpr int steps_between_looks = 100'000;  // of SQLite's machine, until it asks whether to stop
constexpr const char* own_files = "credence";

/// SQLite's own way to files without what it does to their names: it would write out the links in them, and so come to the database by
/// another way than through the folder that is held open.
void register_own_files() {
    static sqlite3_vfs files = *sqlite3_vfs_find(nullptr);
    [[maybe_unused]] static const int registered = [] {
        files.zName = own_files;
        files.xFullPathname = [](sqlite3_vfs*, const char* path, int room, char* out) {
            const std::string_view name(path);
            if (name.size() >= static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
            *std::copy(name.begin(), name.end(), out) = '\0';
            return SQLITE_OK;
        };
        return sqlite3_vfs_register(&files, 0);
    }();
}

int look(void* run) { return run && static_cast<const Run*>(run)->stopped() ? 1 : 0; }

int wait(void* run, int tries) {
    if (tries >= most_waits || look(run)) return 0;
    sqlite3_sleep(wait_milliseconds);
    return 1;
}

/// A query reads tables and computes: it opens no other file, and changes nothing in this one.
int allow_reading(void*, int action, const char*, const char*, const char*, const char*) {
    const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

/// Refuses what is not a regular file: SQLite would wait for a pipe.
Status check_place(const FilePath& file) {
    const Descriptor there = open_path(file, O_RDONLY | O_NONBLOCK);
    struct stat info = {};
    if (!there.is_open()) return errno == ENOENT ? Status(Done{}) : file_fault("write", file, errno);
    if (::fstat(there.get(), &info) == 0 && !S_ISREG(info.st_mode))
        return Fault{.code = "E-FILE",
                     .message = "'" + file.path + "' is a " + (S_ISDIR(info.st_mode) ? "folder" : "pipe or a device") + ", not a file"};
    return Done{};
}

Fault only_reads(std::string_view query) {
    return {.code = "E-PARAMETER",
            .message = "a query only reads its database: it begins with select, with or values",
            .label = query_excerpt(query, -1)};
}

/// SQLite reads what is missing of a last page as zeros, which would be rows of empty cells.
Status check_whole(const FilePath& file) {
    const Descriptor data = TRY(open_data(file));
    unsigned char header[18];
    struct stat info = {};
    if (::fstat(data.get(), &info) != 0 || ::pread(data.get(), header, sizeof header, 0) != sizeof header) return Done{};
    const long stated = header[16] * 256 + header[17];
    const long page = stated == 1 ? 65536 : stated;
    if (std::memcmp(header, "SQLite format 3", 16) != 0 || page == 0 || info.st_size % page == 0) return Done{};
    return Fault{.code = "E-FILE", .message = "'" + file.path + "' is damaged: its end is missing"};
}

}  // namespace

Result<SqliteFile> SqliteFile::open(const FilePath& file, Use use, const Run* run) {
    if (use == Use::read) {
        TRY(check_whole(file));
    } else {
        TRY(check_place(file));
    }
    SqliteFile out(file, use);
    std::error_code ignored;
    std::string place = fs::weakly_canonical(fs::absolute(file.path, ignored), ignored).string();
    if (!file.root.empty()) {
        out.folder_ = open_folder_of(file);
        if (!out.folder_.is_open()) return file_fault(use == Use::read ? "read" : "write", file, errno);
        place = "/proc/self/fd/" + std::to_string(out.folder_.get()) + "/" + fs::path(file.path).filename().string();
        register_own_files();
    }
    const int flags = (use == Use::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOFOLLOW;
    sqlite3* connection = nullptr;
    const int status = sqlite3_open_v2(place.c_str(), &connection, flags, file.root.empty() ? nullptr : own_files);
    if (!connection) throw std::bad_alloc();
    out.connection_.reset(connection);
    if (status != SQLITE_OK) return out.fault();
    sqlite3_extended_result_codes(connection, 1);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    auto* const asked = const_cast<Run*>(run);  // it is only asked whether to stop
    sqlite3_busy_handler(connection, wait, asked);
    sqlite3_progress_handler(connection, steps_between_looks, look, asked);
    TRY(out.execute("pragma temp_store = memory"));  // no files elsewhere
    if (use == Use::read) {
        TRY(out.execute("begin"));  // all that is read is of one state
        sqlite3_set_authorizer(connection, allow_reading, nullptr);
    }
    return out;
}

Result<SqliteStatement> SqliteFile::prepare(std::string_view sql, std::string_view* rest) const {
    constexpr std::size_t longest = 1'000'000;
    if (sql.size() > longest) return Fault{.code = "E-PARAMETER", .message = "the query has more than 1000000 bytes"};
    sqlite3_stmt* statement = nullptr;
    const char* end = nullptr;
    const int status = sqlite3_prepare_v2(get(), sql.data(), static_cast<int>(sql.size()), &statement, &end);
    SqliteStatement out(statement, sqlite3_finalize);
    if (status != SQLITE_OK) return fault(sql);
    if (use_ == Use::read && statement && !sqlite3_stmt_readonly(statement)) return only_reads(sql);  // vacuum, which nobody authorizes
    if (rest) *rest = sql.substr(static_cast<std::size_t>(end - sql.data()));
    return out;
}

Status SqliteFile::execute(std::string_view sql) const {
    const auto statement = prepare(sql);
    if (!statement) return fault();
    int status = SQLITE_ROW;
    while (status == SQLITE_ROW) status = sqlite3_step(statement->get());
    if (status != SQLITE_DONE) return fault();
    return Done{};
}

Fault SqliteFile::fault(std::string_view query) const {
    const int extended = sqlite3_extended_errcode(get());
    const std::string text = sqlite3_errmsg(get());
    const std::string name = "'" + file_.path + "'";
    switch (extended & 0xff) {
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        case SQLITE_INTERRUPT:
            return stopped_fault();
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {.code = "E-FILE", .message = name + " is locked by another program", .hint = "try again when that program is done"};
        case SQLITE_NOTADB:
            return {.code = "E-FILE", .message = name + " is not an SQLite database"};
        case SQLITE_CORRUPT:
            return {.code = "E-FILE", .message = name + " is damaged: " + text};
        case SQLITE_AUTH:
            return only_reads(query);
        default:
            break;
    }
    if (extended == SQLITE_READONLY_ROLLBACK || extended == SQLITE_READONLY_RECOVERY)
        return {.code = "E-FILE",
                .message = name + " was left in the middle of a change",
                .hint = "a program that may write to it takes the change back: sqlite3 FILE .tables"};
    if (query.empty())
        return {.code = "E-FILE", .message = std::string("cannot ") + (use_ == Use::read ? "read " : "write ") + name + ": " + text};
    long at = -1;
#if SQLITE_VERSION_NUMBER >= 3038000
    at = sqlite3_error_offset(get());
#endif
    return {.code = "E-PARAMETER", .message = "the query is wrong: " + text, .label = query_excerpt(query, at)};
}

}  // namespace credence::rt
