#pragma once
// PostgreSQL's client library, opened when the first server is asked: linked, it and the libraries behind it would cost every start.

#include <libpq-fe.h>

#include <string>

namespace credence::rt {

/// The functions needed.
struct LibPq {
    decltype(&::PQconnectStart) connect_start = nullptr;
    decltype(&::PQconnectPoll) connect_poll = nullptr;
    decltype(&::PQstatus) status = nullptr;
    decltype(&::PQsocket) socket = nullptr;
    decltype(&::PQfinish) finish = nullptr;
    decltype(&::PQerrorMessage) error_message = nullptr;
    decltype(&::PQsendQuery) send_query = nullptr;
    decltype(&::PQsendPrepare) send_prepare = nullptr;
    decltype(&::PQsendDescribePrepared) send_describe = nullptr;
    decltype(&::PQsendQueryPrepared) send_prepared = nullptr;
    decltype(&::PQsetSingleRowMode) set_single_row_mode = nullptr;
    decltype(&::PQconsumeInput) consume_input = nullptr;
    decltype(&::PQisBusy) is_busy = nullptr;
    decltype(&::PQgetResult) get_result = nullptr;
    decltype(&::PQresultStatus) result_status = nullptr;
    decltype(&::PQresultErrorField) error_field = nullptr;
    decltype(&::PQclear) clear = nullptr;
    decltype(&::PQnparams) nparams = nullptr;
    decltype(&::PQnfields) nfields = nullptr;
    decltype(&::PQntuples) ntuples = nullptr;
    decltype(&::PQfname) fname = nullptr;
    decltype(&::PQftype) ftype = nullptr;
    decltype(&::PQgetisnull) is_null = nullptr;
    decltype(&::PQgetvalue) value = nullptr;
    decltype(&::PQgetlength) length = nullptr;
    decltype(&::PQsetClientEncoding) set_client_encoding = nullptr;
    decltype(&::PQgetCancel) get_cancel = nullptr;
    decltype(&::PQcancel) cancel = nullptr;
    decltype(&::PQfreeCancel) free_cancel = nullptr;
    std::string missing = {};  ///< why it cannot be used, in the words of the loader
};

const LibPq& libpq();

}  // namespace credence::rt
