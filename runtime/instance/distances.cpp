// Distances of one query from many points, four points at once: the result of `distance` for each, to the last bit,
// for the spaces that no tree can cut.

#include <algorithm>
#include <cmath>

#include "runtime/core/lanes.hpp"
#include "runtime/instance/metric.hpp"

namespace credence::rt {

namespace {

typedef long long Mask __attribute__((vector_size(32)));

Lanes where_set(Mask mask, Lanes value) { return (Lanes)(mask & (Mask)value); }
Lanes all_of_lanes(double x) { return Lanes{x, x, x, x}; }
Lanes size_of_lanes(Lanes x) { return (Lanes)((Mask)x & (Mask{} + 0x7fffffffffffffffLL)); }

/// What a metric adds up over the columns, for four points; and what it makes of the sums.
struct Sums {
    Lanes sum = {};
    Lanes weight = {};
};

}  // namespace

template <class Add>
void MetricSpace::over_columns(const double* points, std::size_t stride, std::size_t n, double* out, double* weights, Add add) const {
    for (std::size_t i = 0; i < n; i += 8) {
        Sums a, b;
        Lanes x;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            load_lanes(x, points + c * stride + i);
            add(a, x, c);
            load_lanes(x, points + c * stride + i + 4);
            add(b, x, c);
        }
        store_lanes(out + i, a.sum);
        store_lanes(out + i + 4, b.sum);
        store_lanes(weights + i, a.weight);
        store_lanes(weights + i + 4, b.weight);
    }
}

void MetricSpace::distances(const double* points, std::size_t stride, std::size_t n, const double* query, double* out,
                            double* weights) const {
    const auto apart = [&](Lanes x, std::size_t c) {
        const Lanes at = all_of_lanes(query[c]);
        return columns_[c].label ? where_set(x != at, all_of_lanes(columns_[c].stretch)) : x - at;
    };
    switch (options_.metric) {
        case Metric::euclidean:
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) {
                const Lanes e = apart(x, c);
                s.sum += e * e;
            });
            for (std::size_t i = 0; i < n; ++i) out[i] = std::sqrt(out[i]);
            return;
        case Metric::manhattan:
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) { s.sum += size_of_lanes(apart(x, c)); });
            return;
        case Metric::chebyshev:
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) {
                const Lanes e = size_of_lanes(apart(x, c));
                s.sum = where_set(e > s.sum, e) + where_set(~(e > s.sum), s.sum);
            });
            return;
        case Metric::cosine: {
            double own = 0;
            for (std::size_t c = 0; c < columns_.size(); ++c) own += query[c] * query[c];
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) {
                const Lanes e = x - all_of_lanes(query[c]);
                s.sum += e * e;
                s.weight += x * x;
            });
            for (std::size_t i = 0; i < n; ++i) out[i] = (weights[i] > 0) == (own > 0) ? out[i] / 2 : 1;
            return;
        }
        case Metric::hamming:
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) {
                s.sum += where_set(x != all_of_lanes(query[c]), all_of_lanes(columns_[c].stretch));
            });
            return;
        case Metric::gower:
            over_columns(points, stride, n, out, weights, [&](Sums& s, Lanes x, std::size_t c) {
                const Coordinate& column = columns_[c];
                const Lanes at = all_of_lanes(query[c]);
                const Lanes stretch = all_of_lanes(column.stretch);
                const Mask both = (x == x) & (at == at);
                s.weight += where_set(both, stretch);
                if (column.label) {
                    s.sum += where_set(both & (x != at), stretch);
                    return;
                }
                const Lanes one = all_of_lanes(1);
                const Lanes e = size_of_lanes(x - at) * all_of_lanes(column.factor);
                const Lanes share = where_set(e < one, e) + where_set(e >= one, one);
                s.sum += where_set(both, stretch * share);
            });
            for (std::size_t i = 0; i < n; ++i) out[i] = weights[i] > 0 ? out[i] / weights[i] : 1;
            return;
    }
}

}  // namespace credence::rt
