// Forward and backward in doubles. States are padded to a multiple of four, so that a step is a few vectors of states times a matrix.

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/lane_vector.hpp"
#include "runtime/latent/hmm.hpp"

namespace credence::rt {

namespace {

/// The moves by rows of four: of each state where it goes, and where it came from.
class PaddedMoves {
public:
    explicit PaddedMoves(const HmmArrays& a)
        : k(a.states), width((k + lane_count - 1) / lane_count * lane_count), forth(k * width), back(k * width) {
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) {
                forth.data()[i * width + j] = a.move[i * k + j];
                back.data()[j * width + i] = a.move[i * k + j];
            }
    }
    /// out = Σ_i weights[i] · row i.
    void combine(const double* weights, const LaneVector& rows, double* out) const {
        for (std::size_t b = 0; b < width; b += lane_count) {
            Lanes sum{};
            const double* row = rows.data() + b;
            for (std::size_t i = 0; i < k; ++i, row += width) {
                Lanes v;
                load_lanes(v, row);
                sum += weights[i] * v;
            }
            store_lanes(out + b, sum);
        }
    }

    std::size_t k;
    std::size_t width;
    LaneVector forth;
    LaneVector back;
};

}  // namespace

HmmForward hmm_forward(const HmmArrays& a, std::size_t steps, const EmissionRow& emission_at, std::span<double> filtered,
                       std::span<double> scale) {
    const std::size_t k = a.states;
    const PaddedMoves moves(a);
    LaneVector now(moves.width);
    LaneVector next(moves.width);
    std::copy(a.start.begin(), a.start.end(), now.data());
    HmmForward out;
    // The logarithm of a product of sums instead of each sum's, while the product is far from the ends of the doubles.
    double product = 1;
    for (std::size_t t = 0; t < steps; ++t) {
        if (t > 0) {
            moves.combine(now.data(), moves.forth, next.data());
            std::swap(now, next);
        }
        const double* emission = emission_at(t);
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += now.data()[j] *= emission[j];
        if (!(sum > 0)) {
            out.impossible = t;
            out.log = -std::numeric_limits<double>::infinity();
            return out;
        }
        const double inverse = 1 / sum;
        for (std::size_t j = 0; j < k; ++j) filtered[t * k + j] = now.data()[j] *= inverse;
        if (!scale.empty()) scale[t] = inverse;
        if (sum < 1e-100)
            out.log += std::log(sum);
        else
            product *= sum;
        if (!(product > 1e-100 && product < 1e100)) {
            out.log += std::log(product);
            product = 1;
        }
    }
    out.log += std::log(product);
    return out;
}

void hmm_backward(const HmmArrays& a, std::size_t steps, const EmissionRow& emission_at, std::span<const double> scale,
                  std::span<double> shares, std::span<double> expected_moves) {
    const std::size_t k = a.states;
    const PaddedMoves moves(a);
    const std::size_t width = moves.width;
    LaneVector back(width);
    LaneVector weighted(width);
    LaneVector counts(expected_moves.empty() ? 0 : k * width);
    std::fill(back.data(), back.data() + k, 1.0);
    for (std::size_t t = steps; t-- > 0;) {
        double* now = shares.data() + t * k;
        if (t + 1 < steps) {
            const double* emission = emission_at(t + 1);
            for (std::size_t j = 0; j < k; ++j) weighted.data()[j] = emission[j] * back.data()[j] * scale[t + 1];
            moves.combine(weighted.data(), moves.back, back.data());
            if (!expected_moves.empty())
                for (std::size_t i = 0; i < k; ++i) add_scaled(counts.data() + i * width, now[i], weighted.data(), width);
        }
        for (std::size_t j = 0; j < k; ++j) now[j] *= back.data()[j];
    }
    if (!expected_moves.empty())
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) expected_moves[i * k + j] += counts.data()[i * width + j] * a.move[i * k + j];
}

double forward_backward(const HmmArrays& a, std::span<const double> emissions, std::size_t steps, std::span<double> posterior,
                        std::span<double> expected_moves) {
    std::vector<double> scale(steps);
    const EmissionRow row = [&](std::size_t t) { return emissions.data() + t * a.states; };
    const HmmForward pass = hmm_forward(a, steps, row, posterior, scale);
    if (pass.impossible) return pass.log;
    hmm_backward(a, steps, row, scale, posterior, expected_moves);
    return pass.log;
}

}  // namespace credence::rt
