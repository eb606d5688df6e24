#include "lang/service/highlight.hpp"

#include <algorithm>

#include "lang/syntax/chunk.hpp"
#include "lang/syntax/highlight.hpp"

namespace credence::lang {

namespace {

bool opens(Tok kind) { return is_opener(kind) || kind == Tok::splice_open; }
bool closes(Tok kind) { return is_closer(kind) || kind == Tok::splice_close; }

Paint paint_of(Style style) {
    switch (style) {
        case Style::comment:
            return Paint::comment;
        case Style::keyword:
            return Paint::keyword;
        case Style::query:
            return Paint::query;
        case Style::number:
            return Paint::number;
        case Style::text:
            return Paint::text;
        case Style::name:
        case Style::function:
        case Style::declaration:
            return Paint::name;
        case Style::label:
        case Style::hole:
            return Paint::label;
        case Style::operation:
        case Style::punctuation:
            return Paint::op;
        case Style::bracket:
            return Paint::bracket;
        case Style::problem:
            return Paint::mistake;
    }
    return Paint::name;
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
