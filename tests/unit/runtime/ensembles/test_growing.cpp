// Trees of ensembles against all splits tried one by one, and the bins under them.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"
#include "runtime/ensembles/boosted_grow.hpp"
#include "runtime/ensembles/forest_grow.hpp"

using namespace credence::rt;

namespace {

/// Numbers with gaps: features of few values, and a target that depends on the first two.
struct Sample {
    Table table;
    std::vector<double> y;
};
Sample random_sample(std::uint64_t seed, std::size_t n, std::size_t features = 2) {
    Rng rng(seed);
    Sample out;
    for (std::size_t f = 0; f < features; ++f) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(f);
        column->kind = ColumnKind::numeric;
        for (std::size_t i = 0; i < n; ++i)
            column->values.push_back(rng.uniform() < 0.15 ? std::nan("") : static_cast<double>(rng.below(7)));
        out.table.columns.push_back(std::move(column));
    }
    out.table.row_count = n;
    for (std::size_t i = 0; i < n; ++i) {
        const double a = out.table.columns[0]->values[i];
        const double b = out.table.columns[1]->values[i];
        out.y.push_back((std::isnan(a) ? 4 : a > 3 ? 2 : 0) + (std::isnan(b) ? 0 : b) / 3 + rng.normal());
    }
    return out;
}

/// The largest gain of any split on a number, with the missing cells on either side, or alone.
double best_gain(const Sample& s, double ridge, double least) {
    double total = std::accumulate(s.y.begin(), s.y.end(), 0.0);
    const auto n = static_cast<double>(s.y.size());
    double best = 0;
    for (const auto& column : s.table.columns)
        for (int way = 0; way < 2; ++way)
            for (double cut = -1; cut <= 7; cut += 0.5) {
                double sum = 0;
                double count = 0;
                for (std::size_t i = 0; i < s.y.size(); ++i) {
                    const double x = column->values[i];
                    if (std::isnan(x) ? way == 0 : x <= cut) {
                        sum += s.y[i];
                        ++count;
                    }
                }
                if (count < least || n - count < least) continue;
                const double rest = total - sum;
                best = std::max(best, sum * sum / (count + ridge) + rest * rest / (n - count + ridge) - total * total / (n + ridge));
            }
    return best;
}

}  // namespace

TEST_CASE("the first split of boosting is the best of all splits") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Sample s = random_sample(seed, 30, seed % 3 == 0 ? 19 : 2);  // 19: three blocks of packed bytes
        const TableView view{.table = &s.table, .rows = {}};
        const Bins bins = Bins::learn(view, {});
        const BinnedRows rows = binned(bins, s.table.columns, view);
        const PackedRows packed(rows, bins);
        for (const double ridge : {0.0, 2.0}) {
            GradientGrower grower(rows, packed, bins, {.leaves = 2, .depth = 0, .min_weight = 3, .ridge = ridge});
            RowSlopes slopes;
            for (const double y : s.y) slopes.push_back(Lanes{-y, 1, 1, 0});
            std::vector<std::uint32_t> order(s.y.size());
            std::iota(order.begin(), order.end(), 0U);
            grower.grow(order, slopes, nullptr);
            INFO("seed " << seed << ", ridge " << ridge);
            const auto& gains = grower.gains();
            CHECK(std::accumulate(gains.begin(), gains.end(), 0.0) == Approx(best_gain(s, ridge, 3)));
        }
    }
}

TEST_CASE("the first split of a forest's tree is the best of all splits") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Sample s = random_sample(seed, 30);
        const TableView view{.table = &s.table, .rows = {}};
        const Bins bins = Bins::learn(view, {});
        const BinnedRows rows = binned(bins, s.table.columns, view);
        EnsembleTarget target;
        target.numbers = s.y;
        const std::vector<double> each(s.y.size(), 1.0);
        const ForestTree tree = ForestGrower(rows, bins, target, {.columns = 2, .depth = 1, .min_rows = 3}).grow(each, Rng(1));
        INFO("seed " << seed);
        CHECK(tree.gains[0] + tree.gains[1] == Approx(best_gain(s, 0, 3)));
        // The leaves are the means of what comes to them.
        std::vector<double> sums(tree.values.size(), 0.0);
        std::vector<double> counts(tree.values.size(), 0.0);
        for (std::size_t i = 0; i < s.y.size(); ++i) {
            const std::uint8_t cells[] = {rows.columns[0][i], rows.columns[1][i]};
            sums[tree.tree.leaf_of(cells)] += s.y[i];
            counts[tree.tree.leaf_of(cells)] += 1;
        }
        for (std::size_t leaf = 0; leaf < sums.size(); ++leaf) CHECK(tree.values[leaf] == Approx(sums[leaf] / counts[leaf]));
    }
}

TEST_CASE("bins hold about the same weight, and every number is in the bin of its cuts") {
    Rng rng(3);
    Table table;
    auto column = std::make_shared<Column>();
    column->name = "x";
    column->kind = ColumnKind::numeric;
    for (int i = 0; i < 20000; ++i) column->values.push_back(rng.normal());
    table.columns = {column};
    table.row_count = 20000;
    const TableView view{.table = &table, .rows = {}};
    const Bins bins = Bins::learn(view, {});
    const FeatureBins& x = bins.features[0];
    REQUIRE(x.count > 240);
    REQUIRE(x.count <= most_bins);
    const BinnedRows rows = binned(bins, table.columns, view);
    std::vector<std::size_t> counts(x.count, 0);
    for (std::size_t i = 0; i < 20000; ++i) {
        const std::size_t bin = rows.columns[0][i];
        ++counts[bin];
        CHECK((bin == 0 || column->values[i] > x.cuts[bin - 1]));
        CHECK((bin == x.count - 1 || column->values[i] <= x.cuts[bin]));
    }
    CHECK(*std::max_element(counts.begin(), counts.end()) <= 2 * 20000 / x.count);
}
