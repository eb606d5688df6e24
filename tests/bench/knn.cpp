// 100,000 points, 10,000 queries, k = 5, build and query together, one thread.
//
//   knn                              our index and nanoflann's in turn: the least and the median of seven rounds, the ratio, and whether
//                                    both found the same neighbours
//   knn indexes                      the indexes against each other, by dimension and by how the points lie (least of three rounds)
//   knn spaces                       the ball tree against the scan where there is no k-d tree (1,000 queries)
//   knn POINTS QUERIES D INDEX OUT   doubles from files, the rows of the neighbours to a file, seconds printed: for knn.py

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
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

/// Uniform in the unit cube; twenty normal clusters with standard deviation 0.05; or a surface: so many uniform numbers shown linearly in
/// all coordinates, with noise of standard deviation 0.01.
enum class Lie { uniform, clustered, surface3, surface6 };
constexpr const char* lie_names[] = {"uniform", "clustered", "surface of 3", "surface of 6"};

Sets make_sets(std::size_t d, Lie lie) {
    Rng rng(3 + d);
    Matrix centres(20, d);
    for (double& x : centres.values) x = rng.uniform();
    const std::size_t inner = lie == Lie::surface3 ? 3 : 6;
    Matrix directions(inner, d);
    if (lie == Lie::surface3 || lie == Lie::surface6)
        for (double& x : directions.values) x = rng.normal();
    const auto fill = [&](Matrix& m) {
        std::vector<double> hidden(inner);
        for (std::size_t i = 0; i < m.rows; ++i) {
            const std::size_t c = rng.below(20);
            for (double& x : hidden) x = rng.uniform();
            for (std::size_t j = 0; j < d; ++j) {
                if (lie == Lie::uniform) m(i, j) = rng.uniform();
                if (lie == Lie::clustered) m(i, j) = centres(c, j) + 0.05 * rng.normal();
                if (lie != Lie::surface3 && lie != Lie::surface6) continue;
                m(i, j) = 0.01 * rng.normal();
                for (std::size_t h = 0; h < inner; ++h) m(i, j) += hidden[h] * directions(h, j);
            }
        }
    };
    Sets out{Matrix(points_count, d), Matrix(queries_count, d)};
    fill(out.points);
    fill(out.queries);
    return out;
}

/// The first columns are labels.
MetricSpace space_of(std::size_t d, std::size_t labels = 0, Metric metric = Metric::euclidean) {
    Schema schema;
    Table table;
    table.row_count = 1;
    for (std::size_t c = 0; c < d; ++c) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(c);
        column->kind = c < labels ? ColumnKind::label : ColumnKind::numeric;
        column->values = {0.0};
        column->codes = {0};
        schema.features.push_back({column->name, column->kind, nullptr});
        table.columns.push_back(column);
    }
    return *MetricSpace::fit(schema, {.table = &table, .rows = {}}, {.metric = metric});
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

std::vector<Neighbour> ours(const MetricSpace& space, const Sets& sets, Times& times, unsigned threads, IndexKind kind) {
    Matrix points = sets.points;
    const auto start = Clock::now();
    auto index = NeighbourIndex::build(space, std::move(points), kind);
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
void compare(Lie lie, std::size_t peer_queries) {
    const Sets sets = make_sets(D, lie);
    Times mine;
    Times theirs;
    Times two;
    std::size_t different = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto found = ours(space_of(D), sets, mine, 1, IndexKind::automatic);
#ifdef CREDENCE_HAS_PEER
        if (peer_queries > 0) {
            const auto other = peer<D>(sets, theirs, peer_queries);
            different = 0;
            for (std::size_t i = 0; i < other.size(); ++i) different += other[i] != found[i].row;
        }
#endif
        const auto again = ours(space_of(D), sets, two, 2, IndexKind::automatic);
        if (again != found) std::printf("two threads differ from one\n");
    }
    std::printf("%-9s d=%-2d  ours least %.4f median %.4f s (two threads %.4f)", lie_names[static_cast<int>(lie)], D, mine.least(),
                mine.median(), two.least());
    if (!theirs.all.empty())
        std::printf("  nanoflann least %.4f median %.4f s  ratio %.3f (medians %.3f)  different neighbours %zu", theirs.least(),
                    theirs.median(), mine.least() / theirs.least(), mine.median() / theirs.median(), different);
    std::printf("\n");
    std::fflush(stdout);
}

constexpr IndexKind kinds[] = {IndexKind::kd_tree, IndexKind::ball_tree, IndexKind::brute, IndexKind::automatic};
constexpr const char* kind_names[] = {"kd_tree", "ball_tree", "brute", "auto"};

void compare_indexes() {
    for (const std::size_t d : {8, 12, 16, 20})
        for (const Lie lie : {Lie::uniform, Lie::clustered, Lie::surface3, Lie::surface6}) {
            Sets sets = make_sets(d, lie);
            // Trees over uniform numbers in many dimensions take minutes: a tenth of the queries, and ten times the seconds.
            const std::size_t part = lie == Lie::uniform && d > 8 ? 10 : 1;
            Matrix fewer(queries_count / part, d);
            std::copy_n(sets.queries.values.begin(), fewer.values.size(), fewer.values.begin());
            const Sets less{sets.points, std::move(fewer)};
            Times times[4];
            std::vector<Neighbour> found[4];
            for (int round = 0; round < 3; ++round)
                for (int kind = 0; kind < 4; ++kind) found[kind] = ours(space_of(d), kind < 2 ? less : sets, times[kind], 1, kinds[kind]);
            std::printf("d=%-2zu %-12s", d, lie_names[static_cast<int>(lie)]);
            for (int kind = 0; kind < 4; ++kind)
                std::printf("  %s %.3f s", kind_names[kind], times[kind].least() * static_cast<double>(kind < 2 ? part : 1));
            const bool same = std::equal(found[0].begin(), found[0].end(), found[2].begin()) &&
                              std::equal(found[1].begin(), found[1].end(), found[2].begin()) && found[3] == found[2];
            std::printf("  same neighbours: %s\n", same ? "yes" : "NO");
            std::fflush(stdout);
        }
}

/// Labels are the fifths that numbers fall into.
void compare_without_norm() {
    struct Space {
        const char* name;
        std::size_t d;
        std::size_t labels;
        Metric metric;
    };
    for (const Space& s : {Space{"4 labels and 8 numbers", 12, 4, Metric::euclidean}, Space{"16 labels, hamming", 16, 16, Metric::hamming},
                           Space{"20 numbers, cosine", 20, 0, Metric::cosine}})
        for (const Lie lie : {Lie::uniform, Lie::clustered, Lie::surface3}) {
            Sets sets = make_sets(s.d, lie);
            Matrix fewer(queries_count / 10, s.d);
            std::copy_n(sets.queries.values.begin(), fewer.values.size(), fewer.values.begin());
            sets.queries = std::move(fewer);
            for (Matrix* m : {&sets.points, &sets.queries})
                for (std::size_t i = 0; i < m->rows; ++i) {
                    double squares = 0;
                    for (std::size_t c = 0; c < s.labels; ++c) (*m)(i, c) = std::floor((*m)(i, c) * 5);
                    for (const double x : m->row(i)) squares += x * x;
                    if (s.metric == Metric::cosine)
                        for (double& x : m->row(i)) x /= std::sqrt(squares);
                }
            Times times[4];
            std::vector<Neighbour> found[4];
            for (int kind = 1; kind < 4; ++kind) found[kind] = ours(space_of(s.d, s.labels, s.metric), sets, times[kind], 1, kinds[kind]);
            std::printf("%-22s %-12s  ball_tree %.3f s  brute %.3f s  auto %.3f s  same neighbours: %s\n", s.name,
                        lie_names[static_cast<int>(lie)], times[1].least(), times[2].least(), times[3].least(),
                        found[1] == found[2] && found[2] == found[3] ? "yes" : "NO");
            std::fflush(stdout);
        }
}

Matrix read_doubles(const char* path, std::size_t d) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::size_t>(in.tellg());
    Matrix out(size / sizeof(double) / d, d);
    in.seekg(0);
    in.read(reinterpret_cast<char*>(out.values.data()), static_cast<std::streamsize>(size));
    return out;
}

int from_files(char** arguments) {
    const std::size_t d = std::strtoul(arguments[3], nullptr, 10);
    const Sets sets{read_doubles(arguments[1], d), read_doubles(arguments[2], d)};
    Times times;
    std::vector<Neighbour> found;
    for (int kind = 0; kind < 4; ++kind)
        if (std::string(arguments[4]) == kind_names[kind]) found = ours(space_of(d), sets, times, 1, kinds[kind]);
    if (found.empty()) return 2;
    std::ofstream out(arguments[5], std::ios::binary);
    for (const auto& n : found) out.write(reinterpret_cast<const char*>(&n.row), sizeof n.row);
    std::printf("%.6f\n", times.least());
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 6) return from_files(arguments);
    if (count == 2 && std::string(arguments[1]) == "indexes") {
        compare_indexes();
        return 0;
    }
    if (count == 2 && std::string(arguments[1]) == "spaces") {
        compare_without_norm();
        return 0;
    }
    compare<3>(Lie::uniform, queries_count);
    compare<3>(Lie::clustered, queries_count);
    compare<8>(Lie::uniform, queries_count);
    compare<8>(Lie::clustered, queries_count);
    compare<20>(Lie::uniform, 0);  // nanoflann is hopeless here: scikit-learn's brute force is the peer (knn.py)
    compare<20>(Lie::clustered, 0);
}
