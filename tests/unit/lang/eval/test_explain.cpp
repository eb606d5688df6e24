// Every begin, step and result line of a derivation is an expression of the language with one and the same value: evaluated here line by
// line, and again after an input of the model was changed.

#include <catch2/catch.hpp>

#include "tests/support/session.hpp"

using namespace credence;
using test::Recorder;
using test::run;

namespace {

struct Case {
    std::string model;
    std::vector<std::string> queries;
};

std::optional<double> number_of(lang::Session& session, const std::string& expression) {
    Recorder out;
    if (!run(session, expression, out) || out.values.empty()) {
        UNSCOPED_INFO(out.messages());
        return std::nullopt;
    }
    const auto* n = out.values.back().value.get<rt::Number>();
    return n ? std::optional(n->real()) : std::nullopt;
}

/// The number of lines evaluated.
std::size_t check(const Case& c) {
    lang::Session session(test::registry(), {});
    Recorder out;
    REQUIRE(run(session, c.model, out));
    std::size_t lines = 0;
    for (const auto& query : c.queries) {
        Recorder explained;
        INFO("explain " << query);
        REQUIRE(run(session, "explain " + query, explained));
        REQUIRE(explained.derivations.size() == 1);
        std::optional<double> value;
        for (const auto& line : explained.derivations[0].lines) {
            using Kind = lang::DerivationText::Kind;
            if (line.kind < Kind::begin) continue;
            INFO(line.text);
            const auto found = number_of(session, line.text);
            REQUIRE(found.has_value());
            if (line.kind == Kind::begin) value = found;
            REQUIRE(value.has_value());
            // Reals are written with six digits; fractions are exact.
            CHECK(*found == Approx(*value).epsilon(2e-5).margin(1e-6));
            ++lines;
        }
    }
    return lines;
}

std::string clinic(const std::string& prior, const std::string& rest) {
    return "net Clinic {\n  Diagnosis : { cancer: " + prior + ", healthy: " + rest +
           " }\n  Test | Diagnosis : { cancer: { pos: 0.98, neg: 0.02 }, healthy: { pos: 0.03, neg: 0.97 } }\n}\n";
}

std::string alarm(const std::string& burglary) {
    return "net Alarm {\n  Burglary : " + burglary +
           "\n  Earthquake : 0.002\n  Alarm | Burglary, Earthquake : { true, true: 0.95; true, false: 0.94; false, true: 0.29; false, "
           "false: 0.001 }\n"
           "  JohnCalls | Alarm : { true: 0.9, false: 0.05 }\n  MaryCalls | Alarm : { true: 0.7, false: 0.01 }\n}\n";
}

std::string bags(const std::string& first, const std::string& last) {
    return "hypotheses Bag -> Candy {\n  h1: " + first +
           " -> cherry\n  h2: 0.2 -> { cherry: 3/4, lime: 1/4 }\n  h3: 0.4 -> { cherry: 1/2, lime: 1/2 }\n  h5: " + last + " -> lime\n}\n";
}

std::string days(const std::string& last) {
    return "table days {\n  Wind -> Play\n  Weak -> Yes\n  Strong -> No\n  Weak -> Yes\n  Strong -> Yes\n  Weak -> " + last + "\n}\n";
}

}  // namespace

TEST_CASE("each line of a net's derivation evaluates to the same value, before and after a change of input") {
    const std::vector<std::string> queries = {"P(Diagnosis | Test = pos)",
                                              "P(Diagnosis = cancer | Test = pos)",
                                              "P(Test = pos)",
                                              "P(Diagnosis, Test = pos)",
                                              "P(Test | Diagnosis)",
                                              "P(Diagnosis = cancer or Test = pos)",
                                              "H(Diagnosis)",
                                              "H(Diagnosis | Test)",
                                              "I(Diagnosis; Test)",
                                              "L(Diagnosis = cancer)",
                                              "P(Test | do(Diagnosis = cancer))",
                                              "E(if Diagnosis == cancer then 100 else -10 | Test = pos)"};
    CHECK(check({clinic("0.008", "0.992"), queries}) > 40);
    CHECK(check({clinic("1/3", "2/3"), queries}) > 40);
}

TEST_CASE("each line of the burglary net's derivations evaluates to the same value") {
    const std::vector<std::string> queries = {"P(Burglary | Alarm = true)", "P(Burglary = true | JohnCalls = true, MaryCalls = true)",
                                              "P(JohnCalls = true | Burglary = true)", "P(Alarm)"};
    CHECK(check({alarm("0.001"), queries}) > 12);
    CHECK(check({alarm("0.25"), queries}) > 12);
}

TEST_CASE("each line of a hypothesis space's derivation evaluates to the same value") {
    const std::vector<std::string> queries = {"P(Bag | Candy = [lime, lime, lime])", "P(next Candy = lime | Candy = [lime])", "P(Candy)",
                                              "P(Bag | Candy = lime)"};
    CHECK(check({bags("0.1", "0.3"), queries}) > 30);
    CHECK(check({bags("1/7", "9/35"), queries}) > 30);
}

TEST_CASE("each line of the derivations of nets with numbers evaluates to the same value, before and after a change of input") {
    const auto heights = [](const std::string& sd) {
        return "net R {\n  Sex : { woman: 0.6, man: 0.4 }\n  Tall | Sex : { woman: 0.2, man: 0.7 }\n"
               "  Height ~ if Sex == man then normal(178, " +
               sd + ") else normal(165, 6)\n  mu ~ normal(0, 10)\n  Y ~ normal(mu, 2)\n  p ~ beta(2, 2)\n  X ~ bernoulli(p)\n" +
               "  n ~ poisson(3)\n  k ~ binomial(n, 1/2)\n}\n";
    };
    const std::vector<std::string> queries = {"P(Sex | Height = 171)",
                                              "P(Sex = man | Height = 171)",
                                              "P(Height > 170)",
                                              "P(Sex | Height > 170)",
                                              "P(Tall | Height = 171)",
                                              "P(Height < 160 | Tall = true)",
                                              "P(Sex = man or Tall = true | Height = 180)",
                                              "P(mu > 0 | Y = [1, 2, 3])",
                                              "P(next X = true | X = [true, true, false])",
                                              "P(X)",
                                              "P(n > 2 | k = 1)",
                                              "P(k = 0)",
                                              "P(Height)",
                                              "P(mu | Y = [1, 2, 3])"};
    CHECK(check({heights("7"), queries}) > 60);
    CHECK(check({heights("5"), queries}) > 60);
}

TEST_CASE("each line of a table's derivation evaluates to the same value") {
    const std::vector<std::string> queries = {"P(Wind = Strong | Play = No) in days", "P(Play | Wind = Weak) in days", "P(Play) in days",
                                              "H(Play) in days", "I(Play; Wind) in days"};
    CHECK(check({days("No"), queries}) > 12);
    CHECK(check({days("Yes"), queries}) > 12);
}

TEST_CASE("each line of a hidden Markov model's derivations evaluates to the same value, before and after a change of input") {
    const auto umbrella = [](const std::string& stay, const std::string& leave) {
        return "hmm Umbrella {\n  states { rain, dry }\n  start { rain: 1/2, dry: 1/2 }\n  move { rain: { rain: " + stay +
               ", dry: " + leave +
               " }, dry: { rain: 0.3, dry: 0.7 } }\n  emit { rain: { up: 0.9, none: 0.1 }, dry: { up: 0.2, none: 0.8 } }\n}\n";
    };
    const std::vector<std::string> queries = {"filter(Umbrella, [up, none, up])", "viterbi(Umbrella, [up, none, up])",
                                              "likelihood(Umbrella, [up, none])"};
    CHECK(check({umbrella("0.7", "0.3"), queries}) == 3 * 6 + 2 * 2 * 3 + 2 * 6 + 2 * 4 + 3);
    CHECK(check({umbrella("0.6", "0.4"), queries}) > 30);
}

TEST_CASE("each line of the derivation of an expression of queries evaluates to the same value") {
    const std::vector<std::string> queries = {"1 - max(P(Diagnosis))", "P(Test = pos | Diagnosis) * P(Diagnosis)",
                                              "P(Diagnosis = cancer | Test = pos) / P(Diagnosis = healthy | Test = pos)",
                                              "L(Diagnosis) + L(Test = pos | Diagnosis)", "10 * P(Test = pos) + 2"};
    CHECK(check({clinic("0.008", "0.992"), queries}) > 60);
    CHECK(check({clinic("1/3", "2/3"), queries}) > 60);
}

TEST_CASE("each line of an elimination and of a noisy-or evaluates to the same value") {
    const auto chain = [](const std::string& a) {
        return "net Chain {\n  A : { x: " + a +
               ", y: 0.3, z: 0.2 }\n  B in {x, y, z} | A : { x: {x: 0.8, y: 0.1, z: 0.1}, y: {x: 0.1, y: 0.8, z: 0.1}, z: {x: 0.2, y: 0.2, "
               "z: 0.6} }\n  C in {x, y, z} | B : { x: {x: 0.5, y: 0.3, z: 0.2}, y: {x: 0.25, y: 0.5, z: 0.25}, z: {x: 0, y: 0.5, z: 0.5} "
               "}\n  D | C : { x: 0.1, y: 0.4, z: 0.9 }\n  E | A : { x: 0.5, y: 0.25, z: 0.125 }\n  F | D, E : noisy_or(leak: 0.1, D: 0.4, "
               "E: 0.8)\n}\n";
    };
    const std::vector<std::string> queries = {"P(D = true)", "P(D = true, A = x)", "P(A = x | D = true, E = true)",
                                              "P(F = true | D = true, E = true)", "P(F = true)"};
    CHECK(check({chain("0.5"), queries}) > 15);
}

TEST_CASE("each line of the derivations of functions evaluates to the same value") {
    const std::string data =
        "table points { x y ; 1 1 ; 2 2 ; 3 4 ; 5 4 }\nmixture Two { 1/2: binomial(10, 0.6), 1/2: binomial(10, 0.5) }\n"
        "let shop = retain(retain(library(), {case: \"tap\", price: 10, metal: \"brass\"}), {case: \"valve\", price: 30, metal: "
        "\"steel\"})\n";
    const std::vector<std::string> queries = {"pca(points)", "expected_log_likelihood(Two, Two, [5, 9, 8])",
                                              "retrieve(shop, {price: 14, metal: \"brass\"})"};
    CHECK(check({data, queries}) > 15);
}
