#pragma once
// One tree of boosting, grown leaf by leaf from histograms of gradients (Ke et al. 2017, "LightGBM"; Chen & Guestrin 2016, "XGBoost"):
// the leaf whose split lowers the loss most is split next. A split's gain is G_L²/(H_L + ridge) + G_R²/(H_R + ridge) − G²/(H + ridge),
// half of which the loss falls by to second order.

#include <vector>

#include "runtime/core/crew.hpp"
#include "runtime/core/lanes.hpp"
#include "runtime/ensembles/binned_tree.hpp"

namespace credence::rt {

struct GrowOptions {
    std::size_t leaves = 31;
    std::size_t depth = 0;  ///< 0: unlimited
    double min_weight = 1;  ///< of the rows in a leaf
    double ridge = 0;
};

/// Of each row: gradient, second derivative, weight, and 0.
using RowSlopes = std::vector<Lanes>;

/// The rows once more, with the bytes of up to eight neighbouring features in one word: a histogram of all of them is filled in one pass,
/// and rows that fall into one bin of a feature do not wait for each other. Missing cells are in the bin after the last.
struct PackedRows {
    struct Block {
        std::size_t first = 0;  ///< feature
        std::size_t width = 0;
        std::vector<std::uint64_t> words;
    };
    std::vector<Block> blocks;
    PackedRows(const BinnedRows& data, const Bins& bins);
};

class GradientGrower {
public:
    GradientGrower(const BinnedRows& data, const PackedRows& packed, const Bins& bins, GrowOptions options);

    /// Grows from these rows, ascending, which it puts into the order of the leaves. `crew`: shares the columns; null: none.
    BinnedTree grow(std::vector<std::uint32_t>& rows, const RowSlopes& slopes, Crew* crew);

    /// Of the tree grown last, leaf by leaf: −G / (H + ridge), and the range of its rows.
    const std::vector<double>& values() const { return values_; }
    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    const std::vector<Range>& ranges() const { return ranges_; }
    /// What the splits on each feature gained, added up over all trees.
    const std::vector<double>& gains() const { return gains_; }

private:
    using Histogram = std::vector<Lanes>;
    struct Split {
        double gain = 0;
        BinnedNode test;
        BinSet set{};
        Lanes left{};  ///< the sum of the rows that go left
    };
    struct Open {
        std::uint32_t node = 0;
        Range rows;
        std::size_t depth = 0;
        Lanes sum{};
        Histogram histogram = {};
        Split best = {};
    };
    Histogram fresh();
    void fill(Histogram& histogram, const std::vector<std::uint32_t>& rows, Range range, const RowSlopes& slopes, Crew* crew);
    bool may_split(const Open& leaf) const;
    void find_best(Open& leaf);
    void open_children(Open& left, Open& right, Histogram histogram, const std::vector<std::uint32_t>& rows, const RowSlopes& slopes,
                       Crew* crew);
    void scan_numbers(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const;
    void scan_labels(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const;
    double score(const Lanes& s) const;
    bool large_enough(const Lanes& s) const;
    std::uint32_t divide(std::vector<std::uint32_t>& rows, Range range, const BinnedTree& tree, const BinnedNode& node);

    const BinnedRows& data_;
    const PackedRows& packed_;
    const Bins& bins_;
    GrowOptions options_;
    std::vector<std::size_t> offset_;  ///< of each feature's bins in a histogram, the one for missing cells last
    std::vector<Histogram> spare_;
    RowSlopes gathered_;
    std::vector<std::uint32_t> moved_;
    std::vector<double> values_;
    std::vector<Range> ranges_;
    std::vector<double> gains_;
};

}  // namespace credence::rt
