// Hover: declarations with their documentation, variables with their values, labels with their variables, help on everything else.

#include <algorithm>

#include "lang/cli/lsp/describe.hpp"
#include "lang/cli/lsp/server.hpp"

namespace credence::cli::lsp {

namespace {

using namespace lang;

/// The token at the offset; one that only ends there gives way to one that starts there.
const Token* token_at(const Chunks& chunks, std::size_t offset) {
    const auto after = std::upper_bound(chunks.tokens.begin(), chunks.tokens.end(), offset,
                                        [](std::size_t at, const Token& t) { return at < t.span.begin; });
    for (auto it = after; it != chunks.tokens.begin();) {
        --it;
        if (it->span.begin <= offset && offset <= it->span.end) return &*it;
        if (it->span.end < offset) break;
    }
    return nullptr;
}

Json shown(const Document& document, Span span, std::string markdown) {
    return {{"contents", {{"kind", "markdown"}, {"value", std::move(markdown)}}}, {"range", document.map().range(span)}};
}

}  // namespace

Json hover_json(const Document& document, const Analysis& analysis, std::size_t offset, const Registry& registry) {
    if (const Reference* found = analysis.names().at(offset))
        return shown(document, found->span, description(analysis, analysis.names().definitions[found->definition]));
    const Token* token = token_at(analysis.chunks, offset);
    if (!token) return nullptr;
    std::string word(analysis.source->text(token->span));
    if (word.size() > 2 && word.front() == '`') word = word.substr(1, word.size() - 2);
    const bool member = token != analysis.chunks.tokens.data() && (token - 1)->kind == Tok::dot;
    const bool call = token + 1 != analysis.chunks.tokens.data() + analysis.chunks.tokens.size() && (token + 1)->kind == Tok::left_paren;
    const bool wordlike = is_word(token->kind) || token->kind == Tok::query || token->kind == Tok::expectation ||
                          token->kind == Tok::cell || token->kind == Tok::plus_label || token->kind == Tok::minus_label;
    if (!wordlike) return nullptr;
    const std::string label = label_description(analysis, word);
    const auto help = help_markdown(registry, word);
    // A word in the place of a label is one, though a builtin has its name.
    const bool as_label = !label.empty() && !call && !member && !is_reserved(token->kind);
    if (as_label) return shown(document, token->span, "`" + word + "`: " + label);
    if (help && token->kind != Tok::cell) return shown(document, token->span, *help);
    if (!label.empty()) return shown(document, token->span, "`" + word + "`: " + label);
    return nullptr;
}

}  // namespace credence::cli::lsp
