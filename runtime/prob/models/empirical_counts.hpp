#pragma once
// What a query on a table needs counted.

#include "runtime/prob/queries/measure.hpp"
#include "runtime/prob/queries/row_events.hpp"

namespace credence::rt {

/// The free variables of the query and those of soft evidence, their joint counts under the evidence, and under the target's events too.
struct EmpiricalCounts {
    Variables variables;  ///< the table's, numeric columns that are counted with their distinct values
    Sizes sizes;
    SlotNames names;
    std::vector<Slot> over;
    std::vector<std::int64_t> under_evidence;
    std::vector<std::int64_t> under_all;
    std::size_t rows = 0;      ///< that the evidence leaves
    std::size_t left_out = 0;  ///< for missing cells
};
/// `times`: how often each row of the table stands for one; none: once. Faults: E-QUERY, E-DO, E-COST.
Result<EmpiricalCounts> count_rows(const Table& table, std::span<const std::int64_t> times, const Variables& variables, const Query& query,
                                   const Run& run);
/// The columns that a query names, ascending.
std::vector<Slot> named_columns(const Query& query);

/// Rows that the evidence leaves, and the number of those left out because a cell the query names is missing.
struct EvidenceRows {
    RowMask mask;
    std::size_t left_out = 0;
};
EvidenceRows evidence_rows(const Table& table, const Query& query);  ///< of a table whose rows stand for one each

Result<Derivation> explain_table(const Model& model, const Table& table, const Query& query, const Answer& answer, Run& run);

}  // namespace credence::rt
