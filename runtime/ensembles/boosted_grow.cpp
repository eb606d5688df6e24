#include "runtime/ensembles/boosted_grow.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace credence::rt {

namespace {

constexpr double least_curvature = 1e-3;         ///< of a leaf, in proportion to a weight of 1: below, its value would be noise
constexpr double least_gain = 1e-12;             ///< in proportion to the score of the leaf that is split: below, it is rounding
constexpr double category_smoothing = 10;        ///< labels with few rows are ranked near the middle
constexpr std::size_t least_shared = 1U << 15U;  ///< cells below which one thread is quicker

double gradient(const Lanes& s) { return s[0]; }
double curvature(const Lanes& s) { return s[1]; }
double weight(const Lanes& s) { return s[2]; }

constexpr std::size_t block_width = 8;

/// Adds the slopes of each row to its bin of each feature of a block. `at`: the rows' places; `slopes` are in their order.
template <std::size_t width>
void add_rows(std::span<Lanes* const> bins, const std::uint64_t* words, std::span<const std::uint32_t> at, const Lanes* slopes) {
    std::array<Lanes*, width> to;
    std::copy_n(bins.begin(), width, to.begin());
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::uint64_t word = words[at[i]];
        [&]<std::size_t... j>(std::index_sequence<j...>) { ((to[j][word >> (8 * j) & 255U] += slopes[i]), ...); }
        (std::make_index_sequence<width>());
    }
}

template <std::size_t... width>
constexpr auto adders(std::index_sequence<width...>) {
    return std::array{&add_rows<width + 1>...};
}

}  // namespace

PackedRows::PackedRows(const BinnedRows& data, const Bins& bins) {
    const std::size_t features = data.columns.size();
    // Two blocks at least, so that two threads have something to do, and none much narrower than the others.
    const std::size_t count = std::max((features + block_width - 1) / block_width, std::min<std::size_t>(features, 2));
    for (std::size_t b = 0; b < count; ++b) {
        Block block{.first = features * b / count, .width = 0, .words = std::vector<std::uint64_t>(data.rows)};
        block.width = features * (b + 1) / count - block.first;
        for (std::size_t j = 0; j < block.width; ++j) {
            const auto& cells = data.columns[block.first + j];
            const std::uint64_t last = bins.features[block.first + j].count;
            for (std::size_t i = 0; i < data.rows; ++i) block.words[i] |= std::min<std::uint64_t>(cells[i], last) << (8 * j);
        }
        blocks.push_back(std::move(block));
    }
}

GradientGrower::GradientGrower(const BinnedRows& data, const PackedRows& packed, const Bins& bins, GrowOptions options)
    : data_(data), packed_(packed), bins_(bins), options_(options), moved_(data.rows), gains_(bins.features.size(), 0.0) {
    offset_.push_back(0);
    for (const auto& f : bins.features) offset_.push_back(offset_.back() + f.count + 1);
    gathered_.resize(data.rows);
}

double GradientGrower::score(const Lanes& s) const { return gradient(s) * gradient(s) / (curvature(s) + options_.ridge + 1e-300); }

bool GradientGrower::large_enough(const Lanes& s) const {
    return weight(s) >= options_.min_weight * (1 - 1e-9) && curvature(s) >= least_curvature;
}

GradientGrower::Histogram GradientGrower::fresh() {
    if (spare_.empty()) return Histogram(offset_.back(), Lanes{});
    Histogram out = std::move(spare_.back());
    spare_.pop_back();
    std::fill(out.begin(), out.end(), Lanes{});
    return out;
}

void GradientGrower::fill(Histogram& histogram, const std::vector<std::uint32_t>& rows, Range range, const RowSlopes& slopes, Crew* crew) {
    const std::span<const std::uint32_t> at(rows.data() + range.begin, range.end - range.begin);
    const bool all = at.size() == slopes.size();  // at the root, in order
    if (!all)
        for (std::size_t i = 0; i < at.size(); ++i) gathered_[i] = slopes[at[i]];
    const auto one = [&](std::size_t b) {
        static constexpr auto add = adders(std::make_index_sequence<block_width>());
        const auto& block = packed_.blocks[b];
        std::array<Lanes*, block_width> bins{};
        for (std::size_t j = 0; j < block.width; ++j) bins[j] = histogram.data() + offset_[block.first + j];
        add[block.width - 1](bins, block.words.data(), at, all ? slopes.data() : gathered_.data());
    };
    const std::size_t blocks = packed_.blocks.size();
    if (crew && !crew->alone() && at.size() * data_.columns.size() >= least_shared && blocks < 60000)
        crew->run(blocks, one);
    else
        for (std::size_t b = 0; b < blocks; ++b) one(b);
}

void GradientGrower::scan_numbers(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const {
    const std::size_t count = bins_.features[f].count;
    const Lanes missing = bins[count];
    const bool gaps = weight(missing) > 0;
    const double before = score(sum);
    const auto consider = [&](const Lanes& left, std::size_t bin, bool missing_left) {
        const Lanes right = sum - left;
        if (!large_enough(left) || !large_enough(right)) return;
        const double gain = score(left) + score(right) - before;
        if (gain <= best.gain) return;
        best.gain = gain;
        best.left = left;
        best.test = {.feature = static_cast<std::int32_t>(f), .bin = static_cast<std::uint8_t>(bin), .missing_left = missing_left};
        if (!gaps) best.test.missing_left = weight(left) >= weight(right);
    };
    Lanes left{};
    for (std::size_t b = 0; b + 1 < count; ++b) {
        if (weight(bins[b]) == 0) continue;
        left += bins[b];
        consider(left, b, false);
        if (gaps) consider(left + missing, b, true);
    }
    if (gaps && count > 0) consider(sum - missing, count - 1, false);  // there or not
}

void GradientGrower::scan_labels(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const {
    const std::size_t count = bins_.features[f].count;
    std::array<std::uint8_t, most_bins + 1> order;
    std::array<double, most_bins + 1> rank{};
    std::size_t present = 0;
    for (std::size_t b = 0; b <= count; ++b) {
        if (weight(bins[b]) == 0) continue;
        rank[b] = gradient(bins[b]) / (curvature(bins[b]) + category_smoothing);
        order[present++] = static_cast<std::uint8_t>(b);
    }
    std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(present),
                     [&](std::uint8_t a, std::uint8_t b) { return rank[a] < rank[b]; });
    const double before = score(sum);
    Lanes left{};
    for (std::size_t k = 0; k + 1 < present; ++k) {
        left += bins[order[k]];
        const Lanes right = sum - left;
        if (!large_enough(left) || !large_enough(right)) continue;
        const double gain = score(left) + score(right) - before;
        if (gain <= best.gain) continue;
        best.gain = gain;
        best.left = left;
        best.test = {.feature = static_cast<std::int32_t>(f), .set = 0, .missing_left = weight(left) >= weight(right)};
        best.set = {};
        for (std::size_t j = 0; j < present; ++j) {
            if (order[j] == count)
                best.test.missing_left = j <= k;
            else if (j <= k)
                add_bin(best.set, order[j]);
        }
        // A label that no row here has goes where missing cells go.
        if (best.test.missing_left)
            for (std::size_t b = 0; b < count; ++b)
                if (weight(bins[b]) == 0) add_bin(best.set, b);
    }
}

bool GradientGrower::may_split(const Open& leaf) const {
    return (options_.depth == 0 || leaf.depth < options_.depth) && weight(leaf.sum) >= 2 * options_.min_weight * (1 - 1e-9);
}

void GradientGrower::find_best(Open& leaf) {
    leaf.best = {};
    if (!may_split(leaf)) return;
    leaf.best.gain = least_gain * score(leaf.sum) + 1e-300;
    const double floor = leaf.best.gain;
    for (std::size_t f = 0; f < bins_.features.size(); ++f) {
        const Lanes* bins = leaf.histogram.data() + offset_[f];
        if (bins_.features[f].labels)
            scan_labels(f, bins, leaf.sum, leaf.best);
        else
            scan_numbers(f, bins, leaf.sum, leaf.best);
    }
    if (!(leaf.best.gain > floor)) leaf.best.gain = 0;
}

std::uint32_t GradientGrower::divide(std::vector<std::uint32_t>& rows, Range range, const BinnedTree& tree, const BinnedNode& node) {
    const std::uint8_t* cells = data_.columns[static_cast<std::size_t>(node.feature)].data();
    bool left[256];
    for (std::size_t b = 0; b < 256; ++b) left[b] = tree.goes_left(node, static_cast<std::uint8_t>(b));
    std::uint32_t to = range.begin;
    std::uint32_t kept = 0;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const std::uint32_t row = rows[i];
        const bool goes = left[cells[row]];
        rows[to] = row;
        moved_[kept] = row;
        to += goes ? 1 : 0;
        kept += goes ? 0 : 1;
    }
    std::copy(moved_.begin(), moved_.begin() + kept, rows.begin() + to);
    return to;
}

/// `histogram`: the parent's. Only the smaller child's is filled from its rows; the other's is what remains.
void GradientGrower::open_children(Open& left, Open& right, Histogram histogram, const std::vector<std::uint32_t>& rows,
                                   const RowSlopes& slopes, Crew* crew) {
    const bool left_is_small = left.rows.end - left.rows.begin <= right.rows.end - right.rows.begin;
    Open& small = left_is_small ? left : right;
    Open& large = left_is_small ? right : left;
    small.histogram = fresh();
    fill(small.histogram, rows, small.rows, slopes, crew);
    large.histogram = std::move(histogram);
    for (std::size_t b = 0; b < large.histogram.size(); ++b) {
        large.histogram[b] -= small.histogram[b];
        // what is left of an empty bin is rounding
        if (large.histogram[b][2] <= 1e-9 * small.histogram[b][2]) large.histogram[b] = Lanes{};
    }
    find_best(left);
    find_best(right);
}

BinnedTree GradientGrower::grow(std::vector<std::uint32_t>& rows, const RowSlopes& slopes, Crew* crew) {
    BinnedTree tree;
    tree.nodes.push_back({});
    tree.leaves = 1;
    std::vector<Open> open(1);
    open[0].rows = {0, static_cast<std::uint32_t>(rows.size())};
    for (const auto row : rows) open[0].sum += slopes[row];
    open[0].histogram = fresh();
    fill(open[0].histogram, rows, open[0].rows, slopes, crew);
    find_best(open[0]);
    while (open.size() < options_.leaves) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < open.size(); ++k)
            if (open[k].best.gain > open[best].best.gain) best = k;
        if (!(open[best].best.gain > 0)) break;
        Open parent = std::move(open[best]);
        gains_[static_cast<std::size_t>(parent.best.test.feature)] += parent.best.gain;
        tree.split(parent.node, parent.best.test, parent.best.set);
        const std::uint32_t middle = divide(rows, parent.rows, tree, tree.nodes[parent.node]);
        Open left{.node = tree.nodes[parent.node].left, .rows = {parent.rows.begin, middle}, .depth = parent.depth + 1};
        Open right{.node = left.node + 1, .rows = {middle, parent.rows.end}, .depth = parent.depth + 1};
        left.sum = parent.best.left;
        right.sum = parent.sum - left.sum;
        const bool last = open.size() + 1 == options_.leaves;  // no split comes after
        if (!last && (may_split(left) || may_split(right)))
            open_children(left, right, std::move(parent.histogram), rows, slopes, crew);
        else
            spare_.push_back(std::move(parent.histogram));
        open[best] = std::move(left);
        open.push_back(std::move(right));
    }
    values_.assign(tree.leaves, 0.0);
    ranges_.assign(tree.leaves, {});
    for (auto& leaf : open) {
        const std::uint32_t number = tree.nodes[leaf.node].leaf;
        Lanes sum{};
        for (std::uint32_t i = leaf.rows.begin; i < leaf.rows.end; ++i) sum += slopes[rows[i]];
        values_[number] = curvature(sum) + options_.ridge > 0 ? (0 - gradient(sum)) / (curvature(sum) + options_.ridge) : 0;
        ranges_[number] = leaf.rows;
        if (!leaf.histogram.empty()) spare_.push_back(std::move(leaf.histogram));
    }
    return tree;
}

}  // namespace credence::rt
