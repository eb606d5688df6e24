#include "lang/service/highlight.hpp"

#include <algorithm>

#include "lang/syntax/chunk.hpp"
#include "lang/syntax/highlight.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::lang {

namespace {

bool opens(Tok kind) { return is_opener(kind) || kind == Tok::splice_open; }
bool closes(Tok kind) { return is_closer(kind) || kind == Tok::splice_close; }

Paint paint_of(Style style) {
    static constexpr std::pair<Style, Paint> paints[] = {
        {Style::comment, Paint::comment}, {Style::keyword, Paint::keyword}, {Style::query, Paint::query},    {Style::number, Paint::number},
        {Style::text, Paint::text},       {Style::label, Paint::label},     {Style::hole, Paint::label},     {Style::operation, Paint::op},
        {Style::punctuation, Paint::op},  {Style::bracket, Paint::bracket}, {Style::problem, Paint::mistake}};
    return rt::value_for(style, paints, Paint::name);
}

}  // namespace

std::vector<PaintedSpan> highlight(std::string_view text, const Registry& registry) {
    std::vector<PaintedSpan> out;
    for (const auto& [span, style] : highlight(text)) {
        // Members are only names, whatever else has that spelling.
        const bool member = span.begin > 0 && text[span.begin - 1] == '.';
        const bool word = (style == Style::name || style == Style::function) && !member;
        const bool builtin = word && registry.find(text.substr(span.begin, span.end - span.begin));
        out.push_back({span, builtin ? Paint::builtin : paint_of(style)});
    }
    return out;
}

std::optional<std::size_t> matching_bracket(std::string_view text, std::size_t at) {
    const Chunks chunks = chunk(text);
    std::vector<std::size_t> open;
    for (const auto& token : chunks.tokens) {
        if (opens(token.kind)) open.push_back(token.span.begin);
        if (!closes(token.kind) || open.empty()) continue;
        if (token.span.begin == at) return open.back();
        if (open.back() == at) return token.span.begin;
        open.pop_back();
    }
    return std::nullopt;
}

}  // namespace credence::lang
