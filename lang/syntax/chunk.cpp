#include "lang/syntax/chunk.hpp"

#include <algorithm>
#include <utility>

#include "lang/syntax/scan.hpp"

namespace credence::lang {

namespace {

enum class Inside { paren, bracket, brace, angle, splice, table };

struct Open {
    Inside inside{};
    std::uint32_t at = 0;     ///< the opening bracket
    std::uint32_t line = 0;   ///< where its line begins
    std::uint32_t quote = 0;  ///< of a splice: where its text begins
};

char closing(Inside inside) {
    switch (inside) {
        case Inside::paren:
            return ')';
        case Inside::bracket:
            return ']';
        case Inside::angle:
            return '>';
        case Inside::brace:
        case Inside::splice:
        case Inside::table:
            return '}';
    }
    return '}';
}

class Chunker {
public:
    explicit Chunker(std::string_view text) : text_(text) {}

    Chunks run() {
        find_bad_bytes();
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        for (;;) {
            const auto line_start = skip_trivia();
            if (at_ >= text_.size()) break;
            if (line_start) line_end(*line_start);
            if (!open_.empty() && open_.back().inside == Inside::table) {
                cell();
            } else {
                token();
            }
        }
        finish();
        return std::move(out_);
    }

private:
    // --- output -------------------------------------------------------------------------------------------------

    void emit(Tok kind, std::size_t length) {
        emit(kind, at_, at_ + length);
        at_ += length;
    }
    void emit(Tok kind, std::size_t begin, std::size_t end) {
        // A word of the step/where kind after an operand is a keyword: what follows it is in operand position.
        const bool infix = operand_ && (kind == Tok::step || kind == Tok::where || kind == Tok::as || kind == Tok::likelihood);
        const bool setting = last() == Tok::set && out_.tokens.size() == first_ + 1;  // `set seed -3`
        operand_ = ends_operand(kind) && !infix && !setting;
        out_.tokens.push_back({kind, span(begin, end)});
    }
    static Span span(std::size_t begin, std::size_t end) { return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}; }

    /// The last token of this statement; newline when there is none.
    Tok last(std::size_t back = 1) const {
        return out_.tokens.size() < first_ + back ? Tok::newline : out_.tokens[out_.tokens.size() - back].kind;
    }
    void end_chunk() {
        if (out_.tokens.size() > first_) out_.chunks.push_back({first_, out_.tokens.size(), broken_ || holds_bad_byte()});
        first_ = out_.tokens.size();
        broken_ = operand_ = false;
        suspect_.reset();
    }
    void report(Diagnostic problem) {  // the first of a statement
        if (!broken_ && out_.problems.size() <= max_problems) out_.problems.push_back(std::move(problem));
        broken_ = true;
    }

    // --- bytes that are not text -----------------------------------------------------------------------------------

    void find_bad_bytes() {
        for (auto bad = find_bad_byte(text_, 0); bad && bad_bytes_.size() <= max_problems;) {
            const bool nul = text_[*bad] == '\0';
            bad_bytes_.push_back(*bad);
            out_.problems.push_back({.code = "E-TEXT",
                                     .message = nul ? "a NUL byte in the script" : "not valid UTF-8",
                                     .source = nullptr,
                                     .span = span(*bad, *bad + 1),
                                     .label = nul ? "this byte is 0" : "this byte is not part of a character",
                                     .help = {"scripts are UTF-8 text; save the file in that encoding"}});
            const auto next_line = text_.find('\n', *bad);  // one report a line
            bad = next_line == std::string_view::npos ? std::nullopt : find_bad_byte(text_, next_line);
        }
    }
    bool holds_bad_byte() const {
        const auto begin = out_.tokens[first_].span.begin;
        const auto found = std::lower_bound(bad_bytes_.begin(), bad_bytes_.end(), begin);
        return found != bad_bytes_.end() && *found < out_.tokens.back().span.end;
    }

    // --- blanks, comments, line ends ------------------------------------------------------------------------------

    /// Goes to the next token. Returns where the first line end on the way was.
    std::optional<std::size_t> skip_trivia() {
        std::optional<std::size_t> line_start;
        std::string doc;
        bool own_line = at_ == 0;
        std::size_t lines_since_doc = 0;
        for (;;) {
            at_ = skip_blanks(text_, at_);
            if (at_ >= text_.size()) return line_start;
            if (text_[at_] == '\n') {
                if (!line_start) line_start = at_;
                own_line = true;
                if (++lines_since_doc > 1) doc.clear();
                ++at_;
            } else if (text_[at_] == '#') {
                auto end = std::min(text_.find('\n', at_), text_.size());
                out_.comments.push_back(span(at_, text_[end - 1] == '\r' ? end - 1 : end));
                const auto comment = text_.substr(at_, end - at_);
                if (own_line && comment.starts_with("##") && !comment.starts_with("###")) {
                    auto line = comment.substr(comment.starts_with("## ") ? 3 : 2);
                    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
                    if (!doc.empty()) doc += '\n';
                    doc += line;
                    lines_since_doc = 0;
                } else {
                    doc.clear();
                }
                at_ = end;
            } else {
                if (!doc.empty()) out_.docs.push_back({static_cast<std::uint32_t>(at_), std::move(doc)});
                return line_start;
            }
        }
    }

    bool at_column_one() const { return at_ == 0 || text_[at_ - 1] == '\n'; }

    /// A leading |> | then else makes the line before it go on; `else :` is a row of a table and `then :` a key.
    bool leads_on() const {
        if (text_[at_] == '|') return true;
        const auto end = word_end(text_, at_);
        const Tok kind = word_kind(text_.substr(at_, end - at_));
        if (kind != Tok::then && kind != Tok::else_) return false;
        const auto next = skip_blanks(text_, end);
        return next >= text_.size() || text_[next] != ':';
    }

    void line_end(std::size_t line_start) {
        const bool in_table = !open_.empty() && open_.back().inside == Inside::table;
        if (!open_.empty() && at_column_one() && starts_statement(text_, at_, in_table ? Strictness::strict : Strictness::plain)) {
            unclosed(open_.back());
            open_.clear();
            end_chunk();
            return;
        }
        if (in_table) {
            if (last() != Tok::left_brace && last() != Tok::row_end) emit(Tok::row_end, line_start, line_start + 1);
            return;
        }
        if (!open_.empty() && open_.back().inside != Inside::brace) return;
        if (continues_line(last()) || leads_on()) return;
        if (open_.empty()) {
            end_chunk();
        } else if (last() != Tok::newline) {
            emit(Tok::newline, line_start, line_start + 1);
        }
    }

    void finish() {
        const bool goes_on = open_.empty() && out_.tokens.size() > first_ && continues_line(last()) && !broken_;
        if (!open_.empty()) unclosed(open_.back());
        out_.unfinished = out_.unfinished || goes_on || !open_.empty();
        end_chunk();
    }

    // --- brackets -------------------------------------------------------------------------------------------------

    void unclosed(const Open& open) {
        if (suspect_ && suspect_->at > open.at) return blame(*suspect_);
        blame(open);
    }
    void blame(const Open& open) {
        report({.code = "E-BRACKET",
                .message = std::string("this ") + text_[open.at] + " is never closed",
                .source = nullptr,
                .span = span(open.at, open.at + 1),
                .label = std::string("needs its ") + closing(open.inside),
                .help = open.inside == Inside::splice ? std::vector<std::string>{"a brace itself is written {{ in a text"}
                                                      : std::vector<std::string>{}});
    }
    void unclosed_text(std::size_t quote) {
        report({.code = "E-BRACKET",
                .message = "this text is never closed",
                .source = nullptr,
                .span = span(quote, quote + 1),
                .label = "needs its \"",
                .help = {R"(a quote inside a text is written \")"}});
    }

    /// Where the line of at_ begins. Each part of the text is looked at once.
    std::size_t line_begin() {
        if (at_ < seen_) seen_ = line_ = 0;  // after an unclosed text the chunker goes back
        const auto last = text_.substr(seen_, at_ - seen_).rfind('\n');
        if (last != std::string_view::npos) line_ = seen_ + last + 1;
        seen_ = at_;
        return line_;
    }
    std::size_t indent_of(std::size_t line) const { return skip_blanks(text_, line) - line; }
    bool leads_line() { return skip_blanks(text_, line_begin()) == at_; }

    void open(Inside inside, Tok kind) {
        if (open_.size() == max_nesting)
            report({.code = "E-DEPTH",
                    .message = "nested too deeply",
                    .source = nullptr,
                    .span = span(at_, at_ + 1),
                    .label = "more than " + std::to_string(max_nesting) + " brackets are open here",
                    .help = {"name the inner parts with let"}});
        open_.push_back({inside, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(line_begin())});
        emit(kind, 1);
    }

    void close(char bracket, Tok kind) {
        const auto fits = [&](const Open& o) { return closing(o.inside) == bracket; };
        if (!open_.empty() && !fits(open_.back())) {
            // Looking no further down than a sound script nests keeps garbage linear.
            const auto bottom = open_.size() > max_nesting ? open_.rbegin() + max_nesting : open_.rend();
            const auto match = std::find_if(open_.rbegin(), bottom, fits);
            if (match != bottom) {
                unclosed(open_.back());
                open_.erase(match.base(), open_.end());
            } else {
                report({.code = "E-BRACKET",
                        .message = std::string("this ") + text_[open_.back().at] + " is closed by a " + bracket,
                        .source = nullptr,
                        .span = span(open_.back().at, open_.back().at + 1),
                        .label = std::string("needs its ") + closing(open_.back().inside)});
                open_.pop_back();
                return emit(kind, 1);
            }
        }
        if (open_.empty()) {
            report({.code = "E-BRACKET",
                    .message = std::string("no open bracket matches this ") + bracket,
                    .source = nullptr,
                    .span = span(at_, at_ + 1),
                    .label = "closes nothing"});
            return emit(kind, 1);
        }
        const auto was = open_.back();
        open_.pop_back();
        // A bracket at the start of a line, left of the line that opened what it closes: it was probably meant for an outer one.
        if (!suspect_ && leads_line() && indent_of(line_) < indent_of(was.line)) suspect_ = was;
        if (was.inside != Inside::splice) return emit(kind, 1);
        emit(Tok::splice_close, 1);
        text_pieces(was.quote);
    }

    // --- tokens ---------------------------------------------------------------------------------------------------

    void token() {
        const char c = text_[at_];
        if (c == '"') return text();
        if (c == '`') return backticks();
        if (c >= '0' && c <= '9') return number();
        if (c == '.' && !operand_ && at_ + 1 < text_.size() && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9') return number();
        if (const auto end = word_end(text_, at_); end > at_) return word(end);
        const auto symbol = symbol_at(text_, at_);
        const bool in_angle = !open_.empty() && open_.back().inside == Inside::angle;
        switch (symbol.kind) {
            case Tok::left_paren:
                return open(Inside::paren, symbol.kind);
            case Tok::left_bracket:
                return open(Inside::bracket, symbol.kind);
            case Tok::left_brace:
                return open(opens_table() ? Inside::table : Inside::brace, symbol.kind);
            case Tok::right_paren:
            case Tok::right_bracket:
            case Tok::right_brace:
                return close(c, symbol.kind);
            case Tok::less:
            case Tok::less_equal:
                if (!operand_) return open(Inside::angle, Tok::left_angle);
                return text_.substr(at_).starts_with("<>") ? emit(Tok::unknown, 2) : emit(symbol.kind, symbol.length);
            case Tok::greater:
            case Tok::greater_equal:
                return in_angle ? close('>', Tok::right_angle) : emit(symbol.kind, symbol.length);
            case Tok::arrow:
                return in_angle ? sign('-') : emit(symbol.kind, symbol.length);  // <Sunny, ->
            case Tok::plus:
            case Tok::minus:
                return sign(c);
            case Tok::semicolon:
                if (!open_.empty()) return emit(symbol.kind, 1);
                end_chunk();
                emit(Tok::semicolon, 1);  // belongs to no statement
                first_ = out_.tokens.size();
                return;
            default:
                return emit(symbol.kind, symbol.length);
        }
    }

    bool opens_table() const { return open_.empty() && is_word(last()) && last(2) == Tok::table; }

    void sign(char c) {
        const bool plus = c == '+';
        if (operand_) return emit(plus ? Tok::plus : Tok::minus, 1);
        if (operand_follows(text_, at_ + 1)) return emit(plus ? Tok::plus_prefix : Tok::minus_prefix, 1);
        emit(plus ? Tok::plus_label : Tok::minus_label, 1);
    }

    void word(std::size_t end) {
        const auto word = text_.substr(at_, end - at_);
        if (last() == Tok::dot) return emit(Tok::name, word.size());  // any word names a member
        if (word.size() == 1 && end < text_.size() && text_[end] == '(' &&
            std::string_view("PEHIL").find(word[0]) != std::string_view::npos)
            return emit(word == "E" ? Tok::expectation : Tok::query, 1);
        emit(word_kind(word), word.size());
    }

    void number() {
        const auto end = number_end(text_, at_);
        auto tail = word_end(text_, end);
        const auto digit = [&](std::size_t i) { return i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; };
        while (tail < text_.size() && text_[tail] == '.' && digit(tail + 1))
            tail = std::max(number_end(text_, tail + 1), word_end(text_, tail + 1));
        emit(tail > end ? Tok::bad_number : Tok::number, std::max(end, tail) - at_);
    }

    void backticks() {
        const auto end = text_.find_first_of("`\n", at_ + 1);
        if (end == std::string_view::npos || text_[end] == '\n') {
            report({.code = "E-BRACKET",
                    .message = "this ` is never closed",
                    .source = nullptr,
                    .span = span(at_, at_ + 1),
                    .label = "a name in backticks ends on its line"});
            return emit(Tok::unknown, 1);
        }
        emit(end == at_ + 1 ? Tok::unknown : Tok::quoted_name, end + 1 - at_);
    }

    // --- texts ----------------------------------------------------------------------------------------------------

    /// From inside a text to its next quote or single brace. When it is never closed: to the line end before what looks
    /// like the next statement, or npos.
    std::size_t text_stop(std::size_t at) const {
        for (; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '"') return at;
            if (c == '\n' && starts_statement(text_, at + 1, Strictness::strict)) return at;
            if (c == '\\') {
                if (text_.substr(at).starts_with("\\u{"))
                    at = std::min(text_.find_first_of("}\"\n", at), text_.size()) - 1;
                else
                    ++at;
            } else if (c == '{') {
                if (at + 1 >= text_.size() || text_[at + 1] != '{') return at;
                ++at;
            }
        }
        return std::string_view::npos;
    }

    void text() {
        const auto stop = text_stop(at_ + 1);
        if (stop == std::string_view::npos || text_[stop] == '\n') return lost_text(at_, stop);
        if (text_[stop] == '"') return emit(Tok::text, stop + 1 - at_);
        const auto quote = at_;
        emit(Tok::text_open, 1);
        text_pieces(quote);
    }

    void text_pieces(std::size_t quote) {
        const auto stop = text_stop(at_);
        if (stop == std::string_view::npos || text_[stop] == '\n') return lost_text(quote, stop);
        if (stop > at_) emit(Tok::text_run, stop - at_);
        if (text_[at_] == '"') return emit(Tok::text_close, 1);
        open(Inside::splice, Tok::splice_open);
        open_.back().quote = static_cast<std::uint32_t>(quote);
    }

    /// An unclosed text ends its statement before the next one, if that can be seen, else at the end of its first line. Only
    /// once: going back again and again would make the cost quadratic.
    void lost_text(std::size_t quote, std::size_t stop) {
        // A quote inside an open { mostly ends the text: "y is {x".
        const auto splice = std::find_if(open_.begin(), open_.end(), [](const Open& o) { return o.inside == Inside::splice; });
        splice == open_.end() ? unclosed_text(quote) : blame(*splice);
        open_.clear();
        emit(Tok::unknown, quote, quote + 1);
        if (stop != std::string_view::npos) {
            at_ = stop;
            return;
        }
        const auto first_line = std::min(text_.find('\n', quote), text_.size());
        at_ = std::exchange(went_back_, true) ? text_.size() : std::max(at_, first_line);
        out_.unfinished = true;
    }

    // --- tables ---------------------------------------------------------------------------------------------------

    /// `(n + 1)`: closed on its line, and followed by no more of a word. `(1]` is a word.
    bool is_computed_cell() const {
        const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
        int depth = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            depth += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
            if (depth == 0) return i + 1 == line.size() || std::string_view(" \t\r;,}#").find(line[i + 1]) != std::string_view::npos;
        }
        return false;
    }

    void cell() {
        const char c = text_[at_];
        if (c == '}') return close('}', Tok::right_brace);
        if (c == '(' && is_computed_cell()) return open(Inside::paren, Tok::left_paren);
        if (c == ';') return last() == Tok::left_brace || last() == Tok::row_end ? void(++at_) : emit(Tok::row_end, 1);
        if (c == ',' || c == '{') return emit(c == ',' ? Tok::comma : Tok::unknown, 1);
        if (c == '"' || c == '`') {
            auto end = at_ + 1;
            while (end < text_.size() && text_[end] != c && text_[end] != '\n') end += text_[end] == '\\' && c == '"' ? 2 : 1;
            if (end < text_.size() && text_[end] == c) return emit(Tok::cell_text, end + 1 - at_);
            unclosed_text(at_);
            return emit(Tok::unknown, std::min(end, text_.size()) - at_);
        }
        const auto end = std::min(text_.find_first_of(" \t\r\n\f\v;,{}#", at_), text_.size());
        const auto raw = text_.substr(at_, end - at_);
        emit(raw == "->" ? Tok::cell_arrow : raw == "?" ? Tok::cell_missing : raw == "|" ? Tok::bar : Tok::cell, raw.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t seen_ = 0;  ///< these two: see line_begin
    std::size_t line_ = 0;
    std::size_t first_ = 0;  ///< first token of the statement
    bool broken_ = false;
    bool operand_ = false;  ///< may an operator follow?
    bool went_back_ = false;
    std::vector<Open> open_;
    std::optional<Open> suspect_;  ///< closed, but where another was meant to be
    std::vector<std::size_t> bad_bytes_;
    Chunks out_;
};

}  // namespace

Chunks chunk(std::string_view text) { return Chunker(text).run(); }

std::string doc_before(const std::vector<DocComment>& docs, std::uint32_t offset) {
    const auto found =
        std::lower_bound(docs.begin(), docs.end(), offset, [](const DocComment& doc, std::uint32_t at) { return doc.before < at; });
    return found != docs.end() && found->before == offset ? found->text : std::string();
}

}  // namespace credence::lang
