#pragma once
// The steps of the layered layout, each on a connected graph without cycles.

#include <cstddef>
#include <utility>
#include <vector>

namespace credence::rt::layered {

using Arcs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Which arcs to turn round so that no cycle is left: those that lead back on a depth-first walk in the order of the nodes.
std::vector<bool> arcs_to_reverse(std::size_t nodes, const Arcs& arcs);

/// A layer for each node, the first 0: every arc spans at least `span` layers. First the longest path from the sources, then nodes move
/// towards where most of their arcs lead, as long as the arcs get shorter in sum.
std::vector<std::size_t> layer_nodes(std::size_t nodes, const Arcs& arcs, std::size_t span);

/// Neighbours one layer up and down.
struct Links {
    std::vector<std::vector<std::size_t>> up;
    std::vector<std::vector<std::size_t>> down;
};
using Layers = std::vector<std::vector<std::size_t>>;

std::size_t count_crossings(const Layers& layers, const Links& links);

/// Orders each layer: barycentre sweeps and exchanges of neighbours, a fixed number of them from a few fixed beginnings; the best is kept.
Layers order_layers(const Layers& layers, const Links& links);

/// Centres for the cells: as near to the mean of their neighbours as the order and the gaps allow. Bends count more than nodes, so long
/// arcs stay straight.
std::vector<double> place_cells(const Layers& layers, const Links& links, const std::vector<double>& widths,
                                const std::vector<bool>& is_node, double gap);

}  // namespace credence::rt::layered
