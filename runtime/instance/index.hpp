#pragma once
// The stored points of a model and the way to their nearest: a k-d tree, or a scan of all.

#include <memory>
#include <optional>

#include "runtime/core/run.hpp"
#include "runtime/instance/kd_tree.hpp"
#include "runtime/instance/metric.hpp"

namespace credence::rt {

enum class IndexKind { automatic, kd_tree, brute };

class NeighbourIndex {
public:
    /// E-PARAMETER where a tree is asked for and the metric is no norm. `automatic` takes the tree where it pays.
    static Result<NeighbourIndex> build(MetricSpace space, Matrix points, IndexKind kind);

    const MetricSpace& space() const { return space_; }
    const Matrix& points() const { return points_; }
    std::size_t size() const { return points_.rows; }
    bool is_tree() const { return tree_ && split_; }
    /// min(k, size()) neighbours of each query, row by row, nearest first, equal distances in the order of the points. The same for any
    /// index and number of threads.
    std::vector<Neighbour> nearest(const Matrix& queries, std::size_t k, const Run& run) const;
    /// The same for the stored points themselves, each without itself: min(k, size() − 1) a point.
    std::vector<Neighbour> nearest_others(std::size_t k, const Run& run) const;

private:
    NeighbourIndex(MetricSpace space, Matrix points) : space_(std::move(space)), points_(std::move(points)) {}
    /// Block by block of the points, for some queries at once.
    void scan(const Matrix& queries, std::size_t begin, std::span<Nearest> best, const Run& run) const;

    MetricSpace space_;
    Matrix points_;
    Matrix columns_;              ///< of the other spaces: a row a column, padded to pairs of lanes
    std::optional<KdTree> tree_;  ///< of normed spaces
    bool split_ = false;
};

}  // namespace credence::rt
