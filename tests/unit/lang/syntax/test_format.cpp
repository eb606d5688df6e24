#include <catch2/catch.hpp>

#include <random>

#include "lang/syntax/format.hpp"
#include "tests/unit/lang/syntax/syntax_support.hpp"

using namespace credence::lang;
using namespace credence::lang::test;

namespace {

/// One of everything, laid out badly.
const std::vector<std::string>& snippets() {
    static const std::vector<std::string> all = {
        "let   x=1+2*3-4/5^6 mod 7",
        "let y = - 1; let z = -x ; -x.y ^ 2",
        "expect 1/3+1/6==1/2 and a/b==c /2",
        "x == -\ny == +  # sign\n[+,-,- 1]",
        "<Sunny,->==< ?,∅ , x+1 , - >",
        "<a, - >",
        "P (x) + P(x) + x.P (y)",
        "P(Class=+|x=1,do( X=2 ),not(Y=b)or Z in{a,b})in M by gibbs( 10 ,burn:5 )",
        "I( A,B ;C|D )",
        "f( in:Alarm,given:[ C ] )[ 1,2 ].net . on",
        "10..1 step -1\n1 .. n+1 step (2)\nset seed (3)\nset seed -3",
        "x->x+1\n(a,b)->a\n( )->1\nexplain if a then b else c",
        "a\n|>f( 1 )\n      |> g\n\n\n\nb",
        "if a then\nb\nelse\nif c then d else e",
        "let f=g(a,{\nb:1\nc:[1,\n2\n]\n})",
        "let r = {\n\n a:1,\n   b:{c:2}\n\n}",
        "{}; { }; {a}; {a:1}; {+:0.2,-:0.8}; {-1:1,1.0:2}",
        "\"n = {x+1} {{b}}  {f( \"q{ y }\" )}\"",
        "\"two\n   lines\"+x",
        "fn  f( a,b )=a+c where c=b,d=(c)",
        "import \"x\" as  y\nexpect a==b within 1e-3 from \"book\"\nexpect error \"t\":let q=1",
        "train knn( k:3 )on t by em( )\nsample 10 from M\nsample from P(X)in M",
        "net A{\n## doc\nX:0.5\nY  in {on,off}|X,Z[ 3 ]:{\non,_:0.5;(k),-:{a:1},else:?\n}\nfor i in 1..20{Q[i] in {yes,no}|C:?}\nW~normal( "
        "a+b*Y,s )\n}",
        "net A { X\n| Y :\n{ a : 1 } }",
        "hypotheses H->Class{h1:0.4->+,h2:0.3->-,h3->-}",
        "hypotheses Coin( theta in 0..1 step 1/100 ){prior theta*(1-theta)\nFlip|a,b->{heads:theta,tails:1-theta}}",
        "hypotheses Coin(t in 0..1) { prior (t) F -> t }",
        "mixture M{?:normal( ?,1 ),1/2:f}",
        "hmm U{states{a,b}start ? move ?\nemit{a:normal(0,1)\nb:{x:1}}}",
        "grammar G{start S   S->NP VP:0.9|VP:0.1   N->\"fish\":?\nX->a b\n|c:3}",
        "table t{a b `c d`->e # head\n1/3 ? \"x  y\"->z->1\n# between\nT-4 0.50 + -> -   # tail\n}",
        "table t { x -> y; 1 -> 2; 3 -> 4 }\ntable u { x -> y\n  -1 -> 2; 3 -> 4\n 10 -> 20\n}",
        "table t {\n größe b\n é 1\n ab 2\n}",
        "cases C{case +{structure \"s\" function{A->+x->-B;Q1,Q2:flow}cost:3}\n\ncase b{}}",
        "let g=graph{A->+B\nA -> - C}",
        "# only a comment",
        "a # one\nbb  # two\n\nccc # three\n# own\nd # four",
        "f(a, # first\n  # second\n  b # third\n  # last\n)",
        "#!/usr/bin/env credence\n\n\n\nlet x = 1\r\nlet y = 2\r\n\r\n\r\n",
        "a;b;;c ;\nd;",
        "",
    };
    return all;
}

std::vector<std::string> all_scripts() {
    auto out = repository_scripts();
    out.insert(out.end(), snippets().begin(), snippets().end());
    return out;
}

/// Blanks between tokens made longer at random. Lines with texts, names in backticks or comments are left alone.
std::string stretched(const std::string& text, std::mt19937& random) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const auto line = text.substr(at, end - at);
        const bool leave = line.find_first_of("\"`#") != std::string::npos;
        for (std::size_t i = 0; i < line.size(); ++i) {
            out += line[i];
            if (!leave && line[i] == ' ') out.append(random() % 4, ' ');
        }
        at = end;
    }
    return out;
}

}  // namespace

TEST_CASE("formatting keeps the program and is done after once", "[syntax]") {
    for (const auto& text : all_scripts()) {
        Diagnostics problems;
        const auto before = dump(parsed(text, problems));
        if (!problems.empty()) continue;  // a script that is there for its errors
        INFO(text);
        const auto tidy = format(text);
        INFO(tidy);
        CHECK(dump(parsed(tidy, problems)) == before);
        CHECK(problems.empty());
        CHECK(format(tidy) == tidy);
        CHECK((tidy.empty() || tidy.back() == '\n'));
        CHECK(tidy.find(" \n") == std::string::npos);
        CHECK(tidy.find("\n\n\n") == std::string::npos);
    }
}

TEST_CASE("every snippet of this test parses", "[syntax]") {
    for (const auto& text : snippets()) {
        Diagnostics problems;
        parsed(text, problems);
        INFO(text);
        CHECK((problems.empty() || text.starts_with("table t{a b `c d`->e")));
    }
}

TEST_CASE("the number of blanks between tokens does not matter", "[syntax]") {
    std::mt19937 random(1);
    for (const auto& text : all_scripts()) {
        if (text.find("\n   lines") != std::string::npos) continue;  // blanks inside a text
        INFO(text);
        CHECK(format(stretched(text, random)) == format(text));
    }
}

TEST_CASE("canonical layout", "[syntax]") {
    CHECK(format("fn prior( h )=h\nf(prior (1))\n") == "fn prior(h) = h\nf(prior(1))\n");
    CHECK(format("let   x=1+2 * -3^2 ; y") == "let x = 1 + 2 * -3^2; y\n");
    CHECK(format("f( a,b )[ 1 ] . c") == "f(a, b)[1].c\n");
    CHECK(format("{a:1,b:<1,->}") == "{ a: 1, b: <1, -> }\n");
    CHECK(format("not(a)and b in(c)") == "not (a) and b in (c)\n");
    CHECK(format("P(X=a|do (Y=b))in M") == "P(X = a | do(Y = b)) in M\n");
    CHECK(format("P (x)") == "P (x)\n");
    CHECK(format("1 / 2 + x/2") == "1/2 + x / 2\n");
    CHECK(format("13*14/2/64 + 3*1 / 2") == "13 * 14 / 2 / 64 + 3 * 1/2\n");
    CHECK(format("let g=graph{A->+B;C:x}") == "let g = graph { A ->+ B; C : x }\n");
    CHECK(format("net A{X:0.5\nY|X:{a:1,\nb:2}}") == "net A { X : 0.5\n  Y | X : { a: 1,\n    b: 2 } }\n");
    CHECK(format("net A {\n\n   X : 1\n\n\n   Y : 2\n\n}\n\n\n\nx") == "net A {\n  X : 1\n\n  Y : 2\n}\n\nx\n");
    CHECK(format("let a = f(b, {\n c: 1\n})") == "let a = f(b, {\n  c: 1\n})\n");
    CHECK(format("a\n|>f\n|>g") == "a\n  |> f\n  |> g\n");
    CHECK(format("let x =\n1 +\n2") == "let x =\n  1 +\n  2\n");
    CHECK(format("## doc\nlet x = 1   # why\nlet long = 2 # too") == "## doc\nlet x = 1     # why\nlet long = 2  # too\n");
    CHECK(format("table t {\nOutlook Wind -> Play\nSunny -1 -> No\nRain \"a b\" -> ?\n}") ==
          "table t {\n  Outlook Wind  -> Play\n  Sunny   -1    -> No\n  Rain    \"a b\" -> ?\n}\n");
    CHECK(format("let x=\"a  {b+c}\"") == "let x = \"a  {b+c}\"\n");
    CHECK(format("\n\n# c\n\n") == "# c\n");
    CHECK(format("\xEF\xBB\xBFx\r\ny\r\n") == "x\ny\n");
}
