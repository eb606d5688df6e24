#pragma once
// Points in blocks of eight, coordinate by coordinate: the leaves of every tree, compared eight at a time.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/core/lanes.hpp"
#include "runtime/core/linalg.hpp"
#include "runtime/instance/nearest.hpp"

namespace credence::rt {

template <Norm norm>
inline void accumulate_difference(Lanes& sum, const Lanes& difference) {
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

constexpr std::size_t block_points = 8;

/// What is compared (squares under the euclidean norm) for the eight points of a block. D == 0: d is known only now. Coordinates are
/// added in their order, so that every index gives the same distance to the bit.
template <Norm norm, std::size_t D = 0>
inline void compare_block(const double* block, const double* query, std::size_t d, Lanes& first, Lanes& second) {
    if constexpr (D > 0) d = D;
    first = Lanes{};
    second = Lanes{};
    Lanes x;
    for (std::size_t c = 0; c < d; ++c, block += block_points) {
        load_lanes(x, block);
        accumulate_difference<norm>(first, x - query[c]);
        load_lanes(x, block + 4);
        accumulate_difference<norm>(second, x - query[c]);
    }
}

/// Points in the order of the leaves of a tree that is being built: rows move as a whole, so that every pass runs through memory in order.
struct MovingPoints {
    std::size_t d = 0;
    std::vector<double> points;
    std::vector<std::uint32_t> rows;

    explicit MovingPoints(const Matrix& from) : d(from.columns), points(from.values), rows(from.rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
    }
    const double* point(std::size_t i) const { return points.data() + i * d; }
    void swap(std::size_t i, std::size_t j) {
        std::swap_ranges(points.begin() + static_cast<std::ptrdiff_t>(i * d), points.begin() + static_cast<std::ptrdiff_t>((i + 1) * d),
                         points.begin() + static_cast<std::ptrdiff_t>(j * d));
        std::swap(rows[i], rows[j]);
    }
    /// Points of the first kind come first; where the second part begins.
    template <class First>
    std::size_t partition(std::size_t begin, std::size_t end, First first) {
        std::size_t i = begin;
        std::size_t j = end;
        while (true) {
            while (i < j && first(point(i))) ++i;
            while (i < j && !first(point(j - 1))) --j;
            if (i == j) return i;
            swap(i++, --j);
        }
    }
};

class PointBlocks {
public:
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };
    void reserve(std::size_t blocks, std::size_t d) {
        coordinates_.reserve(blocks * block_points * d);
        rows_.reserve(blocks * block_points);
    }
    /// As blocks of their own; places that stay empty have no row.
    Range add(const MovingPoints& from, std::size_t begin, std::size_t end) {
        const Range out{static_cast<std::uint32_t>(rows_.size() / block_points),
                        static_cast<std::uint32_t>((end - begin + block_points - 1) / block_points)};
        const std::size_t start = coordinates_.size();
        coordinates_.resize(start + out.count * block_points * from.d, std::numeric_limits<double>::infinity());
        rows_.resize(rows_.size() + out.count * block_points, Neighbour{}.row);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t at = i - begin;
            rows_[out.first * block_points + at] = from.rows[i];
            double* block = &coordinates_[start + at / block_points * block_points * from.d];
            for (std::size_t c = 0; c < from.d; ++c) block[c * block_points + at % block_points] = from.point(i)[c];
        }
        return out;
    }
    /// Offers what may be among the nearest; the number of points.
    template <Norm norm, std::size_t D>
    std::size_t offer(Range range, const double* query, std::size_t d, Nearest& best) const {
        return offer(range, D > 0 ? D : d, best, [&](const double* block, double* out) {
            Lanes first, second;
            compare_block<norm, D>(block, query, d, first, second);
            store_lanes(out, first);
            store_lanes(out + 4, second);
        });
    }
    /// The same with any way to compare the points of a block.
    template <class Compare>
    std::size_t offer(Range range, std::size_t d, Nearest& best, const Compare& compare) const {
        const double* block = &coordinates_[range.first * block_points * d];
        const std::uint32_t* rows = &rows_[range.first * block_points];
        for (std::uint32_t b = 0; b < range.count; ++b, block += block_points * d, rows += block_points) {
            double compared[block_points];
            compare(block, compared);
            Lanes first, second;
            load_lanes(first, compared);
            load_lanes(second, compared + 4);
            const double worst = best.worst();
            const auto hits = (first <= worst) | (second <= worst);
            if ((hits[0] | hits[1] | hits[2] | hits[3]) == 0) continue;
            for (std::size_t i = 0; i < block_points; ++i)
                if (compared[i] <= best.worst() && rows[i] != Neighbour{}.row) best.offer(compared[i], rows[i]);
        }
        return range.count * block_points;
    }

private:
    std::vector<double> coordinates_;  ///< d × block_points a block
    std::vector<std::uint32_t> rows_;
};

}  // namespace credence::rt
