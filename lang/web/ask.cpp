// The one function that the page calls: a request and its reply, both JSON. Events of a run go out while it runs.
//
//   {"op": "run", "name": "script.cred", "code": "…", "folder": "/files"} → {"ok": true, "met": 2, "failed": 0}
//   {"op": "explain", "query": "P(A | B)"}, {"op": "report", …as run}, {"op": "info"}
//   {"op": "open", "code": "…", "folder": "/files"} → {"result": pieces to colour}; then about this text
//   {"op": "diagnostics" | "statements" | "format"}, {"op": "complete" | "hover" | "signature", "position": {"line": 0, "character": 5}}

#include <emscripten.h>

#include <cstdlib>
#include <cstring>

#include "lang/cli/json_depth.hpp"
#include "lang/web/runner.hpp"
#include "lang/web/service.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::web {

namespace {

// clang-format off
EM_JS(void, credence_tell, (const char* event, int size), { Module.onEvent(UTF8ToString(event, size)); });
// clang-format on

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void send(const Json& event) {
    const std::string text = dumped(event);
    credence_tell(text.data(), static_cast<int>(text.size()));
}

class Page {
public:
    Json reply(const Json& request) {
        const auto text = [&](const char* key) { return request.at(key).get<std::string>(); };
        const std::string op = text("op");
        if (op == "run") return runner_.run(text("name"), text("code"), text("folder"));
        if (op == "explain") return runner_.explain(text("query"));
        if (op == "report") return {{"result", runner_.report(text("name"), text("code"), text("folder"))}};
        if (op == "info") return {{"version", CREDENCE_VERSION}, {"styles", style_names()}};
        if (op == "open") return {{"result", service_.open(text("folder"), text("code"))}};
        if (op == "diagnostics") return {{"result", service_.diagnostics()}};
        if (op == "statements") return {{"result", service_.statements()}};
        if (op == "format") return {{"result", service_.format()}};
        if (op == "complete") return {{"result", service_.complete(request.at("position"))}};
        if (op == "hover") return {{"result", service_.hover(request.at("position"))}};
        if (op == "signature") return {{"result", service_.signature(request.at("position"))}};
        return {{"error", "there is no operation " + op}};
    }

private:
    lang::Registry registry_ = std_::make_registry();
    Runner runner_{registry_, send};
    Service service_{registry_};
};

Json answer(const char* request) {
    static Page page;
    try {
        if (cli::nests_deeply(request)) return {{"error", "the request is nested too deeply"}};
        return page.reply(Json::parse(request));
    } catch (const cli::lsp::Refusal& refusal) { return {{"error", refusal.message}}; } catch (const std::exception& error) {
        return {{"error", error.what()}};
    }
}

}  // namespace

}  // namespace credence::web

extern "C" {

/// The caller frees the reply.
EMSCRIPTEN_KEEPALIVE char* credence_ask(const char* request) {
    return strdup(credence::web::dumped(credence::web::answer(request)).c_str());
}
}
