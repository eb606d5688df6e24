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
    if (!out.space_.is_normed()) {
        out.columns_ = Matrix(out.points_.columns, (out.points_.rows + 7) / 8 * 8);
        for (std::size_t c = 0; c < out.points_.columns; ++c)
            for (std::size_t i = 0; i < out.points_.rows; ++i) out.columns_(c, i) = out.points_(i, c);
        return out;
    }
    out.split_ = kind == IndexKind::kd_tree ||
                 (kind == IndexKind::automatic && out.points_.rows >= least_tree_points && out.points_.columns <= most_tree_dimensions);
    out.tree_.emplace(out.points_, norm_of(out.space_.options().metric), out.split_);
    return out;
}

void NeighbourIndex::scan(const Matrix& queries, std::size_t begin, std::span<Nearest> best, const Run& run) const {
    constexpr std::size_t at_once = 512;  // points: they stay in the cache while all the queries pass
    double distances[at_once];
    double weights[at_once];
    for (std::size_t first = 0; first < points_.rows && !run.stopped(); first += at_once) {
        const std::size_t n = std::min(at_once, columns_.columns - first);
        const std::size_t real = std::min(n, points_.rows - first);
        for (std::size_t q = 0; q < best.size(); ++q) {
            space_.distances(columns_.values.data() + first, columns_.columns, n, queries.row(begin + q).data(), distances, weights);
            for (std::size_t i = 0; i < real; ++i)
                if (distances[i] <= best[q].worst()) best[q].offer(distances[i], static_cast<std::uint32_t>(first + i));
        }
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
        if (!tree_) {
            std::vector<Nearest> best(end - begin, Nearest(k));
            scan(queries, begin, best, run);
            for (std::size_t q = begin; q < end; ++q) {
                const auto& found = best[q - begin].sorted();
                std::copy(found.begin(), found.end(), out.begin() + static_cast<std::ptrdiff_t>(q * k));
            }
            return;
        }
        Nearest best(k);
        std::vector<double> scratch;
        for (std::size_t q = begin; q < end && !run.stopped(); ++q) {
            best.clear();
            tree_->search(&queries.values[q * queries.columns], best, scratch);
            const auto& found = best.sorted();
            for (std::size_t j = 0; j < k; ++j) out[q * k + j] = {tree_->distance_of(found[j].distance), found[j].row};
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
