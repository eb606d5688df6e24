#include "runtime/prob/factors/elimination_graph.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

constexpr EliminationGraph::Vertex no_vertex = UINT32_MAX;

}  // namespace

EliminationGraph::EliminationGraph(std::span<const std::vector<Slot>> scopes, std::span<const std::vector<Slot>> also, const Sizes& sizes) {
    std::vector<Vertex> vertex(sizes.size(), no_vertex);
    for (const auto lists : {scopes, also})
        for (const auto& scope : lists)
            for (const auto slot : scope) vertex[slot] = 0;
    for (Slot slot = 0; slot < sizes.size(); ++slot) {
        if (vertex[slot] == no_vertex) continue;
        vertex[slot] = static_cast<Vertex>(slots_.size());
        slots_.push_back(slot);
        sizes_.push_back(static_cast<double>(sizes[slot]));
    }
    std::vector<std::uint32_t> ends(count(), 0);
    for (const auto& scope : scopes)
        for (const auto slot : scope) ends[vertex[slot]] += static_cast<std::uint32_t>(scope.size()) - 1;
    near_.resize(count());
    degree_.resize(count());
    gone_.assign(count(), 0);
    for (std::size_t v = 0; v < count(); ++v) near_[v].reserve(ends[v]);
    for (const auto& scope : scopes)
        for (const auto a : scope)
            for (const auto b : scope)
                if (a != b) near_[vertex[a]].push_back(vertex[b]);
    for (std::size_t v = 0; v < count(); ++v) {
        auto& near = near_[v];
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        degree_[v] = static_cast<std::uint32_t>(near.size());
    }
}

bool EliminationGraph::adjacent(Vertex a, Vertex b) const {
    const bool shorter = near_[a].size() <= near_[b].size();
    const auto& near = near_[shorter ? a : b];
    return std::binary_search(near.begin(), near.end(), shorter ? b : a);
}

EliminationGraph EliminationGraph::part(std::span<const Vertex> vertices) const {
    EliminationGraph out;
    for (const auto v : vertices) {
        out.slots_.push_back(slots_[v]);
        out.sizes_.push_back(sizes_[v]);
        out.degree_.push_back(degree_[v]);
        auto& near = out.near_.emplace_back();
        near.reserve(degree_[v]);
        each_neighbour(v, [&](Vertex u) {
            near.push_back(static_cast<Vertex>(std::lower_bound(vertices.begin(), vertices.end(), u) - vertices.begin()));
        });
    }
    out.gone_.assign(vertices.size(), 0);
    return out;
}

bool EliminationGraph::simplicial(Vertex v, std::size_t most) const {
    if (degree_[v] > most) return false;
    const auto& near = near_[v];
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (gone_[near[i]]) continue;
        for (std::size_t j = i + 1; j < near.size(); ++j)
            if (!gone_[near[j]] && !adjacent(near[i], near[j])) return false;
    }
    return true;
}

void EliminationGraph::eliminate(Vertex v) {
    note_neighbours(v);
    for (const auto u : last_) join(u);
    leave(v);
}

void EliminationGraph::take_away(Vertex v) {
    note_neighbours(v);
    leave(v);
}

void EliminationGraph::note_neighbours(Vertex v) {
    last_.clear();
    fresh_.clear();
    each_neighbour(v, [&](Vertex u) { last_.push_back(u); });
}

/// Joins one of the last neighbours to the others.
void EliminationGraph::join(Vertex u) {
    added_.clear();
    auto& near = near_[u];
    constexpr std::size_t much_longer = 8;
    if (near.size() > much_longer * last_.size()) {
        for (const auto w : last_)
            if (w != u && !std::binary_search(near.begin(), near.end(), w)) added_.push_back(w);
    } else {
        std::set_difference(last_.begin(), last_.end(), near.begin(), near.end(), std::back_inserter(added_));
        std::erase(added_, u);
    }
    if (added_.empty()) return;
    for (const auto w : added_)
        if (u < w) fresh_.emplace_back(u, w);
    const auto middle = static_cast<std::ptrdiff_t>(near.size());
    near.insert(near.end(), added_.begin(), added_.end());
    std::inplace_merge(near.begin(), near.begin() + middle, near.end());
    degree_[u] += static_cast<std::uint32_t>(added_.size());
}

void EliminationGraph::leave(Vertex v) {
    gone_[v] = 1;
    for (const auto u : last_) {
        --degree_[u];
        if (near_[u].size() > 2 * std::size_t{degree_[u]}) std::erase_if(near_[u], [&](Vertex w) { return gone_[w] != 0; });
    }
    near_[v] = {};
}

}  // namespace credence::rt
