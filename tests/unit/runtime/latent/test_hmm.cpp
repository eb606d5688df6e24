#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/core/json.hpp"

#include "runtime/latent/hmm.hpp"

using namespace credence::rt;

namespace {

std::vector<Number> random_shares(std::size_t n, Rng& rng) {
    std::vector<std::int64_t> parts(n);
    std::int64_t total = 0;
    for (auto& p : parts) total += p = static_cast<std::int64_t>(1 + rng.below(6));
    std::vector<Number> out;
    for (const auto p : parts) out.emplace_back(Rational(p, total));
    return out;
}

DomainPtr numbered(std::size_t n) {
    std::vector<Label> labels;
    for (std::size_t i = 0; i < n; ++i) labels.push_back(Label::of_text("s" + std::to_string(i)));
    return make_domain(std::move(labels));
}

Hmm random_hmm(std::size_t states, std::size_t symbols, Rng& rng) {
    Hmm out;
    out.name = "Random";
    out.states = numbered(states);
    out.symbols = numbered(symbols);
    out.start = random_shares(states, rng);
    for (std::size_t i = 0; i < states; ++i) {
        out.move.push_back(random_shares(states, rng));
        out.emit.emplace_back().shares = random_shares(symbols, rng);
    }
    return out;
}

/// P(path, observations) for every path, in the order of the paths.
struct Enumerated {
    std::vector<std::vector<std::size_t>> paths;
    std::vector<Rational> joint;
    Rational total;
};
Enumerated enumerate_paths(const Hmm& hmm, const Sequence& s) {
    Enumerated out;
    std::vector<std::size_t> path(s.size(), 0);
    while (true) {
        Rational p(1);
        for (std::size_t t = 0; t < s.size(); ++t) {
            p *= (t == 0 ? hmm.start[path[0]] : hmm.move[path[t - 1]][path[t]]).exact();
            if (s.codes[t] >= 0) p *= hmm.emit[path[t]].shares[static_cast<std::size_t>(s.codes[t])].exact();
        }
        out.paths.push_back(path);
        out.joint.push_back(p);
        out.total += p;
        std::size_t k = path.size();
        while (k > 0 && ++path[k - 1] == hmm.states->size()) path[--k] = 0;
        if (k == 0) return out;
    }
}

}  // namespace

TEST_CASE("filter, smooth, likelihood and viterbi agree with the sum over all paths, in fractions and in doubles") {
    Rng rng(11);
    for (int round = 0; round < 12; ++round) {
        const Hmm hmm = random_hmm(2 + rng.below(2), 2 + rng.below(2), rng);
        Sequence s;
        for (std::size_t t = 0; t < 5; ++t)
            s.codes.push_back(rng.below(6) == 0 ? -1 : static_cast<std::int32_t>(rng.below(hmm.symbols->size())));
        const std::size_t k = hmm.states->size();
        const Enumerated all = enumerate_paths(hmm, s);
        Run run;
        Run real;
        real.numbers = NumberMode::real;

        CHECK(*hmm_likelihood(hmm, s, run)->exact == all.total);
        CHECK(hmm_likelihood(hmm, s, real)->log == Approx(all.total.log()).epsilon(1e-12));

        const auto smoothed = hmm_smooth(hmm, s, run);
        const auto smoothed_real = hmm_smooth(hmm, s, real);
        for (std::size_t t = 0; t < s.size(); ++t)
            for (std::size_t j = 0; j < k; ++j) {
                Rational mass;
                for (std::size_t p = 0; p < all.paths.size(); ++p)
                    if (all.paths[p][t] == j) mass += all.joint[p];
                CHECK((*smoothed)[t * k + j] == Number(mass / all.total));
                CHECK((*smoothed_real)[t * k + j].real() == Approx((mass / all.total).to_double()).epsilon(1e-12));
            }

        // Filtering at t is smoothing of the sequence that ends there.
        const auto filtered = hmm_filter(hmm, s, run);
        Sequence shorter = s;
        shorter.codes.resize(3);
        const auto end = hmm_smooth(hmm, shorter, run);
        for (std::size_t j = 0; j < k; ++j) CHECK((*filtered)[2 * k + j] == (*end)[2 * k + j]);

        const auto best = hmm_viterbi(hmm, s, run);
        CHECK(*best->exact == *std::max_element(all.joint.begin(), all.joint.end()));
        CHECK(hmm_viterbi(hmm, s, real)->log == Approx(best->exact->log()).epsilon(1e-12));
        Rational along(1);
        for (std::size_t t = 0; t < s.size(); ++t) {
            const auto state = static_cast<std::size_t>(best->states[t]);
            along *= (t == 0 ? hmm.start[state] : hmm.move[static_cast<std::size_t>(best->states[t - 1])][state]).exact();
            if (s.codes[t] >= 0) along *= hmm.emit[state].shares[static_cast<std::size_t>(s.codes[t])].exact();
        }
        CHECK(along == *best->exact);
    }
}

TEST_CASE("expected moves of the backward pass are sums over paths") {
    Rng rng(3);
    const Hmm hmm = random_hmm(3, 2, rng);
    Sequence s;
    s.codes = {0, 1, 1, 0};
    const Enumerated all = enumerate_paths(hmm, s);
    const HmmArrays a = arrays_of(hmm);
    std::vector<double> emissions(s.size() * 3);
    double shift = 0;
    for (std::size_t t = 0; t < s.size(); ++t) emission_row(hmm, a, s, t, std::span(emissions).subspan(t * 3, 3), shift);
    std::vector<double> posterior(s.size() * 3);
    std::vector<double> moves(9);
    forward_backward(a, emissions, s.size(), posterior, moves);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            Rational mass;
            for (std::size_t p = 0; p < all.paths.size(); ++p)
                for (std::size_t t = 1; t < s.size(); ++t)
                    if (all.paths[p][t - 1] == i && all.paths[p][t] == j) mass += all.joint[p];
            CHECK(moves[i * 3 + j] == Approx((mass / all.total).to_double()).epsilon(1e-12));
        }
}

TEST_CASE("impossible observations are named, long ones do not underflow") {
    Rng rng(5);
    Hmm hmm = random_hmm(2, 2, rng);
    hmm.emit[0].shares = {Number(1), Number(0)};
    hmm.emit[1].shares = {Number(1), Number(0)};
    Sequence s;
    s.codes = {0, 0, 1};
    Run run;
    const auto filtered = hmm_filter(hmm, s, run);
    REQUIRE_FALSE(filtered);
    CHECK(filtered.fault().code.text() == "E-ZERO");
    CHECK(filtered.fault().message.find("observation 3") != std::string::npos);
    CHECK(hmm_likelihood(hmm, s, run)->exact->is_zero());

    const Hmm other = random_hmm(3, 4, rng);
    Sequence longer;
    for (int t = 0; t < 20'000; ++t) longer.codes.push_back(static_cast<std::int32_t>(rng.below(4)));
    const auto log = hmm_likelihood(other, longer, run)->log;
    CHECK(std::isfinite(log));
    CHECK(log < -10'000);
}

TEST_CASE("a model with densities is saved and loaded as it was") {
    Rng rng(8);
    Hmm hmm = random_hmm(2, 2, rng);
    hmm.symbols = nullptr;
    hmm.emit[0] = {};
    hmm.emit[1] = {};
    hmm.emit[0].density.given = *make_normal(Number(0), Number(1));
    hmm.emit[1].density.given = *make_gamma(Number(3), Number::real(0.5));
    Sequence s;
    s.values = {0.5, 4, 7, -0.2, std::nan(""), 3};
    Run run;
    const double before = hmm_likelihood(hmm, s, run)->log;
    auto json = make_hmm_model(hmm)->save();
    REQUIRE(json);
    auto loaded = load_hmm(*Json::parse(json->dump()));
    REQUIRE(loaded);
    CHECK(hmm_likelihood(dynamic_cast<const HmmModel&>(**loaded).hmm(), s, run)->log == before);
    std::string broken = json->dump();
    broken.replace(broken.find("\"gamma\""), 7, "\"nothing\"");
    CHECK_FALSE(load_hmm(*Json::parse(broken)));
}

TEST_CASE("normal emissions far from zero keep their spread") {
    Rng rng(2);
    Hmm hmm;
    hmm.name = "H";
    hmm.states = make_domain({Label::of_text("low"), Label::of_text("high")});
    hmm.start = {Number(Rational(1, 2)), Number(Rational(1, 2))};
    hmm.move.resize(2);
    hmm.emit.resize(2);
    for (auto& e : hmm.emit) {
        e.density.family = &normal_family;
        e.density.parameters.resize(2);
    }
    auto column = std::make_shared<Column>();
    column->name = "observation";
    column->kind = ColumnKind::numeric;
    for (int t = 0; t < 600; ++t) column->values.push_back(1e9 + (t / 20 % 2 ? 10 : 0) + rng.normal());
    Table table;
    table.row_count = 600;
    table.columns = {column};
    Run run;
    auto learner = make_hmm_model(hmm)->trainer({});
    REQUIRE(learner);
    auto model = (*learner)->fit({.table = &table, .rows = {}}, {}, run);
    REQUIRE(model);
    for (const auto& e : dynamic_cast<const HmmModel&>(**model).hmm().emit)
        CHECK(std::sqrt(std::get<Number>(*e.density.given->variance()).real()) == Approx(1.0).epsilon(0.1));
}
