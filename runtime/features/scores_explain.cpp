// information_gain and gain_ratio, column by column with their counts.

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/gain_text.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/features/scores.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// The rows with a value of the column and of the target, by value and class.
struct ColumnCounts {
    std::map<double, BranchCounts> by_value;  ///< of labels: by their code
    double rows = 0;
    double missing = 0;  ///< rows without a value of the column: the gain counts for the share of the others

    std::vector<BranchCounts> branches() const {
        std::vector<BranchCounts> out;
        for (const auto& [value, counts] : by_value) out.push_back(counts);
        return out;
    }
};

ColumnCounts counts_of_column(const Table& table, const Column& column) {
    const Column& target = *table.columns[*table.target];
    ColumnCounts out;
    for (std::size_t row = 0; row < table.row_count; ++row) {
        if (target.is_missing(row)) continue;
        if (column.is_missing(row)) {
            out.missing += 1;
            continue;
        }
        const double value = column.kind == ColumnKind::label ? column.codes[row] : column.values[row];
        out.by_value.try_emplace(value, target.domain->size(), 0.0).first->second[static_cast<std::size_t>(target.codes[row])] += 1;
        out.rows += 1;
    }
    return out;
}

double gain_of_counts(std::span<const BranchCounts> branches, double rows) {
    BranchCounts total(branches[0].size());
    double out = 0;
    for (const auto& counts : branches) {
        double here = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            total[k] += counts[k];
            here += counts[k];
        }
        if (here > 0) out -= here / rows * entropy_of_counts(counts);
    }
    return out + entropy_of_counts(total);
}

double rows_of(const BranchCounts& branch) { return std::accumulate(branch.begin(), branch.end(), 0.0); }

/// The rows of each branch; those without a value of the column are a branch of their own.
std::vector<double> branch_sizes(std::span<const BranchCounts> branches, double missing) {
    std::vector<double> out;
    for (const auto& branch : branches) out.push_back(rows_of(branch));
    if (missing > 0) out.push_back(missing);
    return out;
}

std::string listed_counts(std::span<const double> counts) {
    std::string out;
    for (const double n : counts) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", n);
    return out;
}

/// A test of a column: its name, with the best threshold of numbers, and the rows of each branch.
struct ColumnTest {
    std::string text;
    std::vector<BranchCounts> branches;
};

/// Of the splits in two, the one of largest gain.
ColumnTest best_threshold(const ColumnCounts& counts, const std::string& name, std::size_t labels) {
    std::vector<BranchCounts> sides(2, BranchCounts(labels));  // at most the threshold, and above it
    for (const auto& [value, branch] : counts.by_value)
        for (std::size_t k = 0; k < labels; ++k) sides[1][k] += branch[k];
    ColumnTest out;
    double best = -1;
    for (auto at = counts.by_value.begin(); std::next(at) != counts.by_value.end(); ++at) {
        const double threshold = at->first + (std::next(at)->first - at->first) / 2;
        for (std::size_t k = 0; k < labels; ++k) {
            sides[0][k] += at->second[k];
            sides[1][k] -= at->second[k];
        }
        const double gain = gain_of_counts(sides, counts.rows);
        if (gain <= best + 1e-12) continue;
        best = gain;
        out = {fmt::format("{} <= {:.6g}", name, threshold), sides};
    }
    return out;
}

void explain_column(const ColumnCounts& counts, const ColumnTest& test, const FeatureScore& score, FeatureMeasure measure,
                    DerivationWriter& out) {
    BranchCounts total(test.branches[0].size());
    for (const auto& branch : test.branches)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += branch[k];
    const double all = counts.rows + counts.missing;
    const std::string text = gain_text("H", test.branches, all);
    const double gain = gain_of_counts(test.branches, counts.rows) * counts.rows / all;
    const std::string base =
        counts.missing > 0 ? "" : fmt::format(", with H = H({}) = {:.4f}", listed_counts(total), entropy_of_counts(total));
    out.note(fmt::format("Gain({}) = {}{:.4f}{}", test.text, text.empty() ? "" : text + " = ", gain, base));
    if (measure != FeatureMeasure::gain_ratio) return;
    const auto sizes = branch_sizes(test.branches, counts.missing);
    const double split = entropy_of_counts(sizes);
    out.note(fmt::format("  Split({}) = H({}) = {:.4f}", test.text, listed_counts(sizes), split));
    out.note(fmt::format("  GainRatio({}) = {:.4f} / {:.4f} = {:.4f}", test.text, gain, split, score.score));
}

}  // namespace

Result<Derivation> explain_gains(const Table& table, FeatureMeasure measure, Run& run) {
    const auto scores = TRY(score_features(table, measure, run));
    const bool numeric = table.columns[*table.target]->kind != ColumnKind::label;
    const TablePtr labelled = numeric ? TRY(as_labels(table, table.columns[*table.target]->name)) : nullptr;
    const Table& in = numeric ? *labelled : table;
    const Column& target = *in.columns[*in.target];
    DerivationWriter out;
    out.formula("Gain(A) = H − Σ |S_v|/|S| · H(S_v),  H = −Σ p log2 p");
    const auto lacks = [&](const ColumnPtr& column) {
        for (std::size_t row = 0; row < in.row_count; ++row)
            if (column->is_missing(row) && !target.is_missing(row)) return true;
        return false;
    };
    if (std::any_of(in.columns.begin(), in.columns.end(), lacks))
        out.formula("where cells are missing: Gain(A) = |K|/|S| · (H(K) − Σ |K_v|/|K| · H(K_v)), K the rows with a value of A");
    if (measure == FeatureMeasure::gain_ratio) out.formula("GainRatio(A) = Gain(A) / Split(A),  Split(A) = −Σ |S_v|/|S| log2 |S_v|/|S|");
    std::string labels;
    for (const auto& label : target.domain->labels()) labels += (labels.empty() ? "" : ", ") + label.text();
    out.note(fmt::format("H(…) lists the rows by {}: {}", target.name, labels));
    for (const auto& score : scores) {
        const Column& column = *in.columns[*in.find(score.column)];
        const auto counts = counts_of_column(in, column);
        if (counts.by_value.size() < 2) {
            out.note(fmt::format("Gain({}) = 0: the column does not vary", score.column));
            continue;
        }
        const auto test = column.kind == ColumnKind::numeric ? best_threshold(counts, score.column, target.domain->size())
                                                             : ColumnTest{score.column, counts.branches()};
        explain_column(counts, test, score, measure, out);
    }
    return std::move(out).take();
}

}  // namespace credence::rt
