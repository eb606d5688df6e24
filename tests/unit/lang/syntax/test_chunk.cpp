#include <catch2/catch.hpp>

#include "lang/syntax/chunk.hpp"
#include "lang/syntax/scan.hpp"
#include "tests/unit/lang/syntax/syntax_support.hpp"

using namespace credence::lang;
using namespace credence::lang::test;

namespace {

std::vector<std::string> statements(std::string_view text) {
    const auto result = chunk(text);
    std::vector<std::string> out;
    for (const auto& c : result.chunks) {
        const auto begin = result.tokens[c.first].span.begin;
        out.emplace_back(text.substr(begin, result.tokens[c.last - 1].span.end - begin));
    }
    return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a line end ends a statement, except where the line goes on", "[syntax]") {
    CHECK(statements("a\nb; c\n\n# d\n;;e") == Texts{"a", "b", "c", "e"});
    CHECK(statements("a +\nb\nc") == Texts{"a +\nb", "c"});
    CHECK(statements("let x =\n  1") == Texts{"let x =\n  1"});
    CHECK(statements("a and # why\n\n  b") == Texts{"a and # why\n\n  b"});
    CHECK(statements("if a then\nb\nelse\nc") == Texts{"if a then\nb\nelse\nc"});
    CHECK(statements("x -> \n y") == Texts{"x -> \n y"});
    CHECK(statements("a\n  |> f\n  # on\n  |> g") == Texts{"a\n  |> f\n  # on\n  |> g"});
    CHECK(statements("f(a\n\nb)\nc") == Texts{"f(a\n\nb)", "c"});
    CHECK(statements("{a\nb}\n<1,\n2\n>\nc") == Texts{"{a\nb}", "<1,\n2\n>", "c"});
    CHECK(statements("x == -\ny") == Texts{"x == -", "y"});
    CHECK(statements("x -\ny") == Texts{"x -\ny"});
    CHECK(statements("x.in\ny") == Texts{"x.in", "y"});
    CHECK(statements("not\ny") == Texts{"not", "y"});
    CHECK(statements("\"a;\nb\"; c") == Texts{"\"a;\nb\"", "c"});
    CHECK(statements("\xEF\xBB\xBF"
                     "a\r\nb\r\n") == Texts{"a", "b"});
}

TEST_CASE("inside braces a line end separates", "[syntax]") {
    CHECK(shown("{a: 1\n b: 2,\n c: 3;\n\n}") == shown("{a: 1, b: 2, c: 3}"));
    CHECK(shown("{a: 1 +\n 2\n b: [1,\n 2\n]}") == shown("{a: 1 + 2, b: [1, 2]}"));
    CHECK(shown("{a: if x then 1\n else 2}") == shown("{a: if x then 1 else 2}"));
    CHECK(shown("{a: 1\n then: 2\n else: 3}") == shown("{a: 1, then: 2, else: 3}"));
    CHECK(dumped("net A { C\n | A, B :\n { a,\n b : 1\n else : 0 } }") == dumped("net A { C | A, B : { a, b : 1, else : 0 } }"));
}

TEST_CASE("unfinished texts ask for another line", "[syntax]") {
    for (const char* text :
         {"net A {", "f(1,", "let x =", "a +", "a and", "\"abc", "\"a {x", "x -", "[1, 2", "if a then", "table t {\n a b", "<1", "x ->"})
        CHECK(is_incomplete(text));
    for (const char* text :
         {"", "a", "x == -", "f(1)", "a)", "(a]", "net A { X : 1 }", "# f(", "let x = 1\n", "\"a {x}\"", "x == +", "x.in"})
        CHECK_FALSE(is_incomplete(text));
}

TEST_CASE("words may be of any script, symbols may not", "[syntax]") {
    for (const char* word : {"x", "_", "Größe", "数据", "Δ1", "имя", "µ"}) CHECK(word_end(word, 0) == std::string_view(word).size());
    for (const char* other : {"∅", "≈", "∞", "→", "\u00A0", "—", "“", "1a", "×", "\xFF"}) CHECK(word_end(other, 0) == 0);
}

TEST_CASE("spans are bytes of the source, exactly", "[syntax]") {
    const std::string text = "é\tlet\n\tlet `x y` = (größe + \"ü\")[ 1 ]  # c\n";
    const auto source = std::make_shared<const Source>("test", "let q = 0\n" + text.substr(text.find("\tlet `")));
    Diagnostics problems;
    const auto program = parse(source, problems);
    REQUIRE(problems.empty());
    REQUIRE(program.statements.size() == 2);
    const auto& let = std::get<LetStmt>(program.statements[1]->node);
    CHECK(source->text(program.statements[1]->span) == "let `x y` = (größe + \"ü\")[ 1 ]");
    CHECK(source->text(let.name.span) == "`x y`");
    CHECK(let.name.text == "x y");
    CHECK(source->text(let.value->span) == "(größe + \"ü\")[ 1 ]");
    const auto& index = std::get<Index>(let.value->node);
    CHECK(source->text(index.base->span) == "(größe + \"ü\")");
    const auto& sum = std::get<Binary>(index.base->node);
    CHECK(source->text(sum.op_span) == "+");
    CHECK(source->text(sum.left->span) == "größe");
    CHECK(source->text(sum.right->span) == "\"ü\"");
    CHECK(source->text(index.indices[0]->span) == "1");
}

TEST_CASE("spans of the parts of a query", "[syntax]") {
    const auto source = std::make_shared<const Source>("test", "P(Q[ 2 ] = a or not B | do( X = 1 )) in M.n  by e( 3 ) == 1");
    Diagnostics problems;
    const auto program = parse(source, problems);
    REQUIRE(problems.empty());
    const auto& equal = std::get<Binary>(std::get<ExprStmt>(program.statements[0]->node).value->node);
    CHECK(source->text(equal.left->span) == "P(Q[ 2 ] = a or not B | do( X = 1 )) in M.n  by e( 3 )");
    const auto& query = std::get<QueryExpr>(equal.left->node);
    CHECK(source->text(query.targets[0].span) == "Q[ 2 ] = a or not B");
    CHECK(source->text(query.given[0].span) == "do( X = 1 )");
    CHECK(source->text(query.model->span) == "M.n");
    CHECK(source->text(query.engine->span) == "e( 3 )");
    const auto& either = std::get<EventOr>(std::get<EventItem>(query.targets[0].node).event->node);
    CHECK(source->text(either.parts[1]->span) == "not B");
    CHECK(source->text(std::get<EventAtom>(either.parts[0]->node).variable.span) == "Q[ 2 ]");
}
