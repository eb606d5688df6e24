#pragma once
// What the editor of the page asks about a text: the answers of the language server, about one document.

#include <optional>
#include <string>

#include "lang/cli/lsp/server.hpp"

namespace credence::web {

using Json = nlohmann::json;

class Service {
public:
    explicit Service(const lang::Registry& registry) : registry_(registry) {}

    /// Takes the text; the pieces to colour, as begin, end (in UTF-16 code units of the text) and style, one after the other.
    Json open(const std::string& folder, const std::string& text);
    Json diagnostics();
    /// Where the statements end: lines, counted from 1.
    Json statements();
    Json complete(const Json& position);
    Json hover(const Json& position);
    Json signature(const Json& position);
    Json format() const;  ///< throws lsp::Refusal

private:
    std::size_t offset_of(const Json& position) const;
    const cli::lsp::Analysis& analysis() { return document_.analysis(registry_, {}); }

    const lang::Registry& registry_;
    cli::lsp::Document document_{"file:///script.cred", "", 0};
};

/// Names of the styles that `open` counts.
Json style_names();

}  // namespace credence::web
