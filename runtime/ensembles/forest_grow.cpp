#include "runtime/ensembles/forest_grow.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

namespace credence::rt {

void ForestGrower::add(std::size_t row, double* sums) const {
    const double w = weights_[row];
    if (target_.labels > 0) {
        sums[target_.codes[row]] += w;
        return;
    }
    sums[0] += w;
    sums[1] += w * target_.numbers[row];
}

double ForestGrower::weight(const double* sums) const {
    return target_.labels > 0 ? std::accumulate(sums, sums + target_.labels, 0.0) : sums[0];
}

/// Σ n_k² / n, or (Σ y)² / n: the larger the sum of it over the branches, the smaller their Gini impurity, or their squared error.
double ForestGrower::score(const double* sums) const {
    if (target_.labels == 0) return sums[0] > 0 ? sums[1] * sums[1] / sums[0] : 0;
    double squares = 0;
    double total = 0;
    for (std::size_t k = 0; k < target_.labels; ++k) {
        squares += sums[k] * sums[k];
        total += sums[k];
    }
    return total > 0 ? squares / total : 0;
}

bool ForestGrower::is_pure(const double* sums) const {
    if (target_.labels == 0) return false;
    return std::count_if(sums, sums + target_.labels, [](double s) { return s > 0; }) < 2;
}

/// The sums of the node's rows by bin, and which bins have any.
void ForestGrower::collect(std::size_t f, const Open& open) {
    const std::size_t width = sums_width();
    const std::uint8_t* cells = data_.columns[f].data();
    std::array<std::uint64_t, 4> seen{};  // a bit for each bin
    for (std::uint32_t i = open.begin; i < open.end; ++i) {
        const std::uint32_t row = rows_[i];
        const std::uint8_t bin = cells[row];
        double* sums = table_.data() + bin * width;
        if (const std::uint64_t bit = std::uint64_t{1} << (bin % 64U); !(seen[bin / 64U] & bit)) {
            seen[bin / 64U] |= bit;
            std::fill(sums, sums + width, 0.0);
        }
        add(row, sums);
    }
    occupied_.clear();
    for (unsigned word = 0; word < seen.size(); ++word)
        for (std::uint64_t left = seen[word]; left != 0; left &= left - 1)
            occupied_.push_back(static_cast<std::uint8_t>(64 * word + static_cast<unsigned>(std::countr_zero(left))));
}

void ForestGrower::scan_numbers(std::size_t f, const Open& open, Split& best) {
    const std::size_t width = sums_width();
    const bool gaps = occupied_.back() == missing_bin;
    const double* missing = table_.data() + missing_bin * width;
    const double before = score(open.sums.data());
    const double all = weight(open.sums.data());
    left_.assign(width, 0.0);
    right_ = open.sums;
    with_.resize(width);
    without_.resize(width);
    const auto consider = [&](const std::vector<double>& a, const std::vector<double>& b, std::size_t bin, bool missing_left) {
        const double on_left = weight(a.data());
        if (on_left < growth_.min_rows || all - on_left < growth_.min_rows) return;
        const double gain = score(a.data()) + score(b.data()) - before;
        if (gain <= best.gain) return;
        best.gain = gain;
        best.test = {.feature = static_cast<std::int32_t>(f),
                     .bin = static_cast<std::uint8_t>(bin),
                     .missing_left = gaps ? missing_left : on_left >= all - on_left};
    };
    const std::size_t present = occupied_.size() - (gaps ? 1 : 0);
    for (std::size_t k = 0; k < present; ++k) {
        const double* bin = table_.data() + occupied_[k] * width;
        for (std::size_t c = 0; c < width; ++c) {
            left_[c] += bin[c];
            right_[c] -= bin[c];
        }
        const bool last = k + 1 == present;
        if (last && !gaps) break;
        // between the two bins that have rows: the middle one
        const std::size_t cut = last ? bins_.features[f].count - 1 : (occupied_[k] + occupied_[k + 1]) / 2;
        consider(left_, right_, cut, false);
        if (!gaps || last) continue;
        for (std::size_t c = 0; c < width; ++c) {
            with_[c] = left_[c] + missing[c];
            without_[c] = right_[c] - missing[c];
        }
        consider(with_, without_, cut, true);
    }
}

/// Labels in the order of the share that the node's most frequent label has among their rows, or of the mean: of two labels and of
/// numbers the best cut of that order is the best of all sets (Breiman et al. 1984).
void ForestGrower::scan_labels(std::size_t f, const Open& open, Split& best) {
    const std::size_t width = sums_width();
    const auto frequent = static_cast<std::size_t>(std::max_element(open.sums.begin(), open.sums.end()) - open.sums.begin());
    std::vector<double> rank(256, 0.0);
    for (const auto b : occupied_) {
        const double* sums = table_.data() + b * width;
        rank[b] = target_.labels > 0 ? sums[frequent] / weight(sums) : sums[1] / sums[0];
    }
    std::vector<std::uint8_t> order(occupied_);
    std::stable_sort(order.begin(), order.end(), [&](std::uint8_t a, std::uint8_t b) { return rank[a] < rank[b]; });
    const double before = score(open.sums.data());
    const double all = weight(open.sums.data());
    left_.assign(width, 0.0);
    right_ = open.sums;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
        const double* bin = table_.data() + order[k] * width;
        for (std::size_t c = 0; c < width; ++c) {
            left_[c] += bin[c];
            right_[c] -= bin[c];
        }
        const double on_left = weight(left_.data());
        if (on_left < growth_.min_rows || all - on_left < growth_.min_rows) continue;
        const double gain = score(left_.data()) + score(right_.data()) - before;
        if (gain <= best.gain) continue;
        best.gain = gain;
        best.test = {.feature = static_cast<std::int32_t>(f), .set = 0, .missing_left = on_left >= all - on_left};
        best.set = {};
        for (std::size_t j = 0; j < order.size(); ++j) {
            if (order[j] == missing_bin)
                best.test.missing_left = j <= k;
            else if (j <= k)
                add_bin(best.set, order[j]);
        }
        // A label that no row here has goes where missing cells go.
        if (best.test.missing_left)
            for (std::size_t b = 0; b < bins_.features[f].count; ++b)
                if (std::find(order.begin(), order.end(), b) == order.end()) add_bin(best.set, b);
    }
}

void ForestGrower::try_feature(std::size_t f, const Open& open, Split& best) {
    collect(f, open);
    if (occupied_.size() < 2) return;
    if (bins_.features[f].labels)
        scan_labels(f, open, best);
    else
        scan_numbers(f, open, best);
}

void ForestGrower::finish_leaf(const Open& open, ForestTree& out) const {
    const std::uint32_t leaf = out.tree.nodes[open.node].leaf;
    if (target_.labels == 0) {
        if (out.values.size() <= leaf) out.values.resize(leaf + 1);
        out.values[leaf] = open.sums[1] / open.sums[0];
    }
}

ForestTree ForestGrower::grow(std::span<const double> weights, Rng rng) {
    weights_ = weights;
    rows_.clear();
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0) rows_.push_back(static_cast<std::uint32_t>(i));
    moved_.resize(rows_.size());
    const std::size_t width = sums_width();
    table_.resize(256 * width);
    const std::size_t features = data_.columns.size();
    ForestTree out;
    out.gains.assign(features, 0.0);
    out.tree.nodes.push_back({});
    out.tree.leaves = 1;
    std::vector<std::vector<double>> leaf_sums(1);
    std::vector<Open> open(1);
    open[0].end = static_cast<std::uint32_t>(rows_.size());
    open[0].sums.assign(width, 0.0);
    for (const auto row : rows_) add(row, open[0].sums.data());
    std::vector<std::uint32_t> order(features);
    std::iota(order.begin(), order.end(), 0U);
    const double least_gain = 1e-12 * weight(open[0].sums.data());
    while (!open.empty()) {
        Open node = std::move(open.back());
        open.pop_back();
        Split best;
        best.gain = least_gain;
        const bool deep = growth_.depth > 0 && node.depth >= growth_.depth;
        if (!deep && node.end - node.begin > 1 && !is_pure(node.sums.data())) {
            // Columns in a random order; past the wanted number only until one can be split at all.
            for (std::size_t k = 0; k < features && (k < growth_.columns || !(best.gain > least_gain)); ++k) {
                std::swap(order[k], order[k + rng.below(features - k)]);
                try_feature(order[k], node, best);
            }
        }
        if (!(best.gain > least_gain)) {
            const std::uint32_t leaf = out.tree.nodes[node.node].leaf;
            finish_leaf(node, out);
            leaf_sums[leaf] = std::move(node.sums);
            continue;
        }
        out.gains[static_cast<std::size_t>(best.test.feature)] += best.gain;
        out.tree.split(node.node, best.test, best.set);
        leaf_sums.resize(out.tree.leaves);
        const BinnedNode& test = out.tree.nodes[node.node];
        const std::uint8_t* cells = data_.columns[static_cast<std::size_t>(test.feature)].data();
        std::uint32_t to = node.begin;
        std::uint32_t kept = 0;
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            if (out.tree.goes_left(test, cells[rows_[i]]))
                rows_[to++] = rows_[i];
            else
                moved_[kept++] = rows_[i];
        }
        std::copy(moved_.begin(), moved_.begin() + kept, rows_.begin() + to);
        Open left{.node = test.left, .begin = node.begin, .end = to, .depth = node.depth + 1, .sums = std::vector<double>(width, 0.0)};
        Open right{.node = test.left + 1, .begin = to, .end = node.end, .depth = node.depth + 1, .sums = std::vector<double>(width, 0.0)};
        for (auto* side : {&left, &right})
            for (std::uint32_t i = side->begin; i < side->end; ++i) add(rows_[i], side->sums.data());
        open.push_back(std::move(right));
        open.push_back(std::move(left));
    }
    if (target_.labels == 0) return out;
    for (const auto& sums : leaf_sums) {
        out.first.push_back(static_cast<std::uint32_t>(out.shares.size()));
        const double total = weight(sums.data());
        for (std::size_t k = 0; k < target_.labels; ++k)
            if (sums[k] > 0) out.shares.push_back({static_cast<std::uint32_t>(k), sums[k] / total});
    }
    out.first.push_back(static_cast<std::uint32_t>(out.shares.size()));
    return out;
}

}  // namespace credence::rt
