#include "runtime/instance/brute.hpp"
#include "runtime/core/spread.hpp"

#include <cmath>
#include <cstring>

namespace credence::rt {

namespace {

constexpr std::size_t group_points = 16;  ///< points of a group, coordinate by coordinate
constexpr std::size_t together = 4;       ///< queries that share the loads of a group
constexpr std::size_t tile_groups = 32;   ///< groups that stay in the nearest cache while the queries of a chunk pass
constexpr std::size_t queries_a_tile = 64;
constexpr std::size_t most_neighbours = 256;

using Floats = float __attribute__((vector_size(32)));
using FloatMask = decltype(Floats{} < Floats{});

inline Floats load_floats(const float* from) {
    Floats out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

/// With s = |p|²/2 − p·q, |p − q|² = 2 s + |q|²: s orders the points for one query. In floats it is off by at most `error`, so that
/// what lies beyond the worst neighbour by more is left out unseen.
struct FloatPoints {
    std::size_t d = 0;
    std::size_t groups = 0;
    std::vector<double> centre;
    std::vector<float> coordinates;   ///< group by group, d × group_points
    std::vector<float> half_squares;  ///< group_points a group; infinite if there is no point
    double largest = 0;               ///< |p| at most
};

FloatPoints floats_of(const Matrix& points) {
    FloatPoints out;
    out.d = points.columns;
    out.groups = (points.rows + group_points - 1) / group_points;
    out.centre.assign(out.d, 0.0);
    for (std::size_t i = 0; i < points.rows; ++i)
        for (std::size_t c = 0; c < out.d; ++c) out.centre[c] += points(i, c);
    for (double& x : out.centre) x /= static_cast<double>(points.rows);
    out.coordinates.assign(out.groups * group_points * out.d, 0.0F);
    out.half_squares.assign(out.groups * group_points, std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < points.rows; ++i) {
        double squares = 0;
        for (std::size_t c = 0; c < out.d; ++c) {
            const double x = points(i, c) - out.centre[c];
            squares += x * x;
            out.coordinates[(i / group_points * out.d + c) * group_points + i % group_points] = static_cast<float>(x);
        }
        out.half_squares[i] = static_cast<float>(squares / 2);
        out.largest = std::max(out.largest, std::sqrt(squares));
    }
    return out;
}

struct QueryState {
    Nearest best;
    double square = 0;  ///< |q|² about the centre
    double error = 0;
    float limit = std::numeric_limits<float>::infinity();

    void tighten() {
        const double at_most = (best.worst() - square) / 2 + error;
        limit = std::isfinite(at_most) ? std::nextafter(static_cast<float>(at_most), std::numeric_limits<float>::infinity())
                                       : std::numeric_limits<float>::infinity();
    }
};

/// The exact squared distance, in the order of coordinates that every index sums in.
double squared_distance(const double* a, const double* b, std::size_t d) {
    double sum = 0;
    for (std::size_t c = 0; c < d; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

}  // namespace

bool blocked_scan_pays(const Matrix& points, std::size_t queries, std::size_t k) {
    return queries >= 16 && points.rows >= 256 && points.columns >= 4 && k <= most_neighbours;
}

void blocked_scan(const Matrix& points, const Matrix& queries, std::size_t k, const Run& run, std::span<Neighbour> out) {
    const FloatPoints f = floats_of(points);
    const std::size_t d = f.d;
    constexpr double unit = 1.0 / (1 << 23);
    const SpreadLoop loop{
        .n = queries.rows, .chunk = queries_a_tile, .cost = static_cast<double>(queries.rows * d) * static_cast<double>(points.rows)};
    spread_rows(run, loop, out, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        const std::size_t padded = (n + together - 1) / together * together;
        std::vector<float> q(padded * d, 0.0F);
        std::vector<QueryState> states(padded, QueryState{Nearest(k)});
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < d; ++c) {
                const double x = queries(begin + i, c) - f.centre[c];
                states[i].square += x * x;
                q[i * d + c] = static_cast<float>(x);
            }
            // (d + 4) roundings of terms no larger than |p|²/2 + |p||q|, and the rounding of the coordinates themselves
            states[i].error = static_cast<double>(d + 8) * unit * (f.largest * f.largest + f.largest * std::sqrt(states[i].square));
        }
        for (std::size_t i = n; i < padded; ++i) states[i].limit = -std::numeric_limits<float>::infinity();
        for (std::size_t tile = 0; tile < f.groups && !run.stopped(); tile += tile_groups)
            for (std::size_t i = 0; i < padded; i += together) {
                const float* q0 = &q[i * d];
                const float* q1 = q0 + d;
                const float* q2 = q1 + d;
                const float* q3 = q2 + d;
                for (std::size_t g = tile; g < std::min(f.groups, tile + tile_groups); ++g) {
                    const float* p = &f.coordinates[g * group_points * d];
                    Floats s[together][2];
                    for (auto& half : s) {
                        half[0] = load_floats(&f.half_squares[g * group_points]);
                        half[1] = load_floats(&f.half_squares[g * group_points + 8]);
                    }
                    for (std::size_t c = 0; c < d; ++c, p += group_points) {
                        const Floats a = load_floats(p);
                        const Floats b = load_floats(p + 8);
                        s[0][0] -= a * q0[c];
                        s[0][1] -= b * q0[c];
                        s[1][0] -= a * q1[c];
                        s[1][1] -= b * q1[c];
                        s[2][0] -= a * q2[c];
                        s[2][1] -= b * q2[c];
                        s[3][0] -= a * q3[c];
                        s[3][1] -= b * q3[c];
                    }
                    for (std::size_t j = 0; j < together; ++j) {
                        QueryState& state = states[i + j];
                        const FloatMask near = (s[j][0] <= state.limit) | (s[j][1] <= state.limit);
                        std::int64_t any[4];
                        std::memcpy(any, &near, sizeof any);
                        if ((any[0] | any[1] | any[2] | any[3]) == 0) continue;
                        float scores[group_points];
                        std::memcpy(scores, &s[j], sizeof scores);
                        for (std::size_t lane = 0; lane < group_points; ++lane) {
                            const std::size_t row = g * group_points + lane;
                            if (!(scores[lane] <= state.limit) || row >= points.rows) continue;
                            state.best.offer(squared_distance(&points.values[row * d], &queries.values[(begin + i + j) * d], d),
                                             static_cast<std::uint32_t>(row));
                            state.tighten();
                        }
                    }
                }
            }
        for (std::size_t i = 0; i < n; ++i) {
            const auto& found = states[i].best.sorted();
            for (std::size_t j = 0; j < k; ++j) out[(begin + i) * k + j] = {std::sqrt(found[j].distance), found[j].row};
        }
    });
}

}  // namespace credence::rt
