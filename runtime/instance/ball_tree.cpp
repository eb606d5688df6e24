#include "runtime/instance/ball_tree.hpp"

#include <cmath>

namespace credence::rt {

namespace {

constexpr std::size_t ball_points = 24;   ///< a ball of so many is a leaf
constexpr std::size_t deepest_ball = 24;  ///< below, all are: no data can make the tree deep

/// Distances are off by some units in the last place; what may be nearer by so much is looked at.
constexpr double ball_slack = 1e-12;

/// The eight points of a block under a norm: what is compared is what every other index of numbers compares.
template <Norm norm>
struct NormCompare {
    std::size_t d;
    bool squared() const { return norm == Norm::euclidean; }
    void operator()(const double* block, const double* query, double* out) const {
        Lanes first, second;
        compare_block<norm>(block, query, d, first, second);
        store_lanes(out, first);
        store_lanes(out + 4, second);
    }
};

/// Under any other metric: what a scan of all rows compares.
struct SpaceCompare {
    const MetricSpace& space;
    bool squared() const { return space.options().metric == Metric::cosine; }
    void operator()(const double* block, const double* query, double* out) const {
        double weights[block_points];
        space.distances(block, block_points, block_points, query, out, weights);
    }
};

/// A distance that obeys the triangle inequality.
double metric_distance(const MetricSpace& space, const double* a, const double* b) {
    const double e = space.distance(a, b);
    return space.options().metric == Metric::cosine ? std::sqrt(e) : e;
}

/// Of every step-th point: means of numbers, and of labels the majority where there is one (Boyer & Moore 1981): any centre is right, a
/// good one is near many.
std::vector<double> centre_of(const MetricSpace& space, const MovingPoints& points, std::size_t begin, std::size_t end, std::size_t step) {
    std::vector<double> out(points.d, 0.0);
    std::vector<std::size_t> lead(points.d, 0);
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; i += step, ++count) {
        const double* p = points.point(i);
        for (std::size_t c = 0; c < points.d; ++c) {
            if (!space.only_equality(c)) {
                out[c] += p[c];
            } else if (lead[c] == 0) {
                out[c] = p[c];
                lead[c] = 1;
            } else {
                out[c] == p[c] ? ++lead[c] : --lead[c];
            }
        }
    }
    for (std::size_t c = 0; c < points.d; ++c)
        if (!space.only_equality(c)) out[c] /= static_cast<double>(count);
    return out;
}

}  // namespace

BallTree::BallTree(const MetricSpace& space, const Matrix& points) : norm_(space.norm()), dimensions_(points.columns) {
    if (points.rows == 0) return;
    MovingPoints moving(points);
    leaves_.reserve(points.rows / block_points + 1 + points.rows / ball_points * 2, dimensions_);
    build(space, moving, {0, points.rows}, 0);
}

/// Two points far from each other (among some of the group) stand for the halves, and every point goes to the nearer one; where that leaves
/// nearly all in one half, the median decides. Where those two are equal nothing is split off.
std::size_t BallTree::split(const MetricSpace& space, MovingPoints& points, Group group) const {
    const std::size_t step = 1 + group.size() / 256;
    const auto farthest = [&](const std::vector<double>& from) {
        std::size_t out = group.begin;
        double most = -1;
        for (std::size_t i = group.begin; i < group.end; i += step) {
            const double e = metric_distance(space, points.point(i), from.data());
            if (e > most) {
                most = e;
                out = i;
            }
        }
        return std::vector<double>(points.point(out), points.point(out) + points.d);
    };
    const auto one = farthest(centre_of(space, points, group.begin, group.end, step));
    const auto other = farthest(one);
    const auto nearer = [&](const double* p) { return metric_distance(space, p, one.data()) - metric_distance(space, p, other.data()); };
    std::size_t middle = points.partition(group.begin, group.end, [&](const double* p) { return nearer(p) < 0; });
    if (std::min(middle - group.begin, group.end - middle) * 16 >= group.size()) return middle;
    std::vector<double> values;
    for (std::size_t i = group.begin; i < group.end; ++i) values.push_back(nearer(points.point(i)));
    const auto median = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), median, values.end());
    const double cut = *median;
    middle = points.partition(group.begin, group.end, [&](const double* p) { return nearer(p) < cut; });
    if (middle > group.begin) return middle;
    return points.partition(group.begin, group.end, [&](const double* p) { return !(nearer(p) > cut); });
}

std::uint32_t BallTree::build(const MetricSpace& space, MovingPoints& points, Group all, std::size_t depth) {
    std::vector<Group> groups{all};
    while (groups.size() < block_points) {
        Group* largest = nullptr;
        for (auto& g : groups)
            if (!g.whole && g.size() > ball_points && (!largest || g.size() > largest->size())) largest = &g;
        if (!largest) break;
        const std::size_t middle = split(space, points, *largest);
        if (middle == largest->begin || middle == largest->end) {
            largest->whole = true;
            continue;
        }
        const Group rest{middle, largest->end};
        largest->end = middle;
        groups.push_back(rest);
    }
    const auto here = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_[here].count = static_cast<std::uint32_t>(groups.size());
    centres_.resize(centres_.size() + block_points * dimensions_, 0.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Group& group = groups[g];
        const auto centre = centre_of(space, points, group.begin, group.end, 1);
        double radius = 0;
        for (std::size_t i = group.begin; i < group.end; ++i)
            radius = std::max(radius, metric_distance(space, points.point(i), centre.data()));
        for (std::size_t c = 0; c < dimensions_; ++c) centres_[(here * dimensions_ + c) * block_points + g] = centre[c];
        nodes_[here].radius[g] = radius * (1 + ball_slack);
        if (group.whole || group.size() <= ball_points || depth == deepest_ball) {
            const auto blocks = leaves_.add(points, group.begin, group.end);
            nodes_[here].child[g] = blocks.first;
            nodes_[here].blocks[g] = blocks.count;
        } else {
            const std::uint32_t child = build(space, points, group, depth + 1);
            nodes_[here].child[g] = child;
        }
    }
    return here;
}

template <class Compare>
std::size_t BallTree::descend(const Compare& compare, std::uint32_t at, const double* query, Nearest& best) const {
    const Node& node = nodes_[at];
    double bound[block_points];
    compare(&centres_[at * block_points * dimensions_], query, bound);
    std::uint32_t order[block_points];  // the balls that can be nearest first
    for (std::uint32_t g = 0; g < node.count; ++g) {
        bound[g] = (compare.squared() ? std::sqrt(bound[g]) : bound[g]) * (1 - ball_slack) - node.radius[g];
        std::uint32_t i = g;
        for (; i > 0 && bound[order[i - 1]] > bound[g]; --i) order[i] = order[i - 1];
        order[i] = g;
    }
    std::size_t compared = node.count;
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const std::uint32_t g = order[i];
        const double least = std::max(bound[g], 0.0);
        if ((compare.squared() ? least * least : least) > best.worst()) break;
        if (node.blocks[g] == 0) {
            compared += descend(compare, node.child[g], query, best);
            continue;
        }
        compared += leaves_.offer({node.child[g], node.blocks[g]}, dimensions_, best,
                                  [&](const double* block, double* out) { compare(block, query, out); });
    }
    return compared;
}

std::size_t BallTree::search(const MetricSpace& space, const double* query, Nearest& best) const {
    if (nodes_.empty()) return 0;
    if (!norm_) return descend(SpaceCompare{space}, 0, query, best);
    switch (*norm_) {
        case Norm::euclidean:
            return descend(NormCompare<Norm::euclidean>{dimensions_}, 0, query, best);
        case Norm::manhattan:
            return descend(NormCompare<Norm::manhattan>{dimensions_}, 0, query, best);
        case Norm::chebyshev:
            return descend(NormCompare<Norm::chebyshev>{dimensions_}, 0, query, best);
    }
    return 0;
}

}  // namespace credence::rt
