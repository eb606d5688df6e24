#pragma once
// The variables of a Gibbs sampler in blocks that are drawn together, so that no table's zeros keep the chain from moving.

#include "runtime/nets/sampling.hpp"

namespace credence::rt {

/// Variables drawn together from their joint distribution given all others.
struct GibbsBlock {
    std::vector<Slot> variables;
    std::vector<std::uint32_t> states;  ///< possible joint values, one after the other; empty: too many to list (wide)
    std::vector<double> weights;        ///< by state: the product of the tables that lie inside the block
    std::vector<std::uint32_t> tables;  ///< those that reach outside
    std::vector<std::size_t> offsets;   ///< by state and table: the part of the entry's place that the block decides
    std::size_t count = 0;              ///< of states
    std::vector<std::uint32_t> inside;  ///< tables within the block; of a wide one
    bool wide() const { return count == 0; }
};

struct GibbsBlocks {
    std::vector<GibbsBlock> blocks;
    std::vector<std::vector<char>> possible;  ///< by slot and value
    bool impossible = false;                  ///< some block has no possible state: the evidence has probability zero
};

/// Values that the tables together forbid are left out first. A table that still has a zero joins its variables to one block. Every table
/// that reaches outside its blocks is then positive, and from any state of the chain any other can be reached: single-site sampling of
/// `either` given `tub`, `lung` in Asia would never move. A large block takes in all that it touches, where that can be eliminated once
/// for all sweeps.
GibbsBlocks gibbs_blocks(const ApproximateCase& c);

}  // namespace credence::rt
