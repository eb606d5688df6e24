#include "runtime/data/libpq.hpp"

#include "runtime/core/opened_library.hpp"

namespace credence::rt {

namespace {

#ifdef __APPLE__
constexpr const char* library_name = "libpq.5.dylib";
#else
constexpr const char* library_name = "libpq.so.5";
#endif

LibPq opened_library() {
    LibPq out;
    OpenedLibrary library(library_name);
    library.find("PQconnectStart", out.connect_start);
    library.find("PQconnectPoll", out.connect_poll);
    library.find("PQstatus", out.status);
    library.find("PQsocket", out.socket);
    library.find("PQfinish", out.finish);
    library.find("PQerrorMessage", out.error_message);
    library.find("PQsendQuery", out.send_query);
    library.find("PQsendPrepare", out.send_prepare);
    library.find("PQsendDescribePrepared", out.send_describe);
    library.find("PQsendQueryPrepared", out.send_prepared);
    library.find("PQsetSingleRowMode", out.set_single_row_mode);
    library.find("PQconsumeInput", out.consume_input);
    library.find("PQisBusy", out.is_busy);
    library.find("PQgetResult", out.get_result);
    library.find("PQresultStatus", out.result_status);
    library.find("PQresultErrorField", out.error_field);
    library.find("PQclear", out.clear);
    library.find("PQnparams", out.nparams);
    library.find("PQnfields", out.nfields);
    library.find("PQntuples", out.ntuples);
    library.find("PQfname", out.fname);
    library.find("PQftype", out.ftype);
    library.find("PQgetisnull", out.is_null);
    library.find("PQgetvalue", out.value);
    library.find("PQgetlength", out.length);
    library.find("PQsetClientEncoding", out.set_client_encoding);
    library.find("PQgetCancel", out.get_cancel);
    library.find("PQcancel", out.cancel);
    library.find("PQfreeCancel", out.free_cancel);
    out.missing = library.missing();
    return out;
}

}  // namespace

const LibPq& libpq() {
    static const LibPq library = opened_library();
    return library;
}

}  // namespace credence::rt
