#include "runtime/data/postgres.hpp"

#include <poll.h>

#include <cstring>

#include <fmt/format.h>

#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

constexpr int milliseconds_between_looks = 50;  // until it asks whether to stop

/// The first line of what the server or the library says, without what would only repeat our words.
std::string said(const char* text) {
    std::string_view line(text ? text : "");
    line = line.substr(0, line.find('\n'));
    if (const auto colon = line.find("FATAL:  "); colon != std::string_view::npos) line = line.substr(colon + std::strlen("FATAL:  "));
    return line.empty() ? "no reason is given" : std::string(line);
}

/// The byte of the character that the server counts, from 1; negative where it does not tell.
long byte_of_character(std::string_view query, const char* position) {
    if (!position) return -1;
    long left = std::strtol(position, nullptr, 10) - 1;
    for (std::size_t i = 0; i < query.size(); ++i) {
        if ((static_cast<unsigned char>(query[i]) & 0xC0U) == 0x80U) continue;
        if (left-- == 0) return static_cast<long>(i);
    }
    return -1;
}

Fault only_reads(std::string_view query) {
    return {.code = "E-PARAMETER",
            .message = "a query only reads its database: it begins with select, with or values",
            .label = query_excerpt(query, -1)};
}

/// A value as the server reads it.
std::string text_of(const DatabaseValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

}  // namespace

Result<PostgresServer> PostgresServer::open(const std::string& address, const Run* run) {
    if (!libpq().missing.empty())
        return Fault{.code = "E-FILE",
                     .message = fmt::format("PostgreSQL needs libpq, which cannot be opened: {}", libpq().missing),
                     .hint = "install libpq5 (Debian's name)"};
    PostgresServer out(run, libpq().connect_start(address.c_str()));
    if (!out.connection_) throw std::bad_alloc();
    TRY(out.connect());
    if (libpq().set_client_encoding(out.connection_.get(), "UTF8") != 0) return out.lost();
    for (const char* command : {"set bytea_output = hex", "set extra_float_digits = 1", "set datestyle = iso",
                                "begin transaction isolation level repeatable read read only"}) {
        if (libpq().send_query(out.connection_.get(), command) == 0) return out.lost();
        TRY(out.finish(command));
    }
    return out;
}

Fault PostgresServer::lost() const {
    return {.code = "E-FILE",
            .message = "the database cannot be reached: " + said(libpq().error_message(connection_.get())),
            .hint = "an address is postgresql://user@host:port/database"};
}

Status PostgresServer::connect() const {
    if (libpq().status(connection_.get()) == CONNECTION_BAD) return lost();
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED) return lost();
        TRY(wait(state == PGRES_POLLING_WRITING));
        state = libpq().connect_poll(connection_.get());
    }
    return Done{};
}

Status PostgresServer::wait(bool write) const {
    pollfd socket{libpq().socket(connection_.get()), static_cast<short>(write ? POLLOUT : POLLIN), 0};
    if (socket.fd < 0) return lost();
    while (::poll(&socket, 1, milliseconds_between_looks) <= 0) {
        if (!run_ || !run_->stopped()) continue;
        char reason[256];
        if (PGcancel* const cancel = libpq().get_cancel(connection_.get())) {
            libpq().cancel(cancel, reason, sizeof reason);
            libpq().free_cancel(cancel);
        }
        return stopped_fault();
    }
    return Done{};
}

Result<PostgresResult> PostgresServer::result() const {
    while (libpq().is_busy(connection_.get()) != 0) {
        TRY(wait(false));
        if (libpq().consume_input(connection_.get()) == 0) return lost();
    }
    return PostgresResult(libpq().get_result(connection_.get()), libpq().clear);
}

Fault PostgresServer::fault(const PGresult* result, std::string_view query) const {
    const auto field = [&](int code) { return libpq().error_field(result, code); };
    const char* state = field(PG_DIAG_SQLSTATE);
    const std::string_view code = state ? state : "";
    if (code.empty()) return lost();
    const std::string message = said(field(PG_DIAG_MESSAGE_PRIMARY));
    if (code == "25006") return only_reads(query);  // read_only_sql_transaction
    if (code.starts_with("08") || code.starts_with("57")) return {.code = "E-FILE", .message = "the database ended the query: " + message};
    const char* hint = field(PG_DIAG_MESSAGE_HINT);
    return {.code = "E-PARAMETER",
            .message = "the query is wrong: " + message,
            .label = query_excerpt(query, byte_of_character(query, field(PG_DIAG_STATEMENT_POSITION))),
            .hint = hint ? said(hint) : ""};
}

Status PostgresServer::finish(std::string_view query) const {
    std::optional<Fault> first;
    for (;;) {
        const auto one = TRY(result());
        if (!one) break;
        const auto status = libpq().result_status(one.get());
        if (!first && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) first = fault(one.get(), query);
    }
    if (first) return *std::move(first);
    return Done{};
}

/// What a statement is comes before it runs: one that gives no rows, such as copy, is not run at all.
Status PostgresServer::prepare(const std::string& query, std::size_t parameters) const {
    query_ = query;
    PGconn* const connection = connection_.get();
    if (libpq().send_prepare(connection, "", query.c_str(), 0, nullptr) == 0) return lost();
    TRY(finish(query));
    if (libpq().send_describe(connection, "") == 0) return lost();
    const auto described = TRY(result());
    if (!described || libpq().result_status(described.get()) != PGRES_COMMAND_OK) return fault(described.get(), query);
    const auto wanted = static_cast<std::size_t>(libpq().nparams(described.get()));
    const bool rows = libpq().nfields(described.get()) > 0;
    TRY(finish(query));
    if (!rows) return only_reads(query);
    if (wanted != parameters) return wrong_number_of_parameters(wanted, parameters, "$1, $2, … of the query each take");
    return Done{};
}

Status PostgresServer::start(const std::vector<DatabaseValue>& parameters) const {
    std::vector<std::string> texts;
    std::vector<const char*> values;
    texts.reserve(parameters.size());
    for (const auto& parameter : parameters) {
        const bool missing = std::holds_alternative<std::monostate>(parameter);
        if (!missing) texts.push_back(text_of(parameter));
        values.push_back(missing ? nullptr : texts.back().c_str());
    }
    if (libpq().send_prepared(connection_.get(), "", static_cast<int>(values.size()), values.data(), nullptr, nullptr, 0) == 0)
        return lost();
    libpq().set_single_row_mode(connection_.get());
    return Done{};
}

Result<PostgresResult> PostgresServer::next() const {
    auto one = TRY(result());
    if (!one) return lost();
    const auto status = libpq().result_status(one.get());
    if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) return fault(one.get(), query_);
    return one;
}

Result<std::vector<std::vector<std::string>>> PostgresServer::all(const std::string& query) const {
    TRY(prepare(query, 0));
    TRY(start({}));
    std::vector<std::vector<std::string>> out;
    for (;;) {
        const auto one = TRY(next());
        if (libpq().ntuples(one.get()) == 0) break;
        std::vector<std::string>& row = out.emplace_back();
        for (int c = 0; c < libpq().nfields(one.get()); ++c) row.emplace_back(libpq().value(one.get(), 0, c));
    }
    TRY(finish(query));
    return out;
}

}  // namespace credence::rt
