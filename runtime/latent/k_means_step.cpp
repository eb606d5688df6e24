#include <algorithm>
#include <limits>

#include "runtime/core/spread.hpp"
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

/// Each row of some blocks to its nearest centre, the first of equals.
void add_blocks(const GaussianRows& rows, const std::vector<double>& centres, std::size_t begin, std::size_t end, LloydSums& out) {
    const std::size_t d = rows.dims;
    const std::size_t k = centres.size() / d;
    out.sums.assign(k * d, 0.0);
    out.sizes.assign(k, 0.0);
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
            out.inertia += w[i] * nearest[i];
            out.sizes[own[i]] += w[i];
            if (nearest[i] > out.farthest) {
                out.farthest = nearest[i];
                out.farthest_row.resize(d);
                for (std::size_t j = 0; j < d; ++j) out.farthest_row[j] = x[j * k_block + i];
            }
            for (std::size_t j = 0; j < d; ++j) out.sums[own[i] * d + j] += w[i] * x[j * k_block + i];
        }
    }
}

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

void LloydSums::add(const LloydSums& more) {
    if (sizes.empty()) {
        sums.assign(more.sums.size(), 0.0);
        sizes.assign(more.sizes.size(), 0.0);
    }
    inertia += more.inertia;
    for (std::size_t i = 0; i < more.sums.size(); ++i) sums[i] += more.sums[i];
    for (std::size_t c = 0; c < more.sizes.size(); ++c) sizes[c] += more.sizes[c];
    if (more.farthest > farthest) {
        farthest = more.farthest;
        farthest_row = more.farthest_row;
    }
}

LloydSums lloyd_sums(const GaussianRows& rows, const std::vector<double>& centres, const Run& run) {
    const std::size_t d = rows.dims;
    const std::size_t k = centres.size() / d;
    const std::size_t chunks = (rows.blocks() + k_blocks_a_chunk - 1) / k_blocks_a_chunk;
    std::vector<LloydSums> parts(chunks);
    const auto cost = static_cast<double>(rows.rows * k * d);
    spread_chunks(run, {.n = rows.blocks(), .chunk = k_blocks_a_chunk, .cost = cost}, parts,
                  [&](std::size_t index, std::size_t begin, std::size_t end) { add_blocks(rows, centres, begin, end, parts[index]); });
    LloydSums out;
    out.sums.assign(k * d, 0.0);
    out.sizes.assign(k, 0.0);
    for (const auto& part : parts) out.add(part);
    return out;
}

void move_centres(const LloydSums& from, std::vector<double>& centres) {
    const std::size_t k = from.sizes.size();
    const std::size_t d = centres.size() / k;
    for (std::size_t c = 0; c < k; ++c)
        for (std::size_t j = 0; j < d; ++j)
            centres[c * d + j] = from.sizes[c] > 0 ? from.sums[c * d + j] / from.sizes[c] : from.farthest_row[j];
}

double lloyd_pass(const GaussianRows& rows, std::vector<double>& centres, std::vector<double>& sizes, const Run& run) {
    LloydSums sums = lloyd_sums(rows, centres, run);
    move_centres(sums, centres);
    sizes = std::move(sums.sizes);
    return sums.inertia;
}

}  // namespace credence::rt
