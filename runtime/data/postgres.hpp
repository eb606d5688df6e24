#pragma once
// A connection to a PostgreSQL server that only reads, and can be stopped while it waits.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/database.hpp"
#include "runtime/data/libpq.hpp"

namespace credence::rt {

using PostgresResult = std::unique_ptr<PGresult, decltype(LibPq::clear)>;

class PostgresServer {
public:
    /// E-FILE if there is no library, no server, or no permission.
    static Result<PostgresServer> open(const std::string& address, const Run* run);

    /// One statement that gives rows; E-PARAMETER where it is wrong, gives none, or has another number of parameters.
    Status prepare(const std::string& query, std::size_t parameters) const;
    Status start(const std::vector<DatabaseValue>& parameters) const;
    /// The next row of what was started, or the end: a result without rows, which names the columns too.
    Result<PostgresResult> next() const;
    /// The rows of a query without parameters, each as its texts.
    Result<std::vector<std::vector<std::string>>> all(const std::string& query) const;

private:
    PostgresServer(const Run* run, PGconn* connection) : run_(run), connection_(connection, libpq().finish) {}
    Status connect() const;
    Status wait(bool write) const;                ///< for the socket; a fault after a stop
    Result<PostgresResult> result() const;        ///< the next one; null: there is none
    Status finish(std::string_view query) const;  ///< all results of a command; the first fault among them
    Fault fault(const PGresult* result, std::string_view query) const;
    Fault lost() const;

    const Run* run_;
    std::unique_ptr<PGconn, decltype(LibPq::finish)> connection_;
    mutable std::string query_;  ///< what was prepared, for its faults
};

}  // namespace credence::rt
