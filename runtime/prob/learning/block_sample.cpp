#include "runtime/prob/learning/block_sample.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/block_training.hpp"

namespace credence::rt {

namespace {

/// A number for each row, as if drawn from all 64-bit numbers (the finaliser of splitmix64).
std::uint64_t draw_of(std::uint64_t seed, std::size_t row) {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15U * (row + 1);
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
}

}  // namespace

std::vector<std::size_t> number_columns(const Table& head, std::string_view hidden) {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < head.columns.size(); ++c)
        if (head.columns[c]->kind == ColumnKind::numeric && head.target != c && head.columns[c]->name != hidden) out.push_back(c);
    return out;
}

Result<Matrix> numbers_of(const Table& block, std::span<const std::size_t> columns, std::size_t first) {
    const KnownRows known(block, columns);
    const TableView view = known.view(block);
    Matrix out(known.size(), columns.size());
    for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double x = block.columns[columns[j]]->values[view.row(i)];
            if (!std::isfinite(x))
                return Fault{.code = "E-TRAIN",
                             .message = fmt::format("{} is infinite in row {}", block.columns[columns[j]]->name, first + view.row(i) + 1)};
            out(i, j) = x;
        }
    return out;
}

Result<TablePtr> sampled_numbers(const RowBlocks& rows, std::size_t n, std::string_view hidden, const Run& run) {
    const auto columns = number_columns(rows.head(), hidden);
    const bool all = rows.rows() <= n;
    const double share = static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(rows.rows(), 1));
    const auto below = all ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::ldexp(share, 64));
    Rng rng = run.rng.child("sample");
    const std::uint64_t seed = rng.next();
    using Columns = std::vector<std::vector<double>>;
    const auto parts =
        TRY(pass(rows, {}, Columns(columns.size()), run, [&](Columns& kept, const Table& block, std::size_t first) -> Status {
            const KnownRows known(block, columns);
            const TableView view = known.view(block);
            for (std::size_t i = 0; i < known.size(); ++i) {
                if (!all && draw_of(seed, first + view.row(i)) >= below) continue;
                for (std::size_t j = 0; j < columns.size(); ++j) kept[j].push_back(block.columns[columns[j]]->values[view.row(i)]);
            }
            return Done{};
        }));
    std::vector<ColumnPtr> out;
    std::size_t count = 0;
    for (const auto& part : parts) count += part.empty() ? 0 : part[0].size();
    for (std::size_t c = 0, j = 0; c < rows.head().columns.size(); ++c) {
        auto column = std::make_shared<Column>(*rows.head().columns[c]);
        if (column->kind == ColumnKind::label)
            column->codes.assign(count, -1);
        else if (j == columns.size() || columns[j] != c)
            column->values.assign(count, missing_value);
        else {
            for (const auto& part : parts) column->values.insert(column->values.end(), part[j].begin(), part[j].end());
            ++j;
        }
        out.push_back(std::move(column));
    }
    return make_table(std::move(out), rows.head().target, count);
}

}  // namespace credence::rt
