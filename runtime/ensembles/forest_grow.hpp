#pragma once
// One tree of a random forest: grown from a bootstrap sample of the rows, each test the best of some columns drawn at random (Breiman
// 2001).

#include <vector>

#include "runtime/core/rng.hpp"
#include "runtime/ensembles/shared.hpp"

namespace credence::rt {

struct ForestGrowth {
    std::size_t columns = 1;  ///< drawn for each test
    std::size_t depth = 0;    ///< 0: unlimited
    double min_rows = 1;      ///< of a leaf, by weight
};

struct ForestTree {
    BinnedTree tree;
    std::vector<double> values;  ///< of a regression: the mean of each leaf
    /// Of a classification: the labels of leaf k with their shares are shares[first[k]] … shares[first[k + 1] − 1].
    struct Share {
        std::uint32_t label = 0;
        double share = 0;
    };
    std::vector<std::uint32_t> first;
    std::vector<Share> shares;
    std::vector<double> gains;  ///< by feature: the fall of the impurity, times the weight of the rows
};

class ForestGrower {
public:
    ForestGrower(const BinnedRows& data, const Bins& bins, const EnsembleTarget& target, ForestGrowth growth)
        : data_(data), bins_(bins), target_(target), growth_(growth) {}
    /// `weights`: of each row; rows of weight 0 take no part.
    ForestTree grow(std::span<const double> weights, Rng rng);

private:
    struct Open {
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::size_t depth = 0;
        std::vector<double> sums;
    };
    struct Split {
        double gain = 0;
        BinnedNode test;
        BinSet set{};
    };
    /// Of the sums that describe a set of rows: its weight by label, or its weight and weighted sum.
    std::size_t sums_width() const { return target_.labels > 0 ? target_.labels : 2; }
    void add(std::size_t row, double* sums) const;
    double score(const double* sums) const;
    double weight(const double* sums) const;
    bool is_pure(const double* sums) const;
    void try_feature(std::size_t f, const Open& open, Split& best);
    void collect(std::size_t f, const Open& open);
    void scan_numbers(std::size_t f, const Open& open, Split& best);
    void scan_labels(std::size_t f, const Open& open, Split& best);
    void finish_leaf(const Open& open, ForestTree& out) const;

    const BinnedRows& data_;
    const Bins& bins_;
    const EnsembleTarget& target_;
    ForestGrowth growth_;
    std::span<const double> weights_;
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> moved_;
    std::vector<double> table_;           ///< bins × width: sums of the rows of a node
    std::vector<std::uint8_t> occupied_;  ///< the bins that have rows, ascending; the one of missing cells last
    std::vector<double> left_, right_;    ///< sums on both sides of a cut
    std::vector<double> with_, without_;  ///< the same with the missing cells on the left
};

}  // namespace credence::rt
