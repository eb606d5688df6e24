// The junction tree against brute force, against itself in other circumstances, and at its limits.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/nets/propagation.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

struct Truth {
    double total = 0;
    std::vector<std::vector<double>> marginals;
    std::vector<std::vector<double>> families;  // in the order of the tables
};

/// Adds up all assignments that agree with the states (−1: free), each weighed by the likelihoods of one variable.
Truth enumerated(const Net& net, const std::vector<std::int64_t>& state) {
    Truth out;
    for (const auto& node : net.nodes) {
        out.marginals.emplace_back(node.variable.size(), 0.0);
        out.families.emplace_back(std::get<std::vector<Rational>>(node.table).size(), 0.0);
    }
    std::vector<std::size_t> value(net.nodes.size(), 0);
    std::vector<std::size_t> entry(net.nodes.size(), 0);
    while (true) {
        double p = 1;
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::size_t row = 0;
            for (const auto parent : net.nodes[i].parents) row = row * net.nodes[index(parent)].variable.size() + value[index(parent)];
            entry[i] = row * net.nodes[i].variable.size() + value[i];
            p *= std::get<std::vector<Rational>>(net.nodes[i].table)[entry[i]].to_double();
            if (state[i] >= 0 && value[i] != static_cast<std::size_t>(state[i])) p = 0;
        }
        out.total += p;
        for (std::size_t i = 0; i < value.size(); ++i) {
            out.marginals[i][value[i]] += p;
            out.families[i][entry[i]] += p;
        }
        std::size_t i = value.size();
        while (i-- > 0) {
            if (++value[i] < net.nodes[i].variable.size()) break;
            value[i] = 0;
        }
        if (i == SIZE_MAX) return out;
    }
}

void check_against(const Truth& truth, const Propagation& numbers, double log_total) {
    if (truth.total == 0) {
        CHECK(log_total == -std::numeric_limits<double>::infinity());
        return;
    }
    CHECK(log_total == Approx(std::log(truth.total)).epsilon(1e-12).margin(1e-12));
    for (std::size_t i = 0; i < truth.marginals.size(); ++i) {
        std::vector<double> got(truth.marginals[i].size());
        numbers.marginal(static_cast<Slot>(i), got);
        for (std::size_t v = 0; v < got.size(); ++v)
            REQUIRE(got[v] == Approx(truth.marginals[i][v] / truth.total).epsilon(1e-12).margin(1e-14));
        got.resize(truth.families[i].size());
        numbers.family(i, got);
        for (std::size_t e = 0; e < got.size(); ++e)
            REQUIRE(got[e] == Approx(truth.families[i][e] / truth.total).epsilon(1e-12).margin(1e-14));
    }
}

/// A last node with all others, of three values each, as parents: one clique of 3^n entries.
NetPtr wide_net(unsigned n) {
    std::mt19937 random(7);
    Net net;
    net.name = "Wide";
    std::size_t rows = 1;
    for (unsigned i = 0; i < n; ++i) {
        NetNode node;
        node.variable = variable("V" + std::to_string(i), {"a", "b", "c"});
        std::vector<double> table;
        if (i + 1 == n)
            for (unsigned p = 0; p + 1 < n; ++p) node.parents.push_back(static_cast<VarId>(p));
        else
            rows *= 3;
        for (std::size_t r = 0; r < (i + 1 == n ? rows : 1); ++r) {
            const double a = 1 + static_cast<double>(random() % 100);
            const double b = 1 + static_cast<double>(random() % 100);
            const double c = static_cast<double>(random() % 3);
            for (const double w : {a, b, c}) table.push_back(w / (a + b + c));
        }
        node.table = std::move(table);
        net.nodes.push_back(std::move(node));
    }
    return std::make_shared<const Net>(std::move(net));
}

}  // namespace

TEST_CASE("a junction tree agrees with enumeration, fresh and as evidence comes and goes") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed + 40);
        const NetPtr net = random_net(random, 3 + seed % 6, seed % 2 == 1);
        const std::size_t n = net->nodes.size();
        const Run run;
        const auto tree = JunctionTree::compile(*net, Families::yes, run);
        REQUIRE(tree);
        Propagation kept(*tree);
        kept.set_tables(*net);
        std::vector<std::int64_t> state(n, -1);
        for (int change = 0; change < 8; ++change) {
            const auto v = static_cast<Slot>(random() % n);
            const std::size_t values = net->nodes[v].variable.size();
            state[v] = random() % 3 == 0 ? -1 : static_cast<std::int64_t>(random() % values);
            if (state[v] < 0)
                kept.forget(v);
            else
                kept.set_state(v, static_cast<std::size_t>(state[v]));
            const auto total = kept.calibrate(run);
            REQUIRE(total);
            INFO("seed " << seed << " change " << change);
            check_against(enumerated(*net, state), kept, *total);
        }
    }
}

TEST_CASE("a joint over the variables of a clique, in the order asked") {
    const NetPtr net = burglary();
    const Run run;
    const auto tree = JunctionTree::compile(*net, Families::no, run);
    REQUIRE(tree);
    CHECK((*tree)->counts().cliques == 3);
    CHECK((*tree)->counts().largest == 8);
    Propagation numbers(*tree);
    numbers.set_tables(*net);
    REQUIRE(numbers.calibrate(run));
    const std::vector<Slot> over{2, 0};  // Alarm, Burglary
    REQUIRE((*tree)->holds(over));
    std::vector<double> joint(4);
    numbers.joint(over, joint);
    // P(alarm, burglary) = 0.001 · (0.002 · 0.95 + 0.998 · 0.94)
    CHECK(joint[0] == Approx(0.001 * (0.002 * 0.95 + 0.998 * 0.94)).epsilon(1e-14));
    CHECK(joint[2] == Approx(0.001 * (0.002 * 0.05 + 0.998 * 0.06)).epsilon(1e-14));
    const std::vector<Slot> calls{3, 4};
    CHECK_FALSE((*tree)->holds(calls));
}

TEST_CASE("two threads give the same bits as one") {
    const NetPtr net = wide_net(12);
    std::vector<std::vector<double>> got;
    for (const unsigned threads : {1U, 2U}) {
        Run run;
        run.threads = threads;
        const auto tree = JunctionTree::compile(*net, Families::no, run);
        REQUIRE(tree);
        REQUIRE((*tree)->counts().largest == 531441);
        Propagation numbers(*tree);
        numbers.set_tables(*net);
        numbers.set_state(11, 1);
        const auto total = numbers.calibrate(run);
        REQUIRE(total);
        std::vector<double> all{*total};
        for (Slot v = 0; v < 12; ++v) {
            std::vector<double> one(3);
            numbers.marginal(v, one);
            all.insert(all.end(), one.begin(), one.end());
        }
        got.push_back(std::move(all));
    }
    CHECK(got[0] == got[1]);
}

TEST_CASE("a clique beyond the limit is refused by name before anything is allocated") {
    Run run;
    run.limits.table_entries = 1000;
    const auto tree = JunctionTree::compile(*wide_net(8), Families::no, run);
    REQUIRE_FALSE(tree);
    CHECK(tree.fault().code.text() == "E-COST");
    CHECK(tree.fault().message.find("6.56e+03 entries over V") != std::string::npos);
    CHECK(tree.fault().hint.find("by likelihood_weighting") != std::string::npos);
}

TEST_CASE("the net model answers by junction tree, also where doubles would vanish") {
    // a class with many features that disagree: each posterior factor is small, the product far below any double
    Net net;
    net.name = "Features";
    net.nodes.push_back(node(variable("Class", {"a", "b", "c"}), {}, {"0.2", "0.3", "0.5"}));
    const std::vector<std::vector<std::string>> tables{{"0.999999", "0.000001", "0.000001", "0.999999", "0.000002", "0.999998"},
                                                       {"0.000001", "0.999999", "0.999999", "0.000001", "0.000002", "0.999998"}};
    for (unsigned i = 0; i < 120; ++i) net.nodes.push_back(node(variable("F" + std::to_string(i), {"y", "n"}), {0}, tables[i % 2]));
    const auto model = make_net_model(std::make_shared<const Net>(std::move(net)));
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    for (unsigned i = 1; i <= 120; ++i) query.given.events.push_back(is(static_cast<VarId>(i), "y"));
    query.by.name = "junction_tree";
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    // a and b: (0.999999 · 1e-6)^60; c: (2e-6)^120 = 2^120 · 1e-720
    const double log_a = std::log(0.2) + 60 * (std::log(0.999999) + std::log(1e-6));
    const double log_b = std::log(0.3) + 60 * (std::log(0.999999) + std::log(1e-6));
    CHECK(factor(*answer).at(0).real() == Approx(1 / (1 + std::exp(log_b - log_a))).epsilon(1e-9));
    CHECK(factor(*answer).at(2).real() < 1e-300);
}

TEST_CASE("the order of evidence does not matter, nor what was asked before") {
    std::mt19937 random(3);
    const NetPtr net = random_net(random, 8, false);
    const auto used = make_net_model(net);
    Query query;
    query.by.name = "junction_tree";
    query.given.events = {is(static_cast<VarId>(1), "0"), is(static_cast<VarId>(5), "1"), is(static_cast<VarId>(7), "0")};
    Query turned = query;
    std::reverse(turned.given.events.begin(), turned.given.events.end());
    Run run;
    for (std::size_t v : {0U, 2U, 3U, 4U, 6U}) {
        query.targets.free = turned.targets.free = {static_cast<VarId>(v)};
        const auto model = make_net_model(net);
        const auto a = model->ask(query, run);
        const auto b = used->ask(turned, run);
        REQUIRE((a && b));
        REQUIRE(factor(*a).size() == factor(*b).size());
        for (std::size_t i = 0; i < factor(*a).size(); ++i) CHECK(factor(*a).at(i).real() == factor(*b).at(i).real());
    }
}
