#include "runtime/data/libpq.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace credence::rt {

namespace {

#ifdef __APPLE__
constexpr const char* library_name = "libpq.5.dylib";
#else
constexpr const char* library_name = "libpq.so.5";
#endif

LibPq opened_library() {
    LibPq out;
    void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    const auto reason = [] {
        const char* said = dlerror();
        return std::string(said ? said : library_name);
    };
    if (!library) {
        out.missing = reason();
        return out;
    }
    const auto find = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (!function && out.missing.empty()) out.missing = reason();
    };
    find("PQconnectStart", out.connect_start);
    find("PQconnectPoll", out.connect_poll);
    find("PQstatus", out.status);
    find("PQsocket", out.socket);
    find("PQfinish", out.finish);
    find("PQerrorMessage", out.error_message);
    find("PQsendQuery", out.send_query);
    find("PQsendPrepare", out.send_prepare);
    find("PQsendDescribePrepared", out.send_describe);
    find("PQsendQueryPrepared", out.send_prepared);
    find("PQsetSingleRowMode", out.set_single_row_mode);
    find("PQconsumeInput", out.consume_input);
    find("PQisBusy", out.is_busy);
    find("PQgetResult", out.get_result);
    find("PQresultStatus", out.result_status);
    find("PQresultErrorField", out.error_field);
    find("PQclear", out.clear);
    find("PQnparams", out.nparams);
    find("PQnfields", out.nfields);
    find("PQntuples", out.ntuples);
    find("PQfname", out.fname);
    find("PQftype", out.ftype);
    find("PQgetisnull", out.is_null);
    find("PQgetvalue", out.value);
    find("PQgetlength", out.length);
    find("PQsetClientEncoding", out.set_client_encoding);
    find("PQgetCancel", out.get_cancel);
    find("PQcancel", out.cancel);
    find("PQfreeCancel", out.free_cancel);
    return out;
}

}  // namespace

const LibPq& libpq() {
    static const LibPq library = opened_library();
    return library;
}

}  // namespace credence::rt
