// Naive Bayes against its formulas, written out over the rows.

#include <catch2/catch.hpp>

#include "runtime/classify/joint_bayes.hpp"
#include "runtime/classify/naive_bayes.hpp"
#include "runtime/data/csv.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/events.hpp"

using namespace credence::rt;

namespace {

TablePtr table_from(const std::string& csv) {
    auto read = read_csv(csv);
    REQUIRE(read);
    Table out = **read;
    out.target = out.columns.size() - 1;
    return std::make_shared<const Table>(std::move(out));
}

/// A random table of labels, some of them missing.
std::string random_rows(Rng& rng, std::size_t rows, std::vector<std::size_t> values, bool missing) {
    std::string out;
    for (std::size_t f = 0; f < values.size(); ++f) out += "x" + std::to_string(f) + ",";
    out += "y\n";
    for (std::size_t r = 0; r < rows; ++r) {
        for (const auto k : values) out += (missing && rng.below(6) == 0 ? std::string("?") : "v" + std::to_string(rng.below(k))) + ",";
        out += "c" + std::to_string(rng.below(3)) + "\n";
    }
    return out;
}

ModelPtr fitted(const Learner& learner, const TablePtr& table, std::span<const double> weights = {}) {
    Run run;
    auto model = train(learner, {.table = table.get(), .rows = {}}, weights, run);
    REQUIRE(model);
    return *model;
}

/// P(class, cells) as the formula has it, summed over nothing: cells left out (−1) do not count.
Rational joint(const Table& t, const std::vector<std::int32_t>& cells, std::int32_t label, const Rational& m,
               std::span<const double> weights) {
    const auto& y = t.columns.back()->codes;
    const auto weight = [&](std::size_t r) { return weights.empty() ? Rational(1) : Rational::from_decimal(weights[r]); };
    Rational all = 0;
    Rational of_class = 0;
    for (std::size_t r = 0; r < y.size(); ++r) {
        all += weight(r);
        if (y[r] == label) of_class += weight(r);
    }
    Rational out = of_class / all;
    for (std::size_t f = 0; f < cells.size(); ++f) {
        if (cells[f] < 0) continue;
        Rational with = 0;
        Rational present = 0;
        for (std::size_t r = 0; r < y.size(); ++r) {
            if (y[r] != label || t.columns[f]->codes[r] < 0) continue;
            present += weight(r);
            if (t.columns[f]->codes[r] == cells[f]) with += weight(r);
        }
        const Rational p(1, static_cast<std::int64_t>(t.columns[f]->domain->size()));
        out *= (present + m).is_zero() ? p : (with + m * p) / (present + m);
    }
    return out;
}

Query query_for(const Table& t, const std::vector<std::int32_t>& cells) {
    Query q;
    q.targets.free = {static_cast<VarId>(cells.size())};
    for (std::size_t f = 0; f < cells.size(); ++f)
        if (cells[f] >= 0)
            q.given.events.push_back(
                event_equal(static_cast<VarId>(f), (*t.columns[f]->domain)[static_cast<std::size_t>(cells[f])], Origin::none));
    return q;
}

}  // namespace

TEST_CASE("naive Bayes answers its formula, whatever is known, missing or weighed") {
    Rng rng(11);
    for (int round = 0; round < 12; ++round) {
        const auto table = table_from(random_rows(rng, 40, {2, 3, 4}, round % 2 == 1));
        const Rational m = round % 3 == 0 ? Rational(0) : Rational(round, 2);
        std::vector<double> weights;
        if (round % 4 == 3)
            for (int r = 0; r < 40; ++r) weights.push_back(0.25 * static_cast<double>(1 + rng.below(5)));
        NaiveBayesSettings settings;
        settings.m = m;
        const auto model = fitted(*make_naive_bayes(settings), table, weights);
        for (int trial = 0; trial < 20; ++trial) {
            std::vector<std::int32_t> cells;
            for (std::size_t f = 0; f < 3; ++f)
                cells.push_back(static_cast<std::int32_t>(rng.below(table->columns[f]->domain->size() + 1)) - 1);
            std::vector<Rational> expected;
            Rational sum = 0;
            for (std::int32_t c = 0; c < 3; ++c) {
                expected.push_back(joint(*table, cells, c, m, weights));
                sum += expected.back();
            }
            Run run;
            const auto answer = model->ask(query_for(*table, cells), run);
            if (sum.is_zero()) {
                CHECK(!answer);
                continue;
            }
            REQUIRE(answer);
            const auto& f = std::get<Factor>(answer->value);
            REQUIRE(f.is_exact());
            for (std::size_t c = 0; c < 3; ++c) CHECK(f.exact()[c] == expected[c] / sum);

            // the fast path says the same
            const auto& classifier = dynamic_cast<const Classifier&>(*model);
            auto row = classifier.row_of_evidence(query_for(*table, cells));
            REQUIRE(row);
            std::vector<double> shares(3);
            REQUIRE(classifier.probabilities({.table = &*row, .rows = {}}, shares, run));
            for (std::size_t c = 0; c < 3; ++c) CHECK(shares[c] == Approx((expected[c] / sum).to_double()).margin(1e-12));
            std::int32_t said = -1;
            REQUIRE(classifier.classify({.table = &*row, .rows = {}}, std::span(&said, 1), run));
            const auto best = std::max_element(expected.begin(), expected.end()) - expected.begin();
            CHECK(said == best);
        }
    }
}

TEST_CASE("naive Bayes with numbers: the weather data of Witten & Frank") {
    const auto table = table_from(
        "outlook,temperature,humidity,windy,play\nsunny,85,85,f,no\nsunny,80,90,t,no\novercast,83,86,f,yes\nrainy,70,96,f,yes\n"
        "rainy,68,80,f,yes\nrainy,65,70,t,no\novercast,64,65,t,yes\nsunny,72,95,f,no\nsunny,69,70,f,yes\nrainy,75,80,f,yes\n"
        "sunny,75,70,t,yes\novercast,72,90,t,yes\novercast,81,75,f,yes\nrainy,71,91,t,no\n");
    const auto model = fitted(*make_naive_bayes({}), table);
    Run run;
    Query q;
    q.targets.free = {static_cast<VarId>(4)};
    const auto given = [&](std::uint32_t v, const char* value) {
        q.given.events.push_back(event_equal(static_cast<VarId>(v), Label::of_text(value), Origin::none));
    };
    given(0, "sunny");
    given(1, "66");
    given(2, "90");
    given(3, "t");
    const auto answer = model->ask(q, run);
    REQUIRE(answer);
    // the data as given in the book, recomputed: P(yes) = 0.2079
    CHECK(std::get<Factor>(answer->value).at(1).real() == Approx(0.20790207390564205).epsilon(1e-9));
}

TEST_CASE("learning on is learning from all, and a saved model is the same model") {
    Rng rng(5);
    const std::string first = random_rows(rng, 30, {2, 3}, true);
    const std::string second = random_rows(rng, 20, {2, 5}, true);
    const auto a = table_from(first);
    const auto b = table_from(second);
    const auto both = table_from(first + second.substr(second.find('\n') + 1));
    NaiveBayesSettings settings;
    settings.m = 2;
    Run run;
    const auto grown = fitted(*make_naive_bayes(settings), a)->update({.table = b.get(), .rows = {}}, {}, run);
    REQUIRE(grown);
    const auto whole = fitted(*make_naive_bayes(settings), both);
    for (std::size_t f = 0; f < 2; ++f)
        CHECK(equal(dynamic_cast<const NaiveBayesModel&>(**grown).conditionals(f),
                    dynamic_cast<const NaiveBayesModel&>(*whole).conditionals(f)));
    const auto json = whole->save();
    REQUIRE(json);
    const auto back = load_naive_bayes(*Json::parse(json->dump()));
    REQUIRE(back);
    CHECK((*back)->save()->dump() == json->dump());
    CHECK(equal(dynamic_cast<const NaiveBayesModel&>(**back).priors(), dynamic_cast<const NaiveBayesModel&>(*whole).priors()));
    CHECK(!load_naive_bayes(*Json::parse(R"({"schema": 3})")));
}

TEST_CASE("a saved model with bins beside labels is the same model") {
    const auto table = table_from("sky,temperature,same,y\nsun,85,1,a\nsun,80,1,a\nrain,70,1,b\nrain,65,1,a\n");
    NaiveBayesSettings settings;
    settings.bins = 2;
    const auto model = fitted(*make_naive_bayes(settings), table);
    const auto json = model->save();
    REQUIRE(json);
    const auto back = load_naive_bayes(*Json::parse(json->dump()));
    REQUIRE(back);
    CHECK((*back)->save()->dump() == json->dump());
}

TEST_CASE("the number of threads changes nothing") {
    Rng rng(3);
    const auto table = table_from(random_rows(rng, 200'000, {4, 5, 6}, true));
    NaiveBayesSettings settings;
    settings.m = 1;
    std::string saved_first;
    std::vector<std::int32_t> said_first;
    for (const unsigned threads : {1U, 2U, 3U}) {
        Run run;
        run.threads = threads;
        const auto model = train(*make_naive_bayes(settings), {.table = table.get(), .rows = {}}, {}, run);
        REQUIRE(model);
        const auto& classifier = dynamic_cast<const Classifier&>(**model);
        auto rows = align(classifier.schema(), *table);
        std::vector<std::int32_t> said(table->row_count);
        REQUIRE(classifier.classify({.table = &*rows, .rows = {}}, said, run));
        if (threads == 1) {
            saved_first = (*model)->save()->dump();
            said_first = said;
        }
        CHECK((*model)->save()->dump() == saved_first);
        CHECK(said == said_first);
    }
}

TEST_CASE("joint Bayes answers its formula over whole rows") {
    Rng rng(17);
    for (int round = 0; round < 6; ++round) {
        const auto table = table_from(random_rows(rng, 60, {2, 3}, false));
        const Rational m(round, 1);
        const auto model = fitted(*make_joint_bayes(Number(m)), table);
        const auto& y = table->columns.back()->codes;
        for (std::int32_t x0 = -1; x0 < 2; ++x0)
            for (std::int32_t x1 = -1; x1 < 3; ++x1) {
                std::vector<Rational> expected;
                Rational sum = 0;
                for (std::int32_t c = 0; c < 3; ++c) {
                    std::int64_t n = 0;
                    std::int64_t seen = 0;
                    for (std::size_t r = 0; r < y.size(); ++r) {
                        if (y[r] != c) continue;
                        ++n;
                        seen += (x0 < 0 || table->columns[0]->codes[r] == x0) && (x1 < 0 || table->columns[1]->codes[r] == x1) ? 1 : 0;
                    }
                    const Rational share(1, (x0 < 0 ? 1 : 2) * (x1 < 0 ? 1 : 3));
                    expected.push_back(Rational(n, 60) * (Rational(seen) + m * share) / (Rational(n) + m));
                    sum += expected.back();
                }
                Run run;
                const auto answer = model->ask(query_for(*table, {x0, x1}), run);
                if (sum.is_zero()) {
                    CHECK(!answer);
                    continue;
                }
                REQUIRE(answer);
                for (std::size_t c = 0; c < 3; ++c) CHECK(std::get<Factor>(answer->value).exact()[c] == expected[c] / sum);
            }
        const auto json = model->save();
        REQUIRE(json);
        const auto back = load_joint_bayes(*json);
        REQUIRE(back);
        CHECK((*back)->save()->dump() == json->dump());
    }
}
