// Circuits and cutsets against elimination in fractions, and on models too wide for trees.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/nets/circuit/compile.hpp"
#include "runtime/nets/markov.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

std::vector<double> doubles(const Answer& answer) {
    if (const auto* n = std::get_if<Number>(&answer.value)) return {n->real()};
    return factor(answer).doubles();
}

/// The sum over everything, assignment by assignment.
double brute_force(const Sizes& sizes, const std::vector<CircuitTable>& tables, std::size_t variable, std::size_t value) {
    std::vector<std::size_t> at(sizes.size(), 0);
    double total = 0;
    while (true) {
        double product = at[variable] == value ? 1 : 0;
        for (const auto& table : tables) {
            std::size_t entry = 0;
            for (const auto slot : table.variables) entry = entry * sizes[slot] + at[slot];
            product *= table.values[entry];
        }
        total += product;
        std::size_t i = 0;
        while (i < sizes.size() && ++at[i] == sizes[i]) at[i++] = 0;
        if (i == sizes.size()) return total;
    }
}

/// A square of switches: each is the exclusive or of its upper and left neighbours, and the border is random. The sum over everything is 1,
/// as each value of the border leaves one state of the rest.
MarkovNetPtr exclusive_grid(std::size_t side, bool observed) {
    MarkovNet net;
    net.name = "Grid";
    const auto cell = [&](std::size_t i, std::size_t j) { return static_cast<Slot>(i * side + j); };
    for (std::size_t i = 0; i < side * side; ++i) net.variables.push_back(variable("X" + std::to_string(i), {"0", "1"}));
    for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
            if (i == 0 || j == 0)
                net.tables.push_back({{cell(i, j)}, std::vector<double>{0.7, 0.3}});
            else
                net.tables.push_back({{cell(i - 1, j), cell(i, j - 1), cell(i, j)}, std::vector<double>{1, 0, 0, 1, 0, 1, 1, 0}});
        }
    }
    if (observed)  // the whole border but its corner
        for (std::size_t i = 1; i < side; ++i)
            for (const auto slot : {cell(i, 0), cell(0, i)}) net.tables.push_back({{slot}, std::vector<double>{1, 0}});
    return std::make_shared<const MarkovNet>(std::move(net));
}

}  // namespace

TEST_CASE("circuits and cutsets agree with elimination in fractions") {
    std::size_t compared = 0;
    std::size_t impossible = 0;
    for (unsigned seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed + 31);
        const NetPtr net = random_net(random, 3 + seed % 9, seed % 3 != 0);
        const auto model = make_net_model(net);
        const auto n = static_cast<unsigned>(net->nodes.size());
        const auto any = [&] { return static_cast<VarId>(random() % n); };
        Query query;
        query.targets.free.push_back(any());
        if (seed % 2 == 0)
            if (const auto other = any(); other != query.targets.free[0]) query.targets.free.push_back(other);
        query.given.events.push_back(is(any(), "0"));
        if (seed % 4 == 1) query.given.events.push_back(combined(Event::Kind::any, {is(any(), "0"), is(any(), "1")}));
        if (seed % 5 == 2) query.given.free.push_back(any());
        if (seed % 5 == 3) query.targets.events.push_back(is(any(), "1"));
        Run run;
        const auto expected = model->ask(query, run);
        for (const auto* engine : {"arithmetic_circuit", "cutset_conditioning"}) {
            query.by.name = engine;
            INFO("seed " << seed << " engine " << engine);
            const auto answer = model->ask(query, run);
            REQUIRE(static_cast<bool>(answer) == static_cast<bool>(expected));
            if (!answer) {
                CHECK(answer.fault().code.text() == "E-ZERO");
                ++impossible;
                continue;
            }
            CHECK(answer->engine == engine);
            CHECK_FALSE(answer->exact);
            const auto got = doubles(*answer);
            const auto wanted = doubles(*expected);
            REQUIRE(got.size() == wanted.size());
            for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(wanted[i]).epsilon(1e-10).margin(1e-13));
            ++compared;
        }
    }
    CHECK(compared > 150);
    CHECK(impossible > 10);
}

TEST_CASE("a circuit has the sum and all marginals of random tables, scaled and with zeros") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned k) { return static_cast<unsigned>(random() % k); };
        Sizes sizes;
        for (unsigned v = 0; v < 9; ++v) sizes.push_back(1 + below(4));
        std::vector<CircuitTable> tables;
        for (unsigned t = 0; t < 9; ++t) {
            CircuitTable table;
            std::size_t entries = 1;
            for (Slot v = 0; v < sizes.size(); ++v) {
                if (below(4) != 0) continue;
                table.variables.push_back(v);
                entries *= sizes[v];
            }
            const double scale = std::pow(10.0, static_cast<double>(below(40)) - 20);
            for (std::size_t e = 0; e < entries; ++e) table.values.push_back(below(3) == 0 ? 0 : scale * (1 + below(3)));
            tables.push_back(std::move(table));
        }
        const auto circuit = compile_circuit(sizes, tables, {.steps = 1'000'000, .size = 1'000'000});
        REQUIRE(circuit);
        std::vector<ValueBits> all;
        for (const auto size : sizes) all.push_back((ValueBits{1} << size) - 1);
        const auto flow = circuit->flow(all);
        double total = 0;
        for (std::size_t k = 0; k < sizes[0]; ++k) total += brute_force(sizes, tables, 0, k);
        INFO("seed " << seed);
        if (total == 0) {
            CHECK(std::isinf(flow.log_total));
            CHECK(flow.marginals.empty());
            continue;
        }
        CHECK(flow.log_total == Approx(std::log(total)).margin(1e-9));
        for (Slot v = 0; v < sizes.size(); ++v)
            for (std::size_t k = 0; k < sizes[v]; ++k)
                CHECK(flow.marginals[circuit->offset(v) + k] == Approx(brute_force(sizes, tables, v, k) / total).margin(1e-10));
    }
}

TEST_CASE("a circuit that passes its limits is given up") {
    const auto model = make_markov_model(exclusive_grid(6, false));
    std::vector<CircuitTable> tables;
    for (const auto& table : model->markov()->tables) tables.push_back({table.variables, std::get<std::vector<double>>(table.values)});
    const Sizes sizes(36, 2);
    CHECK(compile_circuit(sizes, tables, {.steps = 10'000'000, .size = 10'000'000}));
    CHECK_FALSE(compile_circuit(sizes, tables, {.steps = 10, .size = 10'000'000}));
    CHECK_FALSE(compile_circuit(sizes, tables, {.steps = 10'000'000, .size = 10'000'000, .stopped = [] { return true; }}));
    CHECK_FALSE(compile_circuit(Sizes(2, 70), {}, {.steps = 10, .size = 10}));
}

TEST_CASE("a grid too wide for any tree is answered by a circuit") {
    // with its border observed the rest follows from the corner, and the corner has no table in common with the inside
    const auto model = make_markov_model(exclusive_grid(40, true));
    Query query;
    query.targets.free.push_back(static_cast<VarId>(40 * 40 - 1));
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    CHECK(doubles(*answer)[0] == Approx(1));
    const auto log_total = model->log_partition(run);
    REQUIRE(log_total);
    CHECK(log_total->real() == Approx(2 * 39 * std::log(0.7)));
}
