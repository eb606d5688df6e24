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

class GradientGrower {
public:
    GradientGrower(const BinnedRows& data, const Bins& bins, GrowOptions options);

    /// Grows from these rows, which it puts into the order of the leaves. `crew`: shares the columns; null: none.
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
    void find_best(Open& leaf);
    void scan_numbers(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const;
    void scan_labels(std::size_t f, const Lanes* bins, const Lanes& sum, Split& best) const;
    double score(const Lanes& s) const;
    bool large_enough(const Lanes& s) const;
    std::uint32_t divide(std::vector<std::uint32_t>& rows, Range range, const BinnedTree& tree, const BinnedNode& node);

    const BinnedRows& data_;
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
