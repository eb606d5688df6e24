#include <algorithm>
#include <limits>

#include "runtime/core/parallel.hpp"
#include "runtime/latent/k_means.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t k_block = GaussianRows::block;
constexpr std::size_t k_blocks_a_chunk = 64;

/// Squared distances of a block's rows from a centre.
void squares_from(const double* x, std::size_t d, const double* centre, double* out) {
    for (std::size_t b = 0; b < k_block; b += lane_count) {
        Lanes sum{};
        for (std::size_t j = 0; j < d; ++j) {
            Lanes v;
            load_lanes(v, x + j * k_block + b);
            v -= centre[j];
            sum += v * v;
        }
        store_lanes(out + b, sum);
    }
}

struct PassSums {
    std::vector<double> sums;
    std::vector<double> sizes;
    double inertia = 0;
    double farthest = -1;
    std::size_t farthest_row = 0;
};

}  // namespace

std::vector<double> spread_seeds(const GaussianRows& rows, std::size_t k, Rng& rng) {
    const std::size_t d = rows.dims;
    std::vector<double> out(k * d);
    std::vector<double> away(rows.blocks() * k_block, std::numeric_limits<double>::infinity());
    std::vector<double> square(k_block);
    double total = rows.total;
    for (std::size_t c = 0; c < k; ++c) {
        double left = rng.uniform() * total;
        std::size_t pick = rows.rows - 1;
        for (std::size_t i = 0; i < rows.rows; ++i) {
            left -= rows.weights.data()[i] * (c == 0 ? 1.0 : away[i]);
            if (left < 0) {
                pick = i;
                break;
            }
        }
        for (std::size_t j = 0; j < d; ++j) out[c * d + j] = rows.at(pick, j);
        total = 0;
        for (std::size_t b = 0; b < rows.blocks(); ++b) {
            squares_from(rows.values.data() + b * d * k_block, d, out.data() + c * d, square.data());
            for (std::size_t i = 0; i < k_block; ++i) {
                double& nearest = away[b * k_block + i];
                nearest = std::min(nearest, square[i]);
                total += rows.weights.data()[b * k_block + i] * nearest;
            }
        }
    }
    return out;
}

double lloyd_pass(const GaussianRows& rows, std::vector<double>& centres, std::vector<double>& sizes, unsigned threads) {
    const std::size_t d = rows.dims;
    const std::size_t k = centres.size() / d;
    const std::size_t chunks = (rows.blocks() + k_blocks_a_chunk - 1) / k_blocks_a_chunk;
    std::vector<PassSums> parts(chunks);
    parallel_chunks(rows.blocks(), k_blocks_a_chunk, threads, [&](std::size_t index, std::size_t begin, std::size_t end) {
        PassSums& part = parts[index];
        part.sums.assign(k * d, 0.0);
        part.sizes.assign(k, 0.0);
        double square[k_block];
        double nearest[k_block];
        std::size_t own[k_block];
        for (std::size_t b = begin; b < end; ++b) {
            const double* x = rows.values.data() + b * d * k_block;
            const double* w = rows.weights.data() + b * k_block;
            for (std::size_t c = 0; c < k; ++c) {
                squares_from(x, d, centres.data() + c * d, square);
                for (std::size_t i = 0; i < k_block; ++i) {
                    const bool closer = c == 0 || square[i] < nearest[i];
                    nearest[i] = closer ? square[i] : nearest[i];
                    own[i] = closer ? c : own[i];
                }
            }
            for (std::size_t i = 0; i < k_block; ++i) {
                if (w[i] == 0) continue;
                part.inertia += w[i] * nearest[i];
                part.sizes[own[i]] += w[i];
                if (nearest[i] > part.farthest) {
                    part.farthest = nearest[i];
                    part.farthest_row = b * k_block + i;
                }
                for (std::size_t j = 0; j < d; ++j) part.sums[own[i] * d + j] += w[i] * x[j * k_block + i];
            }
        }
    });
    std::vector<double> sums(k * d, 0.0);
    sizes.assign(k, 0.0);
    double inertia = 0;
    double farthest = -1;
    std::size_t farthest_row = 0;
    for (const auto& part : parts) {
        inertia += part.inertia;
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part.sums[i];
        for (std::size_t c = 0; c < k; ++c) sizes[c] += part.sizes[c];
        if (part.farthest > farthest) {
            farthest = part.farthest;
            farthest_row = part.farthest_row;
        }
    }
    for (std::size_t c = 0; c < k; ++c)
        for (std::size_t j = 0; j < d; ++j) centres[c * d + j] = sizes[c] > 0 ? sums[c * d + j] / sizes[c] : rows.at(farthest_row, j);
    return inertia;
}

}  // namespace credence::rt
