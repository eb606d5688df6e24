#pragma once
// A ball tree (Omohundro 1989): balls within balls, eight to a ball.

#include <optional>

#include "runtime/instance/metric.hpp"
#include "runtime/instance/point_blocks.hpp"

namespace credence::rt {

/// All it needs of a distance is the triangle inequality: it serves the spaces that no k-d tree can cut, those with label columns,
/// Hamming's and the cosine (whose square root is a metric), and numbers as well.
class BallTree {
public:
    /// The space obeys the triangle inequality (MetricSpace::is_metric).
    BallTree(const MetricSpace& space, const Matrix& points);

    /// Offers what may be among the nearest; how many centres and points were compared. The space is the one it was built with.
    std::size_t search(const MetricSpace& space, const double* query, Nearest& best) const;

private:
    /// Balls of one parent, beside each other.
    struct Node {
        double radius[block_points] = {};         ///< of the points round the centre, rounding included
        std::uint32_t child[block_points] = {};   ///< a node; of a leaf its first block
        std::uint32_t blocks[block_points] = {};  ///< of a leaf; 0: a node
        std::uint32_t count = 0;
    };
    struct Group {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool whole = false;  ///< cannot be split
        std::size_t size() const { return end - begin; }
    };
    std::uint32_t build(const MetricSpace& space, MovingPoints& points, Group all, std::size_t depth);
    std::size_t split(const MetricSpace& space, MovingPoints& points, Group group) const;
    template <class Compare>
    std::size_t descend(const Compare& compare, std::uint32_t at, const double* query, Nearest& best) const;

    std::optional<Norm> norm_;
    std::size_t dimensions_ = 0;
    std::vector<Node> nodes_;
    std::vector<double> centres_;  ///< a block a node
    PointBlocks leaves_;
};

}  // namespace credence::rt
