#pragma once
// Lists, counts and tables as evidence for a net: rows that were drawn independently of each other, given all that they share.

#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/measure.hpp"

namespace credence::rt {

/// Equal rows: what was seen in each of them, ascending by slot, and how many there are.
struct RowGroup {
    std::vector<std::pair<Slot, std::size_t>> cells;
    std::int64_t count = 1;
};

/// What is observed in a list or a table is drawn again for each row, and so is all that depends on it; the rest of the net is shared.
struct NetRows {
    std::vector<char> by_row;        ///< by node; empty if nothing is observed in rows
    std::vector<RowGroup> evidence;  ///< what the evidence alone says
    std::vector<RowGroup> all;       ///< with what the targets say
    bool in_targets = false;         ///< the two differ

    bool empty() const { return by_row.empty(); }
};

/// Faults: E-QUERY for lists of different lengths and the like, E-LABEL and E-COLUMN for tables.
Result<NetRows> read_rows(const Net& net, const Variables& variables, const Query& query);

/// Whether the query speaks of `next X`.
bool asks_for_next(const Variables& variables, const Query& query);

/// The variables of a net as queries see them: its nodes, and one more draw of each.
Variables variables_of(const Net& net);

/// The net with a second copy of its nodes, `next X`: those drawn again in each row or asked for have tables and parents there.
NetPtr with_next(const Net& net, const Variables& variables, const Query& query, const NetRows& rows);

/// The nodes of a row that matter to what was seen in it: those drawn again for each row, from the cells upwards.
std::vector<Slot> nodes_of_row(const Net& net, std::span<const char> by_row, const RowGroup& group);
/// Their parents that all rows share.
std::vector<Slot> shared_by_row(const Net& net, std::span<const char> by_row, const RowGroup& group);

}  // namespace credence::rt
