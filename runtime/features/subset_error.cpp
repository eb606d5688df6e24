#include "runtime/features/subset_error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/judge/trials.hpp"
#include "runtime/prob/learning/learning.hpp"

namespace credence::rt {

namespace {

/// The table with some of its features only, the target and the column that counts the rows.
Table seen_columns(const Table& table, const FeatureSet& set, const std::string& counts) {
    Table out;
    out.row_count = table.row_count;
    std::size_t feature = 0;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const bool is_target = table.target == c;
        const bool always = is_target || table.columns[c]->name == counts;
        if (!always && !std::binary_search(set.begin(), set.end(), feature++)) continue;
        if (is_target) out.target = out.columns.size();
        out.columns.push_back(table.columns[c]);
    }
    return out;
}

Number error_of(const Outcomes& outcomes) {
    const Number score = score_of(outcomes);
    return std::holds_alternative<LabelOutcomes>(outcomes) ? Number(1) - score : score;
}

Result<Number> cross_validated(const LearnerPtr& learner, const Table& seen, const FoldPlan& plan, std::span<const double> weights,
                               Run& run) {
    auto judged = TRY(cross_validate(std::span(&learner, 1), seen, plan, weights, run));
    return error_of(judged[0].held_out);
}

/// Rows to learn from and rows kept back, the labels in about the same shares.
struct KeptBack {
    RowList train, test;
};

Result<KeptBack> kept_back(const Table& table, const Rational& share, const Rng& rng) {
    const RowList rows = rows_with_target(table);
    RowList order = growing_order(table, rows, rng.child("validation"));
    const auto kept = static_cast<std::size_t>(std::llround(share.to_double() * static_cast<double>(rows.size())));
    if (kept == 0 || kept >= rows.size())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("a validation share of {} leaves {} of {} rows to learn from", share.text(), rows.size() - kept,
                                            rows.size())};
    KeptBack out;
    out.test.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
    std::sort(out.test.begin(), out.test.end());
    out.train = rows_without(rows, out.test);
    return out;
}

Result<Number> validated(const LearnerPtr& learner, const Table& seen, const KeptBack& rows, std::span<const double> weights, Run& run) {
    const Trial trial{learner.get(), rows.train, {rows.test}};
    auto result = run_trials(std::span(&trial, 1), seen, weights, "validation", run);
    if (result[0].fault) return *std::move(result[0].fault);
    return error_of(result[0].outcomes[0]);
}

}  // namespace

Result<SubsetErrors> learner_errors(LearnerPtr learner, TablePtr table, const HeldOutRows& held_out, Run& run) {
    auto prepared = TRY(table_for(*learner, *table));
    const std::string counts = unweighted(learner).column;
    std::vector<double> weights;
    if (!counts.empty()) { weights = TRY(weights_in({.table = &prepared, .rows = {}}, counts)); }
    KeptBack kept;
    if (held_out.validation) { kept = TRY(kept_back(prepared, *held_out.validation, run.rng)); }
    return SubsetErrors([learner = std::move(learner), whole = std::move(prepared), kept = std::move(kept), held_out, counts,
                         weights = std::move(weights), &run](std::span<const FeatureSet> sets) -> Result<std::vector<Number>> {
        std::vector<Number> out;
        for (const auto& set : sets) {
            const Table seen = seen_columns(whole, set, counts);
            auto error = TRY(held_out.validation ? validated(learner, seen, kept, weights, run)
                                                 : cross_validated(learner, seen, held_out.folds, weights, run));
            out.push_back(error);
        }
        return out;
    });
}

}  // namespace credence::rt
