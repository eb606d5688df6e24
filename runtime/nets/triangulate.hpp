#pragma once
// The order in which a junction tree eliminates its variables: the cheapest of several greedy triangulations.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

/// The cliques of an elimination: clique i is order[i] with its neighbours at the time it went, members(i) latest eliminated first
/// (so order[i] comes last).
struct Triangulation {
    std::vector<Slot> order;
    std::vector<Slot> cliques;            ///< the members, clique after clique
    std::vector<std::uint32_t> begins;    ///< one more than there are cliques
    std::vector<std::uint32_t> position;  ///< by slot: its place in the order
    double entries = 0;                   ///< of all elimination cliques together
    double effort = 0;                    ///< spent on the search, about four nanoseconds each

    std::span<const Slot> members(std::size_t i) const { return std::span(cliques).subspan(begins[i], begins[i + 1] - begins[i]); }
};

/// Tries min-fill, weighted min-fill, min-weight and the order of declaration, then the first three with random ties, as long as the tables
/// to come cost more than the search. The effort is counted, never timed, and the ties have a seed of their own: the same scopes always
/// give the same order.
Triangulation triangulate(std::span<const std::vector<Slot>> scopes, const Sizes& sizes);
/// What the first two rules alone would give: to compare parts of a net before any is compiled. The cliques are not there.
Triangulation estimate_triangulation(std::span<const std::vector<Slot>> scopes, const Sizes& sizes);

}  // namespace credence::rt
