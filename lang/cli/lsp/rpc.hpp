#pragma once
// Messages of the base protocol: a header with Content-Length, a blank line, JSON.

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

namespace credence::cli::lsp {

using Json = nlohmann::json;

enum ErrorCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    not_initialized = -32002,
    request_cancelled = -32800,
    request_failed = -32803,
};

void send(std::FILE* out, const Json& message);
Json response(const Json& id, Json result);
Json error_response(const Json& id, int code, const std::string& message);

/// Reads on a thread of its own, so that a cancellation is seen while the request still waits.
class Inbox {
public:
    explicit Inbox(std::FILE* in);
    ~Inbox();
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    struct Message {
        Json body;               ///< discarded (is_discarded) when it was no JSON
        bool cancelled = false;  ///< a request that was taken back before its turn
    };
    /// Waits for the next; nothing at the end of the input.
    std::optional<Message> take();
    bool empty();

private:
    void read_all();
    std::FILE* in_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Json> waiting_;
    std::set<std::string> cancelled_;  ///< ids as JSON text
    bool ended_ = false;
    std::thread reader_;
};

}  // namespace credence::cli::lsp
