#include "runtime/classify/tree_rows.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt {

namespace {

/// Whole numbers of a narrow range are sorted by counting.
bool sort_by_counting(std::span<const double> values, TreeColumn& out) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double x : values) {
        if (std::isnan(x)) continue;
        if (x != std::floor(x)) return false;
        low = std::min(low, x);
        high = std::max(high, x);
    }
    if (high < low || !(high - low < 2.0 * static_cast<double>(values.size()) + 256)) return false;  // nothing there, or too wide
    std::vector<std::uint32_t> starts(static_cast<std::size_t>(high - low) + 2, 0);
    for (const double x : values)
        if (!std::isnan(x)) ++starts[static_cast<std::size_t>(x - low) + 1];
    std::vector<std::uint32_t> rank_of(starts.size() - 1, 0);
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
        rank_of[k] = static_cast<std::uint32_t>(out.levels.size());
        if (starts[k + 1] > 0) out.levels.push_back(low + static_cast<double>(k));
        starts[k + 1] += starts[k];
    }
    std::uint32_t last = starts.back();
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            out.sorted[last++] = {i, no_rank};
            continue;
        }
        const auto k = static_cast<std::size_t>(values[i] - low);
        out.ranks[i] = rank_of[k];
        out.sorted[starts[k]++] = {i, rank_of[k]};
    }
    return true;
}

void sort_numbers(std::span<const double> values, TreeColumn& out) {
    out.sorted.resize(values.size());
    out.ranks.assign(values.size(), no_rank);
    if (sort_by_counting(values, out)) return;
    std::vector<std::pair<double, std::uint32_t>> order;
    order.reserve(values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) order.emplace_back(values[i], i);
    std::sort(order.begin(), order.end());
    std::size_t at = 0;
    for (const auto& [x, i] : order) {
        if (out.levels.empty() || x != out.levels.back()) out.levels.push_back(x);
        out.ranks[i] = static_cast<std::uint32_t>(out.levels.size() - 1);
        out.sorted[at++] = {i, out.ranks[i]};
    }
    for (std::uint32_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i])) out.sorted[at++] = {i, no_rank};
}

}  // namespace

TreeRows tree_rows(const TableView& view, std::span<const double> weights) {
    TreeRows out;
    out.rows = view.size();
    out.weights.assign(weights.begin(), weights.end());
    const Table& table = *view.table;
    const Column& target = *table.columns[*table.target];
    out.labels = target.domain->size();
    out.classes.resize(out.rows);
    for (std::size_t i = 0; i < out.rows; ++i) out.classes[i] = target.codes[view.row(i)];
    std::vector<double> gathered;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.target == c) continue;
        const Column& column = *table.columns[c];
        TreeColumn& in = out.columns.emplace_back();
        in.numeric = column.kind == ColumnKind::numeric;
        if (in.numeric) {
            gathered.resize(out.rows);
            for (std::size_t i = 0; i < out.rows; ++i) gathered[i] = column.values[view.row(i)];
            sort_numbers(gathered, in);
            in.missing = !in.sorted.empty() && in.sorted.back().rank == no_rank;
            continue;
        }
        in.size = column.domain->size();
        in.codes.resize(out.rows);
        for (std::size_t i = 0; i < out.rows; ++i) {
            in.codes[i] = column.codes[view.row(i)];
            in.missing = in.missing || in.codes[i] < 0;
        }
    }
    return out;
}

}  // namespace credence::rt
