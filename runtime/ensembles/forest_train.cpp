// Training of random forests: trees side by side, each from a stream of random numbers of its own, and the score out of the bag.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/core/parallel.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/data/design.hpp"
#include "runtime/ensembles/forest.hpp"

namespace credence::rt {

namespace {

/// How often each row was drawn, times its weight. Rows are drawn with replacement.
std::vector<double> bag_of(std::span<const double> weights, double share, Rng rng) {
    const std::size_t n = weights.size();
    std::vector<double> out(n, 0.0);
    const auto draws = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(share * static_cast<double>(n))));
    for (std::size_t i = 0; i < draws; ++i) {
        const std::size_t row = rng.below(n);
        out[row] += weights[row];
    }
    return out;
}

struct GrownTree {
    ForestTree tree;
    std::vector<bool> in_bag;  ///< by row

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.tree.tree.nodes);
        visit(self.tree.tree.sets);
        visit(self.tree.tree.leaves);
        visit(self.tree.values);
        visit(self.tree.first);
        visit(self.tree.shares);
        visit(self.tree.gains);
        visit(self.in_bag);
    }
};

OutOfBag score_out_of_bag(const ForestModel& model, const BinnedRows& data, const EnsembleTarget& target, std::span<const double> weights,
                          const std::vector<std::vector<bool>>& in_bag, unsigned threads) {
    constexpr std::size_t chunk = 512;
    const std::size_t n = data.rows;
    const std::size_t features = data.columns.size();
    std::vector<OutOfBag> parts(n / chunk + 1);
    parallel_chunks(n, chunk, threads, [&](std::size_t which, std::size_t begin, std::size_t end) {
        std::vector<std::uint8_t> row(features);
        std::vector<double> shares(std::max<std::size_t>(target.labels, 1));
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t f = 0; f < features; ++f) row[f] = data.columns[f][i];
            std::fill(shares.begin(), shares.end(), 0.0);
            std::size_t trees = 0;
            for (std::size_t t = 0; t < model.trees.size(); ++t) {
                if (in_bag[t][i]) continue;
                ++trees;
                const ForestTree& tree = model.trees[t];
                const std::uint32_t leaf = tree.tree.leaf_of(row.data());
                if (target.labels == 0)
                    shares[0] += tree.values[leaf];
                else
                    for (std::uint32_t k = tree.first[leaf]; k < tree.first[leaf + 1]; ++k)
                        shares[tree.shares[k].label] += tree.shares[k].share;
            }
            if (trees == 0) continue;
            parts[which].rows += weights[i];
            if (target.labels == 0) {
                const double e = shares[0] / static_cast<double>(trees) - target.numbers[i];
                parts[which].score += weights[i] * e * e;
            } else if (std::max_element(shares.begin(), shares.end()) - shares.begin() == target.codes[i]) {
                parts[which].score += weights[i];
            }
        }
    });
    OutOfBag out;
    for (const auto& part : parts) {
        out.rows += part.rows;
        out.score += part.score;
    }
    if (out.rows > 0) out.score = target.labels == 0 ? std::sqrt(out.score / out.rows) : out.score / out.rows;
    return out;
}

}  // namespace

Result<ForestModel> grow_forest(const ForestOptions& options, const TableView& rows, std::span<const double> weights,
                                const EnsembleTarget& target, Run& run) {
    ForestModel out;
    out.labels = target.labels;
    std::vector<double> each(rows.size(), 1.0);
    if (!weights.empty()) each.assign(weights.begin(), weights.end());
    out.bins = Bins::learn(rows, each);
    const BinnedRows data = binned(out.bins, feature_columns(*rows.table), rows);
    const std::size_t features = data.columns.size();
    ForestGrowth growth;
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(features)));
    growth.columns =
        std::clamp<std::size_t>(options.columns.value_or(target.labels > 0 ? root : features), 1, std::max<std::size_t>(features, 1));
    growth.depth = options.depth.value_or(0);
    growth.min_rows = options.min_rows;
    std::vector<GrownTree> grown(options.trees);
    std::atomic<bool> stopped{false};
    Progress progress(run, "random forest", options.trees, "trees", rows.size() * features);
    const auto cost = static_cast<double>(rows.size() * features) * static_cast<double>(options.trees);
    spread_chunks(run, {.n = options.trees, .cost = cost}, grown, [&](std::size_t t, std::size_t, std::size_t) {
        if (stopped || run.stopped()) {
            stopped = true;
            return;
        }
        const Rng rng = run.rng.child("tree").child(t);
        const auto bag = bag_of(each, options.sample, rng.child("rows"));
        grown[t].in_bag.resize(bag.size());
        for (std::size_t i = 0; i < bag.size(); ++i) grown[t].in_bag[i] = bag[i] > 0;
        grown[t].tree = ForestGrower(data, out.bins, target, growth).grow(bag, rng.child("columns"));
        progress.advance();
    });
    if (stopped) return stopped_fault();
    std::vector<std::vector<bool>> in_bag;
    for (auto& one : grown) {
        out.trees.push_back(std::move(one.tree));
        in_bag.push_back(std::move(one.in_bag));
    }
    out.importance.assign(features, 0.0);
    for (const auto& tree : out.trees) {
        double all = 0;
        for (const double g : tree.gains) all += g;
        for (std::size_t f = 0; f < features && all > 0; ++f) out.importance[f] += tree.gains[f] / all;
    }
    double all = 0;
    for (const double share : out.importance) all += share;
    for (double& share : out.importance) share = all > 0 ? share / all : 0;
    out.out_of_bag = score_out_of_bag(out, data, target, each, in_bag, run.threads);
    return out;
}

}  // namespace credence::rt
