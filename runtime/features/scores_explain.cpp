// information_gain, column by column with its counts.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "runtime/classify/gain_text.hpp"
#include "runtime/core/text.hpp"
#include "runtime/features/scores.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// The rows with a value of the column and of the target, by value and class.
struct ColumnCounts {
    std::map<double, BranchCounts> by_value;  ///< of labels: by their code
    double rows = 0;

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
        if (column.is_missing(row) || target.is_missing(row)) continue;
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

}  // namespace

Result<Derivation> explain_information_gain(const Table& table, Run& run) {
    const auto scores = TRY(score_features(table, FeatureMeasure::information_gain, run));
    const Column& target = *table.columns[*table.target];
    DerivationWriter out;
    out.formula("Gain(A) = H − Σ |S_v|/|S| · H(S_v),  H = −Σ p log2 p");
    if (target.kind != ColumnKind::label) return std::move(out).take();
    std::string labels;
    for (const auto& label : target.domain->labels()) labels += (labels.empty() ? "" : ", ") + label.text();
    out.note(fmt::format("H(…) lists the rows by {}: {}", target.name, labels));
    for (const auto& score : scores) {
        const Column& column = *table.columns[*table.find(score.column)];
        const auto counts = counts_of_column(table, column);
        if (counts.by_value.size() < 2) {
            out.note(fmt::format("Gain({}) = 0: the column does not vary", score.column));
            continue;
        }
        auto branches = counts.branches();
        std::string test = score.column;
        if (column.kind == ColumnKind::numeric) {
            double best = -1;
            std::vector<BranchCounts> sides(2, BranchCounts(target.domain->size()));  // at most the threshold, and above it
            for (const auto& branch : branches)
                for (std::size_t k = 0; k < branch.size(); ++k) sides[1][k] += branch[k];
            for (auto at = counts.by_value.begin(); std::next(at) != counts.by_value.end(); ++at) {
                const double threshold = at->first + (std::next(at)->first - at->first) / 2;
                for (std::size_t k = 0; k < at->second.size(); ++k) {
                    sides[0][k] += at->second[k];
                    sides[1][k] -= at->second[k];
                }
                const double gain = gain_of_counts(sides, counts.rows);
                if (gain <= best + 1e-12) continue;
                best = gain;
                branches = sides;
                test = fmt::format("{} <= {:.6g}", score.column, threshold);
            }
        }
        BranchCounts total(target.domain->size());
        for (const auto& branch : branches)
            for (std::size_t k = 0; k < total.size(); ++k) total[k] += branch[k];
        std::string all;
        for (const double n : total) all += fmt::format("{}{:.6g}", all.empty() ? "" : ", ", n);
        const std::string text = gain_text("H", branches, counts.rows);
        out.note(fmt::format("Gain({}) = {}{:.4f}, with H = H({}) = {:.4f}", test, text.empty() ? "" : text + " = ", score.score, all,
                             entropy_of_counts(total)));
    }
    return std::move(out).take();
}

}  // namespace credence::rt
