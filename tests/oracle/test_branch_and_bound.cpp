// Branch and bound against elimination in fractions, and on models too wide for it.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/core/contains.hpp"
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

/// The answers of elimination and of the search, which are there or not alike.
std::pair<Result<Answer>, Result<Answer>> by_both(const Model& model, Query& query) {
    Run run;
    query.by.name = "variable_elimination";
    auto expected = model.ask(query, run);
    query.by = search();
    auto found = model.ask(query, run);
    REQUIRE(bool(found) == bool(expected));
    return {std::move(expected), std::move(found)};
}

/// The same probability, in fractions, as the best assignment that elimination found.
void require_as_probable(const Model& model, const Query& query, const Answer& expected, const Answer& found) {
    const auto& best = std::get<Assignment>(expected.value);
    const auto& got = std::get<Assignment>(found.value);
    CHECK(count(found, "proved") == 1);
    CHECK(probability_of(model, got, query.given) == probability_of(model, best, query.given));
    CHECK(got.probability.real() == Approx(probability_of(model, best, query.given).real()).epsilon(1e-9));
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
        const auto [expected, found] = by_both(*model, query);
        if (!found) {
            CHECK(found.fault().code.text() == expected.fault().code.text());
            CHECK(found.fault().message == expected.fault().message);
            ++impossible;
            continue;
        }
        CHECK(found->engine == "branch_and_bound");
        require_as_probable(*model, query, *expected, *found);
        CHECK(count(*found, "log_bound") == Approx(count(*found, "log_weight")).margin(1e-9));
        Run run;
        const auto again = model->ask(query, run);
        REQUIRE(again);
        const auto& got = std::get<Assignment>(found->value);
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
        const auto [expected, found] = by_both(*model, query);
        REQUIRE(found);
        CHECK(count(*found, "proved") == 1);
        for (std::size_t i = 0; i < query.targets.free.size(); ++i)
            CHECK(std::get<Assignment>(found->value).values[i].second == std::get<Assignment>(expected->value).values[i].second);
    }
}

TEST_CASE("thousands of small models: the search finds the largest product") {
    const auto draw = [](std::mt19937& random) { return 0.01 + static_cast<double>(random() % 1000) / 1000; };
    for (unsigned seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(seed + 1000);
        MarkovNet net;
        net.name = "Small";
        const unsigned n = 2 + seed % 7;
        for (unsigned i = 0; i < n; ++i) {
            std::vector<std::string> labels;
            for (unsigned k = 0, size = 2 + static_cast<unsigned>(random() % 2); k < size; ++k) labels.push_back(std::to_string(k));
            net.variables.push_back(variable("X" + std::to_string(i), labels));
        }
        const unsigned zeros = seed % 4;  // of ten entries
        for (unsigned t = 0, tables = n + static_cast<unsigned>(random() % n); t < tables; ++t) {
            MarkovTable table;
            std::size_t entries = 1;
            for (unsigned k = 0, arity = 1 + static_cast<unsigned>(random() % 4); k < arity; ++k) {
                const auto v = static_cast<Slot>(random() % n);
                if (contains(table.variables, v)) continue;
                table.variables.push_back(v);
                entries *= net.variables[v].size();
            }
            std::vector<double> values;
            for (std::size_t i = 0; i < entries; ++i) values.push_back(random() % 10 < zeros ? 0 : draw(random));
            table.values = std::move(values);
            net.tables.push_back(std::move(table));
        }
        double largest = 0;
        std::vector<std::size_t> value(n, 0);
        const auto product = [&] {
            double out = 1;
            for (const auto& t : net.tables) {
                std::size_t at = 0;
                for (const auto v : t.variables) at = at * net.variables[v].size() + value[v];
                out *= std::get<std::vector<double>>(t.values)[at];
            }
            return out;
        };
        for (bool more = true; more;) {
            largest = std::max(largest, product());
            unsigned v = 0;
            while (v < n && ++value[v] == net.variables[v].size()) value[v++] = 0;
            more = v < n;
        }
        INFO("seed " << seed);
        const auto model = make_markov_model(std::make_shared<const MarkovNet>(net));
        Query query = everything(*model);
        query.by = search();
        Run run;
        const auto found = model->ask(query, run);
        REQUIRE(bool(found) == (largest > 0));
        if (!found) continue;
        const auto& best = std::get<Assignment>(found->value);
        for (unsigned i = 0; i < n; ++i) value[i] = *best.values[i].first.domain->find(best.values[i].second);
        CHECK(product() == Approx(largest).epsilon(1e-9));
        CHECK(count(*found, "proved") == 1);
    }
}

TEST_CASE("where elimination is more work the search comes first, unless an engine is chosen") {
    std::mt19937 random(5);
    const auto model = make_markov_model(grid(random, 11, 0));
    Query query = everything(*model);
    Run run;
    const auto found = model->ask(query, run);
    query.by.kept = true;
    const auto expected = model->ask(query, run);
    REQUIRE(found);
    REQUIRE(expected);
    CHECK(found->engine == "branch_and_bound");
    CHECK(expected->engine == "junction_tree");
    for (std::size_t i = 0; i < query.targets.free.size(); ++i)
        CHECK(std::get<Assignment>(found->value).values[i].second == std::get<Assignment>(expected->value).values[i].second);
}

TEST_CASE("values of some variables: the search agrees with elimination in fractions, which keeps the sums inside") {
    std::size_t impossible = 0;
    std::size_t branched = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        std::mt19937 random(seed + 77);
        const NetPtr net = random_net(random, 3 + seed % 9, seed % 3 != 0);
        const auto model = make_net_model(net);
        Query query;
        query.goal = Goal::most_probable;
        for (unsigned v = 0; v < net->nodes.size(); ++v) {
            const unsigned use = static_cast<unsigned>(random()) % 8;
            if (use == 0) query.given.events.push_back(is(static_cast<VarId>(v), std::to_string(random() % 2)));
            if (use > 3) query.targets.free.push_back(static_cast<VarId>(v));
        }
        if (query.targets.free.empty()) continue;
        INFO("seed " << seed);
        const auto [expected, found] = by_both(*model, query);
        if (!found) {
            ++impossible;
            continue;
        }
        require_as_probable(*model, query, *expected, *found);
        branched += count(*found, "searched_variables") > 0 ? 1 : 0;
    }
    CHECK(impossible > 0);
    CHECK(branched > 300);
}

TEST_CASE("values of some variables: a search that is cut short has a bound above the optimum") {
    std::size_t cut_short = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed + 5);
        const auto model = make_net_model(random_net(random, 14, false));
        Query query;
        query.goal = Goal::most_probable;
        for (unsigned v = 0; v < 14; v += 2) query.targets.free.push_back(static_cast<VarId>(v));
        Run run;
        query.by = search();
        const auto whole = model->ask(query, run);
        query.by = search({{"nodes", Number(8)}});
        const auto part = model->ask(query, run);
        REQUIRE(whole);
        if (!part) continue;  // nothing found yet
        CHECK(count(*part, "log_bound") >= count(*whole, "log_weight") - 1e-9);
        CHECK(count(*part, "log_weight") <= count(*whole, "log_weight") + 1e-9);
        if (count(*part, "proved") == 0) {
            ++cut_short;
            CHECK(part->notes.size() == 1);
        }
    }
    CHECK(cut_short > 5);
}

TEST_CASE("values of some variables where elimination with sums first is too wide") {
    // a chain with a tooth at each link: the teeth are sought, and to sum out the chain first would join them all
    MarkovNet net;
    net.name = "Comb";
    constexpr Slot n = 40;
    for (Slot i = 0; i < 2 * n; ++i) net.variables.push_back(variable("X" + std::to_string(i), {"0", "1"}));
    for (Slot i = 0; i < n; ++i) {
        net.tables.push_back({{i, n + i}, std::vector<double>{4, 1, 1, 5}});
        if (i > 0) net.tables.push_back({{n + i - 1, n + i}, std::vector<double>{30, 1, 1, 30}});
    }
    const auto model = make_markov_model(std::make_shared<const MarkovNet>(std::move(net)));
    Query query;
    query.goal = Goal::most_probable;
    for (Slot i = 0; i < n; ++i) query.targets.free.push_back(static_cast<VarId>(i));
    Run run;
    const auto found = model->ask(query, run);
    REQUIRE(found);
    CHECK(found->engine == "branch_and_bound");
    CHECK(count(*found, "proved") == 1);
    for (const auto& [v, label] : std::get<Assignment>(found->value).values) CHECK(label.text() == "1");  // 5 > 4, and neighbours agree
    double zero = 1;  // the sum over the chain up to here, by the value of its last link
    double one = 5;
    for (Slot i = 1; i < n; ++i) {
        const double next = 30 * zero + one;
        one = 5 * (zero + 30 * one);
        zero = next;
    }
    CHECK(count(*found, "log_weight") == Approx(std::log(zero + one)).epsilon(1e-12));
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
    Run stopped;
    StopSource source;
    source.request_stop();
    stopped.stop = source.get_token();
    CHECK(model->ask(everything(*model), stopped).fault().code.text() == "E-STOP");
}
