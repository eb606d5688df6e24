#pragma once
// Scores of how much each single column says about the target, and filters by such scores.

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/table.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

enum class FeatureMeasure {
    pearson,           ///< r with a numeric or two-valued target; p by Student's t with n − 2 degrees of freedom
    chi_square,        ///< of a label column against the labels, or of a column of counts: its sums by label against the labels' shares
    anova,             ///< F of a numeric column between the labels; of a numeric target between a column's labels, or by its regression
    information_gain,  ///< bits; of a numeric column at its best threshold
    gain_ratio,        ///< information gain over the entropy of the branches
    variance,          ///< of a numeric column, n − 1: needs no target
};

struct FeatureScore {
    std::string column;
    double score = 0;
    std::optional<double> p = {};  ///< the p-value: the probability of a score at least as large for a column without information
};

/// One score for each column that the measure fits, in the order of the table; `run.note` names the others. Rows with a missing cell in the
/// column or the target are left out column by column; a column that does not vary scores 0. E-TRAIN without a target, E-TYPE if the
/// target does not fit, E-TABLE if no column does.
Result<std::vector<FeatureScore>> score_features(const Table& table, FeatureMeasure measure, Run& run);

/// How the information gain, or the gain ratio, of each column comes from its counts.
Result<Derivation> explain_gains(const Table& table, FeatureMeasure measure, Run& run);

/// Pearson's r of two columns over the rows that have both (labels of two values: the last is 1, the other 0); 0 if one does not vary.
double correlation(const Column& a, const Column& b);

/// Which columns are kept: the best ones up to a number, or all whose absolute score is above a bound.
struct KeepRule {
    std::optional<std::size_t> best = {};
    std::optional<double> above = {};
};
/// The table with the columns kept, in their order, and the target. Columns that the measure does not fit are dropped.
Result<TablePtr> filter_by_score(const Table& table, FeatureMeasure measure, const KeepRule& keep, Run& run);

/// Drops numeric columns that repeat others: taken by falling |r| with a numeric target (else in order), a column's redundancy is its
/// largest |r| with one taken before and kept. Kept are those of redundancy at most `above`, or the `best` least redundant. Other columns
/// stay.
Result<TablePtr> filter_redundant(const Table& table, const KeepRule& keep, const Run& run);

}  // namespace credence::rt
