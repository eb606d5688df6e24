#include "lang/syntax/highlight.hpp"

#include <algorithm>
#include <optional>

#include "lang/syntax/chunk.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::lang {

namespace {

class Highlighter {
public:
    explicit Highlighter(std::string_view text) : text_(text), chunks_(chunk(text)), tokens_(chunks_.tokens) {}

    std::vector<StyledSpan> run() {
        std::vector<StyledSpan> out;
        std::size_t chunk_at = 0;
        for (at_ = 0; at_ < tokens_.size(); ++at_) {
            while (chunk_at < chunks_.chunks.size() && chunks_.chunks[chunk_at].last <= at_) ++chunk_at;
            first_ = chunk_at < chunks_.chunks.size() ? chunks_.chunks[chunk_at].first : at_;
            follow_brackets();
            const Token& token = tokens_[at_];
            if (token.span.end <= token.span.begin) continue;
            // A quote that is not closed yet: what follows on its line is a text being written.
            if (token.kind == Tok::unknown && text_[token.span.begin] == '"')
                out.push_back({{token.span.begin, static_cast<std::uint32_t>(std::min(text_.find('\n', token.span.begin), text_.size()))},
                               Style::text});
            else if (const auto style = style_of(token.kind))
                out.push_back({token.span, *style});
        }
        for (const Span comment : chunks_.comments) out.push_back({comment, Style::comment});
        std::stable_sort(out.begin(), out.end(), [](const StyledSpan& a, const StyledSpan& b) { return a.span.begin < b.span.begin; });
        // An unclosed text covers what was read in it.
        std::vector<StyledSpan> apart;
        for (const auto& piece : out)
            if (apart.empty() || apart.back().span.end <= piece.span.begin) apart.push_back(piece);
        return apart;
    }

private:
    Tok kind(std::size_t i) const { return i < tokens_.size() ? tokens_[i].kind : Tok::newline; }
    Tok previous() const { return at_ > first_ ? kind(at_ - 1) : Tok::newline; }
    Tok next() const { return kind(at_ + 1); }
    /// The word that opens the statement; `expect error: net …` opens with net.
    Tok opening() const {
        if (kind(first_) != Tok::expect || kind(first_ + 1) != Tok::error) return kind(first_);
        for (std::size_t i = first_ + 2; i < std::min(first_ + 4, tokens_.size()); ++i)
            if (kind(i) == Tok::colon) return kind(i + 1);
        return Tok::expect;
    }

    void follow_brackets() {
        if (at_ == first_) {
            open_.clear();
            queries_ = 0;
            range_ = false;
        }
        if (kind(at_) == Tok::dots) range_ = true;
        if (at_ > first_ && is_opener(kind(at_ - 1))) {
            open_.push_back(at_ >= 2 && (kind(at_ - 2) == Tok::query || kind(at_ - 2) == Tok::expectation));
            queries_ += open_.back() ? 1 : 0;
        }
        if (is_closer(kind(at_)) && !open_.empty()) {
            queries_ -= open_.back() ? 1 : 0;
            open_.pop_back();
        }
    }
    bool in_query() const { return queries_ > 0; }

    /// Any word names a key, a parameter or, in a query, the value of a variable.
    bool is_key() const { return next() == Tok::colon && !open_.empty() && kind(at_) != Tok::else_; }
    bool is_value() const { return previous() == Tok::equal && in_query(); }

    /// The variables of a net and their parents precede a colon too.
    bool is_node() const { return opening() == Tok::net && open_.size() == 1; }

    /// The few words that mean something in one kind of statement only.
    bool means_something() const {
        if (previous() == Tok::dot || next() == Tok::equal || next() == Tok::colon) return false;
        const Tok statement = opening();
        switch (kind(at_)) {
            case Tok::where:
                return statement == Tok::fn && open_.empty();
            case Tok::step:
                return range_;
            case Tok::as:
                return statement == Tok::import;
            case Tok::error:
                return previous() == Tok::expect;
            case Tok::prior:
                return statement == Tok::hypotheses && open_.size() == 1;
            case Tok::case_:
                return statement == Tok::cases && open_.size() == 1;
            case Tok::structure:
            case Tok::function:
                return statement == Tok::cases && open_.size() == 2;
            case Tok::start:
                return (statement == Tok::hmm || statement == Tok::grammar) && open_.size() == 1;
            case Tok::states:
            case Tok::move:
            case Tok::emit:
                return statement == Tok::hmm && open_.size() == 1;
            case Tok::likelihood:
                return in_query() && next() != Tok::left_paren;
            default:
                return false;
        }
    }

    std::optional<Style> word() const {
        if (previous() == Tok::dot) return next() == Tok::left_paren ? Style::function : Style::name;
        if (const auto before = previous(); before == Tok::let || before == Tok::fn || declares_model(before)) return Style::declaration;
        if (is_value() || (is_key() && !is_node())) return Style::label;
        return next() == Tok::left_paren ? Style::function : Style::name;
    }

    std::optional<Style> style_of(Tok token) const {
        if (token == Tok::name || token == Tok::quoted_name) return word();
        if (is_contextual(token)) return means_something() ? Style::keyword : word();
        if (token == Tok::true_ || token == Tok::false_) return Style::label;
        if (is_reserved(token)) return is_key() || is_value() ? Style::label : Style::keyword;
        if (is_opener(token) || is_closer(token) || token == Tok::splice_open || token == Tok::splice_close) return Style::bracket;
        switch (token) {
            case Tok::query:
            case Tok::expectation:
                return Style::query;
            case Tok::number:
                return Style::number;
            case Tok::text:
            case Tok::text_open:
            case Tok::text_run:
            case Tok::text_close:
            case Tok::cell_text:
                return Style::text;
            case Tok::hole:
            case Tok::nothing:
            case Tok::cell_missing:
                return Style::hole;
            case Tok::plus_label:
            case Tok::minus_label:
            case Tok::cell:
                return Style::label;
            case Tok::bad_number:
            case Tok::unknown:
                return Style::problem;
            case Tok::newline:
            case Tok::row_end:
                return std::nullopt;
            case Tok::comma:
            case Tok::semicolon:
            case Tok::colon:
            case Tok::dot:
                return Style::punctuation;
            default:
                return Style::operation;
        }
    }

    std::string_view text_;
    Chunks chunks_;
    const std::vector<Token>& tokens_;
    std::size_t at_ = 0;
    std::size_t first_ = 0;   ///< of the statement
    std::vector<bool> open_;  ///< brackets of the statement; whether each is that of a query
    std::size_t queries_ = 0;
    bool range_ = false;  ///< a .. stood before
};

}  // namespace

std::string_view style_name(Style style) {
    static constexpr auto names =
        std::to_array<std::string_view>({"comment", "keyword", "query", "number", "text", "name", "function", "declaration", "label",
                                         "hole", "operation", "punctuation", "bracket", "problem"});
    static_assert(names.size() == static_cast<std::size_t>(Style::problem) + 1);
    return rt::value_of(style, names);
}

std::vector<StyledSpan> highlight(std::string_view text) { return Highlighter(text).run(); }

}  // namespace credence::lang
