// The approximate engines against brute force: samplers within five of their standard errors, belief propagation exactly on trees.

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

struct Sampler {
    const char* name;
    int n;
};
constexpr Sampler samplers[] = {{"rejection", 20000}, {"likelihood_weighting", 20000}, {"gibbs", 20000}};

EngineChoice by(std::string name, std::vector<MethodArgument> arguments = {}) {
    EngineChoice out;
    out.name = std::move(name);
    out.arguments = std::move(arguments);
    return out;
}

void choose(Query& query, const Sampler& sampler) { query.by = by(sampler.name, {{"n", Number(sampler.n)}}); }

std::vector<double> doubles(const Answer& answer) {
    if (const auto* n = std::get_if<Number>(&answer.value)) return {n->real()};
    return factor(answer).doubles();
}

/// Random queries: values, sets, compound events, likelihoods, new marginals, interventions, joint and conditional targets.
class RandomQuery {
public:
    RandomQuery(const Net& net, unsigned seed) : net_(net), random_(seed) {}

    Query next() {
        Query q;
        std::vector<char> used(net_.nodes.size(), 0);
        const auto fresh = [&] {
            std::size_t v = below(static_cast<unsigned>(used.size()));
            while (used[v]) v = (v + 1) % used.size();
            used[v] = 1;
            return static_cast<VarId>(v);
        };
        const unsigned shape = below(6);
        q.targets.free.push_back(fresh());
        if (shape == 1) q.targets.free.push_back(fresh());
        if (shape == 2) q.targets.events.push_back(is(fresh(), label(2)));
        if (shape == 3) q.given.free.push_back(fresh());
        if (shape == 4) {
            const VarId v = fresh();
            q.doing.push_back({v, Label::of_text(label(2))});
        }
        const VarId e = fresh();
        switch (below(5)) {
            case 0:
                q.given.events.push_back(is(e, label(2)));
                break;
            case 1:
                q.given.events.push_back(compare(e, Compare::not_equal, {label(2)}));
                break;
            case 2:
                q.given.events.push_back(combined(Event::Kind::any, {is(e, "0"), is(fresh(), "1")}));
                break;
            case 3:
                q.given.soft.push_back(soft(e, SoftEvidence::Kind::likelihood));
                break;
            default:
                q.given.soft.push_back(soft(e, SoftEvidence::Kind::jeffrey));
        }
        return q;
    }

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    std::string label(unsigned n) { return std::to_string(below(n)); }
    SoftEvidence soft(VarId v, SoftEvidence::Kind kind) {
        SoftEvidence out{.kind = kind, .variable = v, .weights = {}};
        std::int64_t total = 0;
        std::vector<std::int64_t> weights;
        for (std::size_t k = 0; k < net_.nodes[index(v)].variable.size(); ++k) total += weights.emplace_back(1 + below(5));
        for (const auto w : weights) out.weights.emplace_back(Rational(w, total));
        return out;
    }

    const Net& net_;
    std::mt19937 random_;
};

/// Lauritzen & Spiegelhalter (1988).
NetPtr asia() {
    const std::vector<std::string> yes_no{"yes", "no"};
    Net net;
    net.name = "Asia";
    net.nodes = {node(variable("asia", yes_no), {}, {"0.01", "0.99"}),
                 node(variable("tub", yes_no), {0}, {"0.05", "0.95", "0.01", "0.99"}),
                 node(variable("smoke", yes_no), {}, {"0.5", "0.5"}),
                 node(variable("lung", yes_no), {2}, {"0.1", "0.9", "0.01", "0.99"}),
                 node(variable("bronc", yes_no), {2}, {"0.6", "0.4", "0.3", "0.7"}),
                 node(variable("either", yes_no), {3, 1}, {"1", "0", "1", "0", "1", "0", "0", "1"}),
                 node(variable("xray", yes_no), {5}, {"0.98", "0.02", "0.05", "0.95"}),
                 node(variable("dysp", yes_no), {4, 5}, {"0.9", "0.1", "0.8", "0.2", "0.7", "0.3", "0.1", "0.9"})};
    return std::make_shared<const Net>(std::move(net));
}

}  // namespace

TEST_CASE("samplers agree with enumeration within five standard errors") {
    std::size_t compared = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
        std::mt19937 random(seed + 40);
        const NetPtr net = random_net(random, 4 + seed % 4, seed % 2 == 1);
        const auto model = make_net_model(net);
        RandomQuery queries(*net, seed + 1);
        for (int repeat = 0; repeat < 6; ++repeat) {
            Query query = queries.next();
            query.by = by("enumeration");
            Run run;
            const auto exact = model->ask(query, run);
            for (const auto& sampler : samplers) {
                INFO("seed " << seed << " repeat " << repeat << " engine " << sampler.name);
                choose(query, sampler);
                Run own;
                own.rng = Rng(seed * 100 + static_cast<unsigned>(repeat));
                const auto answer = model->ask(query, own);
                if (!exact) {
                    if (exact.fault().code.text() == "E-ZERO" && answer)
                        CHECK(exact.fault().code.text() == "a sampler found what is impossible");
                    continue;
                }
                if (!answer) {  // a rare configuration that no sample met
                    CHECK(answer.fault().code.text() == "E-ZERO");
                    continue;
                }
                CHECK(answer->engine == sampler.name);
                CHECK_FALSE(answer->exact);
                REQUIRE(answer->standard_error);
                const auto expected = doubles(*exact);
                const auto got = doubles(*answer);
                REQUIRE(got.size() == expected.size());
                const double error = answer->standard_error->real();
                CHECK(error < 0.51);
                for (std::size_t i = 0; i < got.size(); ++i) {
                    CHECK(std::abs(got[i] - expected[i]) <= 5 * error);
                    ++compared;
                }
            }
        }
    }
    CHECK(compared > 1000);
}

TEST_CASE("a deterministic node does not hold a Gibbs chain") {
    const NetPtr net = asia();
    const auto model = make_net_model(net);
    Query query;
    query.targets.events = {is(var(*model, "bronc"), "yes")};
    query.given.events = {is(var(*model, "asia"), "yes"), is(var(*model, "dysp"), "yes")};
    Run run;
    const auto exact = model->ask(query, run);
    REQUIRE(exact);
    CHECK(number(*exact).real() == Approx(0.8114).margin(5e-5));  // the same net in two other programs
    for (unsigned seed = 1; seed < 5; ++seed) {
        query.by = by("gibbs", {{"n", Number(200'000)}, {"burn", Number(100)}});
        Run own;
        own.rng = Rng(seed);
        const auto answer = model->ask(query, own);
        REQUIRE(answer);
        CHECK(std::abs(number(*answer).real() - number(*exact).real()) < 5 * answer->standard_error->real());
        CHECK(answer->standard_error->real() < 0.01);
        CHECK(answer->counts.back().first == "r_hat");
        CHECK(answer->counts.back().second.real() < 1.05);
    }
}

TEST_CASE("sampled answers are the same bits for any number of threads") {
    const NetPtr net = asia();
    const auto model = make_net_model(net);
    Query query;
    query.targets.free = {var(*model, "lung"), var(*model, "bronc")};
    query.given.events = {is(var(*model, "dysp"), "yes")};
    for (const auto& sampler : samplers) {
        choose(query, sampler);
        Run one;
        Run three;
        three.threads = 3;
        const auto a = model->ask(query, one);
        const auto b = model->ask(query, three);
        REQUIRE(a);
        REQUIRE(b);
        CHECK(doubles(*a) == doubles(*b));
        CHECK(a->standard_error->real() == b->standard_error->real());
    }
}

TEST_CASE("belief propagation is exact on trees") {
    std::size_t compared = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed + 70);
        const auto below = [&](unsigned k) { return static_cast<unsigned>(random() % k); };
        Net net = *random_net(random, 7, false);
        for (unsigned i = 0; i < net.nodes.size(); ++i) {  // one parent each: a tree
            const std::size_t labels = net.nodes[i].variable.size();
            net.nodes[i].parents.clear();
            if (i > 0) net.nodes[i].parents = {static_cast<VarId>(below(i))};
            const std::size_t rows = i > 0 ? net.nodes[index(net.nodes[i].parents[0])].variable.size() : 1;
            std::vector<Rational> table;
            for (std::size_t r = 0; r < rows; ++r) {
                const std::int64_t w = 1 + below(8);
                for (std::size_t k = 0; k < labels; ++k)
                    table.emplace_back(k == 0 ? w : std::int64_t{1}, w + static_cast<std::int64_t>(labels) - 1);
            }
            net.nodes[i].table = std::move(table);
        }
        const auto model = make_net_model(std::make_shared<const Net>(net));
        RandomQuery queries(net, seed);
        for (int repeat = 0; repeat < 6; ++repeat) {
            Query query = queries.next();
            if (!query.given.events.empty() && query.given.events[0].kind != Event::Kind::atom) continue;  // an event that closes a loop
            Run run;
            query.by = by("enumeration");
            const auto exact = model->ask(query, run);
            query.by.name = "belief_propagation";
            const auto answer = model->ask(query, run);
            INFO("seed " << seed << " repeat " << repeat);
            REQUIRE(static_cast<bool>(exact) == static_cast<bool>(answer));
            if (!exact) continue;
            const auto expected = doubles(*exact);
            const auto got = doubles(*answer);
            REQUIRE(got.size() == expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(expected[i]).epsilon(1e-9));
            CHECK(answer->counts[1] == std::pair<std::string, Number>{"converged", Number(1)});
            ++compared;
        }
    }
    CHECK(compared > 100);
}

TEST_CASE("belief propagation on the loop of Asia comes near, and says whether it converged") {
    const auto model = make_net_model(asia());
    Query query;
    query.targets.events = {is(var(*model, "either"), "yes")};
    query.given.events = {is(var(*model, "xray"), "yes"), is(var(*model, "dysp"), "yes")};
    query.by.name = "belief_propagation";
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    CHECK(number(*answer).real() == Approx(0.71581585).margin(1e-7));               // the fixed point of a sum-product written in NumPy
    CHECK(number(*answer).real() == Approx(18392528.0 / 25239323.0).margin(0.02));  // the truth
    query.by.arguments = {{"iterations", Number(2)}};
    const auto short_of = model->ask(query, run);
    REQUIRE(short_of);
    CHECK(short_of->notes.size() == 1);
    CHECK(short_of->counts[1].second == Number(0));
}

TEST_CASE("the record of an engine says what it takes, and evidence that no sample meets is an error") {
    const auto model = make_net_model(burglary());
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    query.given.events = {is(static_cast<VarId>(3), "true"), is(static_cast<VarId>(4), "true")};
    Run run;
    const auto engines = model->engines();
    const MethodInfo* gibbs = find_method(engines, "gibbs");
    REQUIRE(gibbs);
    REQUIRE(gibbs->parameters.size() == 2);
    CHECK_FALSE(gibbs->parameters[0].range.covers(Number(-1)));
    CHECK_FALSE(gibbs->parameters[0].range.covers(Number(Rational(5, 2))));
    CHECK(gibbs->parameters[1].range.covers(Number(0)));
    query.by = by("rejection", {{"n", Number(5)}});
    const auto none = model->ask(query, run);
    REQUIRE_FALSE(none);
    CHECK(none.fault().code.text() == "E-ZERO");
    CHECK_FALSE(none.fault().hint.empty());
}

// Simulation-based calibration (Talts et al. 2018) for variables with values: a row is drawn from the net, some of it is observed, and the
// place of the true value within the sampled posterior, spread evenly over its own share, must be uniform.
TEST_CASE("samplers are calibrated over 200 simulations") {
    constexpr std::size_t simulations = 200;
    constexpr std::size_t bins = 10;
    for (const bool deterministic : {true, false}) {
        std::mt19937 random(5);
        const NetPtr net = deterministic ? asia() : random_net(random, 6, true);
        const auto model = make_net_model(net);
        const std::size_t n = net->nodes.size();
        for (const auto& sampler : samplers) {
            INFO(sampler.name << (deterministic ? " on asia" : " on a random net"));
            std::vector<double> counts(bins, 0);
            for (std::size_t s = 0; s < simulations; ++s) {
                Run run;
                run.rng = Rng(77).child(s);
                const auto row = model->sample(1, {}, run);
                REQUIRE(row);
                const auto value = [&](std::size_t v) { return (*row)->columns[v]->label(0); };
                const std::size_t target = s % (n - 2);
                Query query;
                query.targets.free = {static_cast<VarId>(target)};
                for (const std::size_t v : {n - 2, n - 1}) query.given.events.push_back(is(static_cast<VarId>(v), value(v).text()));
                choose(query, {sampler.name, 2000});
                const auto answer = model->ask(query, run);
                REQUIRE(answer);
                const auto shares = doubles(*answer);
                const auto own = *net->nodes[target].variable.domain->find(value(target));
                double place = Rng(78).child(s).uniform() * shares[own];
                for (std::size_t k = 0; k < own; ++k) place += shares[k];
                counts[std::min(bins - 1, static_cast<std::size_t>(place * bins))] += 1;
            }
            double chi = 0;
            for (const double c : counts) chi += (c - simulations / bins) * (c - simulations / bins) / (simulations / bins);
            CHECK(chi < 29.7);  // the 0.9995 quantile of chi-square with 9 degrees of freedom
        }
    }
}
