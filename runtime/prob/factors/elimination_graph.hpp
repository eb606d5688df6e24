#pragma once
// The graph whose edges join variables of one table, while variables are eliminated from it one by one. Its lists are as long as the
// degrees, so that a chain of a hundred thousand variables takes the room of its arcs.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

class EliminationGraph {
public:
    using Vertex = std::uint32_t;

    /// Vertices are the variables in one of the scopes, ascending, and those of `also`.
    EliminationGraph(std::span<const std::vector<Slot>> scopes, std::span<const std::vector<Slot>> also, const Sizes& sizes);
    /// The vertices of this list, ascending, renumbered; none of them has neighbours that are left and not in it.
    EliminationGraph part(std::span<const Vertex> vertices) const;

    std::size_t count() const { return slots_.size(); }
    Slot slot(Vertex v) const { return slots_[v]; }
    double size(Vertex v) const { return sizes_[v]; }  ///< number of values
    bool gone(Vertex v) const { return gone_[v] != 0; }
    std::size_t degree(Vertex v) const { return degree_[v]; }
    bool adjacent(Vertex a, Vertex b) const;

    /// Those that are left, ascending.
    template <class Visit>
    void each_neighbour(Vertex v, const Visit& visit) const {
        for (const auto u : near_[v])
            if (!gone_[u]) visit(u);
    }
    /// Visits the pairs of neighbours that have no edge, the lower vertex first.
    template <class Visit>
    void each_missing_edge(Vertex v, const Visit& visit) const {
        const auto& near = near_[v];
        for (std::size_t i = 0; i < near.size(); ++i) {
            if (gone_[near[i]]) continue;
            for (std::size_t j = i + 1; j < near.size(); ++j)
                if (!gone_[near[j]] && !adjacent(near[i], near[j])) visit(near[i], near[j]);
        }
    }
    /// Whether all neighbours are joined to each other; false at once where there are more than `most` of them.
    bool simplicial(Vertex v, std::size_t most) const;

    /// Joins the neighbours to each other and takes the vertex away.
    void eliminate(Vertex v);
    /// The same for a simplicial vertex, which leaves nothing to join.
    void take_away(Vertex v);
    std::span<const Vertex> last_neighbours() const { return last_; }  ///< of what was eliminated last, ascending
    /// Visits those, apart from the last neighbours, for whom one of the edges that this added joins two neighbours; some of them more than
    /// once.
    template <class Visit>
    void each_witness(const Visit& visit) const {
        for (const auto& [a, b] : fresh_) {
            const auto [few, other] = degree_[a] < degree_[b] ? std::pair(a, b) : std::pair(b, a);
            for (const auto u : near_[few])
                if (!gone_[u] && adjacent(u, other)) visit(u);
        }
    }

private:
    void note_neighbours(Vertex v);
    void join(Vertex u);
    void leave(Vertex v);

    EliminationGraph() = default;
    std::vector<Slot> slots_;
    std::vector<double> sizes_;
    std::vector<std::vector<Vertex>> near_;  // ascending; what is gone stays until it is half of the list
    std::vector<std::uint32_t> degree_;
    std::vector<char> gone_;
    std::vector<Vertex> last_;
    std::vector<Vertex> added_;
    std::vector<std::pair<Vertex, Vertex>> fresh_;
};

}  // namespace credence::rt
