#pragma once
// The place of a syntax error: the tokens round it, and how a message names them.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "lang/syntax/chunk.hpp"

namespace credence::lang {

class ErrorSite {
protected:
    ErrorSite(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at)
        : text_(text), tokens_(chunks.tokens), chunk_(chunk), at_(at) {}

    /// The source text of the tokens [from, to).
    std::string_view written(std::size_t from, std::size_t to) const {
        return from < to ? text_.substr(tokens_[from].span.begin, tokens_[to - 1].span.end - tokens_[from].span.begin) : "";
    }

    /// From `from` on: the first token outside all brackets that opens there for which `ends` holds, or the bracket that closes.
    template <class Ends>
    std::size_t ahead(std::size_t from, Ends ends) const {
        int depth = 0;
        for (std::size_t i = from; i < chunk_.last; ++i) {
            if (depth == 0 && (ends(tokens_[i].kind) || is_closer(tokens_[i].kind))) return i;
            depth += is_opener(tokens_[i].kind) ? 1 : is_closer(tokens_[i].kind) ? -1 : 0;
        }
        return chunk_.last;
    }

    /// The same backwards from before `to`: where what ends there begins.
    template <class Ends>
    std::size_t back(std::size_t to, Ends ends) const {
        int depth = 0;
        for (std::size_t i = to; i-- > chunk_.first;) {
            if (depth == 0 && (ends(tokens_[i].kind) || is_opener(tokens_[i].kind))) return i + 1;
            depth += is_closer(tokens_[i].kind) ? 1 : is_opener(tokens_[i].kind) ? -1 : 0;
        }
        return chunk_.first;
    }

    bool for_between(std::size_t from) const {
        for (std::size_t i = from; i < at_; ++i)
            if (tokens_[i].kind == Tok::for_) return true;
        return false;
    }

    static bool ends_item(Tok kind) {
        return kind == Tok::comma || kind == Tok::bar || kind == Tok::semicolon || kind == Tok::newline || kind == Tok::and_ ||
               kind == Tok::or_ || kind == Tok::not_ || kind == Tok::expect || kind == Tok::if_ || kind == Tok::then || kind == Tok::else_;
    }
    static bool compares(Tok kind) { return kind >= Tok::equal && kind <= Tok::greater_equal; }

    bool at_end() const { return at_ >= chunk_.last; }
    Tok kind() const { return at_end() ? Tok::newline : tokens_[at_].kind; }
    Tok previous() const { return at_ > chunk_.first ? tokens_[at_ - 1].kind : Tok::newline; }
    Tok next() const { return at_ + 1 < chunk_.last ? tokens_[at_ + 1].kind : Tok::newline; }
    Tok first() const { return tokens_[chunk_.first].kind; }
    std::string_view spelling(std::size_t i) const {
        return text_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin);
    }

    /// A token as it is named in a message.
    std::string shown(std::size_t i) const {
        if (tokens_[i].kind == Tok::newline || tokens_[i].kind == Tok::row_end) return "the end of the line";
        const auto raw = spelling(i);
        const auto kind = tokens_[i].kind;
        const bool speaks = is_word(kind) || kind == Tok::number || kind == Tok::text || kind == Tok::query || kind == Tok::expectation;
        if (raw.size() <= 24 && raw.find('\n') == std::string_view::npos) return speaks ? std::string(raw) : fmt::format("'{}'", raw);
        std::size_t cut = std::min<std::size_t>(20, raw.find('\n'));
        while (cut > 0 && (static_cast<unsigned char>(raw[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
        return std::string(raw.substr(0, cut)) + "…";
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    const Chunk& chunk_;
    std::size_t at_;
};

}  // namespace credence::lang
