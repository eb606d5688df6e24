// The layout's promises: arcs lead down, nothing overlaps, few crossings, the same result every time.

#include <algorithm>
#include <cstdint>

#include <catch2/catch.hpp>

#include "runtime/plot/layered_layout.hpp"
#include "runtime/plot/layered_steps.hpp"

using namespace credence::rt;

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

LayoutInput graph(std::size_t nodes, const Pairs& arcs, double label = 0) {
    LayoutInput out;
    for (std::size_t i = 0; i < nodes; ++i) out.nodes.push_back({10 + static_cast<double>(i % 5) * 7, 4});
    for (const auto& [from, to] : arcs) out.arcs.push_back({from, to, label, label > 0 ? 1.0 : 0.0});
    out.gap = 3;
    out.bend_width = 1;
    return out;
}

/// A fixed generator of its own: the test must not change with the library's.
struct Random {
    std::uint64_t state;
    std::size_t below(std::size_t n) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::size_t>((state >> 33U) % n);
    }
};

Pairs random_arcs(std::size_t nodes, std::size_t count, std::uint64_t seed, bool cycles) {
    Random random{seed};
    Pairs out;
    while (out.size() < count) {
        std::size_t a = random.below(nodes);
        std::size_t b = random.below(nodes);
        if (a == b) continue;
        if (!cycles && a > b) std::swap(a, b);
        if (std::find(out.begin(), out.end(), std::pair{a, b}) == out.end()) out.emplace_back(a, b);
    }
    return out;
}

void check_promises(const LayoutInput& input, const Layout& layout) {
    for (std::size_t a = 0; a < input.arcs.size(); ++a) {
        const auto& arc = layout.arcs[a];
        if (input.arcs[a].from == input.arcs[a].to) {
            CHECK(arc.cells.empty());
            continue;
        }
        REQUIRE(arc.cells.size() >= 2);
        CHECK(arc.cells.front() == (arc.reversed ? input.arcs[a].to : input.arcs[a].from));
        CHECK(arc.cells.back() == (arc.reversed ? input.arcs[a].from : input.arcs[a].to));
        for (std::size_t k = 0; k + 1 < arc.cells.size(); ++k)
            CHECK(layout.cells[arc.cells[k]].layer + 1 == layout.cells[arc.cells[k + 1]].layer);
        if (input.arcs[a].label_width > 0) {
            REQUIRE(arc.label.has_value());
            CHECK(layout.cells[*arc.label].width == input.arcs[a].label_width);
        }
    }
    std::size_t placed = 0;
    for (const auto& layer : layout.layers) {
        placed += layer.size();
        for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
            const auto& left = layout.cells[layer[i]];
            const auto& right = layout.cells[layer[i + 1]];
            CHECK(left.x + left.width / 2 + input.gap <= right.x - right.width / 2 + 1e-6);
        }
        for (const std::size_t cell : layer) {
            CHECK(layout.cells[cell].x - layout.cells[cell].width / 2 >= -1e-6);
            CHECK(layout.cells[cell].x + layout.cells[cell].width / 2 <= layout.width + 1e-6);
        }
    }
    CHECK(placed == layout.cells.size());
}

/// Crossings of straight lines between two orders, counted pair by pair.
std::size_t crossings_by_pairs(const layered::Layers& layers, const layered::Links& links) {
    std::vector<std::size_t> position(links.up.size());
    for (const auto& layer : layers)
        for (std::size_t i = 0; i < layer.size(); ++i) position[layer[i]] = i;
    std::size_t out = 0;
    for (const auto& layer : layers)
        for (const std::size_t a : layer)
            for (const std::size_t b : layer)
                if (position[a] < position[b])
                    for (const std::size_t x : links.down[a])
                        for (const std::size_t y : links.down[b]) out += position[x] > position[y] ? 1U : 0U;
    return out;
}

/// The fewest crossings over all orders of all layers.
std::size_t fewest_crossings(layered::Layers layers, const layered::Links& links, std::size_t from = 0) {
    if (from == layers.size()) return crossings_by_pairs(layers, links);
    std::sort(layers[from].begin(), layers[from].end());
    std::size_t best = SIZE_MAX;
    do best = std::min(best, fewest_crossings(layers, links, from + 1));
    while (std::next_permutation(layers[from].begin(), layers[from].end()));
    return best;
}

}  // namespace

TEST_CASE("arcs lead down and nothing overlaps, also with cycles, loops, labels and parts") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const bool cycles = seed % 3 == 0;
        auto arcs = random_arcs(14, 18, seed, cycles);
        if (cycles) arcs.emplace_back(3, 3);
        const LayoutInput input = graph(17, arcs, seed % 4 == 0 ? 9 : 0);  // nodes 15 to 17 stand alone
        const Layout layout = layered_layout(input);
        INFO("seed " << seed);
        check_promises(input, layout);
        if (!cycles) CHECK(std::none_of(layout.arcs.begin(), layout.arcs.end(), [](const auto& a) { return a.reversed; }));
        const Layout again = layered_layout(input);
        CHECK(again.layers == layout.layers);
        for (std::size_t i = 0; i < layout.cells.size(); ++i) CHECK(again.cells[i].x == layout.cells[i].x);
    }
    CHECK(layered_layout({}).cells.empty());
}

TEST_CASE("a two-way street turns one of its arcs") {
    const LayoutInput input = graph(2, {{0, 1}, {1, 0}});
    const Layout layout = layered_layout(input);
    check_promises(input, layout);
    CHECK(layout.arcs[0].reversed != layout.arcs[1].reversed);
}

TEST_CASE("sources stand just above what they lead to") {
    // 0 → 1 → 2 → 3 and 4 → 3: the longest path alone would leave 4 at the top.
    const Layout layout = layered_layout(graph(5, {{0, 1}, {1, 2}, {2, 3}, {4, 3}}));
    CHECK(layout.cells[4].layer == 2);
}

TEST_CASE("trees are drawn without crossings and with their children in order") {
    const Layout layout = layered_layout(graph(7, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}}));
    CHECK(layout.crossings == 0);
    CHECK(layout.layers == layered::Layers{{0}, {1, 2}, {3, 4, 5, 6}});
    CHECK(layout.cells[0].x == Approx((layout.cells[1].x + layout.cells[2].x) / 2).margin(0.5));
}

TEST_CASE("crossings are counted right and are the fewest on small graphs") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        // Three layers of four, as many arcs as make some crossings certain.
        Random random{seed * 77};
        layered::Layers layers{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
        layered::Links links{std::vector<std::vector<std::size_t>>(12), std::vector<std::vector<std::size_t>>(12)};
        for (std::size_t gap = 0; gap < 2; ++gap)
            for (std::size_t k = 0; k < 7; ++k) {
                const std::size_t a = 4 * gap + random.below(4);
                const std::size_t b = 4 * (gap + 1) + random.below(4);
                if (std::find(links.down[a].begin(), links.down[a].end(), b) != links.down[a].end()) continue;
                links.down[a].push_back(b);
                links.up[b].push_back(a);
            }
        const auto ordered = layered::order_layers(layers, links);
        INFO("seed " << seed);
        CHECK(layered::count_crossings(ordered, links) == crossings_by_pairs(ordered, links));
        CHECK(layered::count_crossings(ordered, links) == fewest_crossings(layers, links));
    }
}
