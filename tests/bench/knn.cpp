// 100,000 points, 10,000 queries, k = 5: our index and nanoflann's in turn, build and query together, one thread. Prints the least and the
// median of seven rounds, the ratio, and whether both found the same neighbours.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/core/rng.hpp"
#include "runtime/instance/index.hpp"

#if __has_include(<nanoflann.hpp>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <nanoflann.hpp>
#pragma GCC diagnostic pop
#define CREDENCE_HAS_PEER 1
#endif

using namespace credence::rt;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t points_count = 100'000;
constexpr std::size_t queries_count = 10'000;
constexpr std::size_t k = 5;
constexpr int rounds = 7;

struct Sets {
    Matrix points;
    Matrix queries;
};

/// Uniform in the unit cube, or twenty normal clusters with standard deviation 0.05.
Sets make_sets(std::size_t d, bool clustered) {
    Rng rng(3 + d);
    Matrix centres(20, d);
    for (double& x : centres.values) x = rng.uniform();
    const auto fill = [&](Matrix& m) {
        for (std::size_t i = 0; i < m.rows; ++i) {
            const std::size_t c = rng.below(20);
            for (std::size_t j = 0; j < d; ++j) m(i, j) = clustered ? centres(c, j) + 0.05 * rng.normal() : rng.uniform();
        }
    };
    Sets out{Matrix(points_count, d), Matrix(queries_count, d)};
    fill(out.points);
    fill(out.queries);
    return out;
}

MetricSpace numeric_space(std::size_t d) {
    Schema schema;
    Table table;
    table.row_count = 1;
    for (std::size_t c = 0; c < d; ++c) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(c);
        column->kind = ColumnKind::numeric;
        column->values = {0.0};
        schema.features.push_back({column->name, ColumnKind::numeric, nullptr});
        table.columns.push_back(column);
    }
    return *MetricSpace::fit(schema, {.table = &table, .rows = {}}, {});
}

struct Times {
    std::vector<double> all;
    double least() const { return *std::min_element(all.begin(), all.end()); }
    double median() const {
        auto sorted = all;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<Neighbour> ours(const Sets& sets, Times& times, unsigned threads) {
    const MetricSpace space = numeric_space(sets.points.columns);
    Matrix points = sets.points;
    const auto start = Clock::now();
    auto index = NeighbourIndex::build(space, std::move(points), IndexKind::automatic);
    Run run;
    run.threads = threads;
    auto out = index->nearest(sets.queries, k, run);
    times.all.push_back(seconds_since(start));
    return out;
}

#ifdef CREDENCE_HAS_PEER
struct Cloud {
    const Matrix& points;
    std::size_t kdtree_get_point_count() const { return points.rows; }
    double kdtree_get_pt(std::size_t i, std::size_t c) const { return points(i, c); }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
        return false;
    }
};

template <int D>
std::vector<std::uint32_t> peer(const Sets& sets, Times& times, std::size_t queries) {
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, D, std::uint32_t>;
    const Cloud cloud{sets.points};
    std::vector<std::uint32_t> out(queries * k);
    std::vector<double> squares(k);
    const auto start = Clock::now();
    Tree tree(D, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    tree.buildIndex();
    for (std::size_t q = 0; q < queries; ++q) tree.knnSearch(sets.queries.row(q).data(), k, &out[q * k], squares.data());
    times.all.push_back(seconds_since(start));
    return out;
}
#endif

template <int D>
void compare(bool clustered, std::size_t peer_queries) {
    const Sets sets = make_sets(D, clustered);
    Times mine;
    Times theirs;
    Times two;
    std::size_t different = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto found = ours(sets, mine, 1);
#ifdef CREDENCE_HAS_PEER
        if (peer_queries > 0) {
            const auto other = peer<D>(sets, theirs, peer_queries);
            different = 0;
            for (std::size_t i = 0; i < other.size(); ++i) different += other[i] != found[i].row;
        }
#endif
        const auto again = ours(sets, two, 2);
        if (again != found) std::printf("two threads differ from one\n");
    }
    std::printf("%s d=%-2d  ours least %.4f median %.4f s (two threads %.4f)", clustered ? "clustered" : "uniform  ", D, mine.least(),
                mine.median(), two.least());
    if (!theirs.all.empty())
        std::printf("  nanoflann least %.4f median %.4f s  ratio %.3f (medians %.3f)  different neighbours %zu", theirs.least(),
                    theirs.median(), mine.least() / theirs.least(), mine.median() / theirs.median(), different);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main() {
    compare<3>(false, queries_count);
    compare<3>(true, queries_count);
    compare<8>(false, queries_count);
    compare<8>(true, queries_count);
    compare<20>(false, 0);  // trees are hopeless here: scikit-learn's brute force is the peer (knn.py)
    compare<20>(true, 0);
}
