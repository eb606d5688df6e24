#include "runtime/margin/sparse_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/core/contains.hpp"
#include "runtime/core/parallel.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t at_once = 8;  // machines trained together: their weights of a column fill one vector, so a row is gone through once
typedef float Eight __attribute__((vector_size(32)));

struct Pack {
    Eight v{};
};

float largest_of(const Eight& v) {
    float out = v[0];
    for (std::size_t m = 1; m < at_once; ++m) out = std::max(out, v[m]);
    return out;
}

struct LabelGroup {
    std::size_t first = 0;  ///< label of its first machine
    std::size_t count = 0;
};

/// Up to eight machines, each from w = 0; false if it was stopped.
bool train_group(const SparseRows& rows, std::span<const std::int32_t> labels, const LabelGroup& group, std::span<const double> row_weights,
                 const SparseOptions& options, Rng rng, const Run& run, std::vector<Pack>& w) {
    const std::size_t n = rows.size();
    std::vector<Pack> alphas(n);
    std::vector<float> square(n, 0.0F);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = rows.begin[i]; k < rows.begin[i + 1]; ++k) square[i] += rows.value[k] * rows.value[k];
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t pass = 0; pass < options.passes; ++pass) {
        if (run.stopped()) return false;
        for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
        Eight most = Eight{} - std::numeric_limits<float>::infinity();
        Eight least = Eight{} + std::numeric_limits<float>::infinity();
        for (const auto i : order) {
            const float weight = row_weights.empty() ? 1.0F : static_cast<float>(row_weights[i]);
            const float diagonal = 0.5F / (static_cast<float>(options.c) * weight);
            Eight y = Eight{} - 1.0F;
            const auto own = static_cast<std::size_t>(labels[i]) - group.first;
            if (own < at_once) y[own] = 1.0F;
            const Eight alpha = alphas[i].v;
            Eight even{};
            Eight odd{};
            std::size_t k = rows.begin[i];
            const std::size_t end = rows.begin[i + 1];
            for (; k + 2 <= end; k += 2) {
                even += w[rows.column[k]].v * rows.value[k];
                odd += w[rows.column[k + 1]].v * rows.value[k + 1];
            }
            if (k < end) even += w[rows.column[k]].v * rows.value[k];
            const Eight gradient = y * (even + odd) - 1.0F + alpha * diagonal;
            const Eight falling = gradient < 0.0F ? gradient : Eight{};
            const Eight projected = alpha > 0.0F ? gradient : falling;
            most = projected > most ? projected : most;
            least = projected < least ? projected : least;
            Eight next = alpha - gradient / (square[i] + diagonal);
            next = next > 0.0F ? next : Eight{};
            const Eight change = (next - alpha) * y;
            alphas[i].v = next;
            float moved = 0;
            for (std::size_t m = 0; m < at_once; ++m) moved += std::abs(change[m]);
            if (moved == 0) continue;
            for (k = rows.begin[i]; k < end; ++k) w[rows.column[k]].v += change * rows.value[k];
        }
        if (largest_of(most - least) <= static_cast<float>(options.tolerance)) break;
    }
    return true;
}

}  // namespace

Result<Matrix> train_sparse(const SparseRows& rows, std::size_t columns, std::span<const std::int32_t> labels, std::size_t label_count,
                            std::span<const double> row_weights, const SparseOptions& options, const Run& run) {
    const std::size_t from = label_count == 2 ? 1 : 0;
    std::vector<LabelGroup> groups;
    for (std::size_t k = from; k < label_count; k += at_once) groups.push_back({k, std::min(at_once, label_count - k)});
    Matrix out(label_count - from, columns);
    std::vector<char> finished(groups.size(), 0);
    parallel_chunks(groups.size(), 1, run.threads, [&](std::size_t g, std::size_t, std::size_t) {
        std::vector<Pack> w(columns);
        finished[g] = train_group(rows, labels, groups[g], row_weights, options, run.rng.child("pass").child(g), run, w) ? 1 : 0;
        for (std::size_t m = 0; m < groups[g].count; ++m)
            for (std::size_t c = 0; c < columns; ++c) out(groups[g].first - from + m, c) = static_cast<double>(w[c].v[m]);
    });
    if (contains(finished, 0)) return stopped_fault();
    return out;
}

}  // namespace credence::rt
