// In place of the other files of PostgreSQL where its headers were missing when the program was built.

#include "runtime/data/database.hpp"

namespace credence::rt {

Result<TablePtr> load_postgres(const FilePath&, const DatabaseQuery&) {
    return Fault{.code = "E-FILE",
                 .message = "this build does not read from PostgreSQL servers",
                 .hint = "install libpq-dev (Debian's name) and build again"};
}

}  // namespace credence::rt
