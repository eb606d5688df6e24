#pragma once
// Training rows as growth needs them: contiguous codes, and each numeric column sorted once.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/data/table.hpp"

namespace credence::rt {

constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();

/// A row in the order of a numeric column. Rows without a number come last.
struct RankedRow {
    std::uint32_t row = 0;
    std::uint32_t rank = no_rank;  ///< of its number among the column's distinct ones
};

struct TreeColumn {
    bool numeric = false;
    bool missing = false;              ///< whether any cell is
    std::size_t size = 0;              ///< labels of the domain
    std::vector<std::int32_t> codes;   ///< label column: one for each row, −1 missing
    std::vector<double> levels;        ///< numeric column: its distinct numbers, ascending
    std::vector<RankedRow> sorted;     ///< numeric column
    std::vector<std::uint32_t> ranks;  ///< numeric column: one for each row
};

struct TreeRows {
    std::size_t rows = 0;
    std::size_t labels = 0;
    std::vector<std::int32_t> classes;  ///< one for each row
    std::vector<double> weights;        ///< one for each row; empty: all 1
    std::vector<TreeColumn> columns;    ///< the features in order
};

TreeRows tree_rows(const TableView& rows, std::span<const double> weights);

}  // namespace credence::rt
