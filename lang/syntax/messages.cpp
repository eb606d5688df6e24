#include "lang/syntax/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/syntax/habits.hpp"
#include "runtime/core/words.hpp"

namespace credence::lang {

namespace {

class Message {
public:
    Message(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected)
        : text_(text), tokens_(chunks.tokens), chunk_(chunk), at_(at), expected_(expected) {}

    Diagnostic make() {
        general();
        at_end() ? missing() : found();
        if (at_ > chunk_.first) mention_long_text(tokens_[at_ - 1]);
        return std::move(out_);
    }

private:
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

    void say(std::string message, std::string label) {
        out_.message = std::move(message);
        out_.label = std::move(label);
    }
    void help(std::string line) { out_.help.push_back(std::move(line)); }

    void general() {
        const bool fresh = previous() == Tok::newline || previous() == Tok::semicolon || previous() == Tok::comma || is_opener(previous());
        std::string what(expected_.what);
        if (expected_.kind == Expects::close_block) what = fresh ? what + " or '}'" : "a line end, ',' or '}'";
        if (expected_.kind == Expects::close && previous() == Tok::comma) what = "a value";
        out_.code = "E-SYNTAX";
        out_.message = fmt::format("expected {}", what);
        const bool after = previous() != Tok::newline && previous() != Tok::semicolon && expected_.kind != Expects::end;
        if (after) out_.message += fmt::format(" after {}", shown(at_ - 1));
        out_.label = fmt::format("expected {}", what);
        if (at_end()) {
            const auto end = tokens_[chunk_.last - 1].span.end;
            out_.span = {end, end};
            out_.label = "the statement ends here";
        } else {
            out_.span = tokens_[at_].span;
            out_.message += fmt::format(", found {}", shown(at_));
        }
    }

    // --- the statement ends too early -------------------------------------------------------------------------------

    void missing() {
        if (expected_.kind == Expects::else_) return needs_else();
        if (expected_.kind == Expects::then) return say("if needs a then", "a then is expected here"), help("if a then b else c");
    }

    void needs_else() {
        say("if needs an else", "an else is expected here");
        help("if is an expression and always has a value: if a then b else c");
    }

    // --- something else was found -----------------------------------------------------------------------------------

    void found() {
        if (expected_.kind == Expects::table) return in_table();
        switch (kind()) {
            case Tok::unknown:
                return foreign();
            case Tok::bad_number:
                return bad_number();
            case Tok::equal:
                return equal_sign();
            case Tok::text_open:
                if (expected_.kind == Expects::text || previous() == Tok::error)
                    say("this text cannot hold {…}", "a plain text"), help("write {{ for a brace");
                else if (expected_.kind == Expects::end)
                    after_the_end();
                return;
            default:
                break;
        }
        if (first() == Tok::fn && expected_.kind == Expects::close && is_reserved(kind()) && is_opener(previous())) {
            expected_ = {Expects::name, "a name"};
            return reserved();
        }
        if (first() == Tok::let && kind() == Tok::equal_equal && at_ == chunk_.first + 2)
            help("= names a value, == compares two: let x = 3");
        if (first() == Tok::fn && kind() == Tok::left_brace && previous() == Tok::right_paren)
            help("a function is one expression: fn f(x) = …, with its parts named after where");
        const bool compares = kind() >= Tok::equal_equal && kind() <= Tok::greater_equal;
        if (expected_.kind == Expects::end && (compares || kind() == Tok::in) && after_pipe())
            help("|> binds weaker than a comparison: put the pipe in parentheses, (xs |> f) == …");
        if (first() == Tok::for_ && at_ == chunk_.first)
            help("a list is made of another by [x^2 for x in 1..3]; nothing is done step by step");
        if (expected_.kind == Expects::query && kind() == Tok::bar)
            return say("a query has one |", "write a comma between pieces of evidence");
        if (expected_.kind == Expects::query && kind() == Tok::comma) return say("E takes one expression", "a second one begins here");
        // `x == on`, `<on, 3>`: the word itself is meant.
        const bool compared =
            previous() == Tok::equal_equal || previous() == Tok::not_equal || previous() == Tok::comma || is_opener(previous());
        const bool alone = compared && (next() == Tok::newline || next() == Tok::comma || is_closer(next()));
        if (is_reserved(kind()) && (expected_.kind == Expects::name || (wants_operand() && (!is_infix(kind()) || alone))))
            return reserved();
        if (kind() == Tok::query || kind() == Tok::expectation) return head();
        if (!habit()) by_expectation();
    }

    /// What is right in another language; true where all has been said.
    bool habit() {
        if (at_ > chunk_.first && is_word(kind()) && !wants_operand())
            if (const auto instead = foreign_operator(spelling(at_)); !instead.empty()) {
                say(fmt::format("'{}' is not written in this language", spelling(at_)), std::string(instead));
                return true;
            }
        const bool ends = expected_.kind == Expects::end || expected_.kind == Expects::close || expected_.kind == Expects::close_block;
        if (ends && is_word(previous()) && at_ > chunk_.first + 1)
            if (const auto instead = foreign_prefix(spelling(at_ - 1)); !instead.empty()) {
                help(std::string(instead));
                return true;
            }
        if (kind() == Tok::slash && next() == Tok::star && at_ == chunk_.first) {
            say("/* is not written in this language", "comments start with # and end with their line");
            return true;
        }
        if (first() == Tok::fn && kind() == Tok::arrow && previous() == Tok::right_paren) help("a function is written fn f(x) = x + 1");
        if (kind() == Tok::where && expected_.kind == Expects::close) help("a list chooses with if: [x for x in xs if x > 2]");
        if (kind() == Tok::for_ && expected_.kind == Expects::close) help("a list stands in brackets: [x^2 for x in 1..3]");
        if (kind() == Tok::comma && expected_.kind == Expects::close) help("a list is written [a, b]");
        if (kind() == Tok::from && at_ == chunk_.first) help("modules and scripts are read with import \"name\"; builtins need none");
        if (expected_.kind == Expects::text && first() == Tok::import)
            help("modules and scripts are named in quotes: import \"name\"; builtins need none");
        if (expected_.kind == Expects::then && kind() == Tok::left_brace) help("no braces: if a then b else c");
        return false;
    }

    /// Whether a pipe stands before this, outside all brackets.
    bool after_pipe() const {
        int depth = 0;
        for (std::size_t i = at_; i-- > chunk_.first;) {
            depth += is_closer(tokens_[i].kind) ? 1 : is_opener(tokens_[i].kind) ? -1 : 0;
            if (depth == 0 && tokens_[i].kind == Tok::pipe) return true;
        }
        return false;
    }

    bool wants_operand() const { return expected_.kind == Expects::operand || expected_.kind == Expects::event; }

    /// Words that stand between or after operands: where one is found, the operand before it is what is missing.
    static bool is_infix(Tok kind) {
        switch (kind) {
            case Tok::on:
            case Tok::by:
            case Tok::in:
            case Tok::given:
            case Tok::from:
            case Tok::then:
            case Tok::else_:
            case Tok::for_:
            case Tok::and_:
            case Tok::or_:
            case Tok::within:
            case Tok::mod:
            case Tok::if_:
                return true;
            default:
                return false;
        }
    }

    void foreign() {
        const auto raw = spelling(at_);
        if (raw.front() == '\'') {
            say("a text in single quotes", "texts use double quotes");
            if (raw.size() > 2) help(fmt::format("write \"{}\"", raw.substr(1, raw.size() - 2)));
            return;
        }
        const Habit* hint = foreign_symbol(raw);
        if (!hint) return say(fmt::format("{} means nothing here", shown(at_)), std::string(out_.label));
        say(fmt::format("{} is not written in this language", raw == "\u00A0" ? "this blank" : raw), std::string(hint->label));
        if (!hint->help.empty()) help(std::string(hint->help));
    }

    void bad_number() {
        const auto raw = spelling(at_);
        out_.code = "E-NUMBER";
        say(fmt::format("{} is not a number", shown(at_)), "a number ends where its digits end");
        const auto letters = raw.find_first_not_of("0123456789.%");
        if (letters == std::string_view::npos) return help("a number has one decimal point; a text such as a version is written in quotes");
        if (raw.find('_') != std::string_view::npos)
            help("digits are written without _");
        else if (letters != std::string_view::npos)
            help(fmt::format("to multiply, write {} * {}", raw.substr(0, letters), raw.substr(letters)));
    }

    void equal_sign() {
        const bool assigns = previous() == Tok::plus || previous() == Tok::minus || previous() == Tok::star || previous() == Tok::slash;
        if (assigns && at_ == chunk_.first + 2 && is_word(first()) && tokens_[at_].span.begin == tokens_[at_ - 1].span.end) {
            const auto name = spelling(chunk_.first);
            const auto sign = spelling(at_ - 1);
            say(fmt::format("{}= is not written in this language", sign), "a value is named once and never changed");
            return help(fmt::format("name a new one: let next = {} {} …", name, sign));
        }
        if (previous() == Tok::equal_equal && tokens_[at_].span.begin == tokens_[at_ - 1].span.end)
            return say("=== is not written in this language", "write ==");
        if (first() == Tok::set && at_ == chunk_.first + 2)
            return say("a setting takes no =", fmt::format("write set {} …", spelling(at_ - 1)));
        const bool bare_name = at_ == chunk_.first + 1 && is_word(first());
        if (expected_.kind == Expects::end && bare_name) {
            const auto name = spelling(chunk_.first);
            const auto value = text_.substr(tokens_[at_].span.end, tokens_[chunk_.last - 1].span.end - tokens_[at_].span.end);
            const bool brief = value.size() <= 40 && value.find('\n') == std::string_view::npos;
            return say(fmt::format("use let {} ={} to name a value, == to compare", name, brief && !value.empty() ? value : " …"),
                       "'=' alone does neither");
        }
        if (expected_.kind == Expects::node) return say("a node's table follows a ':'", "write :");
        if (expected_.kind == Expects::colon) return say(fmt::format("expected ':' after {}, found '='", shown(at_ - 1)), "write :");
        if (expected_.kind == Expects::query) return second_comparison();
        if (expected_.kind == Expects::name || wants_operand()) return;
        const bool keyed = at_ > chunk_.first + 1 && is_word(previous()) && tokens_[at_ - 2].kind == Tok::left_brace;
        if (expected_.kind == Expects::close_block && keyed) return say("a key is followed by ':'", "write :");
        say("'=' does not compare", "write == to compare");
        if (expected_.kind == Expects::close || expected_.kind == Expects::close_block)
            help("a named argument or a key is followed by : instead, as in f(x: 3) and {x: 3}");
    }

    void reserved() {
        if (kind() == Tok::explain && expected_.kind != Expects::name) {
            out_.code = "E-EXPLAIN";
            return say("explain prints a derivation and has no value", "it stands at the start of a statement");
        }
        out_.code = "E-RESERVED";
        const auto word = spelling(at_);
        say(fmt::format("'{}' is a reserved word", word), fmt::format("expected {}", expected_.what));
        if (expected_.kind == Expects::name)
            help(fmt::format("choose another name, or write it in backticks: `{}`", word));
        else
            help(fmt::format("a label of this spelling is written in quotes: \"{}\"", word));
    }

    void head() {
        if (expected_.kind != Expects::name) return;
        out_.code = "E-RESERVED";
        say(fmt::format("{}( asks a query and cannot be defined", spelling(at_)), "another name is needed");
        help("P E H I L are queries when they stand before (");
    }

    void in_table() {
        out_.code = "E-TABLE";
        if (kind() == Tok::bar) {
            say("a bar in a table", "cells are separated by blanks alone");
            return help("write the cells of a row with blanks between them; a cell that is a bar goes in quotes");
        }
        if (kind() == Tok::comma) {
            say("a comma in a table", "cells are separated by blanks");
            return help("write the cells of a row with blanks between them; a cell that holds a comma or blanks goes in quotes");
        }
        if (kind() == Tok::unknown)
            say("a brace in a table", "write this cell in quotes");
        else if (kind() == Tok::right_brace)
            say("a table without columns", "expected the column names");
    }

    /// A comparison in a query where the item has ended: after another one, or after `as NAME`.
    void second_comparison() {
        if (is_opener(previous()) || previous() == Tok::comma || previous() == Tok::bar)
            return say("'=' without a variable on its left", "an event is written X = a");
        if (at_ > chunk_.first + 2 && tokens_[at_ - 2].kind == Tok::as) {
            say("`as` names what is free, so nothing is compared after it", "the item ends before this");
            return help("an event has no name: leave out `as`");
        }
        say("comparisons do not chain", "a second comparison");
        help("write two events with a comma between: A < B, B < C");
    }

    void by_expectation() {
        switch (expected_.kind) {
            case Expects::else_:
                return needs_else();
            case Expects::then:
                return say("if needs a then", fmt::format("expected then, found {}", shown(at_)));
            case Expects::no_chain:
                say("comparisons do not chain", "a second comparison");
                help("write a < b and b < c");
                if (kind() == Tok::in) help("the model of a query stands directly after it: P(X) in M == 1/2");
                return;
            case Expects::node:
                if (kind() == Tok::tilde)
                    say("~ takes neither labels nor parents", "expected :"),
                        help("after ~, the parents are the variables named in the distribution");
                else if (kind() == Tok::left_brace)
                    say("expected : before a node's table", "write : before {");
                return;
            case Expects::query:
                if (kind() >= Tok::equal && kind() <= Tok::greater_equal && at_ > chunk_.first + 2) second_comparison();
                return;
            case Expects::close_block:
                if (is_reserved(kind())) help(fmt::format("'{0}' is a reserved word; as a name it is written `{0}`", spelling(at_)));
                return;
            case Expects::operand:
                if (kind() == Tok::if_) help("inside an expression if stands in parentheses: (if a then b else c)");
                return;
            case Expects::name:
                if (kind() == Tok::left_paren && previous() == Tok::for_)
                    help("one name for each item: [p[1] * p[2] for p in zip(xs, ys)]");
                return;
            case Expects::end:
                return after_the_end();
            default:
                return;
        }
    }

    void after_the_end() {
        if (previous() == Tok::number && spelling(at_ - 1).back() == '%') {
            say("expected the end of the statement after a percentage", "the remainder is mod, as in 7 mod 3");
        } else if (kind() == Tok::arrow) {
            help("a function of several parameters is written (x, y) -> …");
        } else if (kind() == Tok::comma && previous() == Tok::number && next() == Tok::number) {
            help(fmt::format("a decimal has a point: {}.{}; a list is written [{}, {}]", spelling(at_ - 1), spelling(at_ + 1),
                             spelling(at_ - 1), spelling(at_ + 1)));
        } else if (kind() == Tok::comma) {
            help("a list is written [a, b]");
        } else if (kind() == Tok::bar) {
            help("a query is written P(X | Y = a)");
        } else if (kind() == Tok::tilde) {
            help("what is drawn from a distribution is a node of a net: net N { x ~ normal(0, 1) }");
        } else if (kind() == Tok::hole) {
            help("a choice is written if a then b else c");
        } else if (kind() == Tok::colon && next() == Tok::number) {
            help(fmt::format("numbers from one to another are written {}..{}", spelling(at_ - 1), spelling(at_ + 1)));
        } else if (previous() == Tok::number && is_word(kind())) {
            help(fmt::format("to multiply, write {} * {}", spelling(at_ - 1), spelling(at_)));
        } else if ((kind() == Tok::text || kind() == Tok::text_open) && is_word(previous()) &&
                   tokens_[at_].span.begin == tokens_[at_ - 1].span.end) {
            help("nothing stands before a text: \"x is {x}\" holds the value of x as it is");
        } else if (at_ == chunk_.first + 1 && is_word(first())) {
            unknown_statement();
        }
    }

    void unknown_statement() {
        const auto word = spelling(chunk_.first);
        const bool operand = is_word(kind()) || kind() == Tok::number || kind() == Tok::text;
        if (const auto hint = foreign_statement(word); !hint.empty()) return help(std::string(hint));
        for (const auto& [keyword, kind] : rt::words)
            if (kind == rt::WordKind::statement && one_edit_apart(word, keyword)) return help(fmt::format("did you mean {}?", keyword));
        if (operand && at_ + 1 == chunk_.last) help(fmt::format("a function is called with parentheses: {}({})", word, spelling(at_)));
    }

    /// One letter changed, added or dropped, or two neighbours swapped.
    static bool one_edit_apart(std::string_view a, std::string_view b) {
        if (a.size() > b.size()) std::swap(a, b);
        const auto head = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
        if (b.size() - a.size() > 1) return false;
        if (a.size() + 1 == b.size()) return a.substr(head) == b.substr(head + 1);
        if (head + 1 >= a.size()) return true;
        return a.substr(head + 1) == b.substr(head + 1) ||
               (a[head] == b[head + 1] && a[head + 1] == b[head] && a.substr(head + 2) == b.substr(head + 2));
    }

    /// Where a quote is missing, the next text's opening quote closes, and the error comes right after it.
    void mention_long_text(const Token& before) {
        const bool text = before.kind == Tok::text || before.kind == Tok::text_close;
        const auto raw = text_.substr(before.span.begin, before.span.end - before.span.begin);
        if (text && raw.find('\n') != std::string_view::npos)
            help("the text before this goes over several lines; is its closing quote missing?");
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    const Chunk& chunk_;
    std::size_t at_;
    Expected expected_;
    Diagnostic out_;
};

}  // namespace

Diagnostic syntax_error(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected) {
    return Message(text, chunks, chunk, at, expected).make();
}

}  // namespace credence::lang
