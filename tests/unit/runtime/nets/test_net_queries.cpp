#include <catch2/catch.hpp>

#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

const std::vector<std::string> true_false{"true", "false"};

struct Asked {
    std::shared_ptr<const NetModel> model;
    Query query;
    Run run;
    explicit Asked(NetPtr net) : model(make_net_model(std::move(net))) {}
    VarId operator[](std::string_view name) const { return var(*model, name); }
    Result<Answer> ask() { return model->ask(query, run); }
};

NetPtr clinic() {
    Net net;
    net.name = "Clinic";
    net.nodes = {node(variable("Diagnosis", {"cancer", "healthy"}), {}, {"0.008", "0.992"}),
                 node(variable("Test", {"pos", "neg"}), {0}, {"0.98", "0.02", "0.03", "0.97"})};
    return std::make_shared<const Net>(std::move(net));
}

NetPtr chain(std::size_t n) {
    Net net;
    net.name = "Chain";
    for (std::size_t i = 0; i < n; ++i) {
        const auto v = variable("X" + std::to_string(i), true_false);
        if (i == 0)
            net.nodes.push_back(node(v, {}, {"0.5", "0.5"}));
        else
            net.nodes.push_back(node(v, {static_cast<unsigned>(i - 1)}, {"0.9", "0.1", "0.2", "0.8"}));
    }
    return std::make_shared<const Net>(std::move(net));
}

}  // namespace

TEST_CASE("burglary: published values") {
    Asked a(burglary());
    a.query.targets.free = {a["Burglary"]};
    a.query.given.events = {is(a["JohnCalls"], "true"), is(a["MaryCalls"], "true")};
    const auto posterior = a.ask();
    REQUIRE(posterior);
    CHECK(posterior->engine == "variable_elimination");
    CHECK(factor(*posterior).at(0) == Number(Rational(592242590, 2084100239)));

    Asked joint(burglary());
    joint.query.targets.events = {is(joint["JohnCalls"], "true"), is(joint["MaryCalls"], "true"), is(joint["Alarm"], "true"),
                                  is(joint["Burglary"], "false"), is(joint["Earthquake"], "false")};
    const auto p = joint.ask();
    REQUIRE(p);
    CHECK(number(*p) == Number(*Rational::parse("0.00062811126")));
}

TEST_CASE("sprinkler: published value") {
    // P(rain | grass wet) of Wikipedia's article on Bayesian networks: 891/2491
    Net net;
    net.name = "Lawn";
    net.nodes = {node(variable("Rain", true_false), {}, {"0.2", "0.8"}),
                 node(variable("Sprinkler", true_false), {0}, {"0.01", "0.99", "0.4", "0.6"}),
                 node(variable("Wet", true_false), {1, 0}, {"0.99", "0.01", "0.9", "0.1", "0.8", "0.2", "0", "1"})};
    Asked a(std::make_shared<const Net>(std::move(net)));
    a.query.targets.free = {a["Rain"]};
    a.query.given.events = {is(a["Wet"], "true")};
    for (const auto* engine : {"exact", "variable_elimination", "enumeration"}) {
        a.query.by.name = engine;
        const auto answer = a.ask();
        REQUIRE(answer);
        CHECK(factor(*answer).at(0) == Number(Rational(891, 2491)));
    }
}

TEST_CASE("cancer net of Korb & Nicholson: published values") {
    Net net;
    net.name = "Cancer";
    net.nodes = {node(variable("Pollution", {"low", "high"}), {}, {"0.9", "0.1"}), node(variable("Smoker", true_false), {}, {"0.3", "0.7"}),
                 node(variable("Cancer", true_false), {0, 1}, {"0.03", "0.97", "0.001", "0.999", "0.05", "0.95", "0.02", "0.98"}),
                 node(variable("Xray", {"positive", "negative"}), {2}, {"0.9", "0.1", "0.2", "0.8"}),
                 node(variable("Dyspnoea", true_false), {2}, {"0.65", "0.35", "0.3", "0.7"})};
    Asked a(std::make_shared<const Net>(std::move(net)));
    a.query.targets.events = {is(a["Cancer"], "true")};
    CHECK(number(*a.ask()) == Number(*Rational::parse("0.01163")));
    a.query.given.events = {is(a["Smoker"], "true")};
    CHECK(number(*a.ask()) == Number(Rational(4, 125)));
    a.query.given.events = {is(a["Xray"], "positive")};
    CHECK(number(*a.ask()).real() == Approx(0.050288025905515975).epsilon(1e-14));
    a.query.given.events = {is(a["Dyspnoea"], "true"), is(a["Smoker"], "true")};
    CHECK(number(*a.ask()).real() == Approx(0.06683804627249357).epsilon(1e-14));
}

TEST_CASE("a free variable in the evidence is for each value") {
    Asked a(clinic());
    a.query.targets.events = {is(a["Test"], "pos")};
    a.query.given.free = {a["Diagnosis"]};
    const auto likelihood = a.ask();
    REQUIRE(likelihood);
    CHECK(factor(*likelihood).exact() == fractions({"0.98", "0.03"}));

    Asked posterior(clinic());
    posterior.query.targets.free = {posterior["Diagnosis"]};
    posterior.query.given.free = {posterior["Test"]};
    const auto both = posterior.ask();
    REQUIRE(both);
    CHECK(factor(*both).variables()[0].name == "Diagnosis");
    CHECK(factor(*both).at(0) == Number(Rational(49, 235)));
    CHECK(factor(*both).size() == 4);
}

TEST_CASE("P(C | parents) is the table even where the parents are impossible") {
    Net net;
    net.name = "N";
    net.nodes = {node(variable("D", true_false), {}, {"1", "0"}), node(variable("A", true_false), {0}, {"1", "0", "0.5", "0.5"}),
                 node(variable("B", true_false), {1}, {"1", "0", "0", "1"}),
                 node(variable("C", true_false), {0, 1}, {"0.1", "0.9", "0.2", "0.8", "0.3", "0.7", "0.4", "0.6"})};
    Asked a(std::make_shared<const Net>(std::move(net)));
    a.query.targets.events = {is(a["C"], "true")};
    a.query.given.free = {a["D"], a["A"]};
    const auto table = a.ask();
    REQUIRE(table);
    CHECK(factor(*table).exact() == fractions({"0.1", "0.2", "0.3", "0.4"}));

    a.query.targets = {};
    a.query.targets.events = {is(a["D"], "true")};
    a.query.given.free = {a["B"]};  // B = false is impossible, and D depends on it
    const auto impossible = a.ask();
    REQUIRE_FALSE(impossible);
    CHECK(impossible.fault().code.text() == "E-ZERO");
    CHECK(impossible.fault().message.find("B = false") != std::string::npos);
}

TEST_CASE("contradicting evidence is named, and only that") {
    Net net;
    net.name = "N";
    net.nodes = {node(variable("A", true_false), {}, {"0.5", "0.5"}), node(variable("B", true_false), {0}, {"1", "0", "0", "1"}),
                 node(variable("C", true_false), {}, {"0.5", "0.5"}), node(variable("X", true_false), {2}, {"0.1", "0.9", "0.6", "0.4"})};
    Asked a(std::make_shared<const Net>(std::move(net)));
    a.query.targets.free = {a["X"]};
    a.query.given.events = {is(a["C"], "true"), is(a["A"], "true"), is(a["B"], "false")};
    a.query.given.events[2].origin = static_cast<Origin>(7);
    a.query.origin = static_cast<Origin>(3);
    for (const auto mode : {NumberMode::automatic, NumberMode::real}) {
        a.run.numbers = mode;
        const auto answer = a.ask();
        REQUIRE_FALSE(answer);
        CHECK(answer.fault().code.text() == "E-ZERO");
        CHECK(answer.fault().message == "the evidence C = true, A = true, B = false has probability zero");
        CHECK(answer.fault().label == "B = false contradicts A = true");
        CHECK(answer.fault().origin == static_cast<Origin>(7));
    }
}

TEST_CASE("a target that repeats the evidence") {
    Asked a(clinic());
    a.query.targets.free = {a["Test"]};
    a.query.given.events = {is(a["Test"], "neg")};
    const auto answer = a.ask();
    REQUIRE(answer);
    CHECK(factor(*answer).exact() == fractions({"0", "1"}));
}

TEST_CASE("interventions") {
    Asked a(burglary());
    a.query.targets.free = {a["Burglary"]};
    a.query.doing = {{a["Alarm"], Label::of_bool(true)}};
    const auto cut = a.ask();
    REQUIRE(cut);
    CHECK(factor(*cut).exact() == fractions({"0.001", "0.999"}));  // an alarm set by hand says nothing of burglars
    a.query.given.events = {is(a["Alarm"], "true")};
    CHECK(a.ask().fault().code.text() == "E-DO");
}

TEST_CASE("soft evidence") {
    Asked a(clinic());
    a.query.targets.free = {a["Diagnosis"]};
    a.query.given.soft = {{.kind = SoftEvidence::Kind::jeffrey, .variable = a["Test"], .weights = {Rational(7, 10), Rational(3, 10)}}};
    const auto jeffrey = a.ask();
    REQUIRE(jeffrey);
    // 7/10 P(c | pos) + 3/10 P(c | neg), with P(c | neg) = 0.008·0.02 / (0.008·0.02 + 0.992·0.97)
    const Rational negative = *Rational::parse("0.00016") / *Rational::parse("0.9624");
    CHECK(factor(*jeffrey).at(0) == Number(Rational(7, 10) * Rational(49, 235) + Rational(3, 10) * negative));

    a.query.given.soft[0].weights = {Rational(7, 10), Rational(4, 10)};
    CHECK(a.ask().fault().code.text() == "E-SUM");
    a.query.given.soft[0] = {.kind = SoftEvidence::Kind::likelihood, .variable = a["Test"], .weights = {Rational(0), Rational(0)}};
    CHECK(a.ask().fault().code.text() == "E-PARAMETER");
    a.query.given.soft[0].weights = {Rational(5), Rational(0)};
    const auto certain = a.ask();
    REQUIRE(certain);
    CHECK(factor(*certain).at(0) == Number(Rational(49, 235)));
}

TEST_CASE("what a net cannot do, it says") {
    Asked a(clinic());
    a.query.targets.free = {a["Diagnosis"]};
    a.query.by.name = "oracle";
    const auto engine = a.ask();
    REQUIRE_FALSE(engine);
    CHECK(engine.fault().code.text() == "E-ENGINE");
    CHECK(engine.fault().message == "this net cannot answer by oracle");
    a.query.by.name = "exact";
    a.query.given.observations = {{.variable = a["Test"], .values = {Label::of_text("pos")}}};
    a.query.given.events = {is(a["Test"], "pos")};
    const auto twice = a.ask();
    REQUIRE_FALSE(twice);
    CHECK(twice.fault().code.text() == "E-QUERY");
    CHECK(twice.fault().message == "Test is observed both once and in a list or table");
    Net net = *clinic();
    net.nodes[1].hole = true;
    Asked hole(std::make_shared<const Net>(std::move(net)));
    hole.query.targets.free = {hole["Diagnosis"]};
    CHECK(hole.ask().fault().code.text() == "E-HOLE");
    CHECK(hole.ask().fault().message == "Test of net Clinic is unknown (?): train it first");
}

TEST_CASE("an explanation of 200 variables needs no joint table, and ties go to the first labels") {
    Asked a(chain(200));
    for (std::size_t i = 0; i < 200; ++i) a.query.targets.free.push_back(static_cast<VarId>(i));
    a.query.goal = Goal::most_probable;
    a.query.given.events = {is(a["X150"], "false")};
    const auto answer = a.ask();
    REQUIRE(answer);
    const auto& best = std::get<Assignment>(answer->value);
    CHECK(best.values[150].second.text() == "false");
    CHECK(best.values[199].second.text() == "true");
    CHECK(best.values[0].second.text() == "true");

    Net net;
    net.name = "Coins";
    for (int i = 0; i < 40; ++i) net.nodes.push_back(node(variable("C" + std::to_string(i), true_false), {}, {"0.5", "0.5"}));
    Asked coins(std::make_shared<const Net>(std::move(net)));
    for (std::size_t i = 0; i < 40; ++i) coins.query.targets.free.push_back(static_cast<VarId>(i));
    coins.query.goal = Goal::most_probable;
    const auto even = coins.ask();
    REQUIRE(even);
    const auto& first = std::get<Assignment>(even->value);
    for (const auto& [v, label] : first.values) CHECK(label.text() == "true");
    CHECK(first.ties == (std::size_t{1} << 40U));
    CHECK(first.probability == Number(Rational(1, 2).pow(40)));
}

TEST_CASE("a budget passed ends in logarithms, unless exact is insisted on") {
    Asked a(chain(400));
    a.query.targets.free = {a["X399"]};
    const auto exact = a.ask();
    REQUIRE(exact);
    CHECK(exact->exact);
    a.run.limits.exact_bits = 200;
    const auto real = a.ask();
    REQUIRE(real);
    CHECK_FALSE(real->exact);
    CHECK_FALSE(factor(*real).is_exact());
    CHECK(factor(*real).at(0).real() == Approx(2.0 / 3).epsilon(1e-12));  // the chain's stationary distribution
    a.run.numbers = NumberMode::exact;
    const auto insisted = a.ask();
    REQUIRE(insisted);
    CHECK(insisted->exact);
}

TEST_CASE("a table too large is refused before it is made") {
    Asked a(chain(60));
    for (std::size_t i = 0; i < 60; ++i) a.query.targets.free.push_back(static_cast<VarId>(i));
    const auto answer = a.ask();
    REQUIRE_FALSE(answer);
    CHECK(answer.fault().code.text() == "E-COST");
    CHECK(answer.fault().message.find("X0, X1") != std::string::npos);
    Asked brute(chain(60));
    brute.query.targets.free = {brute["X3"]};
    brute.query.by.name = "enumeration";
    CHECK(brute.ask().fault().code.text() == "E-COST");
}

TEST_CASE("a stop request is heeded") {
    Asked a(chain(60));
    a.query.targets.free = {a["X59"]};
    credence::rt::StopSource source;
    source.request_stop();
    a.run.stop = source.get_token();
    CHECK(a.ask().fault().code.text() == "E-STOP");
}

TEST_CASE("structure: blankets, orders, cycles, separation") {
    const NetPtr net = burglary();
    const auto id = [&](const char* name) { return *net->find(name); };
    CHECK(net->markov_blanket(id("Burglary")) == std::vector{id("Earthquake"), id("Alarm")});
    CHECK(net->children(id("Alarm")) == std::vector{id("JohnCalls"), id("MaryCalls")});
    CHECK(find_cycle(*net).empty());
    const auto separated = [&](const char* x, const char* y, std::vector<VarId> given) {
        return d_separated(*net, std::vector{id(x)}, std::vector{id(y)}, given);
    };
    CHECK(separated("Burglary", "Earthquake", {}));
    CHECK_FALSE(separated("Burglary", "Earthquake", {id("MaryCalls")}));
    CHECK_FALSE(separated("Burglary", "MaryCalls", {}));
    CHECK(separated("Burglary", "MaryCalls", {id("Alarm")}));

    Net loop;
    for (const auto* name : {"A", "B", "C", "D"}) {
        NetNode n;
        n.variable = variable(name, true_false);
        loop.nodes.push_back(n);
    }
    loop.nodes[1].parents = {static_cast<VarId>(3)};
    loop.nodes[2].parents = {static_cast<VarId>(0), static_cast<VarId>(1)};
    loop.nodes[3].parents = {static_cast<VarId>(2)};
    CHECK(find_cycle(loop) == std::vector{static_cast<VarId>(1), static_cast<VarId>(2), static_cast<VarId>(3)});

    Net late;  // a parent declared after its child
    late.nodes = {node(variable("A", true_false), {1}, {"1", "0", "0", "1"}), node(variable("B", true_false), {}, {"0.5", "0.5"})};
    CHECK(late.topological_order() == std::vector{static_cast<VarId>(1), static_cast<VarId>(0)});
}
