#pragma once
// Several cases together: covering a goal with pieces that do not contradict each other.

#include "runtime/instance/casebase/retrieve.hpp"

namespace credence::rt {

struct Composition {
    std::vector<Hit> pieces;                             ///< in the order they were chosen; `arcs` of each: what it adds
    std::vector<std::size_t> open;                       ///< influences of the goal that no piece covers
    std::vector<FunctionGraph::Influence> side_effects;  ///< between quantities of the goal, not asked for
    std::size_t tried = 0;                               ///< choices looked at, the ones given up included
};

/// Depth first with backtracking: at each step the cases that cover most of what is open, while fewer are open at the end, or the same with
/// fewer pieces. A piece does not fit where an influence of it, in the goal's quantities, runs against the goal or against a side effect of
/// another piece. A case may be used several times.
Result<Composition> compose(const CaseLibrary& library, const FunctionGraph& goal, RetrieveOptions options, std::size_t most_pieces,
                            Run& run);

/// The case's influences in the goal's quantities, as far as its quantities are mapped.
std::vector<FunctionGraph::Influence> mapped_influences(const FunctionGraph& stored, const FunctionGraph& goal, const Hit& hit);

}  // namespace credence::rt
