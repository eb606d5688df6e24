#include "lang/syntax/messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/syntax/error_site.hpp"
#include "lang/syntax/habits.hpp"
#include "runtime/core/words.hpp"

namespace credence::lang {

namespace {

class Message : ErrorSite {
public:
    Message(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected)
        : ErrorSite(text, chunks, chunk, at), expected_(expected) {}

    Diagnostic make() {
        general();
        at_end() ? missing() : found();
        if (at_ > chunk_.first) mention_long_text(tokens_[at_ - 1]);
        return std::move(out_);
    }

private:
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
        if (first() == Tok::let && (kind() == Tok::left_bracket || kind() == Tok::left_paren) && at_ == chunk_.first + 1)
            help("let names one value: let parts = split(t, 2/3); let rest = parts[2]");
        if (first() == Tok::let && kind() == Tok::equal_equal && at_ == chunk_.first + 2)
            help("= names a value, == compares two: let x = 3");
        if (first() == Tok::fn && (kind() == Tok::left_brace || kind() == Tok::colon) && previous() == Tok::right_paren)
            help("a function is one expression: fn f(x) = …, with its parts named after where");
        if (expected_.kind == Expects::end && (compares(kind()) || kind() == Tok::in) && after_pipe())
            help("|> binds weaker than a comparison: put the pipe in parentheses, (xs |> f) == …");
        if (first() == Tok::for_ && at_ == chunk_.first) {
            help("there are no loops: make a list from another with [x^2 for x in 1..3]");
            help("variables are repeated inside a net: net N { for i in 1..3 { D[i] : uniform(1..6) } }");
        }
        if (declares() && at_ <= chunk_.first + 2) bad_declaration();
        if (expected_.kind == Expects::colon && kind() == Tok::tilde) return drawn_with_parents();
        if (kind() == Tok::tilde && (is_opener(previous()) || previous() == Tok::comma || previous() == Tok::bar))
            return say("~ does not negate an event", "write not");
        if (first() == Tok::fn && kind() == Tok::let && previous() == Tok::left_brace) return body_in_braces();
        if (expected_.kind == Expects::query && kind() == Tok::bar)
            return say("a query has one |", "write a comma between pieces of evidence");
        if (expected_.kind == Expects::query && kind() == Tok::comma) return say("E takes one expression", "a second one begins here");
        // `x == on`, `<on, 3>`: the word itself is meant.
        const bool compared =
            previous() == Tok::equal_equal || previous() == Tok::not_equal || previous() == Tok::comma || is_opener(previous());
        const bool alone = compared && (next() == Tok::newline || next() == Tok::comma || is_closer(next()));
        if (is_reserved(kind()) && (expected_.kind == Expects::name || (wants_operand() && (!is_infix(kind()) || alone))))
            return reserved();
        if (node_as_query()) return;
        if ((kind() == Tok::query || kind() == Tok::expectation) && expected_.kind == Expects::name) return head();
        if (!habit()) by_expectation();
    }

    /// fn f(x) = { let y = …; … }
    void body_in_braces() {
        say("let cannot stand inside an expression", "a function is one expression");
        help("it names its parts after it: fn f(x) = y * 2 where y = x + 1");
    }

    /// Is the statement a declaration of a model?
    bool declares() const { return declares_model(first()); }

    void bad_declaration() {
        const auto word = spelling(chunk_.first);
        if (kind() == Tok::left_brace && at_ == chunk_.first + 1) help(fmt::format("a model has a name: {} Name {{ … }}", word));
        if (kind() == Tok::colon && at_ == chunk_.first + 2)
            help(fmt::format("its parts are written in braces: {} {{ … }}", written(chunk_.first, at_)));
    }

    /// P(Coin) = 0.5 in the place of a node.
    bool node_as_query() {
        if (kind() != Tok::query || expected_.kind != Expects::close_block || first() != Tok::net || next() != Tok::left_paren)
            return false;
        const auto end = ahead(at_ + 2, [](Tok) { return false; });
        const bool event = ahead(at_ + 2, [](Tok kind) { return kind == Tok::equal; }) < end;
        say("write only the name of a node, without P", "a query asks and cannot declare");
        if (!event) help(fmt::format("write {} : …", written(at_ + 2, end)));
        if (event) help("a number is the probability of true: Rain : 0.2; other values have a table: Coin : { heads: 0.5, tails: 0.5 }");
        return true;
    }

    /// A : 0.5 | B
    bool parents_after_table() {
        if (kind() != Tok::bar || expected_.kind != Expects::close_block || first() != Tok::net) return false;
        const auto separates = [](Tok kind) { return kind == Tok::comma || kind == Tok::semicolon || kind == Tok::newline; };
        const auto colon = back(at_, [](Tok kind) { return kind == Tok::colon; });
        const auto node = back(colon - 1, separates);
        if (colon <= chunk_.first + 1 || tokens_[colon - 1].kind != Tok::colon) return false;
        const auto end = ahead(at_ + 1, [](Tok kind) { return kind == Tok::semicolon || kind == Tok::newline; });
        say("parents come before the colon", "this bar comes too late");
        help(fmt::format("write {} | {} : …, with a row for each value", written(node, colon - 1), written(at_ + 1, end)));
        return true;
    }

    /// p(X | Y), Pr(X = a), P[X = a]: true if a query seems to be meant.
    bool query_misspelt() {
        if ((kind() != Tok::bar && kind() != Tok::equal) || first() == Tok::fn) return false;
        const auto open = back(at_, [](Tok) { return false; });
        if (open < chunk_.first + 2 || !is_word(tokens_[open - 2].kind)) return false;
        const auto word = spelling(open - 2);
        const bool head = word.size() == 1 && std::string_view("PEHIL").find(word[0]) != std::string_view::npos;
        const Tok bracket = tokens_[open - 1].kind;
        const std::string instead = bracket == Tok::left_paren ? foreign_function(word) : std::string();
        if (instead.empty() && !(head && bracket == Tok::left_bracket)) return false;
        out_.span = tokens_[open - 2].span;
        if (head)
            say("a query takes parentheses", fmt::format("write {}(…)", word));
        else
            say(fmt::format("{}(…) is not a query", word), "not one of P, E, H, I, L"), help(instead);
        return true;
    }

    /// `3 if c else 4`, and `P(X = a if Y = b)`.
    bool trailing_if() {
        if (kind() != Tok::if_ || at_ == chunk_.first || expected_.kind == Expects::operand) return false;
        if (expected_.kind == Expects::query) {
            say("'if' is not allowed here", "write |"), help("put what is known after the bar: P(X = a | Y = b)");
            return true;
        }
        const auto otherwise = ahead(at_ + 1, [](Tok kind) { return kind == Tok::else_; });
        if (otherwise >= chunk_.last || tokens_[otherwise].kind != Tok::else_) return false;
        const auto start =
            std::max(back(at_, [](Tok kind) { return ends_item(kind) || kind == Tok::equal || kind == Tok::colon; }), chunk_.first);
        const auto end =
            ahead(otherwise + 1, [](Tok kind) { return kind == Tok::comma || kind == Tok::semicolon || kind == Tok::newline; });
        say("the condition must come first", "if comes first");
        help(fmt::format("write if {} then {} else {}", written(at_ + 1, otherwise), written(start, at_), written(otherwise + 1, end)));
        return true;
    }

    bool between() {
        if (!is_word(kind()) || spelling(at_) != "between") return false;
        const auto middle = ahead(at_ + 1, [](Tok kind) { return kind == Tok::and_ || kind == Tok::comma; });
        if (middle >= chunk_.last || tokens_[middle].kind != Tok::and_) return false;
        const auto low = written(at_ + 1, middle);
        const auto high = written(middle + 1, ahead(middle + 1, ends_item));
        const auto what = written(back(at_, ends_item), at_);
        const bool whole = low.find('.') == std::string_view::npos && high.find('.') == std::string_view::npos;
        say("'between' is not part of this language", whole ? fmt::format("write in {}..{}", low, high) : "two comparisons say this");
        help(fmt::format("for real numbers, write {0} >= {1} and {0} <= {2}", what, low, high));
        return true;
    }

    /// Whether the parentheses that end before the offending word follow `function`.
    bool after_function_word() const {
        std::size_t depth = 0;
        for (std::size_t i = at_; i-- > chunk_.first + 1;) {
            if (tokens_[i].kind == Tok::right_paren) ++depth;
            if (tokens_[i].kind == Tok::left_paren && --depth == 0) return spelling(i - 1) == "function";
        }
        return false;
    }

    /// Habits from other languages; true if the message is complete.
    bool habit() {
        if (between() || trailing_if() || query_misspelt() || parents_after_table()) return true;
        if (at_ > chunk_.first && is_word(kind()) && !wants_operand())
            if (const auto instead = foreign_operator(spelling(at_)); !instead.empty()) {
                say(fmt::format("'{}' is not part of this language", spelling(at_)), std::string(instead));
                return true;
            }
        const bool ends = expected_.kind == Expects::end || expected_.kind == Expects::close || expected_.kind == Expects::close_block;
        if (ends && is_word(previous()) && at_ > chunk_.first + 1)
            if (const auto instead = foreign_prefix(spelling(at_ - 1)); !instead.empty()) {
                help(std::string(instead));
                return true;
            }
        if (ends && previous() == Tok::right_paren && after_function_word()) {
            help(std::string(foreign_prefix("function")));
            return true;
        }
        if (kind() == Tok::slash && next() == Tok::star && at_ == chunk_.first) {
            say("/* is not part of this language", "comments start with # and end at the end of the line");
            return true;
        }
        if (first() == Tok::fn && kind() == Tok::arrow && previous() == Tok::right_paren) help("a function is written fn f(x) = x + 1");
        if (kind() == Tok::where && expected_.kind == Expects::close) help("filter a list with if: [x for x in xs if x > 2]");
        if (kind() == Tok::for_ && expected_.kind == Expects::close) help("write a list in brackets: [x^2 for x in 1..3]");
        const auto open = back(at_, [](Tok) { return false; });
        if (kind() == Tok::comma && open >= chunk_.first + 2 && tokens_[open - 2].kind == Tok::sample)
            help("draws are written sample 10 from P(X)");
        else if (kind() == Tok::comma && open >= chunk_.first + 2 && tokens_[open - 2].kind == Tok::train)
            help("a model is trained by train learner() on table");
        else if (kind() == Tok::comma && expected_.kind == Expects::close && for_between(open))
            help(
                "a list has one for: flatten([[x + y for y in ys] for x in xs]) has all pairs, [p[1] + p[2] for p in zip(xs, ys)] goes "
                "side by side");
        else if (kind() == Tok::comma && expected_.kind == Expects::close)
            help("a list is written [a, b]");
        if (kind() == Tok::bar && open >= chunk_.first + 2 && is_word(tokens_[open - 2].kind)) bar_in_call(spelling(open - 2));
        if (kind() == Tok::left_paren && first() == Tok::let && at_ == chunk_.first + 2)
            help(fmt::format("a function is written fn {}", written(chunk_.first + 1, chunk_.last)));
        if (kind() == Tok::within && expected_.kind == Expects::end) help("within comes before from: expect a == b within 0.1 from \"…\"");
        if (kind() == Tok::from && at_ == chunk_.first) help("modules and scripts are read with import \"name\"; builtins need no import");
        if (expected_.kind == Expects::text && first() == Tok::import)
            help("modules and scripts are named in quotes: import \"name\"; builtins need no import");
        if (expected_.kind == Expects::then) help(kind() == Tok::left_brace ? "no braces: if a then b else c" : "write if a then b else c");
        if (ends && is_word(kind()) && spelling(at_) == "as" && (first() == Tok::train || spelling(chunk_.first) == "load"))
            help(fmt::format("a result is named before it: let {} = {}", at_ + 1 < chunk_.last ? spelling(at_ + 1) : "m",
                             written(chunk_.first, at_)));
        if (first() == Tok::let && kind() == Tok::less) help("a value is named with =: let x = 3");
        return false;
    }

    /// A condition inside the parentheses of a function.
    void bar_in_call(std::string_view function) {
        const auto close = ahead(at_ + 1, [](Tok) { return false; });
        const auto condition = written(at_ + 1, close);
        if (function == "independent")
            help(fmt::format("what is known is given: [{}]", condition));
        else if (function == "mean" || function == "expectation")
            help(fmt::format("the mean of a variable given others is E(… | {})", condition));
        else
            help("a condition belongs inside a query: P(X | Y = a)");
    }

    /// Whether a pipe precedes this, outside all brackets.
    bool after_pipe() const {
        int depth = 0;
        for (std::size_t i = at_; i-- > chunk_.first;) {
            depth += is_closer(tokens_[i].kind) ? 1 : is_opener(tokens_[i].kind) ? -1 : 0;
            if (depth == 0 && tokens_[i].kind == Tok::pipe) return true;
        }
        return false;
    }

    bool wants_operand() const { return expected_.kind == Expects::operand || expected_.kind == Expects::event; }

    /// Words that come between or after operands: before such a word, an operand is missing.
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
        if (raw == "!" && ends_operand(previous())) return say("! is not part of this language", "write factorial(n)");
        const Habit* hint = foreign_symbol(raw);
        if (!hint) return say(fmt::format("{} means nothing here", shown(at_)), std::string(out_.label));
        say(fmt::format("{} is not part of this language", raw == "\u00A0" ? "this blank" : raw), std::string(hint->label));
        if (!hint->help.empty()) help(std::string(hint->help));
        if (raw == "//" && ends_operand(previous())) help("the whole part of a quotient is floor(a / b)");
    }

    /// 2d6
    static bool is_dice(std::string_view word) {
        const auto d = word.find_first_of("dD");
        const auto digits = [](std::string_view part) {
            return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
        };
        return d != std::string_view::npos && digits(word.substr(0, d)) && digits(word.substr(d + 1));
    }

    void bad_number() {
        const auto raw = spelling(at_);
        out_.code = "E-NUMBER";
        say(fmt::format("{} is not a number", shown(at_)), "a number ends where its digits end");
        const auto letters = raw.find_first_not_of("0123456789.%");
        if (is_dice(raw)) {
            const auto count = raw.substr(0, letters);
            const auto sides = raw.substr(letters + 1);
            say(fmt::format("{} is not a number", shown(at_)), "dice are variables of a net");
            return help(count == "1"
                            ? fmt::format("a die is a node: D : uniform(1..{})", sides)
                            : fmt::format("net Dice {{ for i in 1..{} {{ D[i] : uniform(1..{}) }} }}, then P(sum(D))", count, sides));
        }
        if (letters == std::string_view::npos) return help("a number has one decimal point; a text such as a version is written in quotes");
        if (raw.find('_') != std::string_view::npos)
            help("digits are written without _");
        else if (letters != std::string_view::npos)
            help(fmt::format("to multiply, write {} * {}", raw.substr(0, letters), raw.substr(letters)));
    }

    void drawn_with_parents() {
        say("~ takes neither labels nor parents", "expected :");
        help("after ~, the parents are the variables named in the distribution: Y ~ normal(X, 1)");
    }

    void equal_sign() {
        const bool assigns = previous() == Tok::plus || previous() == Tok::minus || previous() == Tok::star || previous() == Tok::slash;
        if (assigns && at_ == chunk_.first + 2 && is_word(first()) && tokens_[at_].span.begin == tokens_[at_ - 1].span.end) {
            const auto name = spelling(chunk_.first);
            const auto sign = spelling(at_ - 1);
            say(fmt::format("{}= is not part of this language", sign), "a value is named once and never changed");
            return help(fmt::format("name a new one: let {0}2 = {0} {1} …", name, sign));
        }
        if (previous() == Tok::equal_equal && tokens_[at_].span.begin == tokens_[at_ - 1].span.end)
            return say("=== is not part of this language", "write ==");
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
        if (declares() && at_ == chunk_.first + 2 && next() == Tok::left_brace)
            return say(fmt::format("the definition of {} follows its name directly", spelling(at_ - 1)), "leave out =");
        if (query_misspelt()) return;
        if (at_ >= chunk_.first + 2 && tokens_[at_ - 2].kind == Tok::for_) return say("for runs over a range or a list", "write in");
        if (first() == Tok::fn && expected_.kind == Expects::close && is_word(previous()))
            return say("a parameter has no default", "expected ',' or ')'"),
                   help("each call gives all arguments; write a second function for the usual case");
        if (expected_.kind == Expects::node) return say("a node's table follows a ':'", "write :");
        if (expected_.kind == Expects::colon) return say(fmt::format("expected ':' after {}, found '='", shown(at_ - 1)), "write :");
        if (expected_.kind == Expects::query) return second_comparison();
        if (expected_.kind == Expects::name || wants_operand()) return;
        const bool keyed = at_ > chunk_.first + 1 && is_word(previous()) && tokens_[at_ - 2].kind == Tok::left_brace;
        if (expected_.kind == Expects::close_block && keyed) return say("a key is followed by ':'", "write :");
        say("'=' does not compare", "write == to compare");
        if (expected_.kind == Expects::close || expected_.kind == Expects::close_block)
            help(in_index() ? std::string("a factor is indexed by its values: f[a]")
                            : std::string("a named argument or a key is followed by : instead, as in f(x: 3) and {x: 3}"));
    }

    /// Whether the innermost bracket is that of f[…].
    bool in_index() const {
        const auto open = back(at_, [](Tok) { return false; });
        return open >= chunk_.first + 2 && tokens_[open - 1].kind == Tok::left_bracket && is_word(tokens_[open - 2].kind);
    }

    void reserved() {
        if (kind() == Tok::explain && expected_.kind != Expects::name) {
            out_.code = "E-EXPLAIN";
            return say("explain prints a derivation and has no value", "it belongs at the start of a statement");
        }
        out_.code = "E-RESERVED";
        const auto word = spelling(at_);
        say(fmt::format("'{}' is a reserved word", word), fmt::format("expected {}", expected_.what));
        if (first() == Tok::let && declares_model(kind()) && at_ == chunk_.first + 3)
            help(fmt::format("a model is declared by a statement of its own: {} {} {{ … }}", word, spelling(at_ - 2)));
        else if (expected_.kind == Expects::name)
            help(fmt::format("choose another name, or write it in backticks: `{}`", word));
        else
            help(word == "let" ? std::string("a function names its parts after it: fn f(x) = y + 1 where y = x^2")
                               : fmt::format("a label of this spelling is written in quotes: \"{}\"", word));
    }

    void head() {
        out_.code = "E-RESERVED";
        say(fmt::format("{}( starts a query and cannot be defined", spelling(at_)), "choose another name");
        help("P, E, H, I and L before ( are queries");
    }

    void in_table() {
        out_.code = "E-TABLE";
        if (kind() == Tok::bar) {
            say("a bar in a table", "cells are separated only by spaces");
            return help("write the cells of a row with spaces between them; put a cell that is a bar in quotes");
        }
        if (kind() == Tok::comma) {
            say("a comma in a table", "cells are separated by spaces");
            return help("write the cells of a row with spaces between them; put a cell that contains a comma or spaces in quotes");
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
            say("`as` names a free variable or quantity, so no comparison can follow", "the item ends before this");
            return help("an event has no name: leave out `as`");
        }
        chained(",");
    }

    /// a < b < c
    void chained(std::string_view joint) {
        say("comparisons do not chain", "a second comparison");
        const auto sign = back(at_, compares);
        const bool both = sign > chunk_.first + 1 && compares(tokens_[sign - 1].kind) && at_ + 1 < chunk_.last;
        if (!both) return help(fmt::format("write a < b{} b < c", joint));
        const auto left = written(back(sign - 1, ends_item), sign - 1);
        const auto middle = written(sign, at_);
        const auto right = written(at_ + 1, ahead(at_ + 1, [](Tok kind) { return ends_item(kind) || compares(kind); }));
        help(fmt::format("write {0} {1} {2}{3} {2} {4} {5}", left, spelling(sign - 1), middle, joint, spelling(at_), right));
    }

    void by_expectation() {
        switch (expected_.kind) {
            case Expects::else_:
                return needs_else();
            case Expects::then:
                return say("if needs a then", fmt::format("expected then, found {}", shown(at_)));
            case Expects::no_chain:
                chained(" and");
                if (kind() == Tok::in) help("the model directly follows its query: P(X) in M == 1/2");
                return;
            case Expects::node:
                if (first() == Tok::net && is_word(kind()))
                    say(fmt::format("expected ':' and a table after {}", shown(at_ - 1)), "a node begins with its name");
                else if (kind() == Tok::tilde)
                    drawn_with_parents();
                else if (kind() == Tok::left_brace)
                    say("expected : before a node's table", "write : before {");
                else if (kind() == Tok::arrow)
                    say("a node's table follows a ':'", "write :");
                return;
            case Expects::query:
                if (compares(kind()) && at_ > chunk_.first + 2) second_comparison();
                if (kind() == Tok::colon && previous() == Tok::number && next() == Tok::number) say_range();
                return;
            case Expects::close:
                if (kind() == Tok::colon && in_index() && previous() == Tok::number && next() == Tok::number) return say_range();
                if (kind() == Tok::colon && expected_.what == "'}'")
                    return help("set digits 3 shows fewer digits; round(x, 2) rounds a number");
                if (declares_model(kind()) && (is_opener(previous()) || previous() == Tok::comma)) {
                    out_.code = "E-RESERVED";
                    say(fmt::format("'{}' is a reserved word", spelling(at_)), "expected an expression");
                    help(fmt::format("as a name it is written in backticks: `{}`", spelling(at_)));
                }
                return;
            case Expects::close_block:
                if (kind() == Tok::number && is_word(previous()))
                    return help(fmt::format("a key is followed by a colon: {}: {}", spelling(at_ - 1), spelling(at_)));
                if (kind() == Tok::for_) return help("for makes lists: [x^2 for x in 1..3]; unique(xs) leaves out repetitions");
                if (is_reserved(kind())) help(fmt::format("'{0}' is a reserved word; as a name it is written `{0}`", spelling(at_)));
                return;
            case Expects::operand:
                if (kind() == Tok::if_) help("inside an expression, if is written in parentheses: (if a then b else c)");
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
        } else if (kind() == Tok::comma && first() == Tok::let && is_word(next())) {
            help(fmt::format("each name needs its own let: {}; let {}", written(chunk_.first, at_), written(at_ + 1, chunk_.last)));
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
        } else if (kind() == Tok::colon && next() == Tok::colon) {
            help("a fact with a probability is a node of a net: net M { rain : 0.3 }");
        } else if (kind() == Tok::colon && next() == Tok::number) {
            say_range();
        } else if (previous() == Tok::number && is_word(kind())) {
            help(fmt::format("to multiply, write {} * {}", spelling(at_ - 1), spelling(at_)));
        } else if ((kind() == Tok::text || kind() == Tok::text_open) && is_word(previous()) &&
                   tokens_[at_].span.begin == tokens_[at_ - 1].span.end) {
            help("write no prefix before a text: \"x is {x}\" contains the value of x");
        } else if (at_ == chunk_.first + 1 && is_word(first())) {
            unknown_statement();
        }
    }

    void say_range() { help(fmt::format("numbers from one to another are written {}..{}", spelling(at_ - 1), spelling(at_ + 1))); }

    void unknown_statement() {
        const auto word = spelling(chunk_.first);
        const bool operand = is_word(kind()) || kind() == Tok::number || kind() == Tok::text;
        if (const auto hint = foreign_statement(word); !hint.empty() && !(operand && !is_word(kind()))) return help(std::string(hint));
        for (const auto& [keyword, kind] : rt::words)
            if (kind == rt::WordKind::statement && one_edit_apart(word, keyword)) return help(fmt::format("did you mean {}?", keyword));
        if (kind() == Tok::query || kind() == Tok::expectation)
            help(fmt::format("a function is called with parentheses: {}({})", word, written(at_, chunk_.last)));
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
            help("the text before this spans several lines; is its closing quote missing?");
    }

    Expected expected_;
    Diagnostic out_;
};

}  // namespace

Diagnostic syntax_error(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected) {
    return Message(text, chunks, chunk, at, expected).make();
}

}  // namespace credence::lang
