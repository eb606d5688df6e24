// ROC curves, the area under them, and calibration.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/core/special.hpp"
#include "runtime/judge/metrics.hpp"

namespace credence::rt {

namespace {

double weight_in(const Ranking& r, std::size_t i) { return r.weights.empty() ? 1.0 : r.weights[i]; }

bool whole_weights(const Ranking& r) {
    return std::all_of(r.weights.begin(), r.weights.end(), [](double w) { return w == std::floor(w) && w < 1e9; });
}

Number as_number(double x, bool exact) { return exact ? Number(Rational::from_decimal(x)) : Number::real(x); }

/// Positive and negative weight of each different score, the highest first.
struct Step {
    double score = 0;
    double positive = 0;
    double negative = 0;
};

std::vector<Step> steps_of(const Ranking& r) {
    std::vector<std::uint32_t> order(r.scores.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return r.scores[a] > r.scores[b]; });
    std::vector<Step> out;
    for (const auto i : order) {
        if (out.empty() || out.back().score != r.scores[i]) out.push_back({r.scores[i], 0, 0});
        (r.positive[i] ? out.back().positive : out.back().negative) += weight_in(r, i);
    }
    return out;
}

}  // namespace

std::vector<RocPoint> roc_of(const Ranking& ranking) {
    const bool exact = whole_weights(ranking);
    const auto steps = steps_of(ranking);
    double positives = 0;
    double negatives = 0;
    for (const auto& s : steps) {
        positives += s.positive;
        negatives += s.negative;
    }
    std::vector<RocPoint> out{{std::numeric_limits<double>::infinity(), as_number(0, exact), as_number(0, exact)}};
    double up = 0;
    double right = 0;
    for (const auto& s : steps) {
        up += s.positive;
        right += s.negative;
        out.push_back({s.score, as_number(right, exact) / as_number(negatives, exact), as_number(up, exact) / as_number(positives, exact)});
    }
    return out;
}

Number auc_of(const Ranking& ranking) {
    const bool exact = whole_weights(ranking);
    // Twice the wins of positive over negative rows: whole numbers, where the weights are.
    Number twice;
    double above = 0;
    double positives = 0;
    double negatives = 0;
    CompensatedSum real;
    for (const auto& s : steps_of(ranking)) {
        const double wins = s.negative * (2 * above + s.positive);
        if (exact)
            twice += as_number(s.negative, true) * as_number(2 * above + s.positive, true);
        else
            real.add(wins);
        above += s.positive;
        positives += s.positive;
        negatives += s.negative;
    }
    if (exact) return twice / (Number(2) * as_number(positives, true) * as_number(negatives, true));
    return Number::real(real.value() / (2 * positives * negatives));
}

std::vector<CalibrationBin> calibration_of(const Ranking& ranking, std::size_t bins) {
    const bool exact = whole_weights(ranking);
    std::vector<double> rows(bins, 0);
    std::vector<double> positive(bins, 0);
    std::vector<CompensatedSum> predicted(bins);
    for (std::size_t i = 0; i < ranking.scores.size(); ++i) {
        const double w = weight_in(ranking, i);
        const double at = ranking.scores[i] * static_cast<double>(bins);
        const auto bin = std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, at)));
        rows[bin] += w;
        predicted[bin].add(w * ranking.scores[i]);
        if (ranking.positive[i]) positive[bin] += w;
    }
    std::vector<CalibrationBin> out;
    const auto edge = [&](std::size_t b) { return Number(Rational(static_cast<int>(b)) / Rational(static_cast<int>(bins))); };
    for (std::size_t b = 0; b < bins; ++b)
        if (rows[b] > 0)
            out.push_back({edge(b), edge(b + 1), as_number(rows[b], exact), predicted[b].value() / rows[b],
                           as_number(positive[b], exact) / as_number(rows[b], exact)});
    return out;
}

}  // namespace credence::rt
