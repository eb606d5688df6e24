#include "runtime/prob/declared/hypotheses.hpp"

#include <catch2/catch.hpp>

#include "tests/support/nets.hpp"
#include "tests/unit/runtime/hypotheses/line_space.hpp"

using namespace credence::test;

namespace {

Label word(const std::string& text) { return Label::of_text(text); }

HypothesisSpace candy() {
    HypothesisSpace s;
    s.name = "Bag";
    s.parameters = {variable("Bag", {"h1", "h2", "h3", "h4", "h5"})};
    const auto weights = fractions({"0.1", "0.2", "0.4", "0.2", "0.1"});
    s.prior = std::vector<Number>(weights.begin(), weights.end());
    s.outcome = variable("Candy", {"cherry", "lime"});
    for (const auto& p : fractions({"1", "0", "3/4", "1/4", "1/2", "1/2", "1/4", "3/4", "0", "1"})) s.table.emplace_back(p);
    return s;
}

/// theta in 0..1 step 1/100, Flip heads with probability theta
HypothesisSpace coin(const std::vector<std::int64_t>& hundredths) {
    HypothesisSpace s;
    s.name = "Coin";
    s.parametric = true;
    std::vector<Label> thetas;
    s.prior = Prior::uniform(hundredths.size());
    for (const auto k : hundredths) {
        thetas.push_back(Label::of_number(Rational(k, 100)));
        s.table.emplace_back(Rational(k, 100));
        s.table.emplace_back(Rational(100 - k, 100));
    }
    s.parameters = {{.name = "theta", .domain = make_domain(thetas)}};
    s.outcome = variable("Flip", {"heads", "tails"});
    return s;
}

std::vector<std::int64_t> all_hundredths() {
    std::vector<std::int64_t> out;
    for (std::int64_t k = 0; k <= 100; ++k) out.push_back(k);
    return out;
}

struct Asked {
    std::shared_ptr<const HypothesesModel> model;
    Query query;
    Run run;
    explicit Asked(HypothesisSpace space) : model(make_hypotheses_model(std::move(space))) {}
    VarId operator[](std::string_view name) const { return var(*model, name); }
    Result<Answer> ask() { return model->ask(query, run); }
    Asked& observe(std::string_view name, const std::vector<std::string>& values) {
        Observations list{.variable = (*this)[name], .values = {}};
        for (const auto& v : values) list.values.push_back(word(v));
        query.given.observations.push_back(std::move(list));
        return *this;
    }
};

double gauss(double x, double mean) { return std::exp(-(x - mean) * (x - mean) / 2) / std::sqrt(2 * M_PI); }

TablePtr two_columns(const std::vector<double>& x, const std::vector<double>& y) {
    Table t;
    for (const auto& [name, values] : {std::pair{"x", &x}, std::pair{"y", &y}}) {
        Column c;
        c.name = name;
        c.kind = ColumnKind::numeric;
        c.values = *values;
        t.columns.push_back(std::make_shared<const Column>(std::move(c)));
    }
    t.row_count = x.size();
    return std::make_shared<const Table>(std::move(t));
}

}  // namespace

TEST_CASE("surprise candy: predictions of AIMA section 20.1") {
    const std::vector<Rational> published{Rational(1, 2), Rational(13, 20), Rational(19, 26), Rational(121, 152)};
    for (std::size_t n = 0; n < published.size(); ++n) {
        Asked a(candy());
        a.query.targets.free = {a["next Candy"]};
        if (n > 0) a.observe("Candy", std::vector<std::string>(n, "lime"));
        const auto answer = a.ask();
        REQUIRE(answer);
        CHECK(answer->exact);
        CHECK(factor(*answer).variables()[0].name == "Candy");
        CHECK(factor(*answer).at(1) == Number(published[n]));
    }
    Asked a(candy());
    a.query.targets.free = {a["Bag"]};
    a.observe("Candy", {"lime", "lime", "lime"});
    const auto posterior = a.ask();
    REQUIRE(posterior);
    CHECK(factor(*posterior).exact() == fractions({"0", "1/76", "4/19", "27/76", "8/19"}));
    a.query.goal = Goal::most_probable;
    const auto map = a.ask();
    REQUIRE(map);
    CHECK(std::get<Assignment>(map->value).values[0].second.text() == "h5");
    CHECK(std::get<Assignment>(map->value).probability == Number(Rational(8, 19)));
}

TEST_CASE("likelihoods for each hypothesis, also of prior zero") {
    HypothesisSpace space = candy();
    space.prior = {Number(0), Number(Rational(3, 10)), Number(Rational(4, 10)), Number(Rational(2, 10)), Number(Rational(1, 10))};
    Asked a(std::move(space));
    a.query.targets.observations = {{.variable = a["Candy"], .values = {word("lime"), word("lime"), word("cherry")}}};
    a.query.given.free = {a["Bag"]};
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"0", "3/64", "1/8", "9/64", "0"}));
    a.query.targets = {};
    a.query.targets.events = {is(a["Candy"], "cherry")};
    const auto one = a.ask();
    REQUIRE(one);
    CHECK(factor(*one).exact() == fractions({"1", "3/4", "1/2", "1/4", "0"}));
}

TEST_CASE("observations that no hypothesis allows are named") {
    HypothesisSpace space = candy();
    space.prior = {Number(Rational(1, 2)), Number(0), Number(0), Number(0), Number(Rational(1, 2))};
    Asked a(std::move(space));
    a.query.targets.free = {a["Bag"]};
    a.observe("Candy", {"lime", "cherry"});
    const auto answer = a.ask();
    REQUIRE_FALSE(answer);
    CHECK(answer.fault().code.text() == "E-ZERO");
    CHECK(answer.fault().message == "the evidence Candy = [lime, cherry] has probability zero");
}

TEST_CASE("an outcome observed many times is ambiguous without next") {
    Asked a(candy());
    a.query.targets.free = {a["Candy"]};
    a.observe("Candy", {"lime"});
    const auto answer = a.ask();
    REQUIRE_FALSE(answer);
    CHECK(answer.fault().code.text() == "E-QUERY");
    CHECK(answer.fault().hint == "write next Candy for one more draw");
}

TEST_CASE("a single observation and one more draw are different variables") {
    Asked a(candy());
    a.query.targets.free = {a["next Candy"]};
    a.query.given.events = {is(a["Candy"], "lime")};
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).at(1) == Number(Rational(13, 20)));
    a.query.targets.free = {a["Candy"]};
    const auto same = a.ask();
    REQUIRE(same);
    CHECK(factor(*same).exact() == fractions({"0", "1"}));
}

TEST_CASE("250 flips over 101 values of theta stay exact; MacKay's euro") {
    Asked a(coin(all_hundredths()));
    a.query.targets.free = {a["theta"]};
    std::vector<std::string> flips(140, "heads");
    flips.insert(flips.end(), 110, "tails");
    a.observe("Flip", flips);
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(answer->exact);
    CHECK(a.model->variables()[0].space == "Coin");
    const auto best = argmax(factor(*answer));
    CHECK(factor(*answer).labels(best.entry)[0].text() == "0.56");
    // truth by logarithms
    double total = 0;
    for (int k = 1; k < 100; ++k) total += std::exp(140 * std::log(k / 56.0) + 110 * std::log((100 - k) / 44.0));
    CHECK(factor(*answer).at(56).real() == Approx(1 / total).epsilon(1e-12));
}

TEST_CASE("ten thousand observations neither underflow nor hang") {
    Asked a(coin(all_hundredths()));
    a.query.targets.free = {a["theta"]};
    std::vector<std::string> flips(3000, "heads");
    flips.insert(flips.end(), 7000, "tails");
    a.observe("Flip", flips);
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).labels(argmax(factor(*answer)).entry)[0].text() == "0.3");
    CHECK(sum(factor(*answer)).real() == Approx(1).epsilon(1e-12));
    a.run.numbers = NumberMode::real;
    const auto real = a.ask();
    REQUIRE(real);
    for (std::size_t i = 0; i < 101; ++i)
        CHECK(factor(*real).at(i).real() == Approx(factor(*answer).at(i).real()).epsilon(1e-9).margin(1e-300));
}

TEST_CASE("a real outcome with an input: posterior, predictive, events") {
    const double posterior_weight[3] = {gauss(2, 0) * gauss(3, 0), gauss(2, 1) * gauss(3, 2), gauss(2, 2) * gauss(3, 4)};
    const double total = posterior_weight[0] + posterior_weight[1] + posterior_weight[2];

    Asked a(line());
    a.query.targets.free = {a["slope"]};
    a.query.given.data = {{.table = two_columns({1, 2}, {2, 3})}};
    const auto posterior = a.ask();
    REQUIRE(posterior);
    CHECK_FALSE(posterior->exact);
    for (std::size_t h = 0; h < 3; ++h) CHECK(factor(*posterior).at(h).real() == Approx(posterior_weight[h] / total).epsilon(1e-12));

    Asked lists(line());
    lists.query.targets.free = {lists["slope"]};
    lists.observe("x", {"1", "2"}).observe("y", {"2", "3"});
    const auto same = lists.ask();
    REQUIRE(same);
    CHECK(factor(*same).at(2).real() == Approx(posterior_weight[2] / total).epsilon(1e-12));

    a.query.targets.free.clear();
    a.query.targets.events = {compare(a["next y"], Compare::less, {"4"})};
    const auto unbound = a.ask();
    REQUIRE_FALSE(unbound);
    CHECK(unbound.fault().code.text() == "E-QUERY");
    CHECK(unbound.fault().message == "y needs a value for its input x");
    a.query.given.events = {is(a["x"], "3")};
    const auto below = a.ask();
    REQUIRE(below);
    double expected = 0;
    for (int h = 0; h < 3; ++h) expected += posterior_weight[h] / total * 0.5 * std::erfc(-(4 - 3 * h) / std::sqrt(2.0));
    CHECK(number(*below).real() == Approx(expected).epsilon(1e-12));

    a.query.targets = {};
    a.query.targets.free = {a["next y"]};
    const auto predictive = a.ask();
    REQUIRE(predictive);
    const auto& mixture = std::get<DistributionPtr>(predictive->value);
    double density = 0;
    for (int h = 0; h < 3; ++h) density += posterior_weight[h] / total * gauss(4, 3 * h);
    CHECK(mixture->pdf(Number(4))->real() == Approx(density).epsilon(1e-12));

    Asked wrong(line());
    wrong.query.targets.free = {wrong["slope"]};
    Table t = *two_columns({1}, {2});
    t.columns.pop_back();
    wrong.query.given.data = {{.table = std::make_shared<const Table>(t)}};
    CHECK(wrong.ask().fault().code.text() == "E-COLUMN");
}

TEST_CASE("events about a real outcome combine") {
    Asked a(line());
    a.query.given.events = {is(a["slope"], "1"), is(a["x"], "0"),
                            combined(Event::Kind::any, {compare(a["y"], Compare::less, {"-1"}), compare(a["y"], Compare::greater, {"1"})})};
    a.query.targets.events = {compare(a["y"], Compare::greater, {"0"})};
    const auto half = a.ask();
    REQUIRE(half);
    CHECK(number(*half).real() == Approx(0.5).epsilon(1e-12));  // by symmetry
}

TEST_CASE("locomotives: exact where the formula is rational (Downey, Think Bayes)") {
    HypothesisSpace s;
    s.name = "Railway";
    s.parametric = true;
    std::vector<Label> sizes;
    s.prior = Prior::uniform(500);
    for (int n = 1; n <= 500; ++n) sizes.push_back(Label::of_number(Rational(n)));
    s.parameters = {{.name = "N", .domain = make_domain(sizes)}};
    s.outcome = {.name = "seen", .domain = nullptr};
    s.outcome_of = [](std::size_t h, std::span<const Label>) { return make_uniform(Number(0), Number(static_cast<int>(h) + 1)); };
    Asked a(std::move(s));
    a.query.targets.free = {a["N"]};
    a.query.given.events = {is(a["seen"], "60")};
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(answer->exact);
    double mean = 0;
    for (std::size_t i = 0; i < 500; ++i) mean += static_cast<double>(i + 1) * factor(*answer).at(i).real();
    CHECK(mean == Approx(207.079228).epsilon(1e-8));
}

TEST_CASE("samples of a space: parameters, then the outcome") {
    Asked a(candy());
    Clause given;
    given.observations = {{.variable = a["Candy"], .values = {word("lime"), word("lime"), word("lime")}}};
    constexpr std::size_t n = 20000;
    const auto table = a.model->sample(n, given, a.run);
    REQUIRE(table);
    REQUIRE((*table)->columns.size() == 2);
    CHECK((*table)->columns[0]->name == "Bag");
    CHECK((*table)->columns[1]->name == "Candy");
    std::size_t limes = 0;
    for (std::size_t r = 0; r < n; ++r) limes += (*table)->columns[1]->label(r).text() == "lime" ? 1 : 0;
    const double p = 121.0 / 152;
    CHECK(std::abs(static_cast<double>(limes) / n - p) < 5 * std::sqrt(p * (1 - p) / n));
}
