#include "lang/cli/lsp/server.hpp"

#include "lang/cli/options.hpp"

namespace credence::cli::lsp {

Server::Server(const lang::Registry& registry, const lang::Settings& settings, std::FILE* in, std::FILE* out)
    : registry_(registry), settings_(settings), out_(out), inbox_(in) {}

int Server::run() {
    while (auto message = inbox_.take()) {
        if (message->body.is_object() && message->body.value("method", Json()) == "exit") return shut_down_ ? fine : failed;
        handle(message->body, message->cancelled);
        if (inbox_.empty()) publish_waiting();  // while more is coming, what is known now is old already
    }
    return shut_down_ ? fine : failed;
}

void Server::handle(const Json& message, bool cancelled) {
    if (message.is_discarded()) return send(out_, error_response(nullptr, parse_error, "this is not JSON"));
    if (!message.is_object()) return send(out_, error_response(nullptr, invalid_request, "a message is an object"));
    const auto id = message.find("id");
    const bool request = id != message.end();
    const auto method = message.find("method");
    if (method == message.end() || !method->is_string()) {
        // An answer to something of ours needs no answer.
        if (request && !message.contains("result") && !message.contains("error"))
            send(out_, error_response(*id, invalid_request, "there is no method"));
        return;
    }
    const Json params = message.value("params", Json::object());
    if (!request) {
        try {
            notice(method->get<std::string>(), params);
        } catch (const Refusal&) {
        } catch (const std::exception&) {}
        return;
    }
    if (cancelled) return send(out_, error_response(*id, request_cancelled, "cancelled"));
    try {
        send(out_, response(*id, answer(method->get<std::string>(), params)));
    } catch (const Refusal& refusal) {
        send(out_, error_response(*id, refusal.code, refusal.message));
    } catch (const std::exception& error) { send(out_, error_response(*id, internal_error, error.what())); }
}

Json Server::answer(const std::string& method, const Json& params) {
    static const std::map<std::string, Handler> handlers{
        {"textDocument/completion", &Server::completion},        {"textDocument/hover", &Server::hover},
        {"textDocument/signatureHelp", &Server::signature_help}, {"textDocument/definition", &Server::definition},
        {"textDocument/references", &Server::references},        {"textDocument/documentHighlight", &Server::document_highlight},
        {"textDocument/prepareRename", &Server::prepare_rename}, {"textDocument/rename", &Server::rename},
        {"textDocument/formatting", &Server::formatting},        {"textDocument/documentSymbol", &Server::document_symbols},
        {"textDocument/foldingRange", &Server::folding},         {"textDocument/semanticTokens/full", &Server::semantic_tokens},
        {"textDocument/codeAction", &Server::code_actions},
    };
    if (shut_down_) throw Refusal{invalid_request, "the server has been shut down"};
    if (method == "initialize") {
        if (initialized_) throw Refusal{invalid_request, "initialized already"};
        initialized_ = true;
        return initialize();
    }
    if (!initialized_) throw Refusal{not_initialized, "not initialized yet"};
    if (method == "shutdown") {
        shut_down_ = true;
        return nullptr;
    }
    const auto handler = handlers.find(method);
    if (handler == handlers.end()) throw Refusal{method_not_found, "there is no method " + method};
    return (this->*handler->second)(params);
}

Json Server::initialize() const {
    Json can;
    can["positionEncoding"] = "utf-16";
    can["textDocumentSync"] = {{"openClose", true}, {"change", 2}, {"save", false}};
    can["completionProvider"] = {{"triggerCharacters", {"(", "=", ".", ":", ",", "|", " "}}};
    can["hoverProvider"] = true;
    can["signatureHelpProvider"] = {{"triggerCharacters", {"(", ","}}, {"retriggerCharacters", {":"}}};
    can["definitionProvider"] = true;
    can["referencesProvider"] = true;
    can["documentHighlightProvider"] = true;
    can["renameProvider"] = {{"prepareProvider", true}};
    can["documentFormattingProvider"] = true;
    can["documentSymbolProvider"] = true;
    can["foldingRangeProvider"] = true;
    can["codeActionProvider"] = {{"codeActionKinds", {"quickfix"}}};
    can["semanticTokensProvider"] = {{"legend", semantic_legend_json()}, {"full", true}};
    return {{"capabilities", std::move(can)}, {"serverInfo", {{"name", "credence"}, {"version", version_number()}}}};
}

void Server::notice(const std::string& method, const Json& params) {
    if (!initialized_ || shut_down_ || !params.is_object()) return;
    const Json about = params.value("textDocument", Json::object());
    if (!about.is_object()) return;
    const auto uri = about.find("uri");
    if (uri == about.end() || !uri->is_string()) return;
    const auto version = about.find("version");
    const std::int64_t number = version != about.end() && version->is_number_integer() ? version->get<std::int64_t>() : 0;
    if (method == "textDocument/didOpen") {
        const auto text = about.find("text");
        if (text == about.end() || !text->is_string()) return;
        documents_.insert_or_assign(uri->get<std::string>(), Document(uri->get<std::string>(), text->get<std::string>(), number));
        unpublished_.insert(uri->get<std::string>());
    } else if (method == "textDocument/didChange") {
        const auto document = documents_.find(uri->get<std::string>());
        const auto changes = params.find("contentChanges");
        if (document == documents_.end() || changes == params.end() || !changes->is_array()) return;
        for (const auto& change : *changes) document->second.change(change);
        document->second.set_version(number);
        unpublished_.insert(uri->get<std::string>());
    } else if (method == "textDocument/didClose") {
        if (documents_.erase(uri->get<std::string>()) == 0) return;
        unpublished_.erase(uri->get<std::string>());
        send(out_, {{"jsonrpc", "2.0"},
                    {"method", "textDocument/publishDiagnostics"},
                    {"params", {{"uri", *uri}, {"diagnostics", Json::array()}}}});
    }
}

void Server::publish_waiting() {
    for (const auto& uri : std::exchange(unpublished_, {}))
        if (const auto document = documents_.find(uri); document != documents_.end()) publish(document->second);
}

void Server::publish(Document& document) {
    Json found = Json::array();
    try {
        found = diagnostics_json(document, analysis_of(document));
    } catch (const std::exception&) { return; }
    send(out_, {{"jsonrpc", "2.0"},
                {"method", "textDocument/publishDiagnostics"},
                {"params", {{"uri", document.uri()}, {"version", document.version()}, {"diagnostics", std::move(found)}}}});
}

Document& Server::document_of(const Json& params) {
    const Json about = params.is_object() ? params.value("textDocument", Json::object()) : Json::object();
    const auto uri = about.is_object() ? about.find("uri") : about.end();
    if (uri == about.end() || !uri->is_string()) throw Refusal{invalid_params, "textDocument.uri is missing"};
    const auto found = documents_.find(uri->get<std::string>());
    if (found == documents_.end()) throw Refusal{invalid_params, "this document is not open"};
    return found->second;
}

std::size_t Server::offset_of(const Document& document, const Json& params) const {
    Place place;
    if (!params.contains("position") || !TextMap::read(params["position"], place))
        throw Refusal{invalid_params, "position needs line and character"};
    return document.map().offset(place);
}

Json Server::completion(const Json& params) {
    Document& document = document_of(params);
    return completion_json(document, analysis_of(document), offset_of(document, params), registry_);
}

Json Server::hover(const Json& params) {
    Document& document = document_of(params);
    return hover_json(document, analysis_of(document), offset_of(document, params), registry_);
}

Json Server::signature_help(const Json& params) {
    Document& document = document_of(params);
    return signature_json(document, analysis_of(document), offset_of(document, params), registry_);
}

Json Server::definition(const Json& params) {
    Document& document = document_of(params);
    return definition_json(document, analysis_of(document), offset_of(document, params));
}

Json Server::references(const Json& params) {
    Document& document = document_of(params);
    const Analysis& analysis = analysis_of(document);
    const lang::NameTable& names = analysis.names();
    const lang::Reference* found = names.at(offset_of(document, params));
    if (!found) return Json::array();
    const Json context = params.value("context", Json::object());
    const bool with_declaration = context.is_object() && context.value("includeDeclaration", Json(true)) == true;
    Json out = Json::array();
    for (const auto span : names.places(found->definition)) {
        bool declaration = false;
        for (std::size_t d = 0; d < names.definitions.size(); ++d) {
            const lang::Definition& one = names.definitions[d];
            declaration = declaration || (names.same(d, found->definition) && !one.source && one.declared == span);
        }
        if (declaration && !with_declaration) continue;
        out.push_back({{"uri", document.uri()}, {"range", document.map().range(span)}});
    }
    return out;
}

Json Server::document_highlight(const Json& params) {
    Document& document = document_of(params);
    const Analysis& analysis = analysis_of(document);
    Json out = Json::array();
    if (const lang::Reference* found = analysis.names().at(offset_of(document, params)))
        for (const auto span : analysis.names().places(found->definition)) out.push_back({{"range", document.map().range(span)}});
    return out;
}

Json Server::prepare_rename(const Json& params) {
    Document& document = document_of(params);
    return rename_range_json(document, analysis_of(document), offset_of(document, params));
}

Json Server::rename(const Json& params) {
    Document& document = document_of(params);
    const Json name = params.value("newName", Json());
    if (!name.is_string()) throw Refusal{invalid_params, "newName is missing"};
    return rename_json(document, analysis_of(document), offset_of(document, params), name.get<std::string>());
}

Json Server::formatting(const Json& params) { return format_json(document_of(params)); }

Json Server::document_symbols(const Json& params) {
    Document& document = document_of(params);
    return symbols_json(document, analysis_of(document));
}

Json Server::folding(const Json& params) {
    Document& document = document_of(params);
    return folding_json(document, analysis_of(document));
}

Json Server::semantic_tokens(const Json& params) { return semantic_tokens_json(document_of(params)); }

Json Server::code_actions(const Json& params) {
    Document& document = document_of(params);
    return fixes_json(document, analysis_of(document), params.value("range", Json()));
}

}  // namespace credence::cli::lsp

namespace credence::cli {

int language_server(const lang::Registry& registry, const Options& options) {
    return lsp::Server(registry, options.settings, stdin, stdout).run();
}

}  // namespace credence::cli
