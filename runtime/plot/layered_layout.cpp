#include "runtime/plot/layered_layout.hpp"

#include <algorithm>
#include <limits>

#include "runtime/core/disjoint_sets.hpp"
#include "runtime/plot/layered_steps.hpp"

namespace credence::rt {

namespace layered {

namespace {

/// Least squares: the x nearest to the wishes with x[i+1] − x[i] ≥ apart[i]. Without the distances this is isotonic regression, solved by
/// pooling adjacent violators.
std::vector<double> nearest_in_order(const std::vector<double>& wish, const std::vector<double>& weight, const std::vector<double>& apart) {
    struct Block {
        double mean;
        double weight;
        std::size_t size;
    };
    std::vector<Block> blocks;
    std::vector<double> shift(wish.size(), 0);
    for (std::size_t i = 0; i < wish.size(); ++i) {
        if (i > 0) shift[i] = shift[i - 1] + apart[i - 1];
        Block block{wish[i] - shift[i], weight[i], 1};
        while (!blocks.empty() && blocks.back().mean > block.mean) {
            const Block& b = blocks.back();
            block.mean = (b.mean * b.weight + block.mean * block.weight) / (b.weight + block.weight);
            block.weight += b.weight;
            block.size += b.size;
            blocks.pop_back();
        }
        blocks.push_back(block);
    }
    std::vector<double> out;
    for (const Block& block : blocks)
        for (std::size_t k = 0; k < block.size; ++k) out.push_back(block.mean + shift[out.size()]);
    return out;
}

/// A long arc runs straight down between its first and last bend where its neighbours leave a column for it.
void straighten(const Layers& layers, const Links& links, const std::vector<double>& widths, const std::vector<bool>& is_node, double gap,
                std::vector<double>& x) {
    std::vector<std::pair<std::size_t, std::size_t>> place(x.size());  // layer, position
    for (std::size_t l = 0; l < layers.size(); ++l)
        for (std::size_t i = 0; i < layers[l].size(); ++i) place[layers[l][i]] = {l, i};
    for (const auto& layer : layers)
        for (const std::size_t first : layer) {
            if (is_node[first] || !is_node[links.up[first][0]]) continue;  // begin with the first bend below a node
            std::vector<std::size_t> chain{first};
            while (!is_node[links.down[chain.back()][0]]) chain.push_back(links.down[chain.back()][0]);
            double least = std::numeric_limits<double>::lowest();
            double most = std::numeric_limits<double>::max();
            double sum = 0;
            for (const std::size_t cell : chain) {
                const auto& row = layers[place[cell].first];
                const std::size_t i = place[cell].second;
                if (i > 0) least = std::max(least, x[row[i - 1]] + (widths[row[i - 1]] + widths[cell]) / 2 + gap);
                if (i + 1 < row.size()) most = std::min(most, x[row[i + 1]] - (widths[row[i + 1]] + widths[cell]) / 2 - gap);
                sum += x[cell];
            }
            if (least > most) continue;
            const double column = std::clamp(sum / static_cast<double>(chain.size()), least, most);
            for (const std::size_t cell : chain) x[cell] = column;
        }
}

}  // namespace

std::vector<double> place_cells(const Layers& layers, const Links& links, const std::vector<double>& widths,
                                const std::vector<bool>& is_node, double gap) {
    std::vector<double> x(widths.size(), 0);
    std::vector<std::vector<double>> apart(layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        double at = 0;
        for (std::size_t i = 0; i < layers[l].size(); ++i) {
            if (i > 0) apart[l].push_back((widths[layers[l][i - 1]] + widths[layers[l][i]]) / 2 + gap);
            at += i > 0 ? apart[l].back() : 0;
            x[layers[l][i]] = at;
        }
    }
    const auto place = [&](std::size_t l, bool from_above, bool from_below) {
        std::vector<double> wish;
        std::vector<double> weight;
        for (const std::size_t cell : layers[l]) {
            double sum = 0;
            double total = 0;
            const auto pull = [&](const std::vector<std::size_t>& others) {
                for (const std::size_t o : others) {
                    // Arcs between bends are held straight, those between a bend and a node a little less (Gansner et al. 1993, §4).
                    const double w = is_node[cell] && is_node[o] ? 1 : is_node[cell] || is_node[o] ? 2 : 8;
                    sum += w * x[o];
                    total += w;
                }
            };
            if (from_above) pull(links.up[cell]);
            if (from_below) pull(links.down[cell]);
            wish.push_back(total > 0 ? sum / total : x[cell]);
            weight.push_back(total > 0 ? total : 0.05);
        }
        const auto placed = nearest_in_order(wish, weight, apart[l]);
        for (std::size_t i = 0; i < placed.size(); ++i) x[layers[l][i]] = placed[i];
    };
    constexpr int sweeps = 16;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const bool both = sweep >= 4;
        for (std::size_t l = 1; l < layers.size(); ++l) place(l, true, both);
        for (std::size_t l = layers.size(); l-- > 0;) place(l, both, true);
    }
    straighten(layers, links, widths, is_node, gap, x);
    return x;
}

}  // namespace layered

namespace {

using namespace layered;

std::vector<std::vector<std::size_t>> connected_parts(const LayoutInput& input) {
    DisjointSets sets(input.nodes.size());
    for (const auto& arc : input.arcs) sets.join(arc.from, arc.to);
    std::vector<std::vector<std::size_t>> members(input.nodes.size());
    for (std::size_t n = 0; n < input.nodes.size(); ++n) members[sets.find(n)].push_back(n);
    std::erase_if(members, [](const auto& m) { return m.empty(); });
    return members;
}

/// Puts the cells of a part where they were placed, from x = left on; `global` is the place of each among all cells. Returns its right end.
double append_part(const Layers& ordered, std::span<const double> x, std::span<const double> widths, std::span<const std::size_t> global,
                   double left, Layout& layout) {
    double least = x[0] - widths[0] / 2;
    double most = x[0] + widths[0] / 2;
    for (std::size_t i = 0; i < x.size(); ++i) {
        least = std::min(least, x[i] - widths[i] / 2);
        most = std::max(most, x[i] + widths[i] / 2);
    }
    for (std::size_t i = 0; i < x.size(); ++i) layout.cells[global[i]].x = x[i] - least + left;
    if (layout.layers.size() < ordered.size()) layout.layers.resize(ordered.size());
    for (std::size_t l = 0; l < ordered.size(); ++l)
        for (const std::size_t cell : ordered[l]) layout.layers[l].push_back(global[cell]);
    return left + most - least;
}

/// Lays out one connected part and appends its cells to the layout from x = left on. Returns its right end.
double lay_out_part(const LayoutInput& input, const std::vector<std::size_t>& members, std::size_t span, double left, Layout& layout) {
    std::vector<std::size_t> local(input.nodes.size(), 0);
    for (std::size_t i = 0; i < members.size(); ++i) local[members[i]] = i;
    std::vector<bool> mine(input.nodes.size(), false);
    for (const std::size_t m : members) mine[m] = true;

    std::vector<std::size_t> arc_ids;
    Arcs arcs;
    for (std::size_t a = 0; a < input.arcs.size(); ++a) {
        const auto& arc = input.arcs[a];
        if (!mine[arc.from] || arc.from == arc.to) continue;
        arc_ids.push_back(a);
        arcs.emplace_back(local[arc.from], local[arc.to]);
    }
    const auto reverse = arcs_to_reverse(members.size(), arcs);
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (reverse[i]) std::swap(arcs[i].first, arcs[i].second);
    const auto layer = layer_nodes(members.size(), arcs, span);

    // Cells of this part: its nodes, then the bends of its arcs.
    std::vector<std::size_t> global = members;
    std::vector<double> widths;
    std::vector<bool> is_node(members.size(), true);
    Layers layers(1 + *std::max_element(layer.begin(), layer.end()));
    Links links{std::vector<std::vector<std::size_t>>(members.size()), std::vector<std::vector<std::size_t>>(members.size())};
    for (std::size_t i = 0; i < members.size(); ++i) {
        widths.push_back(input.nodes[members[i]].width);
        layers[layer[i]].push_back(i);
        layout.cells[members[i]].layer = layer[i];
    }
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const auto& source = input.arcs[arc_ids[i]];
        Layout::Arc& placed = layout.arcs[arc_ids[i]];
        placed.reversed = reverse[i];
        const auto [from, to] = arcs[i];
        placed.cells.push_back(members[from]);
        std::size_t last = from;
        const auto link = [&](std::size_t next) {
            links.down[last].push_back(next);
            links.up[next].push_back(last);
            last = next;
        };
        for (std::size_t l = layer[from] + 1; l < layer[to]; ++l) {
            const bool labelled = source.label_width > 0 && l == layer[from] + 1;
            Layout::Cell bend{
                .layer = l, .width = labelled ? source.label_width : input.bend_width, .height = labelled ? source.label_height : 0};
            if (labelled) placed.label = layout.cells.size();
            placed.cells.push_back(layout.cells.size());
            global.push_back(layout.cells.size());
            layout.cells.push_back(bend);
            widths.push_back(bend.width);
            is_node.push_back(false);
            links.up.emplace_back();
            links.down.emplace_back();
            layers[l].push_back(global.size() - 1);
            link(global.size() - 1);
        }
        link(to);
        placed.cells.push_back(members[to]);
    }
    const Layers ordered = order_layers(layers, links);
    layout.crossings += count_crossings(ordered, links);
    const auto x = place_cells(ordered, links, widths, is_node, input.gap);
    return append_part(ordered, x, widths, global, left, layout);
}

}  // namespace

Layout layered_layout(const LayoutInput& input) {
    Layout out;
    out.arcs.resize(input.arcs.size());
    for (const auto& node : input.nodes) out.cells.push_back({.width = node.width, .height = node.height, .is_node = true});
    const bool labelled =
        std::any_of(input.arcs.begin(), input.arcs.end(), [](const auto& a) { return a.label_width > 0 && a.from != a.to; });
    double left = 0;
    for (const auto& part : connected_parts(input)) {
        if (left > 0) left += 2 * input.gap;
        left = lay_out_part(input, part, labelled ? 2 : 1, left, out);
    }
    out.width = left;
    return out;
}

}  // namespace credence::rt
