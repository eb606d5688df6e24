#include "runtime/instance/index.hpp"

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/instance/brute.hpp"

namespace credence::rt {

namespace {

// Where a tree begins to pay, measured on uniform and clustered points (tests/bench/knn.cpp).
constexpr std::size_t least_tree_points = 64;
constexpr std::size_t most_tree_dimensions = 12;
constexpr std::size_t queries_a_chunk = 64;

Norm norm_of(Metric metric) {
    if (metric == Metric::manhattan) return Norm::manhattan;
    return metric == Metric::chebyshev ? Norm::chebyshev : Norm::euclidean;
}

}  // namespace

Result<NeighbourIndex> NeighbourIndex::build(MetricSpace space, Matrix points, IndexKind kind) {
    if (kind == IndexKind::kd_tree && !space.is_normed())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("a k-d tree cuts numbers, and this is {} over {}", name_of(space.options().metric),
                                            space.dimensions() == 0 ? "no columns" : "columns it cannot cut"),
                     .hint = "index: auto takes a tree where one can be built"};
    NeighbourIndex out(std::move(space), std::move(points));
    if (!out.space_.is_normed()) return out;
    out.split_ = kind == IndexKind::kd_tree ||
                 (kind == IndexKind::automatic && out.points_.rows >= least_tree_points && out.points_.columns <= most_tree_dimensions);
    out.tree_.emplace(out.points_, norm_of(out.space_.options().metric), out.split_);
    return out;
}

void NeighbourIndex::scan(const double* query, Nearest& best) const {
    for (std::size_t i = 0; i < points_.rows; ++i) {
        const double distance = space_.distance(&points_.values[i * points_.columns], query);
        if (distance <= best.worst()) best.offer(distance, static_cast<std::uint32_t>(i));
    }
}

std::vector<Neighbour> NeighbourIndex::nearest(const Matrix& queries, std::size_t k, const Run& run) const {
    k = std::min(k, size());
    std::vector<Neighbour> out(queries.rows * k);
    if (k == 0) return out;
    if (tree_ && !split_ && space_.options().metric == Metric::euclidean && blocked_scan_pays(points_, queries.rows, k)) {
        blocked_scan(points_, queries, k, run, out);
        return out;
    }
    parallel_chunks(queries.rows, queries_a_chunk, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        Nearest best(k);
        std::vector<double> scratch;
        for (std::size_t q = begin; q < end && !run.stopped(); ++q) {
            best.clear();
            const double* query = &queries.values[q * queries.columns];
            if (tree_)
                tree_->search(query, best, scratch);
            else
                scan(query, best);
            const auto& found = best.sorted();
            for (std::size_t j = 0; j < k; ++j)
                out[q * k + j] = {tree_ ? tree_->distance_of(found[j].distance) : found[j].distance, found[j].row};
        }
    });
    return out;
}

std::vector<Neighbour> NeighbourIndex::nearest_others(std::size_t k, const Run& run) const {
    k = std::min(k, size() - 1);
    const auto all = nearest(points_, k + 1, run);
    std::vector<Neighbour> out;
    out.reserve(size() * k);
    for (std::size_t i = 0; i < size(); ++i) {
        // Among many equal points the point itself may not be in the list: then the last one is too many.
        std::size_t taken = 0;
        for (std::size_t j = 0; j <= k && taken < k; ++j) {
            const Neighbour& n = all[i * (k + 1) + j];
            if (n.row == i) continue;
            out.push_back(n);
            ++taken;
        }
    }
    return out;
}

}  // namespace credence::rt
