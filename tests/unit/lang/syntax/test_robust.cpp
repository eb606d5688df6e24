#include <catch2/catch.hpp>

#include <ctime>
#include <random>

#include "lang/syntax/format.hpp"
#include "tests/unit/lang/syntax/syntax_support.hpp"

using namespace credence::lang;
using namespace credence::lang::test;

namespace {

std::string repeat(std::string_view piece, std::size_t times) {
    std::string out;
    out.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i) out += piece;
    return out;
}

std::string codes_of(const std::string& text) {
    Diagnostics problems;
    parsed(text, problems);
    std::string out;
    for (const auto& p : problems) out += std::string(p.code.text()) + " ";
    return out;
}

/// Seconds of this process to parse and format a text. Quadratic cost would take minutes where the bounds are seconds.
double seconds(const std::string& text) {
    const auto start = std::clock();
    Diagnostics problems;
    parsed(text, problems);
    static_cast<void>(format(text));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("deep nesting parses quickly up to the limit, and is an error beyond it", "[syntax]") {
    struct Nest {
        const char* open;
        const char* inner;
        const char* close;
    };
    const auto n = GENERATE(values<Nest>({{"(", "1", ")"},
                                          {"[", "1", "]"},
                                          {"{", "1", "}"},
                                          {"{a: ", "1", "}"},
                                          {"<", "1", ">"},
                                          {"f(", "1", ")"},
                                          {"x[", "1", "]"},
                                          {"P(X = (", "1", "))"},
                                          {"(x) -> (", "1", ")"},
                                          {"[x for x in ", "1", "]"},
                                          {"E(", "1", ")"},
                                          {"f(x -> (", "1", "))"}}));
    INFO(n.open);
    const auto nested = [&](std::size_t depth) { return repeat(n.open, depth) + n.inner + repeat(n.close, depth); };
    CHECK(codes_of(nested(95)).empty());
    CHECK(seconds(nested(95)) < 0.5);
    CHECK_THAT(codes_of(nested(300)), Catch::Contains("E-DEPTH"));
    CHECK_THAT(codes_of(nested(20'000)), Catch::Contains("E-DEPTH"));
}

TEST_CASE("nested texts", "[syntax]") {
    CHECK(codes_of(repeat("\"{", 95) + "1" + repeat("}\"", 95)).empty());
    CHECK_THAT(codes_of(repeat("\"{", 300) + "1" + repeat("}\"", 300)), Catch::Contains("E-DEPTH"));
    CHECK(codes_of("P(" + repeat("(", 150) + "X = 1" + repeat(")", 150) + ")").empty());
    CHECK(codes_of("net A {" + repeat("for i in 1..2 {", 100) + "X : 1" + repeat("}", 100) + "}").empty());
}

TEST_CASE("long chains are fine, endless ones are an error", "[syntax]") {
    for (const char* link : {"1 + ", "a and ", "a or ", "2 * ", "-", "not ", "explain ", "x -> ", "2^", "argmax ", "train a on ", "f() |> ",
                             "if a then b else ", "sample from "}) {
        INFO(link);
        CHECK(codes_of(repeat(link, 300) + "1").find("E-DEPTH") == std::string::npos);
        CHECK(codes_of(repeat(link, 5'000) + "1") == "E-DEPTH ");
    }
    CHECK(codes_of(repeat("1 + ", 900) + "1").empty());
    CHECK(codes_of("a" + repeat(".b", 900)).empty());
    CHECK(codes_of("a" + repeat(".b", 5'000)) == "E-DEPTH ");
    CHECK(codes_of("a" + repeat("[1]", 5'000)) == "E-DEPTH ");
    CHECK(codes_of("P(" + repeat("not ", 5'000) + "X)") == "E-DEPTH ");
    CHECK(codes_of(repeat("expect error \"x\": ", 5'000) + "1") == "E-DEPTH ");
    CHECK(codes_of("[" + repeat("1, ", 50'000) + "1]").empty());
}

TEST_CASE("bytes that are not text are reported where they are", "[syntax]") {
    const auto c = GENERATE(values<std::pair<std::string, std::string>>({
        {std::string("let x = 1\nlet y = \0 2\nlet z = 3", 31), "let x = 1|let z = 3"},
        {"let x = 1\nlet y = \"\xFF\"\nlet z = 3", "let x = 1|let z = 3"},
        {"let x = 1\nlet y\xC3 = 2\nlet z = 3", "let x = 1|let z = 3"},
        {"let x = 1\n# \xED\xA0\x80\nlet z = 3", "let x = 1|let z = 3"},
    }));
    const auto source = std::make_shared<const Source>("test", c.first);
    Diagnostics problems;
    const auto program = parse(source, problems);
    std::string survivors;
    for (const auto& s : program.statements) survivors += (survivors.empty() ? "" : "|") + std::string(source->text(s->span));
    CHECK(survivors == c.second);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].code.text() == "E-TEXT");
    CHECK(source->position(problems[0].span.begin).line == 2);
}

TEST_CASE("long inputs take linear time", "[syntax]") {
    const std::string sound = "let x = f(a, b: [1, 2, 3])[1] + P(X = a | Y = b) in M == 1/2  # and a comment\n";
    CHECK(codes_of(repeat(sound, 1000)).empty());
    CHECK(seconds(repeat(sound, 800)) < 3);
    CHECK(seconds("[" + repeat("1, ", 20'000) + "1]") < 3);
    for (const char c : {'x', '1', '-', ' ', '\n'}) CHECK(seconds(std::string(60'000, c)) < 3);
    for (const char* piece : {"(",           ")",
                              "(]",          "{",
                              "}",           "<",
                              ">",           "\"",
                              "\"{",         "\\\"\n",
                              "`",           "'",
                              "#\n",         "##\n",
                              "let x = (\n", "let s = \"\n",
                              "|\n",         "x\n|>",
                              "1e",          "- ",
                              "else\n",      ".",
                              "é",           "\xFF\n",
                              "table t {\n", "table t { a\n",
                              "net A {\n",   "a;",
                              "=\n",         "(((((\n}"}) {
        INFO(piece);
        CHECK(seconds(repeat(piece, 60'000 / std::string_view(piece).size())) < 3);
    }
}

TEST_CASE("a flood of errors is cut off with a note", "[syntax]") {
    Diagnostics problems;
    parsed(repeat("let = 1\n", 5000), problems);
    REQUIRE(problems.size() == 1001);
    CHECK(problems.back().severity == Severity::note);
}

TEST_CASE("garbage made of tokens never breaks the parser or the formatter", "[syntax]") {
    const std::vector<std::string> pieces = {
        "(",           ")",         "[",       "]",        "{",       "}",       "<",         ">",
        "\"",          "`",         "#",       "\n",       ";",       ",",       ":",         "=",
        "==",          "->",        "|",       "|>",       "..",      ".",       "+",         "-",
        "*",           "/",         "^",       "?",        "∅",       "~",       "x",         "1",
        "0.5",         "98%",       "P(",      "E(",       "I(",      "net A {", "table t {", "hmm U {",
        "grammar G {", "cases C {", "graph {", "case a {", "let x =", "fn f(",   "expect",    "expect error",
        "if",          "then",      "else",    "for",      "in",      "and",     "not",       "train",
        "on",          "sample",    "from",    "by",       "next",    "do(",     "argmax",    "mod",
        "step",        "where",     "{x}",     "\"a {",    "} b\"",   "states",  "start",     "function",
        "structure",   "prior",     "true",    " ",        "\\",      "'",       "&&"};
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (std::size_t i = 0, n = random() % 40; i < n; ++i) text += pieces[random() % pieces.size()] + (random() % 3 == 0 ? "" : " ");
        INFO(text);
        Diagnostics problems;
        const auto before = dump(parsed(text, problems));
        for (const auto& p : problems) REQUIRE((p.span.begin <= p.span.end && p.span.end <= text.size() && !p.message.empty()));
        const auto tidy = format(text);
        if (problems.empty()) {
            REQUIRE(dump(parsed(tidy, problems)) == before);
            REQUIRE(format(tidy) == tidy);
        }
    }
}
