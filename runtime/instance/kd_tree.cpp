#include "runtime/instance/kd_tree.hpp"

#include <cmath>

namespace credence::rt {

namespace {

constexpr std::size_t leaf_points = 24;
constexpr std::size_t deepest_midpoint = 48;  ///< below, cells are cut at the median: no data can make the tree deep

template <Norm norm>
inline double reach(double difference) {
    return norm == Norm::euclidean ? difference * difference : std::abs(difference);
}

}  // namespace

// --- building -----------------------------------------------------------------------------------------------------------

struct KdTree::Build : MovingPoints {
    bool split = true;
    std::vector<double> low;
    std::vector<double> high;

    Build(const Matrix& from, bool splits) : MovingPoints(from), split(splits), low(from.columns), high(from.columns) {}
    void measure(std::size_t begin, std::size_t end) {
        const double* p = &points[begin * d];
        std::copy(p, p + d, low.begin());
        std::copy(p, p + d, high.begin());
        for (std::size_t i = begin + 1; i < end; ++i) {
            p += d;
            for (std::size_t c = 0; c < d; ++c) {
                low[c] = p[c] < low[c] ? p[c] : low[c];
                high[c] = p[c] > high[c] ? p[c] : high[c];
            }
        }
    }
};

KdTree::KdTree(const Matrix& points, Norm norm, bool split) : norm_(norm), rows_(points.rows), dimensions_(points.columns) {
    Build state(points, split);
    if (rows_ == 0) return;
    state.measure(0, rows_);
    low_ = state.low;
    high_ = state.high;
    const std::size_t blocks = rows_ / block_points + 1 + (split ? rows_ / leaf_points * 2 : 0);
    leaves_.reserve(blocks, dimensions_);
    build(state, 0, rows_, 0);
}

std::uint32_t KdTree::build(Build& state, std::size_t begin, std::size_t end, std::size_t depth) {
    const auto here = static_cast<std::uint32_t>(nodes_.size());
    std::size_t axis = 0;
    if (state.split && end - begin > leaf_points) {
        state.measure(begin, end);
        for (std::size_t c = 1; c < dimensions_; ++c)
            if (state.high[c] - state.low[c] > state.high[axis] - state.low[axis]) axis = c;
    }
    if (!state.split || end - begin <= leaf_points || !(state.high[axis] > state.low[axis])) {
        const auto blocks = leaves_.add(state, begin, end);
        nodes_.push_back({.next = blocks.first, .blocks = blocks.count});
        return here;
    }
    // The middle of the box as the points fill it: cells stay compact, and neither side is empty.
    double cut = state.low[axis] + (state.high[axis] - state.low[axis]) / 2;
    if (!(cut > state.low[axis])) cut = state.high[axis];
    if (depth > deepest_midpoint) {
        std::vector<double> values;
        for (std::size_t i = begin; i < end; ++i) values.push_back(state.points[i * dimensions_ + axis]);
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        if (values[values.size() / 2] > state.low[axis]) cut = values[values.size() / 2];
    }
    const std::size_t middle = state.partition(begin, end, [&](const double* p) { return p[axis] < cut; });
    Node node;
    node.axis = static_cast<std::int32_t>(axis);
    node.low = -std::numeric_limits<double>::infinity();
    node.high = std::numeric_limits<double>::infinity();
    for (std::size_t i = begin; i < middle; ++i) node.low = std::max(node.low, state.points[i * dimensions_ + axis]);
    for (std::size_t i = middle; i < end; ++i) node.high = std::min(node.high, state.points[i * dimensions_ + axis]);
    nodes_.push_back(node);
    build(state, begin, middle, depth + 1);
    nodes_[here].next = build(state, middle, end, depth + 1);
    return here;
}

// --- searching ----------------------------------------------------------------------------------------------------------

/// D == 0: the number of dimensions is known only now.
template <Norm norm, std::size_t D>
struct KdTree::Search {
    const KdTree& tree;
    const double* query;
    Nearest& best;
    double* off;  ///< the reach outside the cell, by dimension

    /// `bound`: nothing in the cell is nearer, up to rounding.
    std::size_t cell(std::uint32_t at, double bound) const {
        // An incremental bound may exceed the true one by some units in the last place.
        constexpr double slack = 1 - 1e-12;
        const Node& node = tree.nodes_[at];
        if (node.axis < 0) return tree.leaves_.offer<norm, D>({node.next, node.blocks}, query, tree.dimensions_, best);
        const auto axis = static_cast<std::size_t>(node.axis);
        const double x = query[axis];
        const bool left = x - node.low < node.high - x;
        const double cut = reach<norm>(left ? std::max(node.high - x, 0.0) : std::max(x - node.low, 0.0));
        const std::size_t compared = cell(left ? at + 1 : node.next, bound);
        const double outside = std::max(off[axis], cut);
        const double farther = norm == Norm::chebyshev ? std::max(bound, cut) : bound + (outside - off[axis]);
        if (farther * slack > best.worst()) return compared;
        const double before = off[axis];
        off[axis] = outside;
        const std::size_t more = cell(left ? node.next : at + 1, farther);
        off[axis] = before;
        return compared + more;
    }
};

template <Norm norm>
std::size_t KdTree::search_by_dimension(const double* query, Nearest& best, std::vector<double>& scratch) const {
    double bound = 0;
    for (std::size_t c = 0; c < dimensions_; ++c) {
        scratch[c] = reach<norm>(std::max({low_[c] - query[c], query[c] - high_[c], 0.0}));
        bound = norm == Norm::chebyshev ? std::max(bound, scratch[c]) : bound + scratch[c];
    }
    double* off = scratch.data();
    switch (dimensions_) {
        case 1:
            return Search<norm, 1>{*this, query, best, off}.cell(0, bound);
        case 2:
            return Search<norm, 2>{*this, query, best, off}.cell(0, bound);
        case 3:
            return Search<norm, 3>{*this, query, best, off}.cell(0, bound);
        case 4:
            return Search<norm, 4>{*this, query, best, off}.cell(0, bound);
        case 8:
            return Search<norm, 8>{*this, query, best, off}.cell(0, bound);
        default:
            return Search<norm, 0>{*this, query, best, off}.cell(0, bound);
    }
}

std::size_t KdTree::search(const double* query, Nearest& best, std::vector<double>& scratch) const {
    if (rows_ == 0) return 0;
    scratch.resize(dimensions_);
    switch (norm_) {
        case Norm::euclidean:
            return search_by_dimension<Norm::euclidean>(query, best, scratch);
        case Norm::manhattan:
            return search_by_dimension<Norm::manhattan>(query, best, scratch);
        case Norm::chebyshev:
            return search_by_dimension<Norm::chebyshev>(query, best, scratch);
    }
    return 0;
}

}  // namespace credence::rt
