// In place of the other files of PostgreSQL where its headers were missing when the program was built, and in the browser.

#include "runtime/data/database.hpp"

namespace credence::rt {

Result<TablePtr> load_postgres(const FilePath&, const DatabaseQuery&) {
    return Fault{
        .code = "E-FILE",
        .message = "this build does not read from PostgreSQL servers",
        .hint = "load a file of the table instead; a program built where libpq-dev (Debian's name) is installed reads from servers"};
}

}  // namespace credence::rt
