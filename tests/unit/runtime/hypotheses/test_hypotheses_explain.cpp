#include "runtime/prob/declared/hypotheses.hpp"
#include "tests/support/derivations.hpp"
#include "tests/unit/runtime/hypotheses/line_space.hpp"

using namespace credence::test;

namespace {

HypothesisSpace bags(const std::vector<std::string>& prior) {
    HypothesisSpace s;
    s.name = "Bag";
    s.parameters = {variable("Bag", {"h1", "h2", "h3", "h4", "h5"})};
    const auto weights = fractions(prior);
    s.prior = std::vector<Number>(weights.begin(), weights.end());
    s.outcome = variable("Candy", {"cherry", "lime"});
    for (const auto& p : fractions({"1", "0", "3/4", "1/4", "1/2", "1/2", "1/4", "3/4", "0", "1"})) s.table.emplace_back(p);
    return s;
}

std::vector<Number> results_of(const Model& model, const Query& query, std::string* text = nullptr) {
    Run run;
    const auto answer = model.ask(query, run);
    REQUIRE(answer);
    const auto lines = model.explain(query, *answer, run);
    REQUIRE(lines);
    if (text != nullptr) *text = shown(*lines);
    return check_derivation(model, *lines);
}

bool has(const std::vector<Number>& results, const Number& wanted) {
    return std::find(results.begin(), results.end(), wanted) != results.end();
}

Observations limes(const Model& model, const std::vector<std::string>& values) {
    Observations out{.variable = var(model, "Candy"), .values = {}};
    for (const auto& v : values) out.values.push_back(Label::of_text(v));
    return out;
}

}  // namespace

TEST_CASE("candy: posterior and prediction, line by line") {
    const auto model = make_hypotheses_model(bags({"0.1", "0.2", "0.4", "0.2", "0.1"}));
    Query query;
    query.targets.free = {var(*model, "Bag")};
    query.given.observations = {limes(*model, {"lime", "lime", "lime"})};
    std::string text;
    auto results = results_of(*model, query, &text);
    for (const auto& p : fractions({"1/76", "4/19", "27/76", "8/19"})) CHECK(has(results, Number(p)));
    CHECK(text.find("P(Bag = h2) * P(Candy = lime | Bag = h2)^3") != std::string::npos);

    query.targets.free = {var(*model, "next Candy")};
    results = results_of(*model, query, &text);
    CHECK(has(results, Number(Rational(121, 152))));

    query.given.observations.clear();
    query.targets.free = {var(*model, "Candy")};
    results = results_of(*model, query, &text);
    CHECK(results == std::vector<Number>{Rational(1, 2), Rational(1, 2)});
    CHECK(text.find("total probability") != std::string::npos);
}

TEST_CASE("one observation has a name, likelihoods are products, priors of zero stay out") {
    const auto model = make_hypotheses_model(bags({"0", "0.3", "0.4", "0.2", "0.1"}));
    Query query;
    query.targets.free = {var(*model, "Bag")};
    query.given.events = {is(var(*model, "Candy"), "lime")};
    std::string text;
    results_of(*model, query, &text);
    CHECK(text.find("P(Bag = h3 | Candy = lime)") != std::string::npos);

    query = {};
    query.targets.observations = {limes(*model, {"lime", "cherry", "lime"})};
    query.given.free = {var(*model, "Bag")};
    const auto results = results_of(*model, query, &text);
    CHECK(has(results, Number(Rational(3, 64))));
    CHECK(text.find("P(Candy = lime | Bag = h2)^2 * P(Candy = cherry | Bag = h2)") != std::string::npos);
}

TEST_CASE("densities, inputs and large spaces") {
    const auto model = make_hypotheses_model(line());
    Query query;
    query.targets.free = {var(*model, "slope")};
    query.given.events = {is(var(*model, "y"), "2"), is(var(*model, "x"), "1")};
    std::string text;
    auto results = results_of(*model, query, &text);
    CHECK(results.size() == 7);
    CHECK(text.find("P(y = 2 | slope = 1, x = 1)") != std::string::npos);

    HypothesisSpace coin;
    coin.name = "Coin";
    coin.parametric = true;
    std::vector<Label> thetas;
    coin.prior = Prior::uniform(101);
    for (int k = 0; k <= 100; ++k) {
        thetas.push_back(Label::of_number(Rational(k, 100)));
        coin.table.emplace_back(Rational(k, 100));
        coin.table.emplace_back(Rational(100 - k, 100));
    }
    coin.parameters = {{.name = "theta", .domain = make_domain(thetas)}};
    coin.outcome = variable("Flip", {"heads", "tails"});
    const auto large = make_hypotheses_model(std::move(coin));
    query = {};
    query.targets.free = {var(*large, "theta")};
    Observations flips{.variable = var(*large, "Flip"), .values = std::vector<Label>(60, Label::of_text("heads"))};
    flips.values.insert(flips.values.end(), 40, Label::of_text("tails"));
    query.given.observations = {flips};
    results = results_of(*large, query, &text);
    CHECK(text.find("6 of 101 hypotheses are shown") != std::string::npos);
    CHECK(text.find("theta = 0.6") != std::string::npos);

    query.given.observations[0].values.assign(6000, Label::of_text("heads"));
    query.given.observations[0].values.resize(10000, Label::of_text("tails"));
    results = results_of(*large, query, &text);
    CHECK(text.find("added up as logarithms") != std::string::npos);
    for (const auto& r : results) CHECK(std::isfinite(r.real()));
}
