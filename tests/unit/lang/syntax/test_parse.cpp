#include <catch2/catch.hpp>

#include "tests/unit/lang/syntax/syntax_support.hpp"

using namespace credence::lang;
using namespace credence::lang::test;

TEST_CASE("operators bind as the grammar says", "[syntax]") {
    CHECK(shown("a + b * c - d") == "(- (+ (name 'a') (* (name 'b') (name 'c'))) (name 'd'))");
    CHECK(shown("-a^2") == "(- (^ (name 'a') 2))");
    CHECK(shown("2^-3^2") == "(^ 2 (- (^ 3 2)))");
    CHECK(shown("a mod b / c") == "(/ (mod (name 'a') (name 'b')) (name 'c'))");
    CHECK(shown("not a == b and c or d") == "(or (and (not (== (name 'a') (name 'b'))) (name 'c')) (name 'd'))");
    CHECK(shown("1..n + 1 step 2 == x") == "(== (range 1 (+ (name 'n') 1) 2) (name 'x'))");
    CHECK(shown("x in 1..3") == "(in (name 'x') (range 1 3 none))");
    CHECK(shown("argmax f * g == a") == "(== (argmax (* (name 'f') (name 'g'))) (name 'a'))");
    CHECK(shown("x |> f(1) |> g") == "(pipe (pipe (name 'x') (call (name 'f') (1))) (name 'g'))");
    CHECK(shown("f(x)[1].y") == "(member (index (call (name 'f') ((name 'x'))) (1)) 'y')");
    CHECK(shown("- -x") == "(- (- (name 'x')))");
    CHECK(shown("+x") == "(name 'x')");
}

TEST_CASE("expressions that begin with a word", "[syntax]") {
    CHECK(shown("explain if a then b else c") == "(explain (if (name 'a') (name 'b') (name 'c')))");
    CHECK(shown("x -> y -> x + y") == "(lambda ('x') (lambda ('y') (+ (name 'x') (name 'y'))))");
    CHECK(shown("(a, b) -> a") == "(lambda ('a' 'b') (name 'a'))");
    CHECK(shown("() -> 1") == "(lambda () 1)");
    CHECK(shown("(a)") == "(paren (name 'a'))");
    CHECK(shown("train knn(k: 3) on t by em(restarts: 5)") ==
          "(train (call (name 'knn') ((named 'k' 3))) (name 't') (call (name 'em') ((named 'restarts' 5))))");
    CHECK(shown("sample 10 from M") == "(sample 10 (name 'M') none)");
    CHECK(shown("sample from M by gibbs(3)") == "(sample none (name 'M') (call (name 'gibbs') (3)))");
    CHECK(shown("f(x -> x == +, y)") == "(call (name 'f') ((lambda ('x') (== (name 'x') (sign '+'))) (name 'y')))");
}

TEST_CASE("literals", "[syntax]") {
    CHECK(shown("0.008") == "1/125");
    CHECK(shown("98%") == "49/50");
    CHECK(shown("1e-3") == "1/1000");
    CHECK(shown("12345678901234567890123") == "12345678901234567890123");
    CHECK(shown("1/125") == "(/ 1 125)");
    CHECK(shown("[true, false]") == "(list (true false))");
    CHECK(shown(R"("a\tb\n\"q\" \\ \u{e9}\u{1F600}")") == "(text 'a\tb\n\"q\" \\\\ é😀')");
    CHECK(shown(R"("n = {x + 1}, {{{y}}}")") == "(text 'n = ' (+ (name 'x') 1) ', {' (name 'y') '}')");
    CHECK(shown(R"("a{f("b{c}")}d")") == "(text 'a' (call (name 'f') ((text 'b' (name 'c')))) 'd')");
    CHECK(shown(R"("{ {a: 1}.a }")") == "(text (member (record ((entry 'a' 1))) 'a'))");
    CHECK(shown("\"\"") == "(text)");
    CHECK(shown("\"two\r\nlines\"") == "(text 'two\nlines')");
    CHECK(shown("[x^2 for x in 1..5 if x != 3]") == "(comprehension (^ (name 'x') 2) 'x' (range 1 5 none) (!= (name 'x') 3))");
    CHECK(shown("[1, 2,]") == "(list (1 2))");
    CHECK(shown("{}") == "(record ())");
    CHECK(shown("{a, 1 + 1}") == "(set ((name 'a') (+ 1 1)))");
    CHECK(shown("{a: 1, \"New York\": 2, 1.0: 3, -1: 4, +: 5, -: 6, in: 7, true: 8, `x y`: 9}") ==
          "(record ((entry 'a' 1) (entry 'New York' 2) (entry '1' 3) (entry '-1' 4) (entry '+' 5) (entry '-' 6) (entry 'in' 7) (entry "
          "'true' 8) "
          "(entry 'x y' 9)))");
    CHECK(shown("<Sunny, ?, ∅, 1 + 2, ->") == "(instance ((name 'Sunny') any nothing (+ 1 2) (sign '-')))");
    CHECK(shown("graph { A, B : flow; A ->+ x ->- B }") == "(graph (kind ('A' 'B') 'flow') (chain ('A' 'x' 'B') '+-'))");
    CHECK(shown("größe + 数 + `T-4 level`") == "(+ (+ (name 'größe') (name '数')) (quoted 'T-4 level'))");
}

TEST_CASE("a sign is a label unless an operand follows on its line", "[syntax]") {
    CHECK(shown("x == -") == "(== (name 'x') (sign '-'))");
    CHECK(shown("x == - # comment") == "(== (name 'x') (sign '-'))");
    CHECK(dumped("x == -\ny") == "((show (== (name 'x') (sign '-'))))\n((show (name 'y')))\n");
    CHECK(dumped("(x == -\n1)") == "E-SYNTAX: expected ')' after '-', found 1\n");  // no operand on its line: a label
    CHECK(shown("x == - 1") == "(== (name 'x') (- 1))");
    CHECK(shown("x == + and y == -") == "(and (== (name 'x') (sign '+')) (== (name 'y') (sign '-')))");
    CHECK(shown("[+, -, -1]") == "(list ((sign '+') (sign '-') (- 1)))");
    CHECK(shown("f[+, -]") == "(index (name 'f') ((sign '+') (sign '-')))");
    CHECK(shown("x - 1") == "(- (name 'x') 1)");
    CHECK(shown("x -1") == "(- (name 'x') 1)");
    CHECK(shown("10..1 step -1") == "(range 10 1 (- 1))");
    CHECK(shown("<1, 2>==x") == "(== (instance (1 2)) (name 'x'))");
    CHECK(shown("a < b") == "(< (name 'a') (name 'b'))");
    CHECK(dumped("set seed -3") == "((set 'seed' (- 3)))\n");
    CHECK(
        dumped("hypotheses H -> C { h1: 0.4 -> +, h2: 0.3 -> -\n h3 -> - }") ==
        "((hypotheses 'H' 'C' ((hypothesis 'h1' 2/5 (sign '+')) (hypothesis 'h2' 3/10 (sign '-')) (hypothesis 'h3' none (sign '-')))))\n");
}

TEST_CASE("queries", "[syntax]") {
    CHECK(shown("P(D | T = pos)[healthy]") ==
          "(index (P ((item (variable 'D'))) (given ((item (= (variable 'T') (name 'pos')))))) ((name 'healthy')))");
    CHECK(shown("P(X = a) in t == 9/14") == "(== (P ((item (= (variable 'X') (name 'a')))) (in (name 't'))) (/ 9 14))");
    CHECK(shown("P(X) in M[1] by gibbs(10)") == "(P ((item (variable 'X'))) (in (index (name 'M') (1))) (by (call (name 'gibbs') (10))))");
    CHECK(shown("P(* | do(A = 1, B = 2), e)") ==
          "(P (*) (given ((do ((= (variable 'A') 1) (= (variable 'B') 2))) (item (variable 'e')))))");
    CHECK(shown("P(next Candy = lime | Candy = [lime, on])") ==
          "(P ((next (= (variable 'Candy') (name 'lime')))) (given ((item (= (variable 'Candy') (list ((name 'lime') (name 'on'))))))))");
    CHECK(shown("P(A = a or not (B = b) and C)") ==
          "(P ((item (or ((= (variable 'A') (name 'a')) (and ((not (= (variable 'B') (name 'b'))) (variable 'C'))))))))");
    CHECK(shown("P(A < 3, B >= 1 + 1, C in {a, b}, D in 1..3, E != -, Q[i + 1] = +)") ==
          "(P ((item (< (variable 'A') 3)) (item (>= (variable 'B') (+ 1 1))) (item (in (variable 'C') (set ((name 'a') (name 'b'))))) "
          "(item (in (variable 'D') (range 1 3 none))) (item (!= (variable 'E') (sign '-'))) (item (= (variable 'Q' (+ (name 'i') 1)) "
          "(sign '+')))))");
    CHECK(shown("P(X | Y ~ {a: 1}, Z likelihood {b: 3})") ==
          "(P ((item (variable 'X'))) (given ((item (~ (variable 'Y') (record ((entry 'a' 1))))) (item (likelihood (variable 'Z') (record "
          "((entry 'b' "
          "3))))))))");
    CHECK(shown("I(A, B; C | D)") ==
          "(I ((item (variable 'A')) (item (variable 'B'))) (second ((item (variable 'C')))) (given ((item (variable 'D')))))");
    CHECK(shown("E(x^2 + y | Y = 1)") == "(E (+ (^ (name 'x') 2) (name 'y')) (given ((item (= (variable 'Y') 1)))))");
    CHECK(shown("P(Switch = on | Mode = in)") ==
          "(P ((item (= (variable 'Switch') (name 'on')))) (given ((item (= (variable 'Mode') (name 'in'))))))");
    CHECK(shown("f[on]") == "(index (name 'f') ((name 'on')))");
    CHECK(shown("(argmax P(C)).theta") == "(member (paren (argmax (P ((item (variable 'C')))))) 'theta')");
    CHECK(shown("H.size + P + L[1]") == "(+ (+ (member (name 'H') 'size') (name 'P')) (index (name 'L') (1)))");
}

TEST_CASE("statements", "[syntax]") {
    CHECK(dumped("let x = 3") == "((let 'x' 3))\n");
    CHECK(dumped("fn f(a, b) = a + c where c = b, d = c") ==
          "((fn 'f' ('a' 'b') (+ (name 'a') (name 'c')) ((where 'c' (name 'b')) (where 'd' (name 'c')))))\n");
    CHECK(dumped("fn f() = 1") == "((fn 'f' () 1 ()))\n");
    CHECK(dumped("set numbers exact") == "((set 'numbers' (name 'exact')))\n");
    CHECK(dumped("import \"a/b.cred\" as b") == "((import 'a/b.cred' (as 'b')))\n");
    CHECK(dumped("expect a == b within 1e-2 from \"a book\"") == "((expect (== (name 'a') (name 'b')) (within 1/100) (from 'a book')))\n");
    CHECK(dumped("expect error \"x\": let y = 1") == "((expect_error (text 'x') ((let 'y' 1))))\n");
    CHECK(dumped("expect error: f(1)") == "((expect_error ((show (call (name 'f') (1))))))\n");
    CHECK(dumped("expect error == 3") == "((expect (== (name 'error') 3)))\n");
    CHECK(dumped("let where = 1; let prior = where; let step = prior") ==
          "((let 'where' 1))\n((let 'prior' (name 'where')))\n((let 'step' (name 'prior')))\n");
    CHECK(shown("f(in: Alarm, given: [C], by: x).net") ==
          "(member (call (name 'f') ((named 'in' (name 'Alarm')) (named 'given' (list ((name 'C')))) (named 'by' (name 'x')))) 'net')");
}

TEST_CASE("nets", "[syntax]") {
    CHECK(dumped("net A { X : 0.5; Y | X : { true: 0.9, false: 0.1 } }") ==
          "((net 'A' ((node (variable 'X') 1/2) (node (variable 'Y') (parents ((variable 'X'))) (cpt ((row ('true') 9/10) (row ('false') "
          "1/10)))))))\n");
    CHECK(dumped("net A {\n C | A, B : {\n  a, _ : { x: 1 }\n  (k), + : on\n  else : ?\n }\n}") ==
          "((net 'A' ((node (variable 'C') (parents ((variable 'A') (variable 'B'))) (cpt ((row ('a' _) (record ((entry 'x' 1)))) (row "
          "((computed "
          "(name 'k')) '+') (name 'on')) (else ?)))))))\n");
    CHECK(dumped("net A { a | b : { x, y : 1, z, w : 2 } }") ==
          "((net 'A' ((node (variable 'a') (parents ((variable 'b'))) (cpt ((row ('x' 'y') 1) (row ('z' 'w') 2)))))))\n");
    CHECK(dumped("net A { for i in 1..2 { Q[i] in {on, off} | C : ? } }") ==
          "((net 'A' ((plate 'i' (range 1 2 none) ((node (variable 'Q' (name 'i')) (domain ((name 'on') (name 'off'))) (parents ((variable "
          "'C'))) ?))))))\n");
    CHECK(dumped("net A { X ~ normal(a + b * Y, s)\n Z | B, E : B or E }") ==
          "((net 'A' ((node (variable 'X') ~ (call (name 'normal') ((+ (name 'a') (* (name 'b') (name 'Y'))) (name 's')))) (node (variable "
          "'Z') "
          "(parents ((variable 'B') (variable 'E'))) (or (name 'B') (name 'E'))))))\n");
}

TEST_CASE("other declarations", "[syntax]") {
    CHECK(dumped("hypotheses Coin(t in 0..1 step 1/4, k in {1, 2}) { prior t * k  Flip | a, b -> f(t) }") ==
          "((parametric 'Coin' ((parameter 't' (range 0 1 (/ 1 4))) (parameter 'k' (set (1 2)))) (* (name 't') (name 'k')) 'Flip' ('a' "
          "'b') (call (name "
          "'f') ((name 't')))))\n");
    CHECK(dumped("hypotheses Coin(t in 0..1) {\n prior -> t }") ==
          "((parametric 'Coin' ((parameter 't' (range 0 1 none))) none 'prior' () (name 't')))\n");
    CHECK(dumped("hypotheses B -> C {\n h1: p -> lime\n h2 -> { a: 1/2,\n b: 1/2 }\n}") ==
          "((hypotheses 'B' 'C' ((hypothesis 'h1' (name 'p') (name 'lime')) (hypothesis 'h2' none (record ((entry 'a' (/ 1 2)) (entry 'b' "
          "(/ 1 2))))))))\n");
    CHECK(dumped("mixture M { ?: normal(?, 1), 1/2: f }") ==
          "((mixture 'M' ((component ? (call (name 'normal') (? 1))) (component (/ 1 2) (name 'f')))))\n");
    CHECK(dumped("hmm U { emit { a: f; b: g } states { a, b } move ? start { a: 1 } }") ==
          "((hmm 'U' (states ('a' 'b')) (start (record ((entry 'a' 1)))) (move '?') (emit ((entry 'a' (name 'f')) (entry 'b' (name "
          "'g'))))))\n");
    const std::string rules =
        "((grammar 'G' (start 'S') ((production 'S' ((rule ((symbol 'NP') (symbol 'VP')) 9/10) (rule ((symbol 'VP')) 1/10))) (production "
        "'N' ((rule "
        "((terminal 'fish')) ?))))))\n";
    CHECK(dumped("grammar G { start S   S -> NP VP: 0.9 | VP: 0.1   N -> \"fish\": ? }") == rules);
    CHECK(dumped("grammar G {\n  start S\n  S -> NP VP: 0.9\n   | VP: 0.1\n  N -> \"fish\": ?\n}") == rules);
    CHECK(dumped("cases C { case + { structure \"s\" function { A ->+ B } cost: 3 }\n case `b c` { } }") ==
          "((cases 'C' ((case '+' (structure 's') (function (graph (chain ('A' 'B') '+'))) ((entry 'cost' 3))) (case 'b c' ()))))\n");
}

TEST_CASE("tables keep their cells as they are written", "[syntax]") {
    CHECK(dumped("table t { x y -> z # header\n -1 0.50 -> + ; T-4 1/3 -> -\n ? \"a {b} \\\"c\\\"\" -> <=50K\n}") ==
          "((table 't' ('x' 'y' 'z') true (('-1' '0.50' '+') ('T-4' '1/3' '-') (? (quoted 'a {b} \"c\"') '<=50K'))))\n");
    CHECK(dumped("table t {\n  a `b c`\n  (1] it's\n}\nx") == "((table 't' ('a' 'b c') false (('(1]' 'it\\'s'))))\n((show (name 'x')))\n");
    CHECK(dumped("table t { x -> y\n}") == "((table 't' ('x' 'y') true ()))\n");
    CHECK(dumped("expect error: table t { x }") == "((expect_error ((table 't' ('x') false ()))))\n");
}

TEST_CASE("## comments document what follows", "[syntax]") {
    CHECK(dumped("#! /usr/bin/env credence\n## one\n##  two\nlet x = 1 ## not this\nlet y = 2") ==
          "((doc 'one\n two') (let 'x' 1))\n((let 'y' 2))\n");
    CHECK(dumped("net A {\n  ## the node\n  X : 1\n}") == "((net 'A' ((node (doc 'the node') (variable 'X') 1))))\n");
    CHECK(dumped("## far\n\nlet x = 1") == "((let 'x' 1))\n");
    CHECK(dumped("### banner\nlet x = 1") == "((let 'x' 1))\n");
}
