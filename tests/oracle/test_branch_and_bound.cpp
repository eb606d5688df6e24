// Branch and bound against elimination in fractions, and on models too wide for it.

#include <catch2/catch.hpp>

#include "runtime/nets/markov.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

EngineChoice search(std::vector<MethodArgument> arguments = {}) {
    EngineChoice out;
    out.name = "branch_and_bound";
    out.arguments = std::move(arguments);
    return out;
}

double count(const Answer& answer, std::string_view name) {
    for (const auto& [key, value] : answer.counts)
        if (key == name) return value.real();
    FAIL("no count " << name);
    return 0;
}

/// P of the assignment together with the evidence, in fractions.
Number probability_of(const Model& model, const Assignment& assignment, const Clause& given) {
    Query query;
    query.targets.events = given.events;
    for (const auto& [v, label] : assignment.values) query.targets.events.push_back(is(var(model, v.name), label.text()));
    Run run;
    const auto answer = model.ask(query, run);
    REQUIRE(answer);
    return number(*answer);
}

/// Every pair of neighbours in a square would be equal; `weights` pull each variable to 1.
MarkovNetPtr grid(std::mt19937& random, std::size_t side, double pull) {
    MarkovNet net;
    net.name = "Grid";
    const auto cell = [&](std::size_t i, std::size_t j) { return static_cast<Slot>(i * side + j); };
    for (std::size_t i = 0; i < side * side; ++i) net.variables.push_back(variable("X" + std::to_string(i), {"0", "1"}));
    const auto real = [&](double low, double high) { return low + (high - low) * static_cast<double>(random() % 1000) / 1000; };
    for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
            net.tables.push_back({{cell(i, j)}, std::vector<double>{1, pull > 0 ? pull : real(0.2, 5)}});
            for (const auto other : {i + 1 < side ? cell(i + 1, j) : cell(i, j), j + 1 < side ? cell(i, j + 1) : cell(i, j)})
                if (other != cell(i, j))
                    net.tables.push_back({{cell(i, j), other}, std::vector<double>{real(1, 3), 1, 1, pull > 0 ? 3 : real(0.3, 3)}});
        }
    }
    return std::make_shared<const MarkovNet>(std::move(net));
}

Query everything(const Model& model) {
    Query query;
    query.goal = Goal::most_probable;
    for (std::size_t i = 0; i < model.variables().size(); ++i) query.targets.free.push_back(static_cast<VarId>(i));
    return query;
}

}  // namespace

TEST_CASE("branch and bound finds what elimination in fractions finds") {
    std::size_t impossible = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
        std::mt19937 random(seed + 7);
        const NetPtr net = random_net(random, 3 + seed % 12, seed % 3 != 0);
        const auto model = make_net_model(net);
        Query query;
        query.goal = Goal::most_probable;
        const auto n = static_cast<unsigned>(net->nodes.size());
        const unsigned observed[] = {static_cast<unsigned>(random()) % n, static_cast<unsigned>(random()) % n};
        for (unsigned v = 0; v < n; ++v) {
            if (v == observed[0])
                query.given.events.push_back(is(static_cast<VarId>(v), std::to_string(random() % 2)));
            else if (v == observed[1] && seed % 2 == 1)
                query.given.events.push_back(compare(static_cast<VarId>(v), Compare::not_equal, {std::to_string(random() % 2)}));
            if (v != observed[0]) query.targets.free.push_back(static_cast<VarId>(v));
        }
        INFO("seed " << seed);
        Run run;
        query.by.name = "variable_elimination";
        const auto expected = model->ask(query, run);
        query.by = search();
        const auto found = model->ask(query, run);
        REQUIRE(bool(found) == bool(expected));
        if (!found) {
            CHECK(found.fault().code.text() == expected.fault().code.text());
            CHECK(found.fault().message == expected.fault().message);
            ++impossible;
            continue;
        }
        CHECK(found->engine == "branch_and_bound");
        CHECK(count(*found, "proved") == 1);
        const auto& best = std::get<Assignment>(expected->value);
        const auto& got = std::get<Assignment>(found->value);
        CHECK(probability_of(*model, got, query.given) == probability_of(*model, best, query.given));
        CHECK(got.probability.real() == Approx(probability_of(*model, best, query.given).real()).epsilon(1e-9));
        CHECK(count(*found, "log_bound") == Approx(count(*found, "log_weight")).margin(1e-9));
        const auto again = model->ask(query, run);
        REQUIRE(again);
        CHECK(count(*again, "nodes") == count(*found, "nodes"));
        for (std::size_t i = 0; i < got.values.size(); ++i)
            CHECK(std::get<Assignment>(again->value).values[i].second == got.values[i].second);
    }
    CHECK(impossible > 0);
}

TEST_CASE("undirected models: the search agrees with elimination") {
    for (unsigned seed = 0; seed < 10; ++seed) {
        std::mt19937 random(seed);
        const auto model = make_markov_model(grid(random, 5 + seed % 4, 0));
        Query query = everything(*model);
        Run run;
        query.by.name = "variable_elimination";
        const auto expected = model->ask(query, run);
        query.by = search();
        const auto found = model->ask(query, run);
        REQUIRE(expected);
        REQUIRE(found);
        CHECK(count(*found, "proved") == 1);
        for (std::size_t i = 0; i < query.targets.free.size(); ++i)
            CHECK(std::get<Assignment>(found->value).values[i].second == std::get<Assignment>(expected->value).values[i].second);
    }
}

TEST_CASE("what is too wide for elimination is searched without being told") {
    std::mt19937 random(3);
    const auto model = make_markov_model(grid(random, 40, 2));  // all ones: nothing else is preferred anywhere
    const Query query = everything(*model);
    Run run;
    const auto found = model->ask(query, run);
    REQUIRE(found);
    CHECK(found->engine == "branch_and_bound");
    CHECK(count(*found, "proved") == 1);
    for (const auto& [v, label] : std::get<Assignment>(found->value).values) CHECK(label.text() == "1");
}

TEST_CASE("a search that is cut short says how far it is from the bound") {
    std::mt19937 random(11);
    const auto model = make_markov_model(grid(random, 24, 0));
    Query query = everything(*model);
    query.by = search({{"nodes", Number(600)}});
    Run run;
    const auto found = model->ask(query, run);
    REQUIRE(found);
    if (count(*found, "proved") == 0) {
        CHECK(count(*found, "log_bound") > count(*found, "log_weight"));
        CHECK(found->notes.size() == 1);
    }
    query.by = search({{"gap", Number(1000)}});
    const auto rough = model->ask(query, run);
    REQUIRE(rough);
    CHECK(count(*rough, "log_bound") - count(*rough, "log_weight") <= 1000);
}

TEST_CASE("branch and bound refuses what it cannot do") {
    const auto model = make_net_model(burglary());
    Query query = everything(*model);
    query.by = search();
    Run run;
    query.goal = Goal::probability;
    CHECK(model->ask(query, run).fault().code.text() == "E-ENGINE");
    query.goal = Goal::most_probable;
    query.targets.free.pop_back();
    query.targets.free.erase(query.targets.free.begin());
    CHECK(model->ask(query, run).fault().code.text() == "E-ENGINE");
    Run stopped;
    StopSource source;
    source.request_stop();
    stopped.stop = source.get_token();
    CHECK(model->ask(everything(*model), stopped).fault().code.text() == "E-STOP");
}
