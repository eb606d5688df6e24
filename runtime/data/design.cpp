#include "runtime/data/design.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace credence::rt {

std::vector<DesignTerm> design_terms(std::span<const ColumnPtr> features, Coding coding) {
    std::vector<DesignTerm> out;
    for (std::size_t c = 0; c < features.size(); ++c) {
        const Column& column = *features[c];
        if (column.kind == ColumnKind::numeric) {
            out.push_back({c, -1, column.name});
            continue;
        }
        const std::size_t labels = column.domain->size();
        const bool without_first = coding == Coding::reference || labels == 2;
        for (std::size_t k = without_first ? 1 : 0; k < labels; ++k)
            out.push_back({c, static_cast<std::int32_t>(k), fmt::format("{}={}", column.name, (*column.domain)[k].text())});
    }
    return out;
}

Matrix design_matrix(std::span<const ColumnPtr> features, std::span<const DesignTerm> terms, const TableView& rows, std::size_t ones) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t block = 128;  // rows at a time, so that a row's cells are written while they are in the cache
    Matrix out(rows.size(), ones + terms.size());
    for (std::size_t first = 0; first < out.rows; first += block) {
        const std::size_t last = std::min(first + block, out.rows);
        for (std::size_t c = 0; c < ones; ++c)
            for (std::size_t i = first; i < last; ++i) out(i, c) = 1.0;
        for (std::size_t t = 0; t < terms.size(); ++t) {
            const Column& column = *features[terms[t].column];
            if (terms[t].label < 0) {
                for (std::size_t i = first; i < last; ++i) out(i, ones + t) = column.values[rows.row(i)];
                continue;
            }
            for (std::size_t i = first; i < last; ++i) {
                const auto code = column.codes[rows.row(i)];
                out(i, ones + t) = code < 0 ? missing : code == terms[t].label ? 1.0 : 0.0;
            }
        }
    }
    return out;
}

std::vector<ColumnPtr> feature_columns(const Table& table) {
    std::vector<ColumnPtr> out;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.target != c) out.push_back(table.columns[c]);
    return out;
}

std::vector<std::uint32_t> complete_rows(std::span<const ColumnPtr> columns, const TableView& rows) {
    std::vector<const Column*> holey;
    for (const auto& c : columns)
        if (c->missing_count() > 0) holey.push_back(c.get());
    std::vector<std::uint32_t> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::none_of(holey.begin(), holey.end(), [&](const Column* c) { return c->is_missing(rows.row(i)); }))
            out.push_back(static_cast<std::uint32_t>(i));
    return out;
}

}  // namespace credence::rt
