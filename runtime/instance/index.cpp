#include "runtime/instance/index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/spread.hpp"
#include "runtime/instance/brute.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t queries_a_chunk = 64;
constexpr std::size_t least_tree_points = 64;
constexpr std::size_t least_ball_points = 16'384;  ///< a scan answers hundreds of queries while such a tree is built

Matrix every(const Matrix& points, std::size_t step) {
    Matrix out((points.rows + step - 1) / step, points.columns);
    for (std::size_t i = 0; i < out.rows; ++i) std::copy(points.row(i * step).begin(), points.row(i * step).end(), out.row(i).begin());
    return out;
}

Matrix rows_at(const Matrix& matrix, std::span<const std::size_t> places) {
    Matrix out(places.size(), matrix.columns);
    for (std::size_t i = 0; i < out.rows; ++i) std::copy_n(matrix.row(places[i]).begin(), matrix.columns, out.row(i).begin());
    return out;
}

}  // namespace

Result<NeighbourIndex> NeighbourIndex::build(MetricSpace space, Matrix points, IndexKind kind) {
    const auto refused = [&](std::string why) {
        return Fault{.code = "E-PARAMETER", .message = std::move(why), .hint = "index: auto uses a tree if one can be built"};
    };
    if (kind == IndexKind::kd_tree && !space.norm())
        return refused(fmt::format("a k-d tree splits numeric columns, and this is {} over {}", name_of(space.options().metric),
                                   space.dimensions() == 0 ? "no columns" : "columns it cannot split"));
    if (kind == IndexKind::ball_tree && !space.is_metric())
        return refused(space.dimensions() == 0
                           ? std::string("a ball tree needs columns to measure distances")
                           : std::string("a ball tree needs the triangle inequality, which gower breaks by skipping missing cells"));
    NeighbourIndex out(std::move(space), std::move(points));
    out.kind_ = kind == IndexKind::automatic ? out.chosen() : kind;
    if (out.kind_ == IndexKind::ball_tree) {
        if (!out.balls_) out.balls_.emplace(out.space_, out.points_);
    } else if (const auto norm = out.space_.norm()) {
        if (!out.tree_) out.tree_.emplace(out.points_, *norm, out.kind_ == IndexKind::kd_tree);
    } else {
        out.columns_ = Matrix(out.points_.columns, (out.points_.rows + 7) / 8 * 8);
        for (std::size_t c = 0; c < out.points_.columns; ++c)
            for (std::size_t i = 0; i < out.points_.rows; ++i) out.columns_(c, i) = out.points_(i, c);
    }
    return out;
}

template <class Tree>
bool NeighbourIndex::leaves_out(const Tree& tree, std::size_t rows, double share) const {
    constexpr std::size_t asked = 64;
    constexpr std::size_t neighbours = 6;  // most often itself and five others
    std::size_t compared = 0;
    std::vector<double> scratch;
    for (std::size_t q = 0; q < asked; ++q) {
        Nearest best(neighbours);
        compared += search(tree, points_.row((2 * q + 1) * points_.rows / (2 * asked)).data(), best, scratch);
    }
    return static_cast<double>(compared) <= share * static_cast<double>(asked * rows);
}

/// What a tree leaves out depends on the data more than on the number of columns: uniform numbers fill the space, and from about ten
/// columns on a tree looks at nearly all of them; clusters and surfaces do not. So up to eight columns of numbers a k-d tree is taken, and
/// beyond a tree is tried: over some 4,000 rows first, then over all, with 64 of the rows as queries, and kept where the share of the rows
/// it looks at is small enough (counts, not clocks: the choice is always the same).
///
/// Seconds by tests/bench/knn.cpp (`knn indexes`; 100,000 points, 10,000 queries, k = 5; k-d tree / ball tree / blocked scan):
///   d = 8   uniform 0.17/1.0/0.51   clusters 0.14/0.36/0.52   3 numbers in 8 columns 0.04/0.12/0.49    6 in 8: 0.10/0.34/0.59
///   d = 12  uniform 1.2/5.6/0.65    clusters 0.34/0.62/0.67   3 in 12: 0.07/0.16/0.65                  6 in 12: 0.17/0.45/0.69
///   d = 16  uniform 5.8/13/0.82     clusters 0.58/0.95/0.82   3 in 16: 0.10/0.22/0.82                  6 in 16: 0.32/0.72/0.84
///   d = 20  uniform 23/30/1.1       clusters 1.2/1.5/0.99     3 in 20: 0.13/0.26/0.99                  6 in 20: 0.49/0.79/0.99
/// Over numbers the k-d tree is always ahead of the ball tree: boxes of the widest axis fit as well as balls, and cost less. A ball tree is
/// taken where there is no k-d tree (`knn spaces`; 1,000 queries; ball tree with its building / scan): 4 labels and 8 numbers in clusters
/// 0.41/1.17, 3 numbers shown in them 0.20/0.97, uniform 2.4/0.90; the cosine of 20 numbers 0.51/0.85, 0.36/0.94, 5.9/0.86; Hamming's
/// distance of 16 labels 0.97/0.63, 0.88/0.65, 4.1/0.58, of which most is the building: from some 2,000 queries on it is ahead in clusters.
IndexKind NeighbourIndex::chosen() {
    constexpr std::size_t always_tree = 8;
    constexpr std::size_t sampled = 4096;
    constexpr double hopeless = 0.6;         // of a sample
    constexpr double floats_win = 1.0 / 16;  // a point costs a tree about 16 times what it costs the blocked scan in floats
    constexpr double scan_wins = 1.0 / 3;    // and about 3 times what it costs a scan in doubles
    if (points_.rows < least_tree_points || !space_.is_metric()) return IndexKind::brute;
    const auto norm = space_.norm();
    if (norm && points_.columns <= always_tree) return IndexKind::kd_tree;
    if (!norm && points_.rows < least_ball_points) return IndexKind::brute;
    if (points_.rows > 2 * sampled) {
        const Matrix sample = every(points_, points_.rows / sampled);
        const bool hope = norm ? leaves_out(KdTree(sample, *norm, true), sample.rows, hopeless)
                               : leaves_out(BallTree(space_, sample), sample.rows, hopeless);
        if (!hope) return IndexKind::brute;
    }
    if (norm) {
        tree_.emplace(points_, *norm, true);
        if (leaves_out(*tree_, points_.rows, norm == Norm::euclidean ? floats_win : scan_wins)) return IndexKind::kd_tree;
        tree_.reset();
    } else {
        balls_.emplace(space_, points_);
        if (leaves_out(*balls_, points_.rows, scan_wins)) return IndexKind::ball_tree;
        balls_.reset();
    }
    return IndexKind::brute;
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
    const bool squares = space_.norm() == Norm::euclidean;
    if (kind_ == IndexKind::brute && squares && blocked_scan_pays(points_, queries.rows, k)) {
        blocked_scan(points_, queries, k, run, out);
        return out;
    }
    const double visited = tree_ || balls_ ? std::sqrt(static_cast<double>(size())) : static_cast<double>(size());
    const SpreadLoop loop{
        .n = queries.rows, .chunk = queries_a_chunk, .cost = static_cast<double>(queries.rows * queries.columns) * visited};
    spread_rows(run, loop, std::span(out), [&](std::size_t, std::size_t begin, std::size_t end) {
        if (!tree_ && !balls_) {
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
            const double* query = queries.row(q).data();
            if (balls_)
                search(*balls_, query, best, scratch);
            else
                search(*tree_, query, best, scratch);
            const auto& found = best.sorted();
            for (std::size_t j = 0; j < k; ++j) out[q * k + j] = {squares ? std::sqrt(found[j].distance) : found[j].distance, found[j].row};
        }
    });
    return out;
}

NeighbourLists NeighbourIndex::nearest_with_ties(const Matrix& queries, std::size_t k, const Run& run) const {
    k = std::min(k, size());
    NeighbourLists out(queries.rows);
    if (k == 0) return out;
    std::vector<std::size_t> open(queries.rows);  // whose ties may go on beyond what was found
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (std::size_t width = std::min(k + 1, size()); !open.empty() && !run.stopped(); width = std::min(4 * width, size())) {
        const auto found = open.size() == queries.rows ? nearest(queries, width, run) : nearest(rows_at(queries, open), width, run);
        std::vector<std::size_t> still;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const auto list = std::span(found).subspan(i * width, width);
            const auto end = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(k), list.end(),
                                          [&](const Neighbour& n) { return !as_near(n.distance, list[k - 1].distance); });
            if (end == list.end() && width < size())
                still.push_back(open[i]);
            else
                out[open[i]].assign(list.begin(), end);
        }
        open = std::move(still);
    }
    return out;
}

NeighbourLists NeighbourIndex::nearest_others_with_ties(std::size_t k, const Run& run) const {
    auto out = nearest_with_ties(points_, std::min(k, size() - 1) + 1, run);
    for (std::size_t i = 0; i < out.size(); ++i) std::erase_if(out[i], [&](const Neighbour& n) { return n.row == i; });
    return out;
}

}  // namespace credence::rt
