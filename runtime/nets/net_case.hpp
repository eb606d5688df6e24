#pragma once
// A query on a net, digested: what is fixed, what is cut, what matters. No arithmetic yet.

#include "runtime/nets/net_rows.hpp"

namespace credence::rt {

struct NetCase {
    const Net* net = nullptr;
    const Net* declared = nullptr;  ///< the same, but for what the query added to it
    NetPtr with_next = {};          ///< the net where the query needs one more draw of its variables
    NetRows rows = {};
    Sizes sizes;
    SlotNames names;
    Shape shape;
    std::vector<std::int64_t> done;    ///< by node: the value an intervention gives it, or −1
    std::vector<EventTable> evidence;  ///< one for each variable for events about a single one, then the compound ones
    std::vector<EventTable> target_events;
    std::vector<Slot> soft;           ///< variables of soft evidence
    std::vector<std::int64_t> fixed;  ///< by node: the one value that evidence or intervention leaves, or −1
    std::vector<char> relevant;       ///< ancestors of all the query names, in the net with intervened nodes cut off
    bool exact = true;                ///< all relevant tables and weights are

    bool simple() const { return !with_next; }  ///< single values alone
};

/// Faults: those of read_rows, E-DO, E-HOLE, E-SUM, E-PARAMETER.
Result<NetCase> digest(const Net& net, const Variables& variables, const Query& query, const Run& run);

/// Tables of events; those about one variable are merged, so that X != a, X != b may leave a single value. They come first.
Result<std::vector<EventTable>> event_tables(std::span<const Event> events, const Variables& variables, const Run& run);

/// Ancestors of the seeds, the seeds included; arcs into intervened nodes are cut.
std::vector<char> ancestors(const NetCase& c, std::span<const Slot> seeds);

}  // namespace credence::rt
