#include "runtime/features/scores.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/classify/tree_grow.hpp"
#include "runtime/core/special.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::rt {

namespace {

bool is_numeric(const Column& c) { return c.kind == ColumnKind::numeric; }
/// Numbers, or two labels in use (a filtered table may know of more): two codes are as good as 0 and 1 for a correlation.
bool has_numbers(const Column& c) { return is_numeric(c) || c.domain->size() == 2 || seen_labels(c).size() == 2; }
double number_at(const Column& c, std::size_t row) { return is_numeric(c) ? c.values[row] : static_cast<double>(c.codes[row]); }

/// A power of two that brings the numbers near 1 where products of four of them would leave the range of doubles; elsewhere 1.
double power_to_unit(const Column& c) {
    double largest = 0;
    for (const double v : c.values)
        if (!std::isnan(v)) largest = std::max(largest, std::abs(v));
    if (largest == 0 || (largest > 1e-70 && largest < 1e70)) return 1;
    return std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
}

/// Means and centred sums of two columns over the rows that have both, each in its own unit.
struct PairSums {
    std::size_t n = 0;
    double xx = 0, yy = 0, xy = 0;
};
PairSums pair_sums(const Column& a, const Column& b) {
    PairSums out;
    double mean_a = 0;
    double mean_b = 0;
    const std::size_t rows = a.rows();
    const double unit_a = power_to_unit(a);
    const double unit_b = power_to_unit(b);
    for (std::size_t i = 0; i < rows; ++i) {
        if (a.is_missing(i) || b.is_missing(i)) continue;
        ++out.n;
        mean_a += number_at(a, i) * unit_a;
        mean_b += number_at(b, i) * unit_b;
    }
    if (out.n == 0) return out;
    mean_a /= static_cast<double>(out.n);
    mean_b /= static_cast<double>(out.n);
    for (std::size_t i = 0; i < rows; ++i) {
        if (a.is_missing(i) || b.is_missing(i)) continue;
        const double x = number_at(a, i) * unit_a - mean_a;
        const double y = number_at(b, i) * unit_b - mean_b;
        out.xx += x * x;
        out.yy += y * y;
        out.xy += x * y;
    }
    return out;
}

double r_of(const PairSums& s) { return s.xx > 0 && s.yy > 0 ? std::clamp(s.xy / std::sqrt(s.xx * s.yy), -1.0, 1.0) : 0; }

FeatureScore score_pearson(const Column& x, const Column& target) {
    const PairSums s = pair_sums(x, target);
    FeatureScore out{x.name, r_of(s)};
    if (s.n < 3) return out;
    const double degrees = static_cast<double>(s.n) - 2;
    const double rest = 1 - out.score * out.score;
    out.p = rest > 0 ? std::min(1.0, 2 * student_t_lower(degrees, -std::abs(out.score) * std::sqrt(degrees / rest))) : 0.0;
    return out;
}

/// Σ (observed − expected)² / expected over a table of counts, with its tail.
FeatureScore score_contingency(const Column& x, const Column& target) {
    const std::size_t ways = x.domain->size();
    const std::size_t labels = target.domain->size();
    std::vector<double> cells(ways * labels);
    std::vector<double> across(ways);
    std::vector<double> down(labels);
    double all = 0;
    for (std::size_t i = 0; i < x.codes.size(); ++i) {
        if (x.codes[i] < 0 || target.codes[i] < 0) continue;
        const auto v = static_cast<std::size_t>(x.codes[i]);
        const auto k = static_cast<std::size_t>(target.codes[i]);
        ++cells[v * labels + k];
        ++across[v];
        ++down[k];
        ++all;
    }
    FeatureScore out{x.name};
    for (std::size_t v = 0; v < ways; ++v)
        for (std::size_t k = 0; k < labels; ++k)
            if (const double expected = across[v] * down[k] / std::max(all, 1.0); expected > 0)
                out.score += (cells[v * labels + k] - expected) * (cells[v * labels + k] - expected) / expected;
    const auto present = [](const std::vector<double>& v) {
        return static_cast<double>(std::count_if(v.begin(), v.end(), [](double n) { return n > 0; }));
    };
    const double degrees = std::max(0.0, present(across) - 1) * std::max(0.0, present(down) - 1);
    out.p = degrees > 0 ? gamma_upper(degrees / 2, out.score / 2) : 1.0;
    return out;
}

/// A column of counts: how its sums by label differ from the labels' shares of the rows.
FeatureScore score_counts(const Column& x, const Column& target) {
    std::vector<double> observed(target.domain->size());
    std::vector<double> rows(observed.size());
    double sum = 0;
    double n = 0;
    const double unit = power_to_unit(x);
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        if (x.is_missing(i) || target.codes[i] < 0) continue;
        observed[static_cast<std::size_t>(target.codes[i])] += x.values[i] * unit;
        ++rows[static_cast<std::size_t>(target.codes[i])];
        sum += x.values[i] * unit;
        ++n;
    }
    FeatureScore out{x.name};
    double present = 0;
    for (std::size_t k = 0; k < observed.size(); ++k) {
        const double expected = n > 0 ? sum * rows[k] / n : 0;
        present += rows[k] > 0;
        if (expected > 0) out.score += (observed[k] - expected) * (observed[k] - expected) / expected;
    }
    out.score /= unit;
    out.p = present > 1 ? gamma_upper((present - 1) / 2, out.score / 2) : 1.0;
    return out;
}

/// F = (between / (k − 1)) / (within / (n − k)); nothing if each group has one row, and so no spread within.
std::optional<FeatureScore> score_anova(const Column& x, const Column& target) {
    std::vector<double> means(target.domain->size());
    std::vector<double> rows(means.size());
    double mean = 0;
    double n = 0;
    const double unit = power_to_unit(x);
    const auto used = [&](std::size_t i) { return !x.is_missing(i) && target.codes[i] >= 0; };
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        if (!used(i)) continue;
        means[static_cast<std::size_t>(target.codes[i])] += x.values[i] * unit;
        ++rows[static_cast<std::size_t>(target.codes[i])];
        mean += x.values[i] * unit;
        ++n;
    }
    FeatureScore out{x.name};
    double groups = 0;
    for (std::size_t k = 0; k < means.size(); ++k)
        if (rows[k] > 0) {
            means[k] /= rows[k];
            ++groups;
        }
    if (n <= groups) return std::nullopt;
    if (groups < 2) return out;
    mean /= n;
    double between = 0;
    double within = 0;
    for (std::size_t k = 0; k < means.size(); ++k) between += rows[k] * (means[k] - mean) * (means[k] - mean);
    for (std::size_t i = 0; i < x.values.size(); ++i)
        if (used(i)) {
            const double e = x.values[i] * unit - means[static_cast<std::size_t>(target.codes[i])];
            within += e * e;
        }
    const double d1 = groups - 1;
    const double d2 = n - groups;
    if (!(between > 0)) {
        out.p = 1.0;
        return out;
    }
    out.score = within > 0 ? between / d1 / (within / d2) : std::numeric_limits<double>::infinity();
    const double y = between / (between + within);  // I_{d2/(d2 + d1 F)}(d2/2, d1/2)
    out.p = within > 0 ? beta_lower(d2 / 2, d1 / 2, 1 - y, y) : 0.0;
    return out;
}

/// F of the regression of a numeric target on one column: r² (n − 2) / (1 − r²), with 1 and n − 2 degrees of freedom.
FeatureScore score_regression(const Column& x, const Column& target) {
    const PairSums s = pair_sums(x, target);
    FeatureScore out{x.name};
    out.p = 1.0;
    if (s.n < 3 || !(s.xx > 0 && s.yy > 0)) return out;
    const double degrees = static_cast<double>(s.n) - 2;
    const double share = r_of(s) * r_of(s);
    out.score = share < 1 ? share * degrees / (1 - share) : std::numeric_limits<double>::infinity();
    out.p = beta_lower(degrees / 2, 0.5, 1 - share, share);
    return out;
}

FeatureScore score_variance(const Column& x) {
    double mean = 0;
    double n = 0;
    const double unit = power_to_unit(x);
    for (const double v : x.values)
        if (!std::isnan(v)) {
            mean += v * unit;
            ++n;
        }
    FeatureScore out{x.name};
    if (n < 2) return out;
    mean /= n;
    for (const double v : x.values)
        if (!std::isnan(v)) out.score += (v * unit - mean) * (v * unit - mean) / (n - 1);
    out.score = out.score / unit / unit;
    return out;
}

/// What a tree would weigh at its root.
Result<std::vector<FeatureScore>> score_gains(const Table& table, FeatureMeasure measure, Run& run) {
    const Column& target = *table.columns[*table.target];
    std::vector<std::uint32_t> known;
    for (std::uint32_t i = 0; i < table.row_count; ++i)
        if (!target.is_missing(i)) known.push_back(i);
    TreeSettings settings;
    settings.criterion = SplitCriterion::gain_ratio;
    settings.missing = MissingCells::fractional;
    settings.max_depth = 1;
    std::vector<NodeTrace> trace;
    TRY(grow_tree({&table, known, false}, {}, settings, run, &trace));
    std::vector<FeatureScore> out;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.target != c) out.push_back({table.columns[c]->name});
    if (!trace.empty())
        for (const auto& s : trace[0].scores)
            out[static_cast<std::size_t>(s.column)].score = measure == FeatureMeasure::gain_ratio ? s.score : s.gain;
    return out;
}

Fault no_target(const Table& table) {
    const std::string last = table.columns.empty() ? "Column" : table.columns.back()->name;
    return {.code = "E-TRAIN",
            .message = "columns are scored against the target, and this table has none",
            .hint = fmt::format("with_target(t, {}), load(…, target: {}), or `->` before it in a table block", last, last)};
}

bool compares_labels(FeatureMeasure measure) {
    return measure == FeatureMeasure::chi_square || measure == FeatureMeasure::information_gain || measure == FeatureMeasure::gain_ratio;
}

void note_classes(const Column& numbers, Run& run) {
    if (!run.note || !seem_measured(numbers)) return;
    run.note(
        fmt::format("{0} is numeric, and each of its values counts as a class here: pearson and anova score columns against numbers, "
                    "discretize(t, {0}, 4) makes intervals, as_labels(t, {0}) makes classes",
                    numbers.name));
}

std::optional<FeatureScore> score_column(const Column& x, const Column* target, FeatureMeasure measure) {
    switch (measure) {
        case FeatureMeasure::pearson:
            return has_numbers(x) ? std::optional(score_pearson(x, *target)) : std::nullopt;
        case FeatureMeasure::chi_square:
            if (!is_numeric(x)) return score_contingency(x, *target);
            return std::all_of(x.values.begin(), x.values.end(), [](double v) { return !(v < 0); })
                       ? std::optional(score_counts(x, *target))
                       : std::nullopt;
        case FeatureMeasure::anova:
            if (!is_numeric(*target)) return is_numeric(x) ? score_anova(x, *target) : std::nullopt;
            // In a one-way layout, the labels of the column are the groups of the target's numbers.
            return is_numeric(x) ? score_regression(x, *target) : score_anova(*target, x);
        case FeatureMeasure::variance:
            return is_numeric(x) ? std::optional(score_variance(x)) : std::nullopt;
        case FeatureMeasure::information_gain:
        case FeatureMeasure::gain_ratio:
            break;
    }
    return std::nullopt;
}

}  // namespace

double correlation(const Column& a, const Column& b) { return r_of(pair_sums(a, b)); }

Result<std::vector<FeatureScore>> score_features(const Table& table, FeatureMeasure measure, Run& run) {
    if (measure != FeatureMeasure::variance && !table.target) return no_target(table);
    TablePtr labelled;
    const Table* in = &table;
    const Column* target = table.target ? table.columns[*table.target].get() : nullptr;
    if (measure == FeatureMeasure::pearson && !has_numbers(*target))
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("r needs a target of numbers or of two labels, and {} has {} labels", target->name,
                                            target->domain->size()),
                     .hint = "chi_square, anova and information_gain score columns against labels"};
    const bool numbers = target && is_numeric(*target);
    if (numbers && compares_labels(measure)) {
        note_classes(*target, run);
        labelled = TRY(as_labels(table, target->name));
        in = labelled.get();
        target = in->columns[*in->target].get();
    }
    if (measure == FeatureMeasure::information_gain || measure == FeatureMeasure::gain_ratio) return score_gains(*in, measure, run);
    std::vector<FeatureScore> out;
    std::string skipped;
    for (std::size_t c = 0; c < in->columns.size(); ++c) {
        if (in->target == c) continue;
        auto score = score_column(*in->columns[c], target, measure);
        if (score) {
            score->column = in->columns[c]->name;
            out.push_back(*std::move(score));
        } else {
            skipped += (skipped.empty() ? "" : ", ") + in->columns[c]->name;
        }
    }
    if (out.empty())
        return Fault{.code = "E-TABLE",
                     .message = "no column fits this measure",
                     .hint = numbers ? "pearson and anova score numbers against numbers" : "information_gain scores columns of any kind"};
    if (!skipped.empty() && run.note) run.note(fmt::format("not scored: {}", skipped));
    return out;
}

// --- filters -----------------------------------------------------------------------------------------------------------

namespace {

/// Positions to keep, given sizes of which the larger are better.
std::vector<char> kept_by(std::span<const double> sizes, const KeepRule& keep) {
    std::vector<char> out(sizes.size(), 1);
    if (keep.above)
        for (std::size_t i = 0; i < sizes.size(); ++i) out[i] = sizes[i] > *keep.above;
    if (keep.best) {
        std::vector<std::size_t> order(sizes.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
        for (std::size_t i = *keep.best; i < order.size(); ++i) out[order[i]] = 0;
    }
    return out;
}

}  // namespace

Result<TablePtr> filter_by_score(const Table& table, FeatureMeasure measure, const KeepRule& keep, Run& run) {
    auto scores = TRY(score_features(table, measure, run));
    std::vector<double> sizes;
    for (const auto& s : scores) sizes.push_back(std::abs(s.score));
    const auto kept = kept_by(sizes, keep);
    std::vector<std::string> dropped;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.target == c) continue;
        const auto at =
            std::find_if(scores.begin(), scores.end(), [&](const FeatureScore& s) { return s.column == table.columns[c]->name; });
        if (at == scores.end() || !kept[static_cast<std::size_t>(at - scores.begin())]) dropped.push_back(table.columns[c]->name);
    }
    return drop(table, dropped);
}

Result<TablePtr> filter_redundant(const Table& table, const KeepRule& keep, const Run& run) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.target != c && is_numeric(*table.columns[c])) order.push_back(c);
    if (order.empty()) return Fault{.code = "E-TABLE", .message = "no numeric column: redundancy is correlation between numbers"};
    if (table.target && has_numbers(*table.columns[*table.target])) {
        const Column& target = *table.columns[*table.target];
        std::vector<double> strength(table.columns.size(), 0);
        for (const auto c : order) strength[c] = std::abs(correlation(*table.columns[c], target));
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strength[a] > strength[b]; });
    }
    std::vector<std::size_t> taken;
    std::vector<double> redundancy(table.columns.size(), 0);
    std::vector<std::string> dropped;
    for (const auto c : order) {
        if (run.stopped()) return stopped_fault();
        for (const auto other : taken)
            redundancy[c] = std::max(redundancy[c], std::abs(correlation(*table.columns[c], *table.columns[other])));
        if (keep.above && redundancy[c] > *keep.above)
            dropped.push_back(table.columns[c]->name);
        else
            taken.push_back(c);
    }
    if (keep.best) {
        std::vector<double> sizes;
        for (const auto c : taken) sizes.push_back(-redundancy[c]);
        const auto kept = kept_by(sizes, {.best = keep.best});
        for (std::size_t i = 0; i < taken.size(); ++i)
            if (!kept[i]) dropped.push_back(table.columns[taken[i]]->name);
    }
    return drop(table, dropped);
}

}  // namespace credence::rt
