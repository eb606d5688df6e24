// Neighbours against a plain scan, lowess against R, and what weights do.

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

#include "runtime/core/json.hpp"

#include "runtime/core/rng.hpp"
#include "runtime/instance/brute.hpp"
#include "runtime/instance/index.hpp"
#include "runtime/instance/knn.hpp"
#include "runtime/instance/lwr.hpp"
#include "runtime/instance/rbf.hpp"
#include "runtime/instance/rbf_centers.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

Table numeric_columns(const Matrix& m) {
    Table out;
    out.row_count = m.rows;
    for (std::size_t c = 0; c < m.columns; ++c) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(c);
        column->kind = ColumnKind::numeric;
        for (std::size_t i = 0; i < m.rows; ++i) column->values.push_back(m(i, c));
        out.columns.push_back(std::move(column));
    }
    return out;
}

MetricSpace space_of(const Matrix& m, Metric metric) {
    const Table table = numeric_columns(m);
    Schema schema;
    for (const auto& c : table.columns) schema.features.push_back({c->name, c->kind, nullptr});
    return *MetricSpace::fit(schema, {.table = &table, .rows = {}}, {.metric = metric});
}

/// Coordinates on a coarse lattice every other time: many equal points and equal distances.
Matrix random_points(Rng& rng, std::size_t n, std::size_t d, bool lattice) {
    Matrix out(n, d);
    for (double& x : out.values) x = lattice ? static_cast<double>(rng.below(4)) : rng.uniform();
    return out;
}

/// Every distance by the definition, sorted with the row as the second key.
std::vector<Neighbour> by_definition(const MetricSpace& space, const Matrix& points, const double* query, std::size_t k) {
    std::vector<Neighbour> all;
    for (std::size_t i = 0; i < points.rows; ++i)
        all.push_back({space.distance(&points.values[i * points.columns], query), static_cast<std::uint32_t>(i)});
    std::sort(all.begin(), all.end());
    all.resize(std::min(k, all.size()));
    return all;
}

}  // namespace

TEST_CASE("trees, scan and blocks find the neighbours of the definition, equal distances by row") {
    Rng rng(11);
    for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev})
        for (const std::size_t d : {1, 2, 3, 5, 8, 17})
            for (const bool lattice : {false, true}) {
                const Matrix points = random_points(rng, 400, d, lattice);
                const Matrix queries = random_points(rng, 40, d, lattice);
                const MetricSpace space = space_of(points, metric);
                Run one;
                Run two;
                two.threads = 2;
                for (const std::size_t k : {std::size_t{1}, std::size_t{5}, std::size_t{60}, std::size_t{400}}) {
                    const auto tree = NeighbourIndex::build(space, points, IndexKind::kd_tree);
                    const auto balls = NeighbourIndex::build(space, points, IndexKind::ball_tree);
                    const auto brute = NeighbourIndex::build(space, points, IndexKind::brute);
                    const auto a = tree->nearest(queries, k, one);
                    const auto b = brute->nearest(queries, k, one);
                    INFO("d " << d << ", k " << k << ", lattice " << lattice);
                    CHECK(a == b);
                    CHECK(a == balls->nearest(queries, k, one));
                    CHECK(a == tree->nearest(queries, k, two));
                    bool same = true;
                    for (std::size_t q = 0; q < queries.rows; ++q) {
                        const auto truth = by_definition(space, points, queries.row(q).data(), k);
                        for (std::size_t j = 0; j < k; ++j) same = same && truth[j] == a[q * k + j];
                    }
                    CHECK(same);
                }
            }
}

TEST_CASE("trees over points that are all equal, or spread over many magnitudes") {
    Matrix equal(300, 2);
    Matrix powers(200, 1);
    for (std::size_t i = 0; i < powers.rows; ++i) powers(i, 0) = std::ldexp(1.0, static_cast<int>(i) - 100);
    Run run;
    for (const Matrix* points : {&equal, &powers}) {
        const auto tree = NeighbourIndex::build(space_of(*points, Metric::euclidean), *points, IndexKind::kd_tree);
        const auto brute = NeighbourIndex::build(space_of(*points, Metric::euclidean), *points, IndexKind::brute);
        const auto balls = NeighbourIndex::build(space_of(*points, Metric::euclidean), *points, IndexKind::ball_tree);
        CHECK(tree->nearest(*points, 3, run) == brute->nearest(*points, 3, run));
        CHECK(balls->nearest(*points, 3, run) == brute->nearest(*points, 3, run));
    }
}

TEST_CASE("leaving oneself out among equal points") {
    Matrix points(6, 1);
    points.values = {0, 0, 0, 0, 1, 5};
    Run run;
    const auto index = NeighbourIndex::build(space_of(points, Metric::euclidean), points, IndexKind::brute);
    const auto found = index->nearest_others_with_ties(2, run);
    REQUIRE(found.size() == 6);
    const auto rows = [&](std::size_t of) {
        std::vector<std::uint32_t> out;
        for (const auto& n : found[of]) out.push_back(n.row);
        return out;
    };
    CHECK(rows(0) == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(rows(3) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(rows(4) == std::vector<std::uint32_t>{0, 1, 2, 3});     // all at distance 1
    CHECK(rows(5) == std::vector<std::uint32_t>{4, 0, 1, 2, 3});  // at 4, then at 5
}

TEST_CASE("lowess of R on twenty points") {
    // R lowess(x, y, f = 2/3, iter = 3): statsmodels tests/results/test_lowess_simple.csv
    const std::vector<double> y = {-0.76741118, 0.69245631,  2.39950921,  2.53647578,  2.32918222,  5.6595567,   6.66367639,
                                   4.95611415,  8.8123281,   10.45977518, 11.21428038, 12.29296866, 12.78028477, 12.7597147,
                                   13.78278698, 15.24549405, 16.25987014, 16.09290966, 16.54311784, 18.68219495};
    Matrix x(20, 1);
    for (std::size_t i = 0; i < 20; ++i) x(i, 0) = static_cast<double>(i);
    Table table = numeric_columns(x);
    auto target = std::make_shared<Column>();
    target->name = "y";
    target->kind = ColumnKind::numeric;
    target->values = y;
    table.columns.push_back(target);
    table.target = 1;
    LwrOptions options;
    options.robust = 3;
    Run run;
    const auto model = train(*make_lwr(options), {.table = &table, .rows = {}}, {}, run);
    REQUIRE(model);
    std::vector<double> fitted(20);
    Table features = numeric_columns(x);
    REQUIRE(dynamic_cast<const Regressor&>(**model).predict({.table = &features, .rows = {}}, fitted, run));
    const std::vector<std::pair<std::size_t, double>> published = {{0, -0.626034455349546}, {1, 0.56507171201094}, {2, 1.75962718897954},
                                                                   {3, 2.95796332584499},   {4, 4.15606361537761}, {5, 5.34733969366442},
                                                                   {18, 17.2617441530539},  {19, 18.0459201716397}};
    for (const auto& [i, value] : published) CHECK(fitted[i] == Approx(value).epsilon(0).margin(1e-9));
}

TEST_CASE("an even grid of centres, and widths by the nearest centre") {
    Matrix points(2, 2);
    points.values = {0, 0, 2, 4};
    const Matrix grid = grid_centers(points, 7);
    REQUIRE(grid.rows == 6);  // 3 × 2 is the largest even grid
    CHECK(grid(0, 0) == 0);
    CHECK(grid(5, 0) == 2);
    CHECK(grid(5, 1) == 4);
    CHECK(grid(2, 0) == 1);
    Matrix centres(3, 1);
    centres.values = {0, 3, 4};
    CHECK(nearest_center_widths(centres, 2) == std::vector<double>{6, 2, 2});
}

namespace {

/// Two numbers, a label, and a target that is a number or a label.
Table mixed_table(Rng& rng, std::size_t rows, bool labels) {
    Table out = numeric_columns(random_points(rng, rows, 3, false));
    auto colour = std::make_shared<Column>();
    colour->name = "colour";
    colour->domain = make_domain({Label::of_text("red"), Label::of_text("green"), Label::of_text("blue")});
    for (std::size_t i = 0; i < rows; ++i) colour->codes.push_back(static_cast<std::int32_t>(rng.below(3)));
    if (labels) {
        auto target = std::make_shared<Column>(*colour);
        target->name = "t";
        for (auto& code : target->codes) code = static_cast<std::int32_t>(rng.below(3));
        out.columns[2] = target;
    }
    out.columns.insert(out.columns.begin(), colour);
    out.target = 3;
    return out;
}

std::vector<double> answers(const Model& model, const Table& rows) {
    const Predictor& predictor = *model.predictor();
    const auto aligned = align(predictor.schema(), rows);
    const TableView view{.table = &*aligned, .rows = {}};
    Run run;
    if (const auto* r = dynamic_cast<const Regressor*>(&predictor)) {
        std::vector<double> out(rows.row_count);
        REQUIRE(r->predict(view, out, run));
        return out;
    }
    std::vector<double> out(rows.row_count * predictor.schema().target.domain->size());
    REQUIRE(dynamic_cast<const Classifier&>(predictor).probabilities(view, out, run));
    return out;
}

}  // namespace

TEST_CASE("what is saved is loaded as the same model, and a row of weight 2 is two rows") {
    KnnOptions gower;
    gower.k = 3;
    gower.space.metric = Metric::gower;
    KnnOptions gaussian;
    gaussian.weight = {NeighbourWeight::Kind::gaussian, 0.5, {}};
    gaussian.space.scaling = AxisScale::standard;
    LwrOptions local;
    local.kernel = {LocalKernel::Kind::gaussian, 0.4, {}};
    RbfOptions bumps;
    bumps.count = 5;
    bumps.place = RbfOptions::Place::uniform;
    const auto knn = [](const Json& json) { return load_knn(json, "knn"); };
    const std::vector<std::tuple<LearnerPtr, std::function<Result<ModelPtr>(const Json&)>, bool>> learners = {
        {make_knn(gower), knn, true},
        {make_knn(gower), knn, false},
        {make_knn(gaussian), knn, true},
        {make_knn(gaussian), knn, false},
        {make_lwr(local), load_lwr, false},
        {make_lwr({}), load_lwr, false},
        {make_rbf_network(bumps), load_rbf_network, true},
        {make_rbf_network(bumps), load_rbf_network, false}};
    for (const auto& [learner, load, labels] : learners) {
        Rng rng(4);
        const Table table = mixed_table(rng, 40, labels);
        const Table queries = mixed_table(rng, 15, labels);
        Run run;
        INFO(learner->name() << ", labels " << labels);
        const auto model = train(*learner, {.table = &table, .rows = {}}, {}, run);
        REQUIRE(model);
        const auto saved = (*model)->save();
        REQUIRE(saved);
        const auto loaded = load(*Json::parse(saved->dump()));
        REQUIRE(loaded);
        CHECK(answers(**loaded, queries) == answers(**model, queries));

        // every third row twice: by weight, and written twice at its place
        std::vector<double> weights;
        std::vector<std::uint32_t> rows;
        for (std::uint32_t i = 0; i < 40; ++i) {
            weights.push_back(i % 3 == 0 ? 2.0 : 1.0);
            rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
        }
        const auto weighted = train(*learner, {.table = &table, .rows = {}}, weights, run);
        const auto written = train(*learner, {.table = &table, .rows = rows, .all = false}, {}, run);
        REQUIRE(weighted);
        REQUIRE(written);
        const auto a = answers(**weighted, queries);
        const auto b = answers(**written, queries);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(0).margin(1e-9));
    }
}

TEST_CASE("spaces of labels and missing cells: scan and balls find what the definition says, bit for bit, on stretched axes too") {
    Rng rng(7);
    Run run;
    for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev, Metric::cosine, Metric::hamming, Metric::gower}) {
        for (const std::size_t n : {1U, 7U, 8U, 513U, 1030U}) {
            // Columns 0 and 3 are labels where the metric can compare them; under gower every fifth cell is missing.
            const bool labels = metric != Metric::cosine;
            Table table = numeric_columns(random_points(rng, n, 5, true));
            Schema schema;
            for (std::size_t c = 0; c < 5; ++c) {
                auto column = std::make_shared<Column>(*table.columns[c]);
                if (metric == Metric::gower)
                    for (double& x : column->values)
                        if (rng.below(5) == 0) x = std::nan("");
                DomainPtr domain;
                if (labels && c % 3 == 0) {
                    domain = make_domain({Label::of_text("0"), Label::of_text("1"), Label::of_text("2"), Label::of_text("3")});
                    column->kind = ColumnKind::label;
                    column->domain = domain;
                    for (const double x : column->values) column->codes.push_back(std::isnan(x) ? -1 : static_cast<std::int32_t>(x));
                    column->values.clear();
                }
                schema.features.push_back({column->name, column->kind, domain});
                table.columns[c] = std::move(column);
            }
            const TableView all{.table = &table, .rows = {}};
            for (const auto& axes : {std::vector<double>{}, std::vector<double>{2, 0.5, 1, 0, 3}}) {
                const auto space = MetricSpace::fit(schema, all, {.metric = metric, .axes = axes});
                REQUIRE(space);
                const Matrix points = space->encode(all);
                for (const IndexKind kind : {IndexKind::brute, IndexKind::ball_tree}) {
                    const auto index = NeighbourIndex::build(*space, points, kind);
                    if (kind == IndexKind::ball_tree && metric == Metric::gower) {
                        CHECK_FALSE(index);  // what rows lack is left out: no triangle inequality
                        continue;
                    }
                    REQUIRE(index);
                    CHECK(index->kind() == kind);
                    const std::size_t k = std::min<std::size_t>(n, 9);
                    const auto found = index->nearest(points, k, run);
                    for (std::size_t q = 0; q < n; q += 17) {
                        const auto wanted = by_definition(*space, points, &points.values[q * 5], k);
                        for (std::size_t j = 0; j < k; ++j) CHECK(found[q * k + j] == wanted[j]);
                    }
                }
            }
        }
    }
}

TEST_CASE("a tree is taken where it leaves out enough: by the data, not by the number of columns alone") {
    Rng rng(21);
    const auto chosen = [](const Matrix& m, Metric metric) {
        return NeighbourIndex::build(space_of(m, metric), m, IndexKind::automatic)->kind();
    };
    CHECK(chosen(random_points(rng, 20, 2, false), Metric::euclidean) == IndexKind::brute);
    CHECK(chosen(random_points(rng, 500, 8, false), Metric::euclidean) == IndexKind::kd_tree);
    CHECK(chosen(random_points(rng, 12'000, 20, false), Metric::euclidean) == IndexKind::brute);
    CHECK(chosen(random_points(rng, 17'000, 20, false), Metric::cosine) == IndexKind::brute);
    CHECK(chosen(random_points(rng, 5'000, 2, false), Metric::cosine) == IndexKind::brute);  // too few for a ball tree
    // Two numbers shown in twenty columns.
    const Matrix hidden = random_points(rng, 17'000, 2, false);
    Matrix shown(17'000, 20);
    for (std::size_t c = 0; c < 20; ++c) {
        const double a = rng.normal();
        const double b = rng.normal();
        for (std::size_t i = 0; i < shown.rows; ++i) shown(i, c) = a * hidden(i, 0) + b * hidden(i, 1);
    }
    CHECK(chosen(shown, Metric::euclidean) == IndexKind::kd_tree);
    CHECK(chosen(shown, Metric::cosine) == IndexKind::ball_tree);
}

TEST_CASE("several outputs share the centres, and each is the least-squares fit of its own") {
    Rng rng(9);
    Table both = mixed_table(rng, 40, false);
    Table other = both;  // x and colour as before, another target
    auto second = std::make_shared<Column>();
    second->name = "second";
    second->kind = ColumnKind::numeric;
    for (std::size_t i = 0; i < both.row_count; ++i) second->values.push_back(std::cos(static_cast<double>(i)));
    other.columns[*other.target] = second;
    both.columns.push_back(second);
    RbfOptions bumps;
    bumps.count = 6;
    bumps.place = RbfOptions::Place::uniform;
    RbfOptions two = bumps;
    two.outputs = {"second"};
    Run run;
    const auto one = train(*make_rbf_network(bumps), {.table = &other, .rows = {}}, {}, run);
    const auto together = train(*make_rbf_network(two), {.table = &both, .rows = {}}, {}, run);
    REQUIRE(one);
    REQUIRE(together);
    const auto loaded = load_rbf_network(*Json::parse((*together)->save()->dump()));
    REQUIRE(loaded);
    for (std::uint32_t i = 0; i < 10; ++i) {
        const std::uint32_t row[] = {i};
        const auto alone = align((*one)->predictor()->schema(), other);
        const auto said = rbf_outputs(**together, {.table = &*alone, .rows = row, .all = false});
        REQUIRE(said.size() == 2);
        CHECK(said[1] == Approx(rbf_outputs(**one, {.table = &*alone, .rows = row, .all = false})[0]).epsilon(0).margin(1e-10));
        CHECK(rbf_outputs(**loaded, {.table = &*alone, .rows = row, .all = false}) == said);
    }
    RbfOptions wrong = bumps;
    wrong.outputs = {both.columns[*both.target]->name};
    CHECK_FALSE(train(*make_rbf_network(wrong), {.table = &both, .rows = {}}, {}, run));
    wrong.outputs = {"third"};
    CHECK_FALSE(train(*make_rbf_network(wrong), {.table = &both, .rows = {}}, {}, run));
}
