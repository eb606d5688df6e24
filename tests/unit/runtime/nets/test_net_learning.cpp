#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/nets/expected_counts.hpp"
#include "runtime/nets/learn.hpp"
#include "runtime/nets/structure.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

DomainPtr yes_no() { return make_domain({Label::of_text("yes"), Label::of_text("no")}); }

NetNode hole(const std::string& name, std::vector<VarId> parents) {
    NetNode out;
    out.variable = {name, yes_no()};
    out.parents = std::move(parents);
    out.hole = true;
    return out;
}

/// A → B → C, all unknown.
NetPtr chain() {
    auto net = std::make_shared<Net>();
    net->name = "Chain";
    net->nodes = {hole("A", {}), hole("B", {VarId(0)}), hole("C", {VarId(1)})};
    return net;
}

/// Rows of codes (−1 missing) for columns A, B, C.
Table table_of(const std::vector<std::vector<int>>& rows) {
    Table out;
    out.row_count = rows.size();
    for (std::size_t c = 0; c < 3; ++c) {
        auto column = std::make_shared<Column>();
        column->name = std::string(1, static_cast<char>('A' + c));
        column->domain = yes_no();
        for (const auto& row : rows) column->codes.push_back(row[c]);
        out.columns.push_back(std::move(column));
    }
    return out;
}

Table random_rows(std::size_t n, double missing, Rng& rng) {
    std::vector<std::vector<int>> rows;
    for (std::size_t i = 0; i < n; ++i) {
        const int a = rng.uniform() < 0.4 ? 0 : 1;
        const int b = rng.uniform() < (a == 0 ? 0.8 : 0.1) ? 0 : 1;
        const int c = rng.uniform() < (b == 0 ? 0.9 : 0.2) ? 0 : 1;
        std::vector<int> row{a, b, c};
        for (int& cell : row)
            if (rng.uniform() < missing) cell = -1;
        rows.push_back(row);
    }
    return table_of(rows);
}

/// ln P(data) by summing over what is missing.
double brute_log_likelihood(const NetTables& t, const NetData& data) {
    double out = 0;
    for (std::size_t r = 0; r < data.rows(); ++r) {
        double p = 0;
        for (int code = 0; code < 8; ++code) {
            const int v[] = {code >> 2, (code >> 1) & 1, code & 1};
            bool fits = true;
            for (std::size_t k = 0; k < 3; ++k) fits = fits && (data.row(r)[k] < 0 || data.row(r)[k] == v[k]);
            if (fits)
                p += t.of(0)[static_cast<std::size_t>(v[0])] * t.of(1)[static_cast<std::size_t>(2 * v[0] + v[1])] *
                     t.of(2)[static_cast<std::size_t>(2 * v[1] + v[2])];
        }
        out += data.weights[r] * std::log(p);
    }
    return out;
}

}  // namespace

TEST_CASE("expected counts over the entries are the derivative of the log-likelihood, which is a sum over what is missing") {
    Rng rng(2);
    const auto net = chain();
    const Table table = random_rows(40, 0.3, rng);
    Run run;
    auto data = net_data(*net, {.table = &table, .rows = {}}, {});
    REQUIRE(data);
    auto expected = ExpectedCounts::make(*net, *data, run);
    REQUIRE(expected);
    NetTables t = start_tables(*net, &rng);
    NetTables counts;
    const auto log = expected->count(t, counts, run);
    REQUIRE(log);
    CHECK(*log == Approx(brute_log_likelihood(t, *data)).epsilon(1e-12));
    for (std::size_t i = 0; i < t.values.size(); ++i) {
        NetTables up = t;
        NetTables down = t;
        up.values[i] += 1e-6;
        down.values[i] -= 1e-6;
        const double slope = (brute_log_likelihood(up, *data) - brute_log_likelihood(down, *data)) / 2e-6;
        CHECK(counts.values[i] / t.values[i] == Approx(slope).epsilon(1e-5));
    }
    Run two;
    two.threads = 2;
    NetTables again;
    CHECK(*expected->count(t, again, two) == *log);
    CHECK(again.values == counts.values);
}

TEST_CASE("groups of missing cells are summed alike by enumeration, by a tree of their own and by the tree of the whole net") {
    // hidden X0 → X1 → … with Y0, Y1 … observed below: nine X together are more than are enumerated
    constexpr std::size_t length = 9;
    auto net = std::make_shared<Net>();
    net->name = "Chain";
    for (std::size_t i = 0; i < length; ++i)
        net->nodes.push_back(hole("X" + std::to_string(i), i == 0 ? std::vector<VarId>{} : std::vector<VarId>{VarId(i - 1)}));
    for (std::size_t i = 0; i < length; ++i) net->nodes.push_back(hole("Y" + std::to_string(i), {VarId(i)}));
    Rng rng(11);
    NetData data;
    data.variables = 2 * length;
    const auto add = [&](std::size_t hidden_from, bool one_more) {
        for (std::size_t v = 0; v < 2 * length; ++v)
            data.codes.push_back(v < length && v >= hidden_from ? -1 : static_cast<std::int32_t>(rng.below(2)));
        if (one_more) data.codes[data.codes.size() - 2] = -1;
        data.weights.push_back(1 + rng.uniform());
        data.total += data.weights.back();
    };
    for (int i = 0; i < 20; ++i) add(0, false);  // a tree of their own
    add(0, true);                                // a row like no other: the whole net
    for (int i = 0; i < 5; ++i) add(4, i > 2);   // enumerated
    data.hidden.assign(data.variables, 0);
    data.holes.assign(data.variables, 1);
    const NetTables t = start_tables(*net, &rng);
    double expected_log = 0;
    std::vector<double> expected_counts(t.values.size(), 0.0);
    for (std::size_t r = 0; r < data.rows(); ++r) {
        std::vector<double> own(t.values.size(), 0.0);
        double total = 0;
        for (std::size_t code = 0; code < (1U << (2 * length)); ++code) {
            const auto value = [&](std::size_t v) { return (code >> v) & 1U; };
            bool fits = true;
            for (std::size_t v = 0; v < 2 * length && fits; ++v)
                fits = data.row(r)[v] < 0 || static_cast<std::size_t>(data.row(r)[v]) == value(v);
            if (!fits) continue;
            double p = 1;
            std::vector<std::size_t> used;
            for (std::size_t v = 0; v < 2 * length; ++v) {
                const auto& parents = net->nodes[v].parents;
                used.push_back(t.offset[v] + (parents.empty() ? 0 : 2 * value(index(parents[0]))) + value(v));
                p *= t.values[used.back()];
            }
            for (const auto entry : used) own[entry] += p;
            total += p;
        }
        expected_log += data.weights[r] * std::log(total);
        for (std::size_t i = 0; i < own.size(); ++i) expected_counts[i] += data.weights[r] * own[i] / total;
    }
    Run run;
    auto counter = ExpectedCounts::make(*net, data, run);
    REQUIRE(counter);
    NetTables counts;
    const auto log = counter->count(t, counts, run);
    REQUIRE(log);
    CHECK(*log == Approx(expected_log).epsilon(1e-12));
    for (std::size_t i = 0; i < expected_counts.size(); ++i) CHECK(counts.values[i] == Approx(expected_counts[i]).epsilon(1e-10));
    Run two;
    two.threads = 2;
    NetTables again;
    CHECK(*counter->count(t, again, two) == *log);
    CHECK(again.values == counts.values);
}

TEST_CASE("EM and the gradient along the simplex reach the same top; the likelihood never falls") {
    Rng rng(5);
    const auto net = chain();
    const Table table = random_rows(200, 0.2, rng);
    const TableView view{.table = &table, .rows = {}};
    Run run;
    const auto fit = [&](const MethodCall& by) {
        auto learner = net_trainer(net, by);
        REQUIRE(learner);
        auto model = train(**learner, view, {}, run);
        REQUIRE(model);
        return dynamic_cast<const NetModel&>(**model).net();
    };
    MethodCall em;
    em.name = "em";
    const auto by_em = fit(em);
    for (std::size_t i = 1; i < by_em->history.size(); ++i) CHECK(by_em->history[i] >= by_em->history[i - 1] - 1e-9);
    MethodCall gradient;
    gradient.name = "gradient";
    gradient.arguments = {{"rate", Number(Rational(1, 5000)), Origin::none}, {"iterations", Number(4000), Origin::none}};
    const auto by_gradient = fit(gradient);
    CHECK(by_gradient->history.back() == Approx(by_em->history.back()).epsilon(1e-6));
    for (std::size_t v = 0; v < 3; ++v)
        for (std::size_t i = 0; i < (v == 0 ? 2U : 4U); ++i)
            CHECK(by_gradient->nodes[v].entry(i).real() == Approx(by_em->nodes[v].entry(i).real()).margin(2e-3));
    // Add and renormalise has another fixed point.
    gradient.arguments.push_back({"rule", std::string("textbook"), Origin::none});
    CHECK(fit(gradient)->history.back() < by_em->history.back() - 1e-3);
}

TEST_CASE("counting gives the frequencies exactly, the m-estimate shifts them, known rows stay") {
    auto net = std::make_shared<Net>(*chain());
    net->nodes[1].known = {1, 0};
    net->nodes[1].table = std::vector<Rational>{Rational(1, 3), Rational(2, 3), Rational(0), Rational(0)};
    const Table table = table_of({{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {1, 1, 0}});
    Run run;
    MethodCall by;
    by.name = "counting";
    by.arguments = {{"m", Number(1), Origin::none}};
    auto learner = net_trainer(net, by);
    REQUIRE(learner);
    auto model = train(**learner, {.table = &table, .rows = {}}, {}, run);
    REQUIRE(model);
    const auto& fitted = *dynamic_cast<const NetModel&>(**model).net();
    CHECK(fitted.nodes[0].entry(0) == Number(Rational(5, 12)));  // (2 + 1/2) / (5 + 1)
    CHECK(fitted.nodes[1].entry(0) == Number(Rational(1, 3)));   // given
    CHECK(fitted.nodes[1].entry(2) == Number(Rational(3, 8)));   // (1 + 1/2) / (3 + 1)
}

TEST_CASE("hill climbing with restarts finds the best of all 25 nets of three variables") {
    Rng rng(8);
    for (int round = 0; round < 5; ++round) {
        const Table table = random_rows(120, 0, rng);
        Run run;
        run.rng = Rng(static_cast<std::uint64_t>(round));
        auto data = discrete_data({.table = &table, .rows = {}}, {}, run);
        REQUIRE(data);
        for (const auto kind : {ScoreKind::bic, ScoreKind::k2, ScoreKind::bdeu, ScoreKind::aic}) {
            const Score score{kind, 2};
            FamilyScores scores(*data, score);
            double best = -1e300;
            // Every order, and every set of arcs that goes forward in it.
            std::vector<std::size_t> order{0, 1, 2};
            do {
                for (unsigned arcs = 0; arcs < 8; ++arcs) {
                    std::vector<std::vector<std::size_t>> parents(3);
                    if (arcs & 1U) parents[order[1]].push_back(order[0]);
                    if (arcs & 2U) parents[order[2]].push_back(order[0]);
                    if (arcs & 4U) parents[order[2]].push_back(order[1]);
                    double total = 0;
                    for (std::size_t v = 0; v < 3; ++v) {
                        std::sort(parents[v].begin(), parents[v].end());
                        total += scores.of(v, parents[v]);
                    }
                    best = std::max(best, total);
                }
            } while (std::next_permutation(order.begin(), order.end()));
            StructureOptions options;
            options.score = score;
            options.restarts = 5;
            auto model = train(*make_hill_climb(options), {.table = &table, .rows = {}}, {}, run);
            REQUIRE(model);
            CHECK(*dynamic_cast<const NetModel&>(**model).net()->score == Approx(best).epsilon(1e-12));
        }
    }
}

TEST_CASE("a family's BIC and K2 scores by their formulas") {
    const Table table = table_of({{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}});
    Run run;
    auto data = discrete_data({.table = &table, .rows = {}}, {}, run);
    REQUIRE(data);
    FamilyScores bic(*data, {ScoreKind::bic, 1});
    // B given A: two of three yes, then none of one.
    CHECK(bic.of(1, {0}) == Approx(2 * std::log(2.0 / 3) + std::log(1.0 / 3) - 0.5 * std::log(4.0) * 2));
    FamilyScores k2(*data, {ScoreKind::k2, 1});
    // (r−1)! / (N+r−1)! Π n!: 1!/4! · 2!·1! and 1!/2! · 1!.
    CHECK(k2.of(1, {0}) == Approx(std::log(2.0 / 24) + std::log(1.0 / 2)));
}
