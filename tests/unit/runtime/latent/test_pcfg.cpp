
#include <catch2/catch.hpp>

#include "runtime/latent/pcfg.hpp"

using namespace credence::rt;

namespace {

Grammar::Symbol symbol(std::size_t i) { return {false, i}; }
Grammar::Symbol word(std::size_t i) { return {true, i}; }

/// S → S S | A | "a" "b" A | "a"; A → S (a cycle of unary rules) | "b".
Grammar looping() {
    Grammar g;
    g.name = "Looping";
    g.nonterminals = {"S", "A"};
    g.words = {"a", "b"};
    g.rules = {{0, {symbol(0), symbol(0)}, Rational(1, 5)},
               {0, {symbol(1)}, Rational(1, 4)},
               {0, {word(0), word(1), symbol(1)}, Rational(3, 20)},
               {0, {word(0)}, Rational(2, 5)},
               {1, {symbol(0)}, Rational(1, 3)},
               {1, {word(1)}, Rational(2, 3)}};
    return g;
}

}  // namespace

TEST_CASE("inside sums over chains of unary rules in closed form") {
    const Grammar g = looping();
    Run run;
    // "a": S → a directly, or once more round S → A → S: 2/5 / (1 − 1/4 · 1/3).
    CHECK(*inside(g, {0}, run) == Number(Rational(2, 5) / (Rational(1) - Rational(1, 12))));
    // "b": S → A → b, with any number of turns: (1/4 · 2/3) / (1 − 1/12).
    CHECK(*inside(g, {1}, run) == Number(Rational(1, 6) / Rational(11, 12)));
    CHECK(*inside(g, {-1}, run) == Number(0));
    Run real;
    real.numbers = NumberMode::real;
    CHECK(inside(g, {0, 1, 1}, real)->real() == Approx(inside(g, {0, 1, 1}, run)->real()).epsilon(1e-12));
}

TEST_CASE("the trees of an ambiguous sentence: as many as Catalan says, summing to the inside probability") {
    Grammar g;
    g.name = "Pairs";
    g.nonterminals = {"S"};
    g.words = {"a"};
    g.rules = {{0, {symbol(0), symbol(0)}, Rational(1, 3)}, {0, {word(0)}, Rational(2, 3)}};
    Run run;
    const std::size_t catalan[] = {1, 1, 2, 5, 14, 42};
    for (std::size_t n = 1; n <= 6; ++n) {
        const Sentence s(n, 0);
        const auto trees = parses(g, s, 100, run);
        REQUIRE(trees);
        CHECK(trees->size() == catalan[n - 1]);
        Number sum = 0;
        for (const auto& t : *trees) sum += t.probability;
        CHECK(sum == *inside(g, s, run));
    }
    CHECK(parses(g, Sentence(5, 0), 3, run)->size() == 3);
}

TEST_CASE("expected uses of rules are p times the derivative of ln P(sentence)") {
    const Grammar g = looping();
    std::vector<double> p;
    for (const auto& rule : g.rules) p.push_back(rule.probability->real());
    for (const Sentence& s : {Sentence{0}, Sentence{0, 1, 1}, Sentence{0, 0, 1, 1, 0}}) {
        std::vector<double> counts(p.size());
        const double log = expected_uses(g, p, s, 1.0, counts);
        Run run;
        CHECK(log == Approx(inside(g, s, run)->log()).epsilon(1e-12));
        for (std::size_t r = 0; r < p.size(); ++r) {
            const double h = 1e-6;
            std::vector<double> scratch(p.size());
            auto up = p;
            auto down = p;
            up[r] += h;
            down[r] -= h;
            const double slope = (expected_uses(g, up, s, 1.0, scratch) - expected_uses(g, down, s, 1.0, scratch)) / (2 * h);
            CHECK(counts[r] == Approx(p[r] * slope).epsilon(1e-6).margin(1e-8));
        }
    }
}
