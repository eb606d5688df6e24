#include <catch2/catch.hpp>

#include "tests/unit/lang/syntax/syntax_support.hpp"

using namespace credence::lang;
using namespace credence::lang::test;

namespace {

struct Case {
    const char* text;
    const char* code;
    const char* says;  ///< part of the message, the label or the help
    const char* at;    ///< the text under the caret
};

}  // namespace

TEST_CASE("errors say what was found, what was possible and what to do", "[syntax]") {
    const auto c = GENERATE(values<Case>({
        {"P(X = a", "E-BRACKET", "this ( is never closed", "("},
        {"(a]", "E-BRACKET", "this ( is closed by a ]", "("},
        {"f(a}", "E-BRACKET", "this ( is closed by a }", "("},
        {"{f(a}", "E-BRACKET", "this ( is never closed", "("},
        {"a)", "E-BRACKET", "no open bracket matches this )", ")"},
        {"let s = \"abc", "E-BRACKET", "this text is never closed", "\""},
        {"`abc", "E-BRACKET", "never closed", "`"},
        {"let = 3", "E-SYNTAX", "expected a name after let", "="},
        {"let", "E-SYNTAX", "expected a name after let", ""},
        {"x = 3", "E-SYNTAX", "use let x = 3 to name a value, == to compare", "="},
        {"expect x = 3", "E-SYNTAX", "write == to compare", "="},
        {"f(x = 3)", "E-SYNTAX", "f(x: 3)", "="},
        {"if x = 3 then 1 else 2", "E-SYNTAX", "write == to compare", "="},
        {"if a then b", "E-SYNTAX", "if needs an else", ""},
        {"f(if a then b)", "E-SYNTAX", "if needs an else", ")"},
        {"if a b", "E-SYNTAX", "if needs a then", "b"},
        {"a && b", "E-SYNTAX", "write and", "&&"},
        {"a || b", "E-SYNTAX", "write or", "||"},
        {"a <> b", "E-SYNTAX", "write !=", "<>"},
        {"2 ** 3", "E-SYNTAX", "write ^", "**"},
        {"x := 3", "E-SYNTAX", "let x = 3 names a value", ":="},
        {"f(x => 3)", "E-SYNTAX", "write ->", "=>"},
        {"not !a", "E-SYNTAX", "write not", "!"},
        {"let s = 'single'", "E-SYNTAX", "texts use double quotes", "'single'"},
        {"let s = “x”", "E-SYNTAX", "straight double quotes", "“"},
        {"a ≤ b", "E-SYNTAX", "write <=", "≤"},
        {"a % b", "E-SYNTAX", "the remainder is mod", "%"},
        {"10%3", "E-SYNTAX", "the remainder is mod", "3"},
        {"2x + 1", "E-NUMBER", "write 2 * x", "2x"},
        {"1_000", "E-NUMBER", "without _", "1_000"},
        {"1e999999999", "E-NUMBER", "too large", "1e999999999"},
        {"fn P(x) = 3", "E-RESERVED", "cannot be defined", "P"},
        {"let net = 3", "E-RESERVED", "'net' is a reserved word", "net"},
        {"1 + table", "E-RESERVED", "'table' is a reserved word", "table"},
        {"net A { table : 1 }", "E-SYNTAX", "'table' is a reserved word", "table"},
        {"x + then", "E-SYNTAX", "expected a value after '+', found then", "then"},
        {"x == on", "E-RESERVED", "written in quotes: \"on\"", "on"},
        {"1 + if a then b else c", "E-SYNTAX", "(if a then b else c)", "if"},
        {"[a for (a, b) in xs]", "E-SYNTAX", "zip(xs, ys)", "("},
        {"a < b < c", "E-SYNTAX", "comparisons do not chain", "<"},
        {"expect P(X) == 1/2 in M", "E-SYNTAX", "P(X) in M == 1/2", "in"},
        {"lett x = 3", "E-SYNTAX", "did you mean let?", "x"},
        {"hypothesis H -> C { a -> b }", "E-SYNTAX", "did you mean hypotheses?", "H"},
        {"def f(x)", "E-SYNTAX", "fn f(x) = …", "f"},
        {"print x", "E-SYNTAX", "prints its value", "x"},
        {"a, b", "E-SYNTAX", "a list is written [a, b]", ","},
        {"X | Y", "E-SYNTAX", "P(X | Y = a)", "|"},
        {"[1, , 2]", "E-SYNTAX", "expected a value after ','", ","},
        {"f(a: 1, 2)", "E-SYNTAX", "put it before the named ones", "2"},
        {"f(a b)", "E-SYNTAX", "expected ',' or ')'", "b"},
        {"P(X; Y)", "E-SYNTAX", "only I takes a ;", "P(X; Y)"},
        {"I(X)", "E-SYNTAX", "I has two sides", "I(X)"},
        {"P()", "E-SYNTAX", "a variable or an event", ")"},
        {"\"a\\q\"", "E-TEXT", "unknown escape sequence", "\\q"},
        {"\"\\u{110000}\"", "E-TEXT", "unknown escape sequence", "\\u"},
        {"import \"a{x}\"", "E-SYNTAX", "write {{ for a brace", "\""},
        {"net A { X in {a} ~ f }", "E-SYNTAX", "~ takes neither", "~"},
        {"net A { X {a: 1} }", "E-SYNTAX", "write : before {", "{"},
        {"net A { X = 3 }", "E-SYNTAX", "follows a ':'", "="},
        {"net A { 3 : 1 }", "E-SYNTAX", "expected a node", "3"},
        {"net A { X : 1 Y : 2 }", "E-SYNTAX", "expected a line end, ',' or '}' after 1", "Y"},
        {"hypotheses H -> C { a: 1 }", "E-SYNTAX", "expected '->' after 1", "}"},
        {"graph { A -> B }", "E-SYNTAX", "the sign of the arrow", "B"},
        {"hmm U { states {a} states {b} }", "E-SYNTAX", "given before", "states {b}"},
        {"train knn t", "E-SYNTAX", "'on' and the data", "t"},
        {"table t { a, b -> c }", "E-TABLE", "cells are separated by spaces", ","},
        {"table t { a -> b; 1, 2 }", "E-TABLE", "cells are separated by spaces", ","},
        {"table t { a b -> c; 1 2 3 -> 4 }", "E-TABLE", "this row has 4 cells, the header 3 columns", "1 2 3 -> 4"},
        {"table t { a b -> c; 1 2 }", "E-TABLE", "write a missing value as ?", "1 2"},
        {"table t { a -> b; 1 2 }", "E-TABLE", "needs -> before its last cell", "1 2"},
        {"table t { a b; 1 -> 2 }", "E-TABLE", "but not in the header", "1 -> 2"},
        {"table t { a -> b c; 1 -> 2 3 }", "E-TABLE", "comes only before the last column", "a -> b c"},
        {"table t { }", "E-TABLE", "without columns", "}"},
        {"let a = \"x\nlet b = y\" z", "E-BRACKET", "this text is never closed", "\""},
    }));
    INFO(c.text);
    const auto source = std::make_shared<const Source>("test", c.text);
    Diagnostics problems;
    parse(source, problems);
    REQUIRE_FALSE(problems.empty());
    const auto& p = problems.front();
    CHECK(p.code.text() == c.code);
    std::string said = p.message + "\n" + p.label;
    for (const auto& line : p.help) said += "\n" + line;
    CHECK_THAT(said, Catch::Contains(c.says));
    CHECK(source->text(p.span) == c.at);
    CHECK(p.source == source);
    CHECK_FALSE(p.label.empty());
}

TEST_CASE("each statement's error is reported, and the others survive", "[syntax]") {
    CHECK(dumped("let = 1\nlet a = 2\nf(\nlet b = 3\n)\nexpect 1 +\nlet c = 4") ==
          "((let 'a' 2))\n((let 'b' 3))\nE-SYNTAX: expected a name after let, found '='\nE-BRACKET: this ( is never closed\n"
          "E-BRACKET: no open bracket matches this )\nE-RESERVED: 'let' is a reserved word\n");
}

TEST_CASE("a missing brace does not swallow what follows", "[syntax]") {
    Diagnostics problems;
    const auto program =
        parsed("net A {\n  X : { a: 1\n  Y : 2\n}\nlet x = 1\nexpect x == 1\ntable t {\n  a b\n  1 2\nlet y = 2\nP(X", problems);
    CHECK(dump(program) == "((let 'x' 1))\n((expect (== (name 'x') 1)))\n((let 'y' 2))\n");
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].span.begin == 14);  // the inner one, which the brace at the start of a line was not meant for
    for (const auto& p : problems) CHECK(p.code.text() == "E-BRACKET");
}

TEST_CASE("a missing quote does not swallow what follows", "[syntax]") {
    CHECK(dumped("let a = \"x\nlet b = 2\nlet c = \"z\"") ==
          "((let 'b' 2))\n((let 'c' (text 'z')))\nE-BRACKET: this text is never closed\n");
    CHECK(dumped("f(\"x\ny\nz") == "((show (name 'y')))\n((show (name 'z')))\nE-BRACKET: this text is never closed\n");
}

TEST_CASE("an error of the parser can be expected too", "[syntax]") {
    CHECK(dumped("expect error \"COMMA\": table t { a, b }") == "((expect true))\n");
    CHECK(dumped("expect error \"E-TABLE\": table t { a b; 1 }") == "((expect true))\n");
    CHECK(dumped("expect error: let = 3") == "((expect true))\n");
    CHECK(dumped("expect error \"other\": table t { a, b }") == "E-TABLE: a comma in a table\n");
    CHECK(dumped("expect error \"x\" let = 3") == "E-SYNTAX: expected ':' after \"x\", found let\n");
}
