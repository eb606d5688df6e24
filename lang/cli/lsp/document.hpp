#pragma once
// An open script: its text as the editor has it, and what the checks know of it. Nothing of it is ever run.

#include <memory>
#include <optional>
#include <string>

#include "lang/cli/lsp/text_map.hpp"
#include "lang/driver/session.hpp"
#include "lang/syntax/chunk.hpp"

namespace credence::cli::lsp {

struct Analysis {
    lang::SourcePtr source;
    lang::Diagnostics diagnostics;
    std::unique_ptr<lang::Session> session;  ///< keeps the scope, what the names mean, and the trees that they are in
    std::shared_ptr<lang::Program> program;
    lang::Chunks chunks;
    const lang::NameTable& names() const { return session->names(); }
};

class Document {
public:
    Document(std::string uri, std::string text, std::int64_t version);

    const std::string& uri() const { return uri_; }
    const TextMap& map() const { return map_; }
    const std::string& text() const { return map_.text(); }
    std::int64_t version() const { return version_; }

    /// Applies a change to a range, or to the whole text if there is no range. False if the change is invalid.
    bool change(const Json& change);
    void set_version(std::int64_t version) { version_ = version; }

    /// The analysis of the current text, made on demand.
    const Analysis& analysis(const lang::Registry& registry, const lang::Settings& settings);
    /// Of the last text that parsed, for what a half-written statement hides; null before there was one.
    const Analysis* sound() const { return sound_.get(); }

private:
    std::string uri_;
    TextMap map_;
    std::int64_t version_ = 0;
    std::shared_ptr<const Analysis> current_;
    std::shared_ptr<const Analysis> sound_;
};

/// "file:///a%20b" as a path; nothing for other schemes.
std::optional<std::string> path_of(const std::string& uri);
std::string uri_of(const std::string& path);

}  // namespace credence::cli::lsp
