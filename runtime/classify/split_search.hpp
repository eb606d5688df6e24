#pragma once
// The best test that one column offers for the rows of a node. Nothing here allocates once the scratch is made.

#include <algorithm>
#include <span>
#include <type_traits>

#include "runtime/classify/split_measure.hpp"
#include "runtime/classify/tree.hpp"
#include "runtime/classify/tree_rows.hpp"

namespace credence::rt {

/// A test of a column. Impurities are times weight.
struct Split {
    bool found = false;
    double after = 0;       ///< the impurity left in the branches, over the rows whose branch is known
    double before = 0;      ///< the impurity of those rows
    double known = 0;       ///< their weight
    double split_info = 0;  ///< the entropy of the branches in bits (missing rows a branch of their own where they are fractional)
    std::int32_t label = -1;
    std::uint32_t rank = 0;       ///< numeric: the last rank of branch 0 …
    std::uint32_t next_rank = 0;  ///< … and the first of branch 1
};

/// Arrays for one node at a time, as large as any column needs.
template <class Weight>
struct SplitScratch {
    std::vector<Weight> matrix;               ///< label × class
    std::vector<Weight> totals;               ///< label
    std::vector<std::int32_t> seen;           ///< labels with rows
    std::vector<Weight> left, right, absent;  ///< class
    std::vector<std::uint32_t> fill;          ///< class: where a missing cell is taken to be, a code or a position in the order

    SplitScratch(std::size_t values, std::size_t classes)
        : matrix(values * classes), totals(values), left(classes), right(classes), absent(classes), fill(classes) {
        seen.reserve(values);
    }
};

/// A node while its test is sought.
template <class Measure>
struct SplitNode {
    using Weight = typename Measure::Weight;
    const TreeRows& data;
    const Measure& measure;
    std::span<const Weight> weights;  ///< one for each row of the table; empty: all 1
    std::span<const std::uint32_t> rows;
    std::span<const Weight> classes;  ///< weight of each class at the node
    Weight weight{};                  ///< in all
    double class_sum = 0;             ///< Σ φ(classes)
    MissingCells missing = MissingCells::common;
    LabelSplits splits = LabelSplits::multiway;
    double min_rows = 1;

    Weight of(std::uint32_t row) const { return weights.empty() ? Weight(1) : weights[row]; }
};

namespace split_detail {

/// The entropy of parts that sum to `total`, in bits.
inline double parts_entropy(double sum_x_log_x, double total) {
    return total > 0 ? std::max(0.0, (x_log_x(total) - sum_x_log_x) / total) : 0;
}

/// Counts the node's rows into label × class; the rows without a label into `absent`. Gives the weight of the latter.
template <class Measure>
typename Measure::Weight count_labels(const SplitNode<Measure>& node, const TreeColumn& column, SplitScratch<typename Measure::Weight>& s) {
    using Weight = typename Measure::Weight;
    const std::size_t classes = node.data.labels;
    for (const auto v : s.seen) {
        std::fill_n(s.matrix.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(v) * classes), classes, Weight(0));
        s.totals[static_cast<std::size_t>(v)] = Weight(0);
    }
    s.seen.clear();
    std::fill(s.absent.begin(), s.absent.end(), Weight(0));
    Weight missing{};
    for (const auto row : node.rows) {
        const auto code = column.codes[row];
        const Weight w = node.of(row);
        const auto k = static_cast<std::size_t>(node.data.classes[row]);
        if (code < 0) {
            s.absent[k] += w;
            missing += w;
            continue;
        }
        const auto v = static_cast<std::size_t>(code);
        if (s.totals[v] == Weight(0)) s.seen.push_back(code);
        s.totals[v] += w;
        s.matrix[v * classes + k] += w;
    }
    std::sort(s.seen.begin(), s.seen.end());
    return missing;
}

/// Where missing cells go: the commonest label, of all rows or of those of the class. The first declared among equals.
template <class Weight>
void fill_labels(SplitScratch<Weight>& s, std::size_t classes, MissingCells how) {
    const auto commonest = [&](auto&& weight_of) {
        std::int32_t best = s.seen.front();
        for (const auto v : s.seen)
            if (weight_of(v) > weight_of(best)) best = v;
        return best;
    };
    const std::int32_t all = commonest([&](std::int32_t v) { return s.totals[static_cast<std::size_t>(v)]; });
    for (std::size_t k = 0; k < classes; ++k) {
        const auto of_class = [&](std::int32_t v) { return s.matrix[static_cast<std::size_t>(v) * classes + k]; };
        std::int32_t at = all;
        if (how == MissingCells::class_common) {
            const std::int32_t own = commonest(of_class);
            if (of_class(own) > Weight(0)) at = own;
        }
        s.fill[k] = static_cast<std::uint32_t>(at);
    }
    for (std::size_t k = 0; k < classes; ++k) {
        s.matrix[s.fill[k] * classes + k] += s.absent[k];
        s.totals[s.fill[k]] += s.absent[k];
    }
}

/// Positions among the known rows of a numeric column where missing cells are assumed to be: the median, of all rows or of those of the
/// class.
template <class Measure>
void fill_numbers(const SplitNode<Measure>& node, std::span<const RankedRow> known, SplitScratch<typename Measure::Weight>& s,
                  double known_weight) {
    const auto median = [&](std::int32_t of_class, double total) {
        double sum = 0;
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (of_class >= 0 && node.data.classes[known[i].row] != of_class) continue;
            sum += static_cast<double>(node.of(known[i].row));
            if (2 * sum >= total) return static_cast<std::uint32_t>(i);
        }
        return no_rank;
    };
    const std::uint32_t all = median(-1, known_weight);
    for (std::size_t k = 0; k < s.fill.size(); ++k) {
        s.fill[k] = all;
        const double own = static_cast<double>(node.classes[k]) - static_cast<double>(s.absent[k]);
        if (node.missing == MissingCells::class_common && s.absent[k] > 0 && own > 0)
            if (const auto at = median(static_cast<std::int32_t>(k), own); at != no_rank) s.fill[k] = at;
    }
}

}  // namespace split_detail

/// After a call s.fill has the label that missing cells are taken to have, by class (not where they are fractional).
template <class Measure>
Split search_labels(const SplitNode<Measure>& node, const TreeColumn& column, SplitScratch<typename Measure::Weight>& s) {
    using Weight = typename Measure::Weight;
    const std::size_t classes = node.data.labels;
    const Weight missing = split_detail::count_labels(node, column, s);
    Split out;
    if (s.seen.size() < 2) return out;
    const bool fractional = node.missing == MissingCells::fractional;
    Weight known = node.weight;
    double class_sum = node.class_sum;
    if (missing > Weight(0)) {
        if (fractional) {
            known -= missing;
            class_sum = 0;
            for (std::size_t k = 0; k < classes; ++k) class_sum += node.measure.phi(node.classes[k] - s.absent[k]);
        } else {
            split_detail::fill_labels(s, classes, node.missing);
        }
    }
    out.known = static_cast<double>(known);
    out.before = node.measure.finish(known, class_sum);
    const double all = static_cast<double>(node.weight);
    const double missing_part = fractional ? x_log_x(static_cast<double>(missing)) : 0;
    const auto sum_of = [&](std::int32_t v) {
        double sum = 0;
        const Weight* cells = &s.matrix[static_cast<std::size_t>(v) * classes];
        for (std::size_t k = 0; k < classes; ++k) sum += node.measure.phi(cells[k]);
        return sum;
    };
    if (node.splits == LabelSplits::multiway) {
        std::size_t large = 0;
        double parts = missing_part;
        for (const auto v : s.seen) {
            const Weight total = s.totals[static_cast<std::size_t>(v)];
            large += static_cast<double>(total) >= node.min_rows;
            out.after += node.measure.finish(total, sum_of(v));
            parts += x_log_x(static_cast<double>(total));
        }
        out.split_info = split_detail::parts_entropy(parts, all);
        out.found = large >= 2;
        return out;
    }
    for (const auto v : s.seen) {
        const Weight with = s.totals[static_cast<std::size_t>(v)];
        const Weight without = known - with;
        if (static_cast<double>(with) < node.min_rows || static_cast<double>(without) < node.min_rows || !(without > Weight(0))) continue;
        const Weight* cells = &s.matrix[static_cast<std::size_t>(v) * classes];
        double rest = 0;
        for (std::size_t k = 0; k < classes; ++k) {
            const Weight present = node.classes[k] - (fractional ? s.absent[k] : Weight(0));
            rest += node.measure.phi(present - cells[k]);
        }
        const double after = node.measure.finish(with, sum_of(v)) + node.measure.finish(without, rest);
        if (out.found && !(after < out.after - 1e-9)) continue;
        out.found = true;
        out.after = after;
        out.label = v;
        out.split_info =
            split_detail::parts_entropy(x_log_x(static_cast<double>(with)) + x_log_x(static_cast<double>(without)) + missing_part, all);
    }
    return out;
}

/// `sorted`: the node's rows in the order of the column. After a call s.fill has the rank that missing cells are taken to have, by class.
template <class Measure>
Split search_numbers(const SplitNode<Measure>& node, std::span<const RankedRow> sorted, bool may_miss,
                     SplitScratch<typename Measure::Weight>& s) {
    using Weight = typename Measure::Weight;
    const std::size_t classes = node.data.labels;
    const Measure measure = node.measure;
    Split out;
    std::span<const RankedRow> known = sorted;
    Weight missing{};
    if (may_miss) {
        while (!known.empty() && known.back().rank == no_rank) known = known.first(known.size() - 1);
        std::fill(s.absent.begin(), s.absent.end(), Weight(0));
        for (const auto& r : sorted.subspan(known.size())) {
            s.absent[static_cast<std::size_t>(node.data.classes[r.row])] += node.of(r.row);
            missing += node.of(r.row);
        }
    }
    if (known.empty() || known.front().rank == known.back().rank) return out;
    const bool fractional = node.missing == MissingCells::fractional;
    const bool filled = !fractional && missing > Weight(0);
    Weight total = node.weight;
    double right_sum = node.class_sum;
    if (fractional && missing > Weight(0)) {
        total -= missing;
        right_sum = 0;
        for (std::size_t k = 0; k < classes; ++k) right_sum += measure.phi(node.classes[k] - s.absent[k]);
    }
    if (filled) split_detail::fill_numbers(node, known, s, static_cast<double>(node.weight - missing));
    out.known = static_cast<double>(total);
    out.before = measure.finish(total, right_sum);

    Weight* left = s.left.data();
    Weight* right = s.right.data();
    for (std::size_t k = 0; k < classes; ++k) {
        left[k] = Weight(0);
        right[k] = node.classes[k] - (fractional && may_miss ? s.absent[k] : Weight(0));
    }
    const std::int32_t* class_of = node.data.classes.data();
    Weight left_weight{};
    Weight best_left{};
    double left_sum = 0;
    const auto move = [&](std::size_t k, Weight w) {
        left_sum += measure.phi(left[k] + w) - measure.phi(left[k]);
        right_sum += measure.phi(right[k] - w) - measure.phi(right[k]);
        left[k] += w;
        right[k] -= w;
        left_weight += w;
    };
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
        const auto of_row = static_cast<std::size_t>(class_of[known[i].row]);
        if constexpr (std::is_integral_v<Weight>) {
            left_sum += measure.step(left[of_row]++);
            right_sum -= measure.step(--right[of_row]);
            ++left_weight;
        } else {
            move(of_row, node.of(known[i].row));
        }
        if (filled)
            for (std::size_t k = 0; k < classes; ++k)
                if (s.fill[k] == i && s.absent[k] > Weight(0)) move(k, s.absent[k]);
        if (known[i].rank == known[i + 1].rank) continue;
        const Weight right_weight = total - left_weight;
        if (static_cast<double>(left_weight) < node.min_rows || static_cast<double>(right_weight) < node.min_rows) continue;
        const double after = measure.finish(left_weight, left_sum) + measure.finish(right_weight, right_sum);
        if (out.found && !(after < out.after - 1e-9)) continue;
        out.found = true;
        out.after = after;
        out.rank = known[i].rank;
        out.next_rank = known[i + 1].rank;
        best_left = left_weight;
    }
    if (filled)
        for (auto& at : s.fill) at = known[at].rank;
    if (out.found) {
        double parts = x_log_x(static_cast<double>(best_left)) + x_log_x(static_cast<double>(total - best_left));
        if (fractional) parts += x_log_x(static_cast<double>(missing));
        out.split_info = split_detail::parts_entropy(parts, static_cast<double>(node.weight));
    }
    return out;
}

}  // namespace credence::rt
