#pragma once
// The stored points of a model and the way to their nearest: a k-d tree, a ball tree, or a scan of all.

#include <memory>
#include <optional>

#include "runtime/core/run.hpp"
#include "runtime/instance/ball_tree.hpp"
#include "runtime/instance/kd_tree.hpp"
#include "runtime/instance/metric.hpp"

namespace credence::rt {

enum class IndexKind { automatic, kd_tree, brute, ball_tree };

/// Whether one distance is at most another, within rounding: 0.3 is as far from 0.2 as 0.1 is.
inline bool as_near(double distance, double other) { return distance <= other * (1 + 1e-12); }

/// For each query its neighbours, nearest first, equal distances in the order of the points.
using NeighbourLists = std::vector<std::vector<Neighbour>>;

class NeighbourIndex {
public:
    /// E-PARAMETER if a tree is asked for that the space does not allow. `automatic` takes a tree where it pays.
    static Result<NeighbourIndex> build(MetricSpace space, Matrix points, IndexKind kind);

    const MetricSpace& space() const { return space_; }
    const Matrix& points() const { return points_; }
    std::size_t size() const { return points_.rows; }
    IndexKind kind() const { return kind_; }  ///< the one in use
    /// min(k, size()) neighbours of each query, row by row, nearest first, equal distances in the order of the points. The same for any
    /// index and number of threads.
    std::vector<Neighbour> nearest(const Matrix& queries, std::size_t k, const Run& run) const;
    /// The k nearest of each query, and all others that are as near as the last of them.
    NeighbourLists nearest_with_ties(const Matrix& queries, std::size_t k, const Run& run) const;
    /// The same for the stored points themselves, each without itself.
    NeighbourLists nearest_others_with_ties(std::size_t k, const Run& run) const;

private:
    NeighbourIndex(MetricSpace space, Matrix points) : space_(std::move(space)), points_(std::move(points)) {}
    /// What `automatic` stands for here; a tree that was tried and taken is kept.
    IndexKind chosen();
    /// Whether a tree over so many rows looks at no more than a share of them for a query, on average over some of the points.
    template <class Tree>
    bool leaves_out(const Tree& tree, std::size_t rows, double share) const;
    std::size_t search(const KdTree& tree, const double* query, Nearest& best, std::vector<double>& scratch) const {
        return tree.search(query, best, scratch);
    }
    std::size_t search(const BallTree& tree, const double* query, Nearest& best, std::vector<double>&) const {
        return tree.search(space_, query, best);
    }
    /// Block by block of the points, for some queries at once.
    void scan(const Matrix& queries, std::size_t begin, std::span<Nearest> best, const Run& run) const;

    MetricSpace space_;
    Matrix points_;
    IndexKind kind_ = IndexKind::brute;
    Matrix columns_;              ///< of a scan without a norm: a row for each column, padded to pairs of lanes
    std::optional<KdTree> tree_;  ///< where there is a norm; of a scan, one bucket
    std::optional<BallTree> balls_;
};

}  // namespace credence::rt
