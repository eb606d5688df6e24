// In place of the other files of SQLite if there is none: in the browser.

#include "runtime/data/database.hpp"

namespace credence::rt {

namespace {

Fault no_databases() {
    return {.code = "E-FILE",
            .message = "this build reads no databases",
            .hint = "the program on a computer makes a file of it that can be read here: credence convert TABLE.db TABLE.csv"};
}

}  // namespace

Result<TablePtr> load_sqlite(const FilePath&, const DatabaseQuery&) { return no_databases(); }
Status save_sqlite(const Table&, const FilePath&, const std::string&, const Run*) { return no_databases(); }

}  // namespace credence::rt
