// Work and room grow with the length of a net, not with its square.

#include <catch2/catch.hpp>

#include <ctime>

#include "runtime/nets/triangulate.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A class with n children of which each tells 9 to 1, one after the other for the one value and for the other.
Net class_with_children(unsigned n) {
    Net net;
    net.name = "Class";
    net.nodes.push_back(node(variable("C", {"a", "b"}), {}, {"1/4", "3/4"}));
    for (unsigned i = 0; i < n; ++i)
        net.nodes.push_back(node(variable("X" + std::to_string(i), {"a", "b"}), {0}, {"9/10", "1/10", "1/10", "9/10"}));
    return net;
}

/// n hidden steps that are kept with probability 9/10, each seen with probability 4/5 as it is.
Net hidden_chain(unsigned n) {
    Net net;
    net.name = "Chain";
    for (unsigned i = 0; i < n; ++i) {
        const Variable step = variable("S" + std::to_string(i), {"a", "b"});
        net.nodes.push_back(i == 0 ? node(step, {}, {"1/2", "1/2"}) : node(step, {i - 1}, {"9/10", "1/10", "1/10", "9/10"}));
    }
    for (unsigned i = 0; i < n; ++i)
        net.nodes.push_back(node(variable("O" + std::to_string(i), {"a", "b"}), {i}, {"4/5", "1/5", "1/5", "4/5"}));
    return net;
}

struct Timed {
    double first_value = 0;
    double seconds = 0;
};

/// P(first node | the observations, which change at each step), with the CPU time of model and query.
Timed asked(Net net, std::size_t first_observed) {
    const double start = cpu_seconds();
    const auto model = make_net_model(std::make_shared<const Net>(std::move(net)));
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    for (std::size_t i = first_observed; i < model->variables().size(); ++i)
        query.given.events.push_back(is(static_cast<VarId>(i), (i - first_observed) % 2 == 0 ? "a" : "b"));
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    return {factor(*answer).at(0).real(), cpu_seconds() - start};
}

/// The same with a child of each child, which shows it with probability 4/5 as it is.
Net class_with_grandchildren(unsigned n) {
    Net net = class_with_children(n);
    for (unsigned i = 0; i < n; ++i)
        net.nodes.push_back(node(variable("Y" + std::to_string(i), {"a", "b"}), {i + 1}, {"4/5", "1/5", "1/5", "4/5"}));
    return net;
}

/// ln of P(C = b | …) / P(C = a | …) where the nodes from `first` on are observed, the first `as` of them as a and the others as b.
double log_odds(Net net, unsigned first, unsigned as) {
    const auto model = make_net_model(std::make_shared<const Net>(std::move(net)));
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    for (unsigned i = first; i < model->variables().size(); ++i)
        query.given.events.push_back(is(static_cast<VarId>(i), i - first < as ? "a" : "b"));
    Run run;
    run.numbers = NumberMode::real;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    const auto log_of = [&](std::size_t i) {
        const auto& logs = factor(*answer).logs();
        return logs.empty() ? std::log(factor(*answer).at(i).real()) : logs[i];
    };
    return log_of(1) - log_of(0);
}

// Linear growth takes 8 times as long, quadratic growth 64 times.
constexpr unsigned short_net = 4'000;
constexpr unsigned long_net = 8 * short_net;
constexpr double most_growth = 24;

}  // namespace

TEST_CASE("evidence on many children of a class costs time in proportion") {
    const Timed small = asked(class_with_children(short_net), 1);
    const Timed large = asked(class_with_children(long_net), 1);
    CHECK(small.first_value == Approx(0.25));  // as many for the one as for the other
    CHECK(large.first_value == Approx(0.25));
    CHECK(large.seconds < most_growth * small.seconds);
}

TEST_CASE("findings that outweigh each other do so in any order, also where products of doubles vanish on the way") {
    constexpr unsigned n = 6'000;
    const double prior = std::log(3.0);
    const double of_child = std::log(9.0);
    const double of_grandchild = std::log((0.9 * 0.8 + 0.1 * 0.2) / (0.9 * 0.2 + 0.1 * 0.8));
    for (const unsigned as : {n / 2, n / 2 - 1, n / 2 + 1, n / 4, n}) {
        INFO(as << " of " << n << " speak for the one value");
        const double more = static_cast<double>(n) - 2.0 * as;
        CHECK(log_odds(class_with_children(n), 1, as) == Approx(prior + more * of_child).margin(1e-6));
        CHECK(log_odds(class_with_grandchildren(n), n + 1, as) == Approx(prior + more * of_grandchild).margin(1e-6));
    }
}

TEST_CASE("evidence along a hidden chain costs time in proportion") {
    const Timed small = asked(hidden_chain(short_net), short_net);
    const Timed large = asked(hidden_chain(long_net), long_net);
    CHECK(large.first_value == Approx(small.first_value).epsilon(1e-9));  // what is far away says nothing
    CHECK(large.seconds < most_growth * small.seconds);
}

TEST_CASE("triangulations of long nets have the cliques that they should have") {
    SECTION("a chain: pairs") {
        constexpr Slot n = 50'000;
        std::vector<std::vector<Slot>> scopes;
        for (Slot i = 0; i + 1 < n; ++i) scopes.push_back({i, i + 1});
        const auto found = triangulate(scopes, Sizes(n, 2));
        CHECK(found.order.size() == n);
        CHECK(found.entries == 4.0 * (n - 1) + 2);
    }
    SECTION("a star: the centre goes last") {
        constexpr Slot n = 50'000;
        std::vector<std::vector<Slot>> scopes;
        for (Slot i = 1; i < n; ++i) scopes.push_back({0, i});
        CHECK(triangulate(scopes, Sizes(n, 3)).entries == 9.0 * (n - 1) + 3);
    }
    SECTION("a ladder of 4 rails, whose treewidth is 4") {
        constexpr Slot rails = 4;
        constexpr Slot length = 1'000;  // more vertices than rows of bits are kept for
        std::vector<std::vector<Slot>> scopes;
        for (Slot t = 0; t < length; ++t)
            for (Slot r = 0; r < rails; ++r) {
                if (t > 0) scopes.push_back({(t - 1) * rails + r, t * rails + r});
                if (r > 0) scopes.push_back({t * rails + r - 1, t * rails + r});
            }
        const auto found = triangulate(scopes, Sizes(rails * length, 2));
        std::size_t widest = 0;
        for (std::size_t i = 0; i < found.order.size(); ++i) widest = std::max(widest, found.members(i).size());
        CHECK(widest == rails + 1);
    }
    SECTION("loops that no edge joins are triangulated one by one") {
        constexpr Slot loops = 10'000;
        std::vector<std::vector<Slot>> scopes;
        for (Slot k = 0; k < loops; ++k)
            for (Slot i = 0; i < 4; ++i) scopes.push_back({4 * k + i, 4 * k + (i + 1) % 4});
        CHECK(triangulate(scopes, Sizes(4 * loops, 2)).entries == loops * (8.0 + 8 + 4 + 2));
    }
}
