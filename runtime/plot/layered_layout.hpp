#pragma once
// A directed graph in layers (Sugiyama, Tagawa & Toda 1981): arcs lead downward, few of them cross, nothing overlaps.
// The result depends on nothing but the input; the order of nodes and arcs breaks ties.

#include <cstddef>
#include <optional>
#include <vector>

namespace credence::rt {

struct LayoutInput {
    struct Node {
        double width = 1;
        double height = 1;
    };
    struct Arc {
        std::size_t from = 0;
        std::size_t to = 0;
        double label_width = 0;  ///< 0: no label. If any arc has one, every arc gets a layer between its ends, where labels stand.
        double label_height = 0;
    };
    std::vector<Node> nodes;
    std::vector<Arc> arcs;
    double gap = 1;         ///< between neighbours of a layer
    double bend_width = 0;  ///< what an arc takes where it passes a layer
};

struct Layout {
    /// A node, or the place where an arc passes a layer.
    struct Cell {
        std::size_t layer = 0;
        double x = 0;  ///< of the centre
        double width = 0;
        double height = 0;
        bool is_node = false;
    };
    struct Arc {
        std::vector<std::size_t>
            cells;              ///< from the upper node to the lower one, one for each layer; empty if an arc leads to its own node
        bool reversed = false;  ///< the upper end is the arc's head: turned round to break a cycle
        std::optional<std::size_t> label;  ///< the cell of its label
    };
    std::vector<Cell> cells;                       ///< the nodes first, in their order
    std::vector<std::vector<std::size_t>> layers;  ///< cells from left to right
    std::vector<Arc> arcs;                         ///< as in the input
    double width = 0;
    std::size_t crossings = 0;
};

Layout layered_layout(const LayoutInput& input);

}  // namespace credence::rt
