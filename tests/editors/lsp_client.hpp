#pragma once
// The other end of the language server's protocol.

#include <algorithm>
#include <deque>

#include <nlohmann/json.hpp>

#include "tests/editors/program.hpp"

namespace credence::test {

using Json = nlohmann::json;

class LspClient {
public:
    explicit LspClient(std::vector<std::string> arguments = {"lsp"}) : program(std::move(arguments)) {}

    void raw(const std::string& body) const { program.write("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body); }
    void notify(const std::string& method, const Json& params) const {
        raw(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
    }
    int request(const std::string& method, const Json& params) {
        raw(Json{{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}}.dump());
        return last_id_;
    }
    Json message() {
        std::size_t length = 0;
        for (std::string line = program.line(); line != "\r"; line = program.line())
            if (line.rfind("Content-Length:", 0) == 0) length = std::stoul(line.substr(15));
        return Json::parse(program.bytes(length));
    }
    /// The answer to a request; notices on the way are kept.
    Json answer(const Json& id) {
        for (;;) {
            Json got = message();
            if (got.contains("id") && got["id"] == id) return got;
            notices.push_back(std::move(got));
        }
    }
    Json ask(const std::string& method, const Json& params) { return answer(request(method, params)); }
    Json result(const std::string& method, const Json& params) { return ask(method, params).at("result"); }

    void start() {
        ask("initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", Json::object()}});
        notify("initialized", Json::object());
    }
    /// Opens a text and returns its diagnostics.
    Json open(const std::string& text, const std::string& uri = "file:///tmp/x.cred") {
        notify("textDocument/didOpen", {{"textDocument", {{"uri", uri}, {"languageId", "credence"}, {"version", 1}, {"text", text}}}});
        return diagnostics(uri);
    }
    Json diagnostics(const std::string& uri = "file:///tmp/x.cred") {
        for (;;) {
            if (notices.empty()) notices.push_back(message());
            Json notice = std::move(notices.front());
            notices.pop_front();
            if (notice.value("method", "") == "textDocument/publishDiagnostics" && notice["params"]["uri"] == uri)
                return notice["params"]["diagnostics"];
        }
    }
    void change(const Json& range, const std::string& text, int version, const std::string& uri = "file:///tmp/x.cred") const {
        Json change{{"text", text}};
        if (!range.is_null()) change["range"] = range;
        notify("textDocument/didChange",
               {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", Json::array({change})}});
    }

    Piped program;
    std::deque<Json> notices;

private:
    int last_id_ = 0;
};

inline Json place(int line, int character) { return {{"line", line}, {"character", character}}; }
inline Json range(int line, int from, int to) { return {{"start", place(line, from)}, {"end", place(line, to)}}; }
inline Json at(int line, int character, const std::string& uri = "file:///tmp/x.cred") {
    return {{"textDocument", {{"uri", uri}}}, {"position", place(line, character)}};
}

/// What an editor makes of edits: applied from the last to the first. ASCII lines only.
inline std::string applied(std::string text, Json edits) {
    const auto offset = [&](const Json& position) {
        std::size_t at_line = 0;
        for (int line = 0; line < position["line"].get<int>(); ++line) at_line = text.find('\n', at_line) + 1;
        return at_line + position["character"].get<std::size_t>();
    };
    std::vector<Json> all(edits.begin(), edits.end());
    std::sort(all.begin(), all.end(),
              [&](const Json& a, const Json& b) { return offset(a["range"]["start"]) > offset(b["range"]["start"]); });
    for (const auto& edit : all) {
        const auto begin = offset(edit["range"]["start"]);
        text.replace(begin, offset(edit["range"]["end"]) - begin, edit["newText"].get<std::string>());
    }
    return text;
}

}  // namespace credence::test
