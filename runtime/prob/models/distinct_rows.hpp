#pragma once
// Many rows as few: those that differ, with how often each was seen.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/data/row_blocks.hpp"

namespace credence::rt {

struct DistinctRows {
    TablePtr table;                   ///< in the order of first appearance
    std::vector<std::int64_t> times;  ///< how often each was seen
};
/// In one pass. Columns that are not wanted (one flag each) are missing in all rows, and tell no rows apart. E-COST where too many rows
/// differ; `purpose` begins its message: "naive_bayes".
Result<DistinctRows> distinct_rows(const RowBlocks& rows, std::span<const char> wanted, const std::string& purpose, const Run& run);

}  // namespace credence::rt
