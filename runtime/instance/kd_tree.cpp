#include "runtime/instance/kd_tree.hpp"

#include <cmath>
#include <cstring>

namespace credence::rt {

namespace {

constexpr std::size_t leaf_points = 24;
constexpr std::size_t deepest_midpoint = 48;  ///< below, cells are cut at the median: no data can make the tree deep

using Lanes = double __attribute__((vector_size(32)));
using Mask = decltype(Lanes{} < Lanes{});

inline Lanes load(const double* from) {
    Lanes out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

template <Norm norm>
inline void accumulate(Lanes& sum, const Lanes& difference) {
    if constexpr (norm == Norm::euclidean) {
        sum += difference * difference;
    } else {
        const Lanes size = difference < 0 ? -difference : difference;
        if constexpr (norm == Norm::manhattan)
            sum += size;
        else
            sum = size > sum ? size : sum;
    }
}

template <Norm norm>
inline double reach(double difference) {
    return norm == Norm::euclidean ? difference * difference : std::abs(difference);
}

}  // namespace

// --- building -----------------------------------------------------------------------------------------------------------

/// Points in the order of the leaves: rows move as a whole, so that every pass runs through memory in order.
struct KdTree::Build {
    std::size_t d = 0;
    bool split = true;
    std::vector<double> points;
    std::vector<std::uint32_t> rows;
    std::vector<double> low;
    std::vector<double> high;

    void swap(std::size_t i, std::size_t j) {
        std::swap_ranges(points.begin() + static_cast<std::ptrdiff_t>(i * d), points.begin() + static_cast<std::ptrdiff_t>((i + 1) * d),
                         points.begin() + static_cast<std::ptrdiff_t>(j * d));
        std::swap(rows[i], rows[j]);
    }
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
    /// Points with a coordinate below the cut come first; where the second part begins.
    std::size_t partition(std::size_t begin, std::size_t end, std::size_t axis, double cut) {
        std::size_t i = begin;
        std::size_t j = end;
        while (true) {
            while (i < j && points[i * d + axis] < cut) ++i;
            while (i < j && !(points[(j - 1) * d + axis] < cut)) --j;
            if (i == j) return i;
            swap(i++, --j);
        }
    }
};

KdTree::KdTree(const Matrix& points, Norm norm, bool split) : norm_(norm), rows_(points.rows), dimensions_(points.columns) {
    Build state;
    state.d = dimensions_;
    state.split = split;
    state.points = points.values;
    state.rows.resize(rows_);
    for (std::size_t i = 0; i < rows_; ++i) state.rows[i] = static_cast<std::uint32_t>(i);
    state.low.resize(dimensions_);
    state.high.resize(dimensions_);
    if (rows_ == 0) return;
    state.measure(0, rows_);
    low_ = state.low;
    high_ = state.high;
    const std::size_t blocks = rows_ / lanes + 1 + (split ? rows_ / leaf_points * 2 : 0);
    blocks_.reserve(blocks * lanes * dimensions_);
    ids_.reserve(blocks * lanes);
    build(state, 0, rows_, 0);
}

void KdTree::add_leaf(const Build& state, std::size_t begin, std::size_t end) {
    Node leaf;
    leaf.next = static_cast<std::uint32_t>(ids_.size() / lanes);
    leaf.blocks = static_cast<std::uint32_t>((end - begin + lanes - 1) / lanes);
    const std::size_t first = blocks_.size();
    blocks_.resize(first + leaf.blocks * lanes * dimensions_, std::numeric_limits<double>::infinity());
    ids_.resize(ids_.size() + leaf.blocks * lanes, Neighbour{}.row);
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t at = i - begin;
        ids_[leaf.next * lanes + at] = state.rows[i];
        double* block = &blocks_[first + at / lanes * lanes * dimensions_];
        for (std::size_t c = 0; c < dimensions_; ++c) block[c * lanes + at % lanes] = state.points[i * dimensions_ + c];
    }
    nodes_.push_back(leaf);
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
        add_leaf(state, begin, end);
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
    const std::size_t middle = state.partition(begin, end, axis, cut);
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

    std::size_t dimensions() const { return D > 0 ? D : tree.dimensions_; }

    void leaf(const Node& node) const {
        const std::size_t d = dimensions();
        const double* block = &tree.blocks_[node.next * lanes * d];
        const std::uint32_t* ids = &tree.ids_[node.next * lanes];
        for (std::uint32_t b = 0; b < node.blocks; ++b, block += lanes * d, ids += lanes) {
            Lanes first{};
            Lanes second{};
            for (std::size_t c = 0; c < d; ++c) {
                accumulate<norm>(first, load(block + c * lanes) - query[c]);
                accumulate<norm>(second, load(block + c * lanes + 4) - query[c]);
            }
            const double worst = best.worst();
            const Mask hits = (first <= worst) | (second <= worst);
            if ((hits[0] | hits[1] | hits[2] | hits[3]) == 0) continue;
            double sums[lanes];
            std::memcpy(sums, &first, sizeof first);
            std::memcpy(sums + 4, &second, sizeof second);
            for (std::size_t i = 0; i < lanes; ++i)
                if (sums[i] <= best.worst()) best.offer(sums[i], ids[i]);
        }
    }
    /// `bound`: nothing in the cell is nearer, up to rounding.
    void cell(std::uint32_t at, double bound) const {
        // An incremental bound may exceed the true one by some units in the last place.
        constexpr double slack = 1 - 1e-12;
        const Node& node = tree.nodes_[at];
        if (node.axis < 0) return leaf(node);
        const auto axis = static_cast<std::size_t>(node.axis);
        const double x = query[axis];
        const bool left = x - node.low < node.high - x;
        const double cut = reach<norm>(left ? std::max(node.high - x, 0.0) : std::max(x - node.low, 0.0));
        cell(left ? at + 1 : node.next, bound);
        const double outside = std::max(off[axis], cut);
        const double farther = norm == Norm::chebyshev ? std::max(bound, cut) : bound + (outside - off[axis]);
        if (farther * slack > best.worst()) return;
        const double before = off[axis];
        off[axis] = outside;
        cell(left ? node.next : at + 1, farther);
        off[axis] = before;
    }
};

template <Norm norm>
void KdTree::search_by_dimension(const double* query, Nearest& best, std::vector<double>& scratch) const {
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

void KdTree::search(const double* query, Nearest& best, std::vector<double>& scratch) const {
    if (rows_ == 0) return;
    scratch.resize(dimensions_);
    switch (norm_) {
        case Norm::euclidean:
            return search_by_dimension<Norm::euclidean>(query, best, scratch);
        case Norm::manhattan:
            return search_by_dimension<Norm::manhattan>(query, best, scratch);
        case Norm::chebyshev:
            return search_by_dimension<Norm::chebyshev>(query, best, scratch);
    }
}

double KdTree::distance_of(double compared) const { return norm_ == Norm::euclidean ? std::sqrt(compared) : compared; }

}  // namespace credence::rt
