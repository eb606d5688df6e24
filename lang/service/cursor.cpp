#include "lang/service/cursor.hpp"

#include <algorithm>

#include "lang/syntax/chunk.hpp"

namespace credence::lang {

namespace {

bool in_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t word_start(std::string_view before) {
    std::size_t at = before.size();
    while (at > 0 && in_word(before[at - 1])) --at;
    return at;
}

/// One statement up to the cursor, read from the left; the stack holds the brackets that are still open.
class StatementReader {
public:
    StatementReader(std::string_view text, const std::vector<Token>& tokens, std::size_t first, std::size_t last)
        : text_(text), tokens_(tokens), first_(first), last_(last) {
        for (std::size_t i = first; i < last; ++i) read(i);
    }

    void describe(Cursor& cursor) const {
        for (auto level = open_.rbegin(); level != open_.rend(); ++level)
            if (level->call) {
                cursor.call = level->call;
                cursor.call->training = training_;
                break;
            }
        cursor.training = training_;
        cursor.place = place(cursor);
    }

private:
    struct Level {
        std::size_t opener = 0;
        std::optional<OpenCall> call;
        std::size_t position = 0;
    };

    Tok kind(std::size_t i) const { return i >= first_ && i < last_ ? tokens_[i].kind : Tok::newline; }
    std::string word(std::size_t i) const {
        auto out = std::string(text_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin));
        return kind(i) == Tok::quoted_name ? out.substr(1, out.size() - 2) : out;
    }
    bool word_at(std::size_t i) const { return i >= first_ && i < last_ && is_word(tokens_[i].kind); }

    void read(std::size_t i) {
        if (kind(i) == Tok::train) training_ = true;
        if (is_opener(kind(i)) || kind(i) == Tok::splice_open) {
            open_.push_back({i, kind(i) == Tok::left_paren ? call_at(i) : std::nullopt});
        } else if (is_closer(kind(i)) || kind(i) == Tok::splice_close) {
            if (!open_.empty()) open_.pop_back();
        } else if (!open_.empty()) {
            Level& level = open_.back();
            if (kind(i) == Tok::comma) {
                ++level.position;
                if (level.call) {
                    ++level.call->position;
                    level.call->parameter.clear();
                }
            } else if (level.call && word_at(i)) {
                const bool first = i == level.opener + 1 || kind(i - 1) == Tok::comma;
                if (first && kind(i + 1) == Tok::colon) {
                    level.call->parameter = word(i);
                    level.call->named.push_back(word(i));
                } else {
                    level.call->words.push_back(word(i));
                }
            }
        }
    }

    std::optional<OpenCall> call_at(std::size_t opener) const {
        if (opener == first_) return std::nullopt;
        const Tok before = kind(opener - 1);
        OpenCall call;
        if (before == Tok::query || before == Tok::expectation) {
            call.query = true;
        } else if (before != Tok::name && before != Tok::quoted_name && !is_contextual(before)) {
            return std::nullopt;
        }
        call.function = word(opener - 1);
        call.member = opener >= first_ + 2 && kind(opener - 2) == Tok::dot;
        call.method = opener >= first_ + 2 && kind(opener - 2) == Tok::by;
        if (opener >= first_ + 2 && kind(opener - 2) == Tok::pipe) call.position = 1;  // x |> f(
        return call;
    }

    /// The variable whose value follows token i: `X =`, `X[2] !=`, `X in`.
    std::string variable_before(std::size_t i) const {
        if (i <= first_) return "";
        std::size_t end = i - 1;
        if (word_at(end)) return word(end);
        if (kind(end) != Tok::right_bracket) return "";
        std::size_t begin = end;
        while (begin > first_ && kind(begin) != Tok::left_bracket) --begin;
        if (begin == first_ || !word_at(begin - 1)) return "";
        std::string out;  // the index as the model names it, without blanks
        for (std::size_t k = begin - 1; k <= end; ++k) out += word(k);
        return out;
    }
    static bool compares(Tok k) {
        return k == Tok::equal || k == Tok::not_equal || k == Tok::equal_equal || k == Tok::in || k == Tok::tilde || k == Tok::likelihood;
    }

    Cursor::Place place(Cursor& cursor) const {
        if (last_ == first_) return Cursor::Place::statement;
        const std::size_t i = last_ - 1;
        const bool in_query = cursor.call && cursor.call->query;
        const auto label_of = [&](std::size_t comparison) {
            cursor.variable = variable_before(comparison);
            return !cursor.variable.empty();
        };
        if (kind(i) == Tok::dot) {
            if (i > first_ && word_at(i - 1) && kind(i - 2) != Tok::dot) cursor.base = word(i - 1);
            return Cursor::Place::member;
        }
        const bool assigns = !in_query && kind(i) == Tok::equal;  // let x =
        if (compares(kind(i)) && !assigns && (kind(i) != Tok::in || in_query) && label_of(i)) return Cursor::Place::label;
        if (!open_.empty()) {
            const std::size_t opener = open_.back().opener;
            const bool item_starts = opener == i || kind(i) == Tok::comma;
            const bool lists = kind(opener) == Tok::left_bracket || kind(opener) == Tok::left_brace;
            if (lists && item_starts && opener > first_) {
                if (compares(kind(opener - 1)) && in_query && label_of(opener - 1)) return Cursor::Place::label;
                if (kind(opener) == Tok::left_bracket && word_at(opener - 1) && !is_reserved(kind(opener - 1))) {
                    cursor.base = word(opener - 1);
                    cursor.position = open_.back().position;
                    return Cursor::Place::index;
                }
            }
        }
        switch (kind(i)) {
            case Tok::set:
                return i == first_ ? Cursor::Place::setting : Cursor::Place::expression;
            case Tok::in:
            case Tok::from:
                return Cursor::Place::model;
            case Tok::train:
                return Cursor::Place::learner;
            case Tok::on:
                return Cursor::Place::data;
            case Tok::by:
                return Cursor::Place::method;
            default:
                break;
        }
        if (i == first_ + 1 && kind(first_) == Tok::set) {
            cursor.base = word(i);
            return Cursor::Place::value;
        }
        return Cursor::Place::expression;
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    std::size_t first_;
    std::size_t last_;
    std::vector<Level> open_;
    bool training_ = false;
};

/// Reads the statement that a name at the end of the text would belong to; false if no statement is possible there.
bool describe(std::string_view before, Cursor& cursor) {
    const std::string text = std::string(before) + "x";
    const Chunks chunks = chunk(text);
    const auto at = static_cast<std::uint32_t>(before.size());
    if (chunks.tokens.empty() || chunks.tokens.back().span.begin != at) return false;
    const auto holds =
        std::find_if(chunks.chunks.rbegin(), chunks.chunks.rend(), [&](const Chunk& c) { return c.last == chunks.tokens.size(); });
    if (holds == chunks.chunks.rend()) return false;
    StatementReader(text, chunks.tokens, holds->first, holds->last - 1).describe(cursor);
    return true;
}

/// The quote of the text that is still open at the end.
std::optional<std::size_t> open_quote(std::string_view before) {
    for (std::size_t quote = before.rfind('"'); quote != std::string_view::npos;
         quote = quote == 0 ? quote : before.rfind('"', quote - 1)) {
        Cursor probe;
        if (describe(before.substr(0, quote), probe)) return quote;  // code up to here: so what follows is text
        if (quote == 0) break;
        // A quote inside a text, or the one that closes it: look further to the left.
        if (before.find('\n', quote) != std::string_view::npos) break;
    }
    return std::nullopt;
}

}  // namespace

Cursor cursor_at(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    Cursor cursor;
    cursor.start = word_start(before);
    cursor.word = std::string(before.substr(cursor.start));
    if (cursor.start > 0 && before[cursor.start - 1] == '\\') {
        --cursor.start;
        cursor.word.insert(cursor.word.begin(), '\\');
        cursor.place = Cursor::Place::escape;
        return cursor;
    }
    if (!cursor.word.empty() && is_digit(cursor.word.front())) {
        cursor.place = Cursor::Place::nowhere;
        return cursor;
    }
    if (describe(before.substr(0, cursor.start), cursor)) return cursor;
    if (const auto quote = open_quote(before)) {
        describe(before.substr(0, *quote), cursor);
        cursor.start = *quote + 1;
        cursor.word = std::string(before.substr(cursor.start));
        cursor.quoted = cursor.place == Cursor::Place::label;
        if (!cursor.quoted) cursor.place = Cursor::Place::text;
        return cursor;
    }
    cursor.place = Cursor::Place::nowhere;
    return cursor;
}

}  // namespace credence::lang
