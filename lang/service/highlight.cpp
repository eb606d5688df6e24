#include "lang/service/highlight.hpp"

#include <algorithm>

#include "lang/syntax/chunk.hpp"

namespace credence::lang {

namespace {

bool opens(Tok kind) { return is_opener(kind) || kind == Tok::splice_open; }
bool closes(Tok kind) { return is_closer(kind) || kind == Tok::splice_close; }

/// A word with a meaning in one place only is a keyword there: after an operand (`1..9 step 2`), or before a block (`states {`).
bool contextual_keyword(const std::vector<Token>& tokens, std::size_t i) {
    const bool after_operand = i > 0 && ends_operand(tokens[i - 1].kind);
    const bool before_block = i + 1 < tokens.size() && (tokens[i + 1].kind == Tok::left_brace || tokens[i + 1].kind == Tok::text);
    return after_operand || before_block;
}

Paint paint_of(const std::vector<Token>& tokens, std::size_t i, std::string_view text, const Registry& registry) {
    const Tok kind = tokens[i].kind;
    const auto word = text.substr(tokens[i].span.begin, tokens[i].span.end - tokens[i].span.begin);
    const auto next = i + 1 < tokens.size() ? tokens[i + 1].kind : Tok::newline;
    if (opens(kind) || closes(kind)) return Paint::bracket;
    if (kind == Tok::true_ || kind == Tok::false_) return Paint::label;
    if (is_reserved(kind)) return i > 0 && tokens[i - 1].kind == Tok::dot ? Paint::name : Paint::keyword;
    if (is_contextual(kind)) return contextual_keyword(tokens, i) ? Paint::keyword : Paint::name;
    switch (kind) {
        case Tok::query:
        case Tok::expectation:
            return Paint::query;
        case Tok::name:
            // Members, keys and parameters are only names, whatever else is spelled so.
            if ((i > 0 && tokens[i - 1].kind == Tok::dot) || next == Tok::colon) return Paint::name;
            return registry.find(word) ? Paint::builtin : Paint::name;
        case Tok::quoted_name:
            return Paint::name;
        case Tok::number:
            return Paint::number;
        case Tok::text:
        case Tok::text_open:
        case Tok::text_run:
        case Tok::text_close:
        case Tok::cell_text:
            return Paint::text;
        case Tok::hole:
        case Tok::nothing:
        case Tok::plus_label:
        case Tok::minus_label:
        case Tok::cell:
        case Tok::cell_missing:
            return Paint::label;
        case Tok::bad_number:
        case Tok::unknown:
            return Paint::mistake;
        default:
            return Paint::op;
    }
}

}  // namespace

std::vector<PaintedSpan> highlight(std::string_view text, const Registry& registry) {
    const Chunks chunks = chunk(text);
    std::vector<PaintedSpan> out;
    for (const auto& comment : chunks.comments) out.push_back({comment, Paint::comment});
    for (std::size_t i = 0; i < chunks.tokens.size(); ++i) {
        const Token& token = chunks.tokens[i];
        if (token.kind == Tok::newline || token.kind == Tok::row_end) continue;
        PaintedSpan span{token.span, paint_of(chunks.tokens, i, text, registry)};
        // A quote that is not closed yet: what follows on its line is a text being written.
        if (token.kind == Tok::unknown && text[token.span.begin] == '"') {
            span.paint = Paint::text;
            span.span.end = static_cast<std::uint32_t>(std::min(text.find('\n', token.span.begin), text.size()));
        }
        out.push_back(span);
    }
    std::sort(out.begin(), out.end(), [](const PaintedSpan& a, const PaintedSpan& b) { return a.span.begin < b.span.begin; });
    std::uint32_t end = 0;
    std::erase_if(out, [&](const PaintedSpan& s) {  // an unclosed text covers what was read in it
        const bool covered = s.span.begin < end;
        end = std::max(end, s.span.end);
        return covered || s.span.begin == s.span.end;
    });
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
