#pragma once
// A k-d tree over points in leaf buckets (Friedman, Bentley & Finkel 1977; bounds as in Arya & Mount 1993).

#include "runtime/instance/point_blocks.hpp"

namespace credence::rt {

/// Without splitting it is one bucket: a plain scan, with the same distances to the bit.
class KdTree {
public:
    KdTree(const Matrix& points, Norm norm, bool split);

    std::size_t size() const { return rows_; }
    /// Offers what may be among the nearest; how many points were compared. `scratch` holds one number a dimension between calls.
    std::size_t search(const double* query, Nearest& best, std::vector<double>& scratch) const;

private:
    struct Node {
        double low = 0;          ///< the largest coordinate on the left
        double high = 0;         ///< the least on the right
        std::int32_t axis = -1;  ///< −1: a leaf
        std::uint32_t next = 0;  ///< the right child (the left one follows its parent), or a leaf's first block
        std::uint32_t blocks = 0;
    };
    struct Build;
    template <Norm norm, std::size_t D>
    struct Search;
    template <Norm norm>
    std::size_t search_by_dimension(const double* query, Nearest& best, std::vector<double>& scratch) const;
    std::uint32_t build(Build& state, std::size_t begin, std::size_t end, std::size_t depth);

    Norm norm_;
    std::size_t rows_ = 0;
    std::size_t dimensions_ = 0;
    std::vector<double> low_;  ///< the box round all points
    std::vector<double> high_;
    std::vector<Node> nodes_;
    PointBlocks leaves_;
};

}  // namespace credence::rt
