#include "runtime/judge/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

double weight_at(std::span<const double> weights, std::size_t i) { return weights.empty() ? 1.0 : weights[i]; }

/// Sums of whole numbers are exact in doubles up to 2^53; then counts and their ratios are fractions.
bool whole(std::span<const double> weights) {
    return std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w) && w < 1e9; });
}

Number counted(double sum, bool exact) { return exact ? Number(Rational::from_decimal(sum)) : Number::real(sum); }

Number ratio(double part, double of, bool exact) {
    if (!(of > 0)) return exact ? Number(0) : Number::real(0);
    return counted(part, exact) / counted(of, exact);
}

Number mean_over(const std::vector<ClassScores>& all, Number ClassScores::*score) {
    Number sum;
    int labels = 0;
    for (const auto& c : all) {
        if (c.support.is_zero() && c.said.is_zero()) continue;
        sum += c.*score;
        ++labels;
    }
    return labels == 0 ? sum : sum / Number(labels);
}

/// Mean of −ln P(actual), and of the squared distances.
void judge_probabilities(const LabelOutcomes& o, LabelScores& out) {
    const std::size_t labels = o.labels->size();
    CompensatedSum loss;
    CompensatedSum squares;
    CompensatedSum total;
    for (std::size_t i = 0; i < o.rows(); ++i) {
        const double w = weight_at(o.weights, i);
        const auto actual = static_cast<std::size_t>(o.actual[i]);
        const double* p = &o.probabilities[i * labels];
        loss.add(-w * std::log(std::max(p[actual], least_probability)));
        double apart = 0;
        for (std::size_t k = 0; k < labels; ++k) {
            const double d = p[k] - (k == actual ? 1.0 : 0.0);
            apart += d * d;
        }
        squares.add(w * (labels == 2 ? apart / 2 : apart));
        total.add(w);
    }
    out.log_loss = loss.value() / total.value();
    out.brier = squares.value() / total.value();
}

}  // namespace

LabelScores scores_of(const LabelOutcomes& o) {
    const std::size_t labels = o.labels->size();
    const bool exact = whole(o.weights);
    std::vector<double> counts(labels * labels, 0.0);
    for (std::size_t i = 0; i < o.rows(); ++i)
        counts[static_cast<std::size_t>(o.actual[i]) * labels + static_cast<std::size_t>(o.predicted[i])] += weight_at(o.weights, i);
    LabelScores out;
    double right = 0;
    double all = 0;
    for (std::size_t k = 0; k < labels; ++k) right += counts[k * labels + k];
    for (const double c : counts) {
        all += c;
        out.confusion.push_back(counted(c, exact));
    }
    out.accuracy = ratio(right, all, exact);
    for (std::size_t k = 0; k < labels; ++k) {
        const double hit = counts[k * labels + k];
        double support = 0;
        double said = 0;
        for (std::size_t j = 0; j < labels; ++j) {
            support += counts[k * labels + j];
            said += counts[j * labels + k];
        }
        out.by_class.push_back({ratio(hit, said, exact), ratio(hit, support, exact), ratio(2 * hit, said + support, exact),
                                counted(support, exact), counted(said, exact)});
    }
    Number chance;
    for (const auto& c : out.by_class) chance += c.support * c.said;
    chance = chance / (counted(all, exact) * counted(all, exact));
    if (chance < Number(1)) out.kappa = (out.accuracy - chance) / (Number(1) - chance);
    if (labels == 2) {
        const ClassScores& positive = out.by_class.back();
        out.precision = positive.precision;
        out.recall = positive.recall;
        out.f1 = positive.f1;
    } else {
        out.precision = mean_over(out.by_class, &ClassScores::precision);
        out.recall = mean_over(out.by_class, &ClassScores::recall);
        out.f1 = mean_over(out.by_class, &ClassScores::f1);
    }
    if (!o.probabilities.empty() && !o.only_labels) judge_probabilities(o, out);
    return out;
}

Number accuracy_of(const LabelOutcomes& o) {
    double right = 0;
    double all = 0;
    for (std::size_t i = 0; i < o.rows(); ++i) {
        const double w = weight_at(o.weights, i);
        all += w;
        if (o.actual[i] == o.predicted[i]) right += w;
    }
    return ratio(right, all, whole(o.weights));
}

NumberScores scores_of(const NumberOutcomes& o) {
    CompensatedSum total;
    CompensatedSum sum;
    for (std::size_t i = 0; i < o.rows(); ++i) {
        total.add(weight_at(o.weights, i));
        sum.add(weight_at(o.weights, i) * o.actual[i]);
    }
    const double mean = sum.value() / total.value();
    CompensatedSum squares;
    CompensatedSum sizes;
    CompensatedSum spread;
    for (std::size_t i = 0; i < o.rows(); ++i) {
        const double w = weight_at(o.weights, i);
        const double e = o.actual[i] - o.predicted[i];
        const double d = o.actual[i] - mean;
        squares.add(w * e * e);
        sizes.add(w * std::abs(e));
        spread.add(w * d * d);
    }
    NumberScores out;
    out.rmse = std::sqrt(squares.value() / total.value());
    out.mae = sizes.value() / total.value();
    if (spread.value() > 0)
        out.r2 = 1 - squares.value() / spread.value();
    else
        out.r2 = squares.value() == 0 ? 1.0 : 0.0;
    return out;
}

double rmse_of(const NumberOutcomes& o) {
    CompensatedSum total;
    CompensatedSum squares;
    for (std::size_t i = 0; i < o.rows(); ++i) {
        const double e = o.actual[i] - o.predicted[i];
        total.add(weight_at(o.weights, i));
        squares.add(weight_at(o.weights, i) * e * e);
    }
    return std::sqrt(squares.value() / total.value());
}

// --- over folds ---------------------------------------------------------------------------------------------------------

Spread spread_of(std::span<const Number> values) {
    Spread out;
    for (const auto& v : values) out.mean += v;
    const auto n = static_cast<double>(values.size());
    out.mean = out.mean / Number(static_cast<int>(values.size()));
    if (values.size() < 2) return out;
    CompensatedSum squares;
    for (const auto& v : values) {
        const double d = (v - out.mean).real();
        squares.add(d * d);
    }
    out.sd = std::sqrt(squares.value() / (n - 1));
    out.standard_error = out.sd / std::sqrt(n);
    return out;
}

PairedTest paired_t(std::span<const Number> a, std::span<const Number> b, double level) {
    std::vector<Number> differences;
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
    const Spread spread = spread_of(differences);
    PairedTest out;
    out.difference = spread.mean;
    out.standard_error = spread.standard_error;
    out.degrees = static_cast<double>(a.size()) - 1;
    const double mean = spread.mean.real();
    if (out.standard_error > 0) {
        out.t = mean / out.standard_error;
        out.p = 2 * student_t_lower(out.degrees, -std::abs(out.t));
    } else if (mean != 0) {
        out.t = std::copysign(std::numeric_limits<double>::infinity(), mean);
        out.p = 0;
    }
    const double tail = (1 - level) / 2;
    const double reach = out.standard_error > 0 ? student_t_quantile(out.degrees, 1 - tail, tail) * out.standard_error : 0.0;
    out.low = mean - reach;
    out.high = mean + reach;
    return out;
}

McNemar mcnemar(const LabelOutcomes& a, const LabelOutcomes& b) {
    McNemar out;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        const bool right_a = a.actual[i] == a.predicted[i];
        const bool right_b = b.actual[i] == b.predicted[i];
        out.only_a += right_a && !right_b;
        out.only_b += right_b && !right_a;
    }
    const auto n = static_cast<std::int64_t>(out.only_a + out.only_b);
    const auto fewer = static_cast<std::int64_t>(std::min(out.only_a, out.only_b));
    // Fractions as long as they stay readable; beyond, the binomial by its beta function: P(X ≤ k) = I_{1/2}(n − k, k + 1).
    if (n <= 1000) {
        const Rational twice = Rational(2) * exact_binomial_lower(n, Rational(1) / Rational(2), fewer);
        out.p = Number(twice > Rational(1) ? Rational(1) : twice);
    } else {
        const auto k = static_cast<double>(fewer);
        out.p = Number::real(std::min(1.0, 2 * beta_lower(static_cast<double>(n) - k, k + 1, 0.5, 0.5)));
    }
    return out;
}

}  // namespace credence::rt
