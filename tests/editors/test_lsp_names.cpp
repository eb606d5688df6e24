// What names refer to, seen through renaming: places where a reader of the syntax alone would be wrong.

#include <catch2/catch.hpp>

#include "tests/editors/lsp_client.hpp"

namespace {

using namespace credence::test;

/// The text after renaming what stands at the first `word` of a line, counted from 0; "refused" where that is refused.
std::string renamed(const std::string& text, int line, const std::string& word, const std::string& to) {
    LspClient client;
    client.start();
    client.open(text);
    std::size_t begin = 0;
    for (int i = 0; i < line; ++i) begin = text.find('\n', begin) + 1;
    Json params = at(line, static_cast<int>(text.find(word, begin) - begin));
    params["newName"] = to;
    const Json answer = client.ask("textDocument/rename", params);
    return answer.contains("result") ? applied(text, answer["result"]["changes"]["file:///tmp/x.cred"]) : "refused";
}

}  // namespace

TEST_CASE("variables of plates and their indices") {
    const std::string text =
        "net N { for i in 1..2 { Q[i] : 0.5; R[i] | Q[i] : { true: i / 4, false: 0.1 } } }\nP(Q[1] = true | R[2] = true)\nP(Q)\n"
        "independent(Q[1], Q[2], in: N)\nlet i = 1\nP(Q[i] = true)\n";
    CHECK(renamed(text, 0, "Q", "S") ==
          "net N { for i in 1..2 { S[i] : 0.5; R[i] | S[i] : { true: i / 4, false: 0.1 } } }\nP(S[1] = true | R[2] = true)\nP(S)\n"
          "independent(S[1], S[2], in: N)\nlet i = 1\nP(S[i] = true)\n");
    CHECK(renamed(text, 0, "i in", "k") ==
          "net N { for k in 1..2 { Q[k] : 0.5; R[k] | Q[k] : { true: k / 4, false: 0.1 } } }\nP(Q[1] = true | R[2] = true)\nP(Q)\n"
          "independent(Q[1], Q[2], in: N)\nlet i = 1\nP(Q[i] = true)\n");
    CHECK(renamed(text, 4, "i =", "n") ==
          "net N { for i in 1..2 { Q[i] : 0.5; R[i] | Q[i] : { true: i / 4, false: 0.1 } } }\nP(Q[1] = true | R[2] = true)\nP(Q)\n"
          "independent(Q[1], Q[2], in: N)\nlet n = 1\nP(Q[n] = true)\n");
}

TEST_CASE("a word after = is a value of the variable, else a variable, else a name of the script") {
    CHECK(renamed("let heads = 1\nnet C { F : { heads: 0.5, tails: 0.5 } }\nP(F = heads)\nP(F in {heads, tails})\nP(F = (heads))\n", 0,
                  "heads",
                  "one") == "let one = 1\nnet C { F : { heads: 0.5, tails: 0.5 } }\nP(F = heads)\nP(F in {heads, tails})\nP(F = (one))\n");
    CHECK(renamed("let limit = 3\nnet D { A : uniform(1..6); B : uniform(1..6) }\nP(A = limit)\nP(A < limit)\nP(A + B < limit)\n", 0,
                  "limit",
                  "most") == "let most = 3\nnet D { A : uniform(1..6); B : uniform(1..6) }\nP(A = most)\nP(A < most)\nP(A + B < most)\n");
    CHECK(renamed("let B = 3\nnet D { A : uniform(1..6); B : uniform(1..6) }\nP(A = B)\nB + 1\n", 1, "B", "C") ==
          "let B = 3\nnet D { A : uniform(1..6); C : uniform(1..6) }\nP(A = C)\nB + 1\n");
    CHECK(renamed("hypotheses Bag -> Candy { h1 -> lime; h2 -> cherry }\nlet seen = [lime, lime]\nP(Bag | Candy = seen)\n", 2, "seen",
                  "eaten") == "hypotheses Bag -> Candy { h1 -> lime; h2 -> cherry }\nlet eaten = [lime, lime]\nP(Bag | Candy = eaten)\n");
}

TEST_CASE("labels spelled like builtins or functions are nobody's name") {
    const std::string text =
        "net A { X : { mean: 0.5, twice: 0.5 } }\nfn twice(n) = 2 * n\nP(X = mean)\nP(X = twice)\nmean([twice(1), 2])\n";
    CHECK(renamed(text, 2, "mean", "median") == "refused");
    CHECK(renamed(text, 1, "twice", "double") ==
          "net A { X : { mean: 0.5, twice: 0.5 } }\nfn double(n) = 2 * n\nP(X = mean)\nP(X = twice)\nmean([double(1), 2])\n");
}

TEST_CASE("names of comprehensions and functions inside a query") {
    const std::string text = "net D { X : uniform(1..6) }\nlet k = 2\nE(sum([k * X for k in 1..2]) + k)\nbest([1, 2], a -> E(a * X))\n";
    CHECK(renamed(text, 2, "k * X", "j") ==
          "net D { X : uniform(1..6) }\nlet k = 2\nE(sum([j * X for j in 1..2]) + k)\nbest([1, 2], a -> E(a * X))\n");
    CHECK(renamed(text, 1, "k", "j") ==
          "net D { X : uniform(1..6) }\nlet j = 2\nE(sum([k * X for k in 1..2]) + j)\nbest([1, 2], a -> E(a * X))\n");
    CHECK(renamed(text, 0, "X", "Y") ==
          "net D { Y : uniform(1..6) }\nlet k = 2\nE(sum([k * Y for k in 1..2]) + k)\nbest([1, 2], a -> E(a * Y))\n");
}

TEST_CASE("arguments are named by the parameters of functions, named lambdas and nets") {
    CHECK(renamed("let f = (a, b) -> a + b\nf(a: 1, b: 2)\n", 1, "a", "x") == "let f = (x, b) -> x + b\nf(x: 1, b: 2)\n");
    CHECK(renamed("net C(p) { X : p }\nP(X = true) in C(p: 0.1)\n", 0, "p", "q") == "net C(q) { X : q }\nP(X = true) in C(q: 0.1)\n");
    CHECK(renamed("net N { A : 0.5; B : 0.5; C | A, B : noisy_or(leak: 0.1, A: 0.8, B: 0.7) }\n", 0, "A", "Z") ==
          "net N { Z : 0.5; B : 0.5; C | Z, B : noisy_or(leak: 0.1, Z: 0.8, B: 0.7) }\n");
}

TEST_CASE("what belongs to a model is not mixed up with its namesakes elsewhere") {
    CHECK(renamed("net A { variables : 0.5 }\nnet B { X : 0.5 }\nB.variables\n", 0, "variables", "V") ==
          "net A { V : 0.5 }\nnet B { X : 0.5 }\nB.variables\n");
    CHECK(renamed("net A { X : 0.5; Y | X : X }\nnet B { X : 0.5 }\nA.parents(Y)\nB.children(X)\n", 0, "X", "Z") ==
          "net A { Z : 0.5; Y | Z : Z }\nnet B { X : 0.5 }\nA.parents(Y)\nB.children(X)\n");
    CHECK(renamed("table t { x ; 1 ; 2 }\nmixture M { 1/2: normal(0, 1), 1/2: normal(4, 1) }\nP(component | x = 3) in M\nmean(t.x)\n", 0,
                  "x", "y") ==
          "table t { y ; 1 ; 2 }\nmixture M { 1/2: normal(0, 1), 1/2: normal(4, 1) }\nP(component | x = 3) in M\nmean(t.y)\n");
}

TEST_CASE("scripts with mistakes keep their names apart") {
    // The query is ambiguous: it ties nothing together.
    CHECK(renamed("net A { X : 0.5 }\nnet B { X : 0.5 }\nP(X = true)\n", 0, "X", "Y") ==
          "net A { Y : 0.5 }\nnet B { X : 0.5 }\nP(X = true)\n");
    // A statement that does not parse in the middle.
    CHECK(renamed("let a = 1\nlet b = = a\nnobody\na + 1\nnet N { A : 0.5; A2 | A : nobody }\nP(A2 = true) + a\n", 3, "a", "z") ==
          "let z = 1\nlet b = = a\nnobody\nz + 1\nnet N { A : 0.5; A2 | A : nobody }\nP(A2 = true) + z\n");
    CHECK(renamed("let x = 1\nexpect error: x + nobody\nlet x = x + 1\nx\n", 0, "x", "y") ==
          "let y = 1\nexpect error: y + nobody\nlet x = y + 1\nx\n");
}

TEST_CASE("names of other files lead there and are not renamed here") {
    LspClient client;
    client.start();
    const std::string folder = std::string(CREDENCE_SOURCE_DIR) + "/tests/golden/language/";
    const std::string uri = "file://" + folder + "x.cred";
    client.open("import \"lib/shapes.cred\"\narea(2, 3)\nimport \"lib/shapes.cred\" as s\ns.area(2, 3)\n", uri);
    const Json found = client.result("textDocument/definition", at(1, 1, uri));
    CHECK(found["uri"] == "file://" + folder + "lib/shapes.cred");
    CHECK(client.ask("textDocument/prepareRename", at(1, 1, uri)).contains("error"));
    CHECK(client.result("textDocument/documentHighlight", at(3, 0, uri)).size() == 2);
}
