// Diagnostics as the editor shows them, and the fixes that their help names.

#include <algorithm>

#include "lang/cli/lsp/server.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

std::string message_of(const Diagnostic& d) {
    std::string out = d.message;
    if (!d.label.empty()) out += "\n" + d.label;
    for (const auto& help : d.help) out += "\nhelp: " + help;
    return out;
}

/// Errors in an imported file are reported where it is imported.
Span import_of(const Program& program, const std::string& name) {
    for (const auto& statement : program.statements)
        if (const auto* import = std::get_if<ImportStmt>(&statement->node); import && imported_name(*program.source, import->path) == name)
            return import->path_span;
    return {};
}

bool overlaps(Span a, Span b) { return a.begin <= b.end && b.begin <= a.end; }

Json diagnostic_json(const Document& document, const Analysis& analysis, const Diagnostic& d) {
    Json out;
    Span span = d.span;
    std::string text = message_of(d);
    if (d.source != analysis.source) {
        span = d.source ? import_of(*analysis.program, d.source->name()) : Span{};
        if (d.source) text = d.source->name() + ":" + std::to_string(d.source->position(d.span.begin).line) + ": " + text;
    }
    out["range"] = document.map().range(span);
    out["severity"] = d.severity == Severity::error ? 1 : 3;
    if (!d.code.empty()) out["code"] = std::string(d.code.text());
    out["source"] = "credence";
    out["message"] = text;
    return out;
}

/// "did you mean 'pos'?": the word in quotes.
std::optional<std::string> meant(const Diagnostic& d) {
    constexpr std::string_view opening = "did you mean '";
    for (const auto& help : d.help) {
        const auto at = help.find(opening);
        if (at == std::string::npos) continue;
        const auto begin = at + opening.size();
        const auto end = help.find("'?", begin);
        if (end != std::string::npos) return help.substr(begin, end - begin);
    }
    return std::nullopt;
}

}  // namespace

Json diagnostics_json(const Document& document, const Analysis& analysis) {
    Json out = Json::array();
    for (const auto& d : analysis.diagnostics) out.push_back(diagnostic_json(document, analysis, d));
    return out;
}

Json fixes_json(const Document& document, const Analysis& analysis, const Json& range) {
    Place begin;
    Place end;
    if (!range.is_object() || !TextMap::read(range.value("start", Json()), begin) || !TextMap::read(range.value("end", Json()), end))
        throw Refusal{invalid_params, "range needs start and end"};
    const Span wanted{static_cast<std::uint32_t>(document.map().offset(begin)), static_cast<std::uint32_t>(document.map().offset(end))};
    Json out = Json::array();
    for (const auto& d : analysis.diagnostics) {
        const auto word = meant(d);
        if (!word || d.source != analysis.source || !overlaps(wanted, d.span)) continue;
        Json edit = {{"range", document.map().range(d.span)}, {"newText", *word}};
        out.push_back({{"title", "Change to '" + *word + "'"},
                       {"kind", "quickfix"},
                       {"isPreferred", true},
                       {"diagnostics", Json::array({diagnostic_json(document, analysis, d)})},
                       {"edit", {{"changes", {{document.uri(), Json::array({std::move(edit)})}}}}}});
    }
    return out;
}

}  // namespace credence::cli::lsp
