// Works on tokens, not on the tree: line breaks and comments stay where the author put them; blanks, indentation and the
// columns of tables are set again. Since no token is added, dropped or moved to another line, the program stays the same.

#include "lang/syntax/format.hpp"

#include <algorithm>
#include <map>

#include "lang/syntax/chunk.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t indent_step = 2;
constexpr std::size_t max_indent = indent_step * max_nesting;

/// What a brace holds, as far as blanks depend on it.
enum class Block { plain, net, graph, table };

struct OpenBracket {
    std::size_t line_indent = 0;  ///< of the line that opened it
    Block block = Block::plain;
};

struct Line {
    std::string code;
    std::string comment;
    bool blank_before = false;
};

/// Characters, not bytes. Wide ones count one: fonts differ.
std::size_t width(std::string_view text) {
    const auto last_line = text.substr(text.rfind('\n') + 1);
    return static_cast<std::size_t>(
        std::count_if(last_line.begin(), last_line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view trimmed_right(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

class Formatter {
public:
    explicit Formatter(std::string_view text) : text_(text), chunks_(chunk(text)), tokens_(chunks_.tokens) {}

    std::string run() {
        for (const auto& c : chunks_.chunks) starts_.push_back(c.first);
        align_tables();
        std::size_t comment = 0;
        for (std::size_t i = 0; i < tokens_.size();) {
            if (is_line_end(tokens_[i])) {
                ++i;
                continue;
            }
            while (comment < chunks_.comments.size() && chunks_.comments[comment].begin < tokens_[i].span.begin) add_comment(comment++, i);
            i = add_token(i);
            while (comment < chunks_.comments.size() && chunks_.comments[comment].end <= end_) ++comment;  // inside a text
        }
        while (comment < chunks_.comments.size()) add_comment(comment++, tokens_.size());
        return joined();
    }

private:
    std::string_view spelling(const Token& t) const { return text_.substr(t.span.begin, t.span.end - t.span.begin); }
    Tok kind(std::size_t i) const { return i < tokens_.size() ? tokens_[i].kind : Tok::newline; }
    Block block() const { return open_.empty() ? Block::plain : open_.back().block; }

    /// Line ends that separate are tokens; they are seen again in the text between their neighbours.
    bool is_line_end(const Token& t) const { return t.kind == Tok::newline || (t.kind == Tok::row_end && spelling(t) != ";"); }

    /// The token before i that is written out.
    std::size_t before(std::size_t i) const {
        while (i > 0 && is_line_end(tokens_[i - 1])) --i;
        return i == 0 ? tokens_.size() : i - 1;
    }

    // --- lines ----------------------------------------------------------------------------------------------------

    std::size_t line_breaks(std::size_t until) const {
        return static_cast<std::size_t>(
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(end_), text_.begin() + static_cast<std::ptrdiff_t>(until), '\n'));
    }

    void start_line(std::size_t wanted, bool blank_before) {
        const auto indent = std::min(wanted, max_indent);
        lines_.push_back({std::string(indent, ' '), {}, blank_before && !lines_.empty()});
        indent_ = indent;
    }

    /// The indentation of a line that starts with token i: one step inside the line that opened the bracket, one more when
    /// the line goes on from the one before it; a closing bracket stands under the line that opened it.
    std::size_t indent_of(std::size_t i) const {
        if (i < tokens_.size() && is_closer(kind(i)) && !open_.empty()) return open_.back().line_indent;
        const std::size_t inside = open_.empty() ? 0 : open_.back().line_indent + indent_step;
        return i < tokens_.size() && goes_on(i) ? inside + indent_step : inside;
    }

    bool goes_on(std::size_t i) const {
        if (open_.empty()) return kind(i) != Tok::semicolon && !std::binary_search(starts_.begin(), starts_.end(), i);
        const Tok previous = i == 0 ? Tok::newline : kind(i - 1);
        return !is_opener(previous) && previous != Tok::comma && previous != Tok::newline && previous != Tok::semicolon &&
               previous != Tok::row_end;
    }

    void add_comment(std::size_t c, std::size_t next_token) {
        const auto span = chunks_.comments[c];
        const auto comment = trimmed_right(text_.substr(span.begin, span.end - span.begin));
        const auto breaks = line_breaks(span.begin);
        if (breaks == 0 && !lines_.empty()) {
            lines_.back().comment = comment;
        } else {
            const bool before_closer = next_token < tokens_.size() && is_closer(kind(next_token));
            const std::size_t inside = open_.empty() ? 0 : open_.back().line_indent + indent_step;
            start_line(before_closer ? inside : indent_of(next_token), breaks > 1 && !after_opener_);
            lines_.back().code += comment;
        }
        end_ = span.end;
        after_opener_ = false;
    }

    /// Writes token i, or a whole text with {…} in it; returns the next one.
    std::size_t add_token(std::size_t i) {
        const auto& token = tokens_[i];
        const auto breaks = line_breaks(token.span.begin);
        if (std::binary_search(starts_.begin(), starts_.end(), i)) open_.clear();
        if (lines_.empty() || breaks > 0) {
            start_line(indent_of(i), breaks > 1 && !after_opener_ && !is_closer(token.kind));
        } else if (const auto previous = before(i); previous < tokens_.size()) {
            const auto pad = pads_.find(previous);
            lines_.back().code.append(pad != pads_.end() ? pad->second : blank_between(previous, i) ? 1 : 0, ' ');
        }
        const auto last = token.kind == Tok::text_open ? text_end(i) : i;
        lines_.back().code += text_.substr(token.span.begin, tokens_[last].span.end - token.span.begin);
        end_ = tokens_[last].span.end;
        if (is_opener(token.kind)) open_.push_back({indent_, block_opened_by(i)});
        if (is_closer(token.kind) && !open_.empty()) open_.pop_back();
        after_opener_ = is_opener(token.kind);
        return last + 1;
    }

    std::size_t text_end(std::size_t i) const {
        for (std::size_t depth = 0; i < tokens_.size(); ++i) {
            if (kind(i) == Tok::text_open) ++depth;
            if (kind(i) == Tok::text_close && --depth == 0) return i;
        }
        return tokens_.size() - 1;
    }

    Block block_opened_by(std::size_t i) const {
        if (kind(i) != Tok::left_brace) return Block::plain;
        const Tok previous = i > 0 ? kind(i - 1) : Tok::newline;
        const Tok head = i > 1 ? kind(i - 2) : Tok::newline;
        if (head == Tok::table && open_.empty()) return Block::table;
        if (open_.empty() && (head == Tok::net || (previous == Tok::right_paren && opens_net_with_parameters(i)))) return Block::net;
        if (previous == Tok::graph || previous == Tok::function) return Block::graph;
        const bool record = previous == Tok::colon || previous == Tok::in || previous == Tok::tilde || previous == Tok::then ||
                            previous == Tok::else_ || previous == Tok::comma || is_opener(previous);
        return block() == Block::net && !record ? Block::net : Block::plain;
    }

    /// net NAME(a, b) {
    bool opens_net_with_parameters(std::size_t brace) const {
        std::size_t i = brace - 1;
        while (i > 0 && kind(i) != Tok::left_paren) --i;
        return i >= 2 && kind(i - 2) == Tok::net;
    }

    // --- blanks ---------------------------------------------------------------------------------------------------

    /// 1/2 is one number to the reader; in a / 2 / 64 no two of them are.
    bool is_fraction(std::size_t slash) const {
        return slash > 0 && kind(slash - 1) == Tok::number && kind(slash + 1) == Tok::number && kind(slash + 2) != Tok::slash &&
               (slash == 1 || kind(slash - 2) != Tok::slash);
    }

    bool blank_between(std::size_t a, std::size_t b) const {
        const Tok left = kind(a), right = kind(b);
        if (left == Tok::left_brace) return right != Tok::right_brace;
        if (right == Tok::right_brace) return true;
        if (is_opener(left) || is_closer(right) || right == Tok::comma || right == Tok::semicolon || right == Tok::row_end) return false;
        if (left == Tok::dot || right == Tok::dot || left == Tok::dots || right == Tok::dots || left == Tok::caret || right == Tok::caret)
            return false;
        if (block() == Block::graph) {
            if (left == Tok::arrow && right != Tok::quoted_name && !is_word(right)) return false;  // A ->+ B
            if (a > 0 && kind(a - 1) == Tok::arrow) return true;
        }
        if (left == Tok::plus_prefix || left == Tok::minus_prefix) return false;
        if (right == Tok::colon) return block() == Block::net || block() == Block::graph;
        if (right == Tok::slash && is_fraction(b)) return false;
        if (left == Tok::slash && is_fraction(a)) return false;
        if (right == Tok::left_paren && block() == Block::table) return true;  // cells
        if (right == Tok::left_paren || right == Tok::left_bracket) return !is_suffix(a, right);
        return true;
    }

    /// Whether a bracket after token a begins a call or an index, which have no space before it.
    bool is_suffix(std::size_t a, Tok bracket) const {
        const Tok left = kind(a), previous = a > 0 ? kind(a - 1) : Tok::newline;
        if (left == Tok::query || left == Tok::expectation) return true;
        if (left == Tok::do_) return bracket == Tok::left_paren;
        if (!ends_operand(left)) return false;
        if (previous == Tok::set && left != Tok::right_paren) return false;        // set seed (3)
        if (is_contextual(left) && a > 0 && ends_operand(previous)) return false;  // 1..9 step (2)
        const bool entry = !open_.empty() && (previous == Tok::left_brace || previous == Tok::newline || previous == Tok::semicolon);
        if (left == Tok::prior && entry) return false;  // hypotheses … { prior (w) …
        const auto word = spelling(tokens_[a]);
        const bool head = left == Tok::name && previous != Tok::dot && word.size() == 1 &&
                          std::string_view("PEHIL").find(word[0]) != std::string_view::npos;
        return !(head && bracket == Tok::left_paren);  // P (x) is not a query
    }

    // --- tables ---------------------------------------------------------------------------------------------------

    static bool is_cell(Tok kind) {
        return kind == Tok::cell || kind == Tok::cell_text || kind == Tok::cell_missing || kind == Tok::cell_arrow;
    }

    /// Rows that have their line to themselves are set in columns.
    void align_tables() {
        for (std::size_t i = 0; i < tokens_.size();) {
            if (!is_cell(kind(i))) {
                ++i;
                continue;
            }
            std::vector<std::size_t> rows;
            std::size_t end = i;
            for (; end < tokens_.size() && (is_cell(kind(end)) || kind(end) == Tok::row_end || kind(end) == Tok::comma); ++end) {
                const bool first = is_cell(kind(end)) && (end == i || kind(end - 1) == Tok::row_end);
                if (first && owns_line(end)) rows.push_back(end);
            }
            align(rows);
            i = end;
        }
    }

    bool owns_line(std::size_t first) const {
        const auto breaks_before = [&](std::size_t i) {
            if (i == 0 || i >= tokens_.size()) return true;
            if (is_line_end(tokens_[i])) return true;
            const auto from = tokens_[i - 1].span.end - (is_line_end(tokens_[i - 1]) ? 1 : 0);
            const auto between = text_.substr(from, tokens_[i].span.begin - from);
            return between.find('\n') != std::string_view::npos;
        };
        std::size_t last = first;
        while (is_cell(kind(last))) ++last;
        return breaks_before(first) && breaks_before(last);
    }

    void align(const std::vector<std::size_t>& rows) {
        std::vector<std::size_t> widths;
        for (const auto row : rows)
            for (std::size_t i = row; is_cell(kind(i)); ++i) {
                if (i - row >= widths.size()) widths.push_back(0);
                widths[i - row] = std::max(widths[i - row], width(spelling(tokens_[i])));
            }
        for (const auto row : rows)
            for (std::size_t i = row; is_cell(kind(i)) && is_cell(kind(i + 1)); ++i)
                pads_[i] = widths[i - row] - width(spelling(tokens_[i])) + 1;
    }

    // --- the text -------------------------------------------------------------------------------------------------

    /// Comments after code are aligned in one column over adjacent lines.
    std::string joined() const {
        std::string out;
        std::size_t column = 0;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto& line = lines_[i];
            const bool in_run = i > 0 && !line.blank_before && !lines_[i - 1].comment.empty();
            if (!in_run) column = comment_column(i);
            if (line.blank_before) out += '\n';
            out += trimmed_right(line.code);
            if (!line.comment.empty()) {
                out.append(column - width(trimmed_right(line.code)), ' ');
                out += line.comment;
            }
            out += '\n';
        }
        return out;
    }

    std::size_t comment_column(std::size_t i) const {
        std::size_t column = 0;
        for (std::size_t k = i; k < lines_.size() && !lines_[k].comment.empty() && (k == i || !lines_[k].blank_before); ++k)
            column = std::max(column, width(trimmed_right(lines_[k].code)) + 2);
        return column;
    }

    std::string_view text_;
    Chunks chunks_;
    const std::vector<Token>& tokens_;
    std::vector<std::size_t> starts_;          ///< first tokens of statements
    std::map<std::size_t, std::size_t> pads_;  ///< blanks after a cell
    std::vector<OpenBracket> open_;
    std::vector<Line> lines_;
    std::size_t indent_ = 0;  ///< of the line being written
    std::size_t end_ = 0;     ///< of what has been written, in the text
    bool after_opener_ = false;
};

}  // namespace

std::string format(std::string_view text) { return Formatter(text).run(); }

}  // namespace credence::lang
