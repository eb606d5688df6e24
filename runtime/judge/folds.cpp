#include "runtime/judge/folds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace credence::rt {

namespace {

void shuffle_rows(RowList& rows, Rng& rng) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
}

/// The rows of each label of the target, in the order of its labels; a numeric target is one class.
std::vector<RowList> by_class(const Table& table, const RowList& rows) {
    const Column* target = table.target ? table.columns[*table.target].get() : nullptr;
    if (!target || target->kind != ColumnKind::label) return {rows};
    std::vector<RowList> out(target->domain->size() + 1);
    for (const auto r : rows) {
        const auto code = target->codes[r];
        out[code < 0 ? out.size() - 1 : static_cast<std::size_t>(code)].push_back(r);
    }
    return out;
}

}  // namespace

RowList rows_with_target(const Table& table) {
    RowList out;
    for (std::size_t r = 0; r < table.row_count; ++r)
        if (!table.target || !table.columns[*table.target]->is_missing(r)) out.push_back(static_cast<std::uint32_t>(r));
    return out;
}

Result<std::vector<RowList>> make_folds(const Table& table, const RowList& rows, std::size_t k, Rng rng) {
    if (rows.size() < 2)
        return Fault{.code = "E-EMPTY",
                     .message = fmt::format("there {} to divide into folds", rows.empty() ? "are no rows" : "is only one row")};
    if (k < 2 || k > rows.size())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("folds must be from 2 to the number of rows, {}, found {}", rows.size(), k),
                     .hint = "folds: leave_one_out holds out each row once"};
    std::vector<RowList> out(k);
    if (k == rows.size()) {
        for (std::size_t i = 0; i < k; ++i) out[i] = {rows[i]};
        return out;
    }
    std::size_t next = 0;  // goes on from class to class, so that no fold gets the odd row of each
    for (auto& members : by_class(table, rows)) {
        shuffle_rows(members, rng);
        for (const auto r : members) out[next++ % k].push_back(r);
    }
    for (auto& fold : out) std::sort(fold.begin(), fold.end());
    return out;
}

RowList rows_without(const RowList& rows, const RowList& fold) {
    RowList out;
    out.reserve(rows.size() - fold.size());
    std::set_difference(rows.begin(), rows.end(), fold.begin(), fold.end(), std::back_inserter(out));
    return out;
}

RowList growing_order(const Table& table, const RowList& rows, Rng rng) {
    struct Placed {
        double at;
        std::uint32_t row;
    };
    std::vector<Placed> all;
    // The j-th of a class's n rows falls somewhere in the j-th of n equal parts of the order.
    for (auto& members : by_class(table, rows)) {
        shuffle_rows(members, rng);
        for (std::size_t j = 0; j < members.size(); ++j)
            all.push_back({(static_cast<double>(j) + rng.uniform()) / static_cast<double>(members.size()), members[j]});
    }
    std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.at < b.at; });
    RowList out;
    for (const auto& p : all) out.push_back(p.row);
    return out;
}

}  // namespace credence::rt
