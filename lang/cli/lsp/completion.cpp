// Completion and signature help: what the REPL offers, in the protocol's words.

#include "lang/service/completion.hpp"

#include <fmt/format.h>

#include "lang/cli/lsp/describe.hpp"
#include "lang/cli/lsp/server.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;
/// The protocol's CompletionItemKind.
int kind_number(Completion::Kind kind) {
    using Kind = Completion::Kind;
    constexpr int text = 1, function = 3, constructor = 4, field = 5, variable = 6, structure = 22, enum_member = 20;
    static constexpr std::pair<Kind, int> numbers[] = {{Kind::name, variable},    {Kind::function, function},
                                                       {Kind::builtin, function}, {Kind::learner, constructor},
                                                       {Kind::model, 7},          {Kind::table, structure},
                                                       {Kind::variable, field},   {Kind::column, field},
                                                       {Kind::parameter, field},  {Kind::label, enum_member},
                                                       {Kind::member, 10},        {Kind::word, 12},
                                                       {Kind::keyword, 14},       {Kind::file, 17}};
    return rt::value_for(kind, numbers, text);
}

std::string folder_of(const Document& document) {
    const std::string path = path_of(document.uri()).value_or("");
    return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

/// The scope of the text as it is; while a statement is half written, what it declared before still counts.
Known known_of(const Document& document, const Analysis& analysis, const Registry& registry, Scope& merged) {
    if (const Analysis* sound = document.sound(); sound && sound != &analysis) {
        merged = sound->session->scope();
        for (const auto& symbol : analysis.session->scope().symbols()) merged.declare(symbol);
        for (const auto& label : analysis.session->scope().labels()) merged.know_label(label);
    } else {
        merged = analysis.session->scope();
    }
    return {.registry = registry, .scope = merged, .folder = folder_of(document)};
}

bool in_comment(const Analysis& analysis, std::size_t offset) {
    for (const Span comment : analysis.chunks.comments)
        if (comment.begin < offset && offset <= comment.end) return true;
    return false;
}

}  // namespace

Json completion_json(const Document& document, const Analysis& analysis, std::size_t offset, const Registry& registry) {
    Json items = Json::array();
    if (in_comment(analysis, offset)) return {{"isIncomplete", false}, {"items", items}};
    Scope merged;
    const auto found = complete(known_of(document, analysis, registry, merged), document.text(), offset);
    const Json range = document.map().range({static_cast<std::uint32_t>(found.start), static_cast<std::uint32_t>(offset)});
    for (std::size_t i = 0; i < found.items.size(); ++i) {
        const auto& item = found.items[i];
        // The likelier come first: editors sort by this text.
        Json one{{"label", item.text},
                 {"kind", kind_number(item.kind)},
                 {"sortText", fmt::format("{:05}", i)},
                 {"textEdit", {{"range", range}, {"newText", item.text}}}};
        if (!item.detail.empty()) one["detail"] = item.detail;
        items.push_back(std::move(one));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json signature_json(const Document& document, const Analysis& analysis, std::size_t offset, const Registry& registry) {
    Scope merged;
    const auto hint = signature_at(known_of(document, analysis, registry, merged), document.text(), offset);
    if (!hint) return nullptr;
    Json signatures = Json::array();
    std::size_t best = hint->forms.size();
    for (std::size_t f = 0; f < hint->forms.size(); ++f) {
        const auto& form = hint->forms[f];
        const TextMap label(form.text);
        Json parameters = Json::array();
        std::size_t from = form.text.find('(');
        for (const auto& p : form.parameters) {
            const std::size_t at = from == std::string::npos ? from : form.text.find(p, from + 1);
            if (at == std::string::npos) {
                parameters.push_back({{"label", p}});
                continue;
            }
            parameters.push_back({{"label", {label.place(at).character, label.place(at + p.size()).character}}});
            from = at + p.size();
        }
        if (best == hint->forms.size() && hint->parameter < form.parameters.size()) best = f;  // the first with room for the argument
        Json one{{"label", form.text}, {"parameters", std::move(parameters)}};
        if (!form.summary.empty()) one["documentation"] = form.summary;
        signatures.push_back(std::move(one));
    }
    return {{"signatures", std::move(signatures)},
            {"activeSignature", best == hint->forms.size() ? 0 : best},
            {"activeParameter", hint->parameter}};
}

}  // namespace credence::cli::lsp
