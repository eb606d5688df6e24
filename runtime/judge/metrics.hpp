#pragma once
// How good predictions are: the true values compared with a model's predictions.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/core/number.hpp"
#include "runtime/core/variable.hpp"

namespace credence::rt {

/// Predicted labels of rows whose label is known.
struct LabelOutcomes {
    DomainPtr labels;
    std::vector<std::int32_t> actual;
    std::vector<std::int32_t> predicted;
    std::vector<double> probabilities;  ///< rows × labels; empty if none were given
    std::vector<double> weights;        ///< one for each row, or none: all 1
    bool only_labels = false;           ///< the probabilities are 1 for the predicted label: there is nothing in them to judge

    std::size_t rows() const { return actual.size(); }
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.only_labels);
        visit(self.labels);
        visit(self.actual);
        visit(self.predicted);
        visit(self.probabilities);
        visit(self.weights);
    }
};

struct NumberOutcomes {
    std::vector<double> actual;
    std::vector<double> predicted;
    std::vector<double> weights;

    std::size_t rows() const { return actual.size(); }
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.actual);
        visit(self.predicted);
        visit(self.weights);
    }
};

/// Counts are exact where every weight is a whole number. A ratio without a denominator (the precision of a label never predicted) is 0.
struct ClassScores {
    Number precision;  ///< of the rows predicted to have the label, the share that have it
    Number recall;     ///< of the rows that have the label, the share predicted to
    Number f1;         ///< harmonic mean of the two: 2 TP / (2 TP + FP + FN)
    Number support;    ///< rows that have the label
    Number said;       ///< rows predicted to have it
};

struct LabelScores {
    Number accuracy;
    std::vector<Number> confusion;      ///< labels × labels, the actual one first
    std::vector<ClassScores> by_class;  ///< one for each label
    /// Two labels: those of the positive one, the last declared. More: the means over the labels that occur, as actual or as predicted.
    Number precision;
    Number recall;
    Number f1;
    Number kappa;  ///< Cohen's: (agreement − agreement by chance) / (1 − agreement by chance); 0 if chance alone agrees always
    std::optional<double> log_loss;  ///< mean of −ln P(actual label), P taken as 1e-15 where it is less
    std::optional<double> brier;  ///< mean of Σ (P(label) − [it is the actual one])² (Brier 1950); half of it where there are two labels
};
constexpr double least_probability = 1e-15;
LabelScores scores_of(const LabelOutcomes& outcomes);

struct NumberScores {
    double rmse = 0;
    double mae = 0;
    double r2 = 0;  ///< 1 − Σ(y − ŷ)² / Σ(y − ȳ)²; where all y are equal there is nothing to explain: 1 if each was met, else 0
};
NumberScores scores_of(const NumberOutcomes& outcomes);

/// One number to compare by: accuracy (more is better), or the root of the mean squared error (less is).
Number accuracy_of(const LabelOutcomes& outcomes);
double rmse_of(const NumberOutcomes& outcomes);

// --- ranking: scores of rows that are positive or not -----------------------------------------------------------------

struct Ranking {
    std::vector<double> scores;
    std::vector<char> positive;
    std::vector<double> weights;  ///< one for each row, or none
};

/// "Positive from this score on".
struct RocPoint {
    double threshold = 0;  ///< of the first point: ∞
    Number false_positive_rate;
    Number true_positive_rate;
};
/// From (0, 0) to (1, 1). Rows of equal score move together, so the curve has a slope there and not an order that nobody chose (Fawcett,
/// "An introduction to ROC analysis", 2006, algorithm 1). There must be positive and negative rows.
std::vector<RocPoint> roc_of(const Ranking& ranking);
/// The chance that a positive row scores above a negative one, equal scores counting half: the area under that curve. Exact for whole
/// weights.
Number auc_of(const Ranking& ranking);

struct CalibrationBin {
    Number low;
    Number high;
    Number rows;
    double predicted = 0;  ///< mean probability of the positive label in the bin
    Number observed;       ///< share of positive rows
};
/// Scores in [0, 1] in bins of equal width; a bin holds its lower end (the last one both). Empty bins are left out.
std::vector<CalibrationBin> calibration_of(const Ranking& ranking, std::size_t bins);

// --- figures over folds -------------------------------------------------------------------------------------------------

struct Spread {
    Number mean;
    double sd = 0;  ///< n − 1; 0 for one number
    double standard_error = 0;
};
Spread spread_of(std::span<const Number> values);

/// Whether a mean of differences is 0, by Student's t over pairs (Mitchell 1997, §5.6).
struct PairedTest {
    Number difference;  ///< mean of a − b
    double standard_error = 0;
    double t = 0;        ///< ±∞ where all differences are one number other than 0
    double degrees = 0;  ///< n − 1
    double p = 1;        ///< of a difference this far from 0 on either side
    double low = 0;      ///< confidence interval
    double high = 0;
};
PairedTest paired_t(std::span<const Number> a, std::span<const Number> b, double level);

/// McNemar's exact test over the rows that one of two classifiers got right and the other wrong: a fair coin's two-sided p.
struct McNemar {
    std::size_t only_a = 0;
    std::size_t only_b = 0;
    Number p;
};
McNemar mcnemar(const LabelOutcomes& a, const LabelOutcomes& b);

}  // namespace credence::rt
