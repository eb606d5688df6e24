#pragma once
// The language server: requests in, answers out.

#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "lang/builtin/registry.hpp"
#include "lang/cli/lsp/document.hpp"
#include "lang/cli/lsp/rpc.hpp"

namespace credence::cli::lsp {

/// An answer that is an error of the protocol.
struct Refusal {
    int code = request_failed;
    std::string message;
};

class Server {
public:
    Server(const lang::Registry& registry, const lang::Settings& settings, std::FILE* in, std::FILE* out);
    /// Until `exit` or the end of the input; the exit status of the program.
    int run();

private:
    using Handler = Json (Server::*)(const Json& params);
    void handle(const Json& message, bool cancelled);
    Json answer(const std::string& method, const Json& params);
    void notice(const std::string& method, const Json& params);
    void publish(Document& document);
    void publish_waiting();

    Json initialize() const;
    Json completion(const Json& params);
    Json hover(const Json& params);
    Json signature_help(const Json& params);
    Json definition(const Json& params);
    Json references(const Json& params);
    Json document_highlight(const Json& params);
    Json prepare_rename(const Json& params);
    Json rename(const Json& params);
    Json formatting(const Json& params);
    Json document_symbols(const Json& params);
    Json folding(const Json& params);
    Json semantic_tokens(const Json& params);
    Json code_actions(const Json& params);

    Document& document_of(const Json& params);  ///< throws Refusal
    const Analysis& analysis_of(Document& document) { return document.analysis(registry_, settings_); }
    /// The place of a request in its document, as an offset; throws Refusal.
    std::size_t offset_of(const Document& document, const Json& params) const;

    const lang::Registry& registry_;
    lang::Settings settings_;
    std::FILE* out_;
    std::map<std::string, Document> documents_;
    std::set<std::string> unpublished_;  ///< changed since their diagnostics were sent
    bool initialized_ = false;
    bool shut_down_ = false;
    Inbox inbox_;
};

// The features, each in a file of its own; offsets are bytes of the document's text.
Json diagnostics_json(const Document& document, const Analysis& analysis);
Json hover_json(const Document& document, const Analysis& analysis, std::size_t offset, const lang::Registry& registry);
Json completion_json(const Document& document, const Analysis& analysis, std::size_t offset, const lang::Registry& registry);
Json signature_json(const Document& document, const Analysis& analysis, std::size_t offset, const lang::Registry& registry);
Json symbols_json(const Document& document, const Analysis& analysis);
Json folding_json(const Document& document, const Analysis& analysis);
Json semantic_tokens_json(const Document& document);
Json semantic_legend_json();
Json rename_json(const Document& document, const Analysis& analysis, std::size_t offset, const std::string& name);  ///< throws Refusal
Json rename_range_json(const Document& document, const Analysis& analysis, std::size_t offset);                     ///< throws Refusal
Json definition_json(const Document& document, const Analysis& analysis, std::size_t offset);
Json format_json(const Document& document);  ///< throws Refusal
Json fixes_json(const Document& document, const Analysis& analysis, const Json& range);

}  // namespace credence::cli::lsp
