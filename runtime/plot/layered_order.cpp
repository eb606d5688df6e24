#include <algorithm>

#include "runtime/plot/layered_steps.hpp"

namespace credence::rt::layered {

namespace {

std::vector<std::size_t> positions_in(const Layers& layers, std::size_t cells) {
    std::vector<std::size_t> out(cells, 0);
    for (const auto& layer : layers)
        for (std::size_t i = 0; i < layer.size(); ++i) out[layer[i]] = i;
    return out;
}

/// Crossings between a layer and the one below: inversions among the lower ends, counted with a Fenwick tree (Barth, Jünger & Mutzel).
std::size_t crossings_below(const std::vector<std::size_t>& upper, std::size_t lower_size, const Links& links,
                            const std::vector<std::size_t>& position) {
    std::vector<std::size_t> tree(lower_size + 1, 0);
    std::size_t crossings = 0;
    std::size_t seen = 0;
    std::vector<std::size_t> ends;
    for (const std::size_t cell : upper) {
        ends.clear();
        for (const std::size_t d : links.down[cell]) ends.push_back(position[d]);
        std::sort(ends.begin(), ends.end());
        for (const std::size_t end : ends) {
            std::size_t not_right = 0;
            for (std::size_t i = end + 1; i > 0; i &= i - 1) not_right += tree[i];
            crossings += seen - not_right;
        }
        for (const std::size_t end : ends)
            for (std::size_t i = end + 1; i <= lower_size; i += i & (~i + 1)) ++tree[i];
        seen += ends.size();
    }
    return crossings;
}

/// Crossings among the arcs of two cells to one side when `left` stands left of `right`.
std::size_t pair_crossings(const std::vector<std::size_t>& left, const std::vector<std::size_t>& right,
                           const std::vector<std::size_t>& position) {
    std::size_t out = 0;
    for (const std::size_t a : left)
        for (const std::size_t b : right) out += position[a] > position[b] ? 1U : 0U;
    return out;
}

/// Sorts a layer by the mean position of the cells linked on one side; cells without any keep their place.
void sort_by_barycentre(std::vector<std::size_t>& layer, const std::vector<std::vector<std::size_t>>& linked,
                        std::vector<std::size_t>& position, bool later_first) {
    struct Key {
        double mean;
        std::size_t cell;
    };
    std::vector<Key> movable;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const auto& others = linked[layer[i]];
        if (others.empty()) continue;
        double sum = 0;
        for (const std::size_t o : others) sum += static_cast<double>(position[o]);
        movable.push_back({sum / static_cast<double>(others.size()), layer[i]});
        places.push_back(i);
    }
    if (later_first) std::reverse(movable.begin(), movable.end());  // equal means change places: a way out of a standstill
    std::stable_sort(movable.begin(), movable.end(), [](const Key& a, const Key& b) { return a.mean < b.mean; });
    for (std::size_t i = 0; i < places.size(); ++i) layer[places[i]] = movable[i].cell;
    for (std::size_t i = 0; i < layer.size(); ++i) position[layer[i]] = i;
}

void exchange_neighbours(Layers& layers, const Links& links, std::vector<std::size_t>& position) {
    constexpr int passes = 8;
    for (int pass = 0; pass < passes; ++pass) {
        bool improved = false;
        for (auto& layer : layers)
            for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
                const std::size_t a = layer[i];
                const std::size_t b = layer[i + 1];
                const std::size_t now =
                    pair_crossings(links.up[a], links.up[b], position) + pair_crossings(links.down[a], links.down[b], position);
                const std::size_t then =
                    pair_crossings(links.up[b], links.up[a], position) + pair_crossings(links.down[b], links.down[a], position);
                if (then >= now) continue;
                std::swap(layer[i], layer[i + 1]);
                position[a] = i + 1;
                position[b] = i;
                improved = true;
            }
        if (!improved) break;
    }
}

/// Layers in the order of a depth-first walk downward: a tree comes out without crossings and with its children in order.
Layers walked(const Layers& layers, const Links& links, bool backward) {
    std::vector<std::size_t> layer_of(links.up.size(), 0);
    for (std::size_t l = 0; l < layers.size(); ++l)
        for (const std::size_t cell : layers[l]) layer_of[cell] = l;
    std::vector<bool> seen(links.up.size(), false);
    Layers out(layers.size());
    std::vector<std::size_t> stack;
    const auto visit_from = [&](std::size_t start) {
        stack.push_back(start);
        while (!stack.empty()) {
            const std::size_t cell = stack.back();
            stack.pop_back();
            if (seen[cell]) continue;
            seen[cell] = true;
            out[layer_of[cell]].push_back(cell);
            auto next = links.down[cell];
            if (!backward) std::reverse(next.begin(), next.end());
            for (const std::size_t n : next) stack.push_back(n);
        }
    };
    for (const auto& layer : layers)
        for (std::size_t i = 0; i < layer.size(); ++i) {
            const std::size_t cell = layer[backward ? layer.size() - 1 - i : i];
            if (links.up[cell].empty()) visit_from(cell);
        }
    return out;
}

}  // namespace

std::size_t count_crossings(const Layers& layers, const Links& links) {
    const auto position = positions_in(layers, links.up.size());
    std::size_t out = 0;
    for (std::size_t l = 0; l + 1 < layers.size(); ++l) out += crossings_below(layers[l], layers[l + 1].size(), links, position);
    return out;
}

Layers order_layers(const Layers& layers, const Links& links) {
    constexpr int sweeps = 12;
    Layers best;
    std::size_t fewest = 0;
    // Large graphs get one beginning, small ones all: exchanges cost the square of the degrees.
    const std::vector<Layers> beginnings = links.up.size() > 2000
                                               ? std::vector<Layers>{walked(layers, links, false)}
                                               : std::vector<Layers>{walked(layers, links, false), layers, walked(layers, links, true)};
    for (const Layers& beginning : beginnings) {
        Layers now = beginning;
        auto position = positions_in(now, links.up.size());
        const auto keep_if_better = [&] {
            const std::size_t crossings = count_crossings(now, links);
            if (best.empty() || crossings < fewest) {
                best = now;
                fewest = crossings;
            }
        };
        keep_if_better();
        for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
            const bool later_first = sweep % 4 >= 2;
            if (sweep % 2 == 0)
                for (std::size_t l = 1; l < now.size(); ++l) sort_by_barycentre(now[l], links.up, position, later_first);
            else
                for (std::size_t l = now.size() - 1; l-- > 0;) sort_by_barycentre(now[l], links.down, position, later_first);
            keep_if_better();
            exchange_neighbours(now, links, position);
            keep_if_better();
        }
        if (fewest == 0) break;
    }
    return best;
}

}  // namespace credence::rt::layered
