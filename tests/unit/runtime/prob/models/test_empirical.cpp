#include "runtime/prob/models/empirical.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/columns.hpp"
#include "tests/support/derivations.hpp"

using namespace credence::test;

namespace {

ColumnPtr words(std::string name, const std::vector<std::string>& labels, const std::vector<int>& codes) {
    Column c;
    c.name = name;
    c.domain = variable("", labels).domain;
    c.codes.assign(codes.begin(), codes.end());
    return std::make_shared<const Column>(std::move(c));
}

TablePtr table(std::vector<ColumnPtr> columns) {
    Table t;
    t.row_count = columns[0]->rows();
    t.columns = std::move(columns);
    return std::make_shared<const Table>(std::move(t));
}

/// Mitchell's PlayTennis: Wind, Outlook and the target only.
TablePtr tennis() {
    return table({words("Outlook", {"Sunny", "Overcast", "Rain"}, {0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2}),
                  words("Wind", {"Weak", "Strong"}, {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1}),
                  words("PlayTennis", {"No", "Yes"}, {0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0})});
}

struct Asked {
    ModelPtr model;
    Query query;
    Run run;
    explicit Asked(TablePtr t) : model(make_empirical_model(std::move(t))) {}
    VarId operator[](std::string_view name) const { return var(*model, name); }
    Result<Answer> ask() { return model->ask(query, run); }
};

}  // namespace

TEST_CASE("PlayTennis: published frequencies (Mitchell, Machine Learning, section 6.9.1)") {
    Asked a(tennis());
    a.query.targets.events = {is(a["Wind"], "Strong")};
    a.query.given.events = {is(a["PlayTennis"], "No")};
    auto answer = a.ask();
    REQUIRE(answer);
    CHECK(number(*answer) == Number(Rational(3, 5)));
    a.query.given.events = {is(a["PlayTennis"], "Yes")};
    answer = a.ask();
    REQUIRE(answer);
    CHECK(number(*answer) == Number(Rational(3, 9)));
    a.query = {};
    a.query.targets.free = {a["PlayTennis"]};
    answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"5/14", "9/14"}));
    CHECK(answer->engine == "counting");
    a.query.given.free = {a["Wind"]};
    answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"2/8", "3/6", "6/8", "3/6"}));
}

TEST_CASE("no row: an error that names what never occurs together") {
    Asked a(tennis());
    a.query.targets.free = {a["Wind"]};
    a.query.given.events = {is(a["Outlook"], "Overcast"), is(a["PlayTennis"], "No")};
    const auto answer = a.ask();
    REQUIRE_FALSE(answer);
    CHECK(answer.fault().code.text() == "E-ZERO");
    CHECK(answer.fault().message.find("Outlook = Overcast, PlayTennis = No") != std::string::npos);
    Asked empty(table({words("X", {"a"}, {})}));
    empty.query.targets.free = {empty["X"]};
    CHECK(empty.ask().fault().message == "the table has no rows");
}

TEST_CASE("missing cells leave their rows out, and that is said") {
    Asked a(table({words("X", {"a", "b"}, {0, 1, -1, 0, 1}), words("Y", {"u", "v"}, {0, 0, 0, -1, 1})}));
    a.query.targets.free = {a["X"]};
    auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"1/2", "1/2"}));
    CHECK(answer->notes == std::vector<std::string>{"1 row left out because of missing cells"});
    a.query.given.events = {combined(Event::Kind::negation, {is(a["Y"], "v")})};
    answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"1/2", "1/2"}));
    CHECK(answer->notes == std::vector<std::string>{"2 rows left out because of missing cells"});
}

TEST_CASE("numeric columns: distinct values in order, comparisons on numbers") {
    Asked a(table({numbers("T", {0.1, 30, 20, 20, std::nan("")}), words("X", {"a", "b"}, {0, 1, 1, 0, 0})}));
    a.query.targets.free = {a["T"]};
    auto answer = a.ask();
    REQUIRE(answer);
    const auto& labels = factor(*answer).variables()[0].domain->labels();
    REQUIRE(labels.size() == 3);
    CHECK(labels[0].text() == "0.1");
    CHECK(labels[2].text() == "30");
    CHECK(factor(*answer).exact() == fractions({"1/4", "1/2", "1/4"}));
    a.query = {};
    a.query.targets.events = {compare(a["T"], Compare::less_equal, {"20"})};
    answer = a.ask();
    REQUIRE(answer);
    CHECK(number(*answer) == Number(Rational(3, 4)));
    a.query.targets.events = {compare(a["T"], Compare::equal, {"0.1"})};
    CHECK(number(*a.ask()) == Number(Rational(1, 4)));
    a.query.targets.events = {compare(a["T"], Compare::greater, {"0.1"})};
    CHECK(number(*a.ask()) == Number(Rational(3, 4)));
    a.query.targets.events = {compare(a["T"], Compare::one_of, {"20", "30"})};
    CHECK(number(*a.ask()) == Number(Rational(3, 4)));
    a.query.targets.events = {compare(a["T"], Compare::not_equal, {"20"})};
    CHECK(number(*a.ask()) == Number(Rational(1, 2)));
}

TEST_CASE("Jeffrey's rule on a table") {
    Asked a(tennis());
    a.query.targets.free = {a["PlayTennis"]};
    a.query.given.soft = {{.kind = SoftEvidence::Kind::jeffrey, .variable = a["Wind"], .weights = {Rational(1, 4), Rational(3, 4)}}};
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).at(0) == Number(Rational(1, 4) * Rational(2, 8) + Rational(3, 4) * Rational(3, 6)));
}

TEST_CASE("samples of a table are rows of it") {
    Asked a(tennis());
    Clause given;
    given.events = {is(a["PlayTennis"], "No")};
    constexpr std::size_t n = 20000;
    const auto rows = a.model->sample(n, given, a.run);
    REQUIRE(rows);
    std::size_t strong = 0;
    for (std::size_t r = 0; r < n; ++r) {
        REQUIRE((*rows)->columns[2]->codes[r] == 0);
        strong += (*rows)->columns[1]->codes[r] == 1 ? 1 : 0;
    }
    CHECK(std::abs(static_cast<double>(strong) / n - 0.6) < 5 * std::sqrt(0.24 / n));
}

TEST_CASE("a million rows are counted in one pass") {
    std::vector<int> x(1'000'000);
    std::vector<int> y(1'000'000);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<int>(i % 4);
        y[i] = static_cast<int>(i % 6 / 3);
    }
    Asked a(table({words("X", {"a", "b", "c", "d"}, x), words("Y", {"u", "v"}, y)}));
    a.query.targets.free = {a["X"]};
    a.query.given.events = {is(a["Y"], "u")};
    const auto answer = a.ask();
    REQUIRE(answer);
    std::int64_t hits = 0;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        all += y[i] == 0 ? 1 : 0;
        hits += y[i] == 0 && x[i] == 1 ? 1 : 0;
    }
    CHECK(factor(*answer).at(1) == Number(Rational(hits, all)));
}

TEST_CASE("frequencies are explained by counts") {
    Asked a(tennis());
    a.query.targets.events = {is(a["Wind"], "Strong")};
    a.query.given.events = {is(a["PlayTennis"], "No")};
    const auto answer = a.ask();
    REQUIRE(answer);
    const auto lines = a.model->explain(a.query, *answer, a.run);
    REQUIRE(lines);
    CHECK(check_derivation(*a.model, *lines) == std::vector<Number>{Rational(3, 5)});
    CHECK(shown(*lines).find("rows with Wind = Strong and PlayTennis = No: 3, with PlayTennis = No: 5") != std::string::npos);

    a.query = {};
    a.query.targets.free = {a["Outlook"]};
    a.query.given.free = {a["PlayTennis"]};
    const auto table_answer = a.ask();
    REQUIRE(table_answer);
    const auto all = a.model->explain(a.query, *table_answer, a.run);
    REQUIRE(all);
    const auto results = check_derivation(*a.model, *all);
    REQUIRE(results.size() == 6);
    // One condition after the other: the answer has its two values as the last variable.
    for (std::size_t i = 0; i < 6; ++i) CHECK(results[i] == factor(*table_answer).at(i % 3 * 2 + i / 3));

    a.query = {};
    a.query.targets.events = {combined(Event::Kind::negation, {is(a["Wind"], "Strong")})};
    const auto negated = a.ask();
    REQUIRE(negated);
    const auto quotient_only = a.model->explain(a.query, *negated, a.run);
    REQUIRE(quotient_only);
    CHECK(check_derivation(*a.model, *quotient_only) == std::vector<Number>{Rational(8, 14)});
}
