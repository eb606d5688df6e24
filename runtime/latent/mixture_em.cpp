#include "runtime/latent/mixture_em.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/lane_vector.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

/// Share of an observation that a start gives to components other than its own: none begins with nothing.
constexpr double start_share = 0.1;
constexpr double never = -std::numeric_limits<double>::infinity();

std::size_t drawn_by_weight(std::span<const double> weights, Rng& rng) {
    double left = 0;
    for (const double w : weights) left += w;
    left *= rng.uniform();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        left -= weights[i];
        if (left < 0) return i;
    }
    return weights.size() - 1;
}

/// The sorted values cut into m parts of equal weight: which part each value is in.
std::vector<std::size_t> equal_parts(const MixtureData& data, std::size_t m) {
    std::vector<std::size_t> order(data.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return data.values[a] < data.values[b]; });
    std::vector<std::size_t> out(order.size());
    double below = 0;
    for (const auto i : order) {
        out[i] = std::min(m - 1, static_cast<std::size_t>((below + data.weights[i] / 2) / data.total * static_cast<double>(m)));
        below += data.weights[i];
    }
    return out;
}

/// Seeds drawn as k-means++ does (Arthur & Vassilvitskii 2007): the nearest of each value.
std::vector<std::size_t> seeded_parts(const MixtureData& data, std::size_t m, Rng& rng) {
    const std::size_t n = data.values.size();
    std::vector<std::size_t> out(n);
    std::vector<double> away;
    std::vector<double> weights = data.weights;
    for (std::size_t j = 0; j < m; ++j) {
        const double seed = data.values[drawn_by_weight(weights, rng)];
        for (std::size_t i = 0; i < n; ++i) {
            const double square = (data.values[i] - seed) * (data.values[i] - seed);
            if (j == 0) away.push_back(square);
            if (square < away[i]) {
                away[i] = square;
                out[i] = j;
            }
            weights[i] = data.weights[i] * away[i];
        }
    }
    return out;
}

bool is_spread(const FamilyParameter& p) { return p.role == Role::spread || p.role == Role::log_spread; }

}  // namespace

// --- starts -------------------------------------------------------------------------------------------------------------

/// Values × open components: each value mostly to one of them. The first start cuts the sorted values into equal parts in the order of
/// the components; the others draw seeds.
std::vector<double> MixtureProblem::partition(std::size_t restart, Rng& rng, std::span<const std::size_t> open) const {
    const std::size_t m = open.size();
    const std::size_t n = data_->values.size();
    std::vector<double> out(n * m);
    if (data_->domain) {  // labels have no distance: about equal shares
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < m; ++j) sum += out[i * m + j] = 0.2 + rng.uniform();
            for (std::size_t j = 0; j < m; ++j) out[i * m + j] /= sum;
        }
        return out;
    }
    const auto own = restart == 0 ? equal_parts(*data_, m) : seeded_parts(*data_, m, rng);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
            const auto& part = mixture_->parts[open[j]];
            const bool possible = !part.family || part.family->covers(data_->values[i]);
            out[i * m + j] = possible ? (own[i] == j ? 1 - start_share : 0) + start_share / static_cast<double>(m) : 0;
            if (!data_->known.empty() && data_->known[i] >= 0)
                out[i * m + j] = static_cast<std::size_t>(data_->known[i]) == open[j] && possible ? 1 : 0;
        }
    return out;
}

MixtureParameters MixtureProblem::start(std::size_t restart, Rng& rng) const {
    if (init_ && restart == 0) return *init_;
    const std::size_t k = mixture_->parts.size();
    MixtureParameters p;
    p.theta.resize(k);
    double given = 0;
    double holes = 0;
    for (const auto& w : mixture_->weights) (w ? given : holes) += w ? w->real() : 1;
    for (const auto& w : mixture_->weights) p.weights.push_back(w ? w->real() : (1 - given) / holes);
    std::vector<std::size_t> open;
    for (std::size_t j = 0; j < k; ++j) {
        const auto& part = mixture_->parts[j];
        if (part.has_holes()) open.push_back(j);
    }
    if (open.empty()) return p;
    const auto shares = partition(restart, rng, open);
    std::vector<double> r(data_->values.size());
    for (std::size_t o = 0; o < open.size(); ++o) {
        const auto& part = mixture_->parts[open[o]];
        auto& theta = p.theta[open[o]];
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = data_->weights[i] * shares[i * open.size() + o];
        if (part.family && part.family->starts_with_all) r = data_->weights;
        theta = most_likely(part, *data_, r);
        // Components about one known centre part by their spread alone.
        if (part.family && part.parameters.size() == 2 && part.parameters[0] && !part.parameters[1] &&
            is_spread(part.family->parameters[1]))
            theta[1] *= std::exp(0.7 * (static_cast<double>(o) - static_cast<double>(open.size() - 1) / 2));
    }
    return p;
}

// --- a step -------------------------------------------------------------------------------------------------------------

Result<double> MixtureProblem::responsibilities(const MixtureParameters& now, std::vector<double>& out) const {
    const std::size_t k = mixture_->parts.size();
    const std::size_t n = data_->values.size();
    out.resize(n * k);
    for (std::size_t j = 0; j < k; ++j) {
        const std::span<double> logs = std::span(out).subspan(j * n, n);
        log_densities(mixture_->parts[j], now.theta[j], *data_, logs);
        const double weight = std::log(now.weights[j]);
        for (double& log : logs) log += weight;
        for (std::size_t i = 0; i < data_->known.size(); ++i)  // what was seen is certain
            if (data_->known[i] >= 0 && static_cast<std::size_t>(data_->known[i]) != j) logs[i] = never;
    }
    double likelihood = 0;
    double* z = out.data();
    std::size_t i = 0;
    for (; i + lane_count <= n; i += lane_count) {
        Lanes top;
        load_lanes(top, z + i);
        for (std::size_t j = 1; j < k; ++j) {
            Lanes v;
            load_lanes(v, z + j * n + i);
            top = v > top ? v : top;
        }
        for (std::size_t l = 0; l < lane_count; ++l)
            if (!(top[l] > never)) return impossible(i + l);
        Lanes sum{};
        for (std::size_t j = 0; j < k; ++j) {
            Lanes v;
            load_lanes(v, z + j * n + i);
            v -= top;
            v = v > Lanes{-690, -690, -690, -690} ? exp_lanes(v) : Lanes{};
            sum += v;
            store_lanes(z + j * n + i, v);
        }
        for (std::size_t j = 0; j < k; ++j) {
            Lanes v;
            load_lanes(v, z + j * n + i);
            v /= sum;
            store_lanes(z + j * n + i, v);
        }
        for (std::size_t l = 0; l < lane_count; ++l) likelihood += data_->weights[i + l] * (top[l] + std::log(sum[l]));
    }
    for (; i < n; ++i) {
        double top = never;
        for (std::size_t j = 0; j < k; ++j) top = std::max(top, z[j * n + i]);
        if (!(top > never)) return impossible(i);
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += z[j * n + i] = std::exp(z[j * n + i] - top);
        for (std::size_t j = 0; j < k; ++j) z[j * n + i] /= sum;
        likelihood += data_->weights[i] * (top + std::log(sum));
    }
    return likelihood;
}

Fault MixtureProblem::impossible(std::size_t i) const {
    const std::string value =
        data_->domain ? (*data_->domain)[static_cast<std::size_t>(data_->values[i])].text() : label_text(Number::real(data_->values[i]));
    return {.code = "E-ZERO",
            .message = fmt::format("x = {} is impossible under every component of {}", value, mixture_->name),
            .hint = "the distributions do not reach there: counts are whole numbers from 0 on, a gamma is above 0, a beta within 0 and 1"};
}

Result<double> MixtureProblem::step(const MixtureParameters& now, MixtureParameters& next, Run&) const {
    std::vector<double> z;
    auto likelihood = responsibilities(now, z);
    if (!likelihood) return likelihood;
    const std::size_t k = mixture_->parts.size();
    const std::size_t n = data_->values.size();
    next = now;
    std::vector<double> counts(k);
    for (std::size_t j = 0; j < k; ++j)
        for (std::size_t i = 0; i < n; ++i) counts[j] += z[j * n + i] *= data_->weights[i];
    // What the given weights leave is shared in proportion to the expected counts.
    double given = 0;
    double open = 0;
    for (std::size_t j = 0; j < k; ++j) (mixture_->weights[j] ? given : open) += mixture_->weights[j] ? now.weights[j] : counts[j];
    for (std::size_t j = 0; j < k; ++j)
        if (!mixture_->weights[j] && open > 0) next.weights[j] = (1 - given) * counts[j] / open;
    for (std::size_t j = 0; j < k; ++j)
        if (mixture_->parts[j].has_holes()) maximise(mixture_->parts[j], *data_, std::span(z).subspan(j * n, n), next.theta[j]);
    return likelihood;
}

bool MixtureProblem::spurious(const MixtureParameters& p) const {
    for (std::size_t j = 0; j < p.theta.size(); ++j)
        if (at_bound(mixture_->parts[j], *data_, p.theta[j])) return true;
    return false;
}

}  // namespace credence::rt
