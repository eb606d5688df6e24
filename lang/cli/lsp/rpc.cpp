#include "lang/cli/lsp/rpc.hpp"

#include <algorithm>
#include <charconv>

#include "lang/cli/json_depth.hpp"

namespace credence::cli::lsp {

namespace {

constexpr std::size_t largest_message = std::size_t{256} << 20U;
constexpr std::size_t longest_header = 4096;

/// One line of a header without its line end; nothing at the end of the input.
std::optional<std::string> header_line(std::FILE* in) {
    std::string line;
    for (int c = std::getc(in); c != EOF; c = std::getc(in)) {
        if (c == '\n') {
            if (!line.empty() && line.back() == '\r') line.pop_back();
            return line;
        }
        if (line.size() < longest_header) line += static_cast<char>(c);
    }
    return std::nullopt;
}

bool starts_any_case(std::string_view text, std::string_view prefix) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

/// The body of the next message. Lines that are not a header are passed over until one is found; nothing at the end of the input.
std::optional<std::string> next_body(std::FILE* in) {
    std::optional<std::size_t> length;
    for (;;) {
        const auto line = header_line(in);
        if (!line) return std::nullopt;
        constexpr std::string_view key = "content-length:";
        if (starts_any_case(*line, key)) {
            const auto first = line->find_first_not_of(" \t", key.size());
            std::size_t value = 0;
            if (first != std::string::npos && std::from_chars(line->data() + first, line->data() + line->size(), value).ec == std::errc{})
                length = value;
        } else if (line->empty() && length) {
            if (*length > largest_message) {
                for (std::size_t i = 0; i < *length; ++i)
                    if (std::getc(in) == EOF) return std::nullopt;
                length.reset();
                continue;
            }
            std::string body(*length, '\0');
            body.resize(std::fread(body.data(), 1, body.size(), in));
            if (body.size() < *length) return std::nullopt;
            return body;
        }
    }
}

}  // namespace

void send(std::FILE* out, const Json& message) {
    const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::fprintf(out, "Content-Length: %zu\r\n\r\n", body.size());
    std::fwrite(body.data(), 1, body.size(), out);
    std::fflush(out);
}

Json response(const Json& id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

Json error_response(const Json& id, int code, const std::string& message) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

Inbox::Inbox(std::FILE* in) : in_(in), reader_([this] { read_all(); }) {}

Inbox::~Inbox() { reader_.join(); }

void Inbox::read_all() {
    while (auto body = next_body(in_)) {
        Json message = nests_deeply(*body) ? Json() : Json::parse(*body, nullptr, false);
        const std::lock_guard lock(mutex_);
        const bool exits = message.is_object() && message.value("method", Json()) == "exit";
        if (message.is_object() && message.value("method", Json()) == "$/cancelRequest") {
            const Json params = message.value("params", Json());
            if (params.is_object() && params.contains("id")) {
                // Only what still waits can be taken back; an id may come again later.
                const Json& id = params["id"];
                if (std::any_of(waiting_.begin(), waiting_.end(),
                                [&](const Json& m) { return m.is_object() && m.value("id", Json()) == id; }))
                    cancelled_.insert(id.dump(-1, ' ', true, Json::error_handler_t::replace));
            }
            continue;
        }
        waiting_.push_back(std::move(message));
        arrived_.notify_one();
        if (exits) return;  // nothing is read after it, so that the thread can be joined
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    arrived_.notify_one();
}

std::optional<Inbox::Message> Inbox::take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    Message out{std::move(waiting_.front())};
    waiting_.pop_front();
    if (out.body.is_object() && out.body.contains("id"))
        out.cancelled = cancelled_.erase(out.body["id"].dump(-1, ' ', true, Json::error_handler_t::replace)) > 0;
    return out;
}

bool Inbox::empty() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty();
}

}  // namespace credence::cli::lsp
