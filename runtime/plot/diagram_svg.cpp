// A diagram as SVG: arcs leave a node's lower side and enter the upper one, curve only between layers, and so touch no other node.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/plot/diagram_render.hpp"
#include "runtime/plot/layered_layout.hpp"
#include "runtime/plot/svg.hpp"

namespace credence::rt {

namespace {

constexpr double font = 13;
constexpr double line_height = 17;
constexpr double loop_room = 30;
constexpr double widest_line = 240;
constexpr double margin = 16;
constexpr double tip = 8;

struct DiagramGeometry {
    Layout layout;
    std::vector<double> top;                 ///< of each layer
    std::vector<double> bottom;              ///< of each layer
    std::vector<std::vector<double>> leave;  ///< x where each arc leaves a cell downward, by arc and step
    std::vector<std::vector<double>> enter;  ///< x where it enters the next one
    double height = 0;
};

std::vector<std::string> shown_lines(const std::string& label) {
    auto out = diagram_lines(label);
    for (auto& line : out) line = svg_shortened(line, widest_line, font);
    return out;
}

constexpr double bar_width = 64;
constexpr double widest_bar_label = 96;
constexpr double bar_font = 11.5;

/// The columns of a node's bars.
struct BarColumns {
    double labels = 0;
    double numbers = 0;
    double width() const { return labels + 6 + bar_width + 6 + numbers; }
};
BarColumns columns_of_bars(const std::vector<Diagram::Bar>& bars) {
    BarColumns out;
    for (const auto& bar : bars) {
        out.labels = std::max(out.labels, svg_text_width(svg_shortened(bar.label, widest_bar_label, bar_font), bar_font));
        out.numbers = std::max(out.numbers, svg_text_width(bar.text, bar_font));
    }
    return out;
}

LayoutInput sizes_of(const Diagram& diagram) {
    LayoutInput input;
    input.gap = 22;
    input.bend_width = 6;
    for (const auto& node : diagram.nodes) {
        double width = 24;
        const auto lines = shown_lines(node.label);
        for (const auto& line : lines) width = std::max(width, svg_text_width(line, font));
        if (!node.bars.empty()) width = std::max(width, columns_of_bars(node.bars).width());
        const double bars = node.bars.empty() ? 0 : static_cast<double>(node.bars.size()) * line_height + 4;
        const double pad = node.shape == Diagram::Shape::plain ? 8 : 26;
        input.nodes.push_back(
            {width + pad, static_cast<double>(lines.size()) * line_height + bars + (node.shape == Diagram::Shape::plain ? 4 : 14)});
    }
    for (const auto& arc : diagram.arcs) {
        if (arc.from == arc.to) input.nodes[arc.from].width += 2 * loop_room;  // on both sides: the node stays in the middle
        const double width = arc.label.empty() ? 0 : svg_text_width(svg_shortened(arc.label, widest_line, 12), 12) + 8;
        input.arcs.push_back({arc.from, arc.to, width, 18});
    }
    return input;
}

/// Arcs at one side of a node get places of their own along it, in the order of where they come from or go to.
void spread_ports(const Diagram& diagram, DiagramGeometry& g) {
    struct End {
        double toward;
        std::size_t arc;
        std::size_t step;
    };
    std::vector<std::vector<End>> below(diagram.nodes.size());
    std::vector<std::vector<End>> above(diagram.nodes.size());
    const auto& cells = g.layout.cells;
    for (std::size_t a = 0; a < g.layout.arcs.size(); ++a) {
        const auto& chain = g.layout.arcs[a].cells;
        g.leave.emplace_back();
        g.enter.emplace_back();
        for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
            g.leave[a].push_back(cells[chain[k]].x);
            g.enter[a].push_back(cells[chain[k + 1]].x);
        }
        if (chain.empty()) continue;
        below[chain.front()].push_back({cells[chain[1]].x, a, 0});
        above[chain.back()].push_back({cells[chain[chain.size() - 2]].x, a, chain.size() - 2});
    }
    const auto spread = [&](std::vector<End>& ends, const Layout::Cell& cell, std::vector<std::vector<double>>& out) {
        std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.toward < b.toward; });
        if (ends.size() < 2) return;
        const double step = std::min(16.0, std::max(0.0, cell.width - 28) / static_cast<double>(ends.size() - 1));
        for (std::size_t i = 0; i < ends.size(); ++i)
            out[ends[i].arc][ends[i].step] = cell.x + (static_cast<double>(i) - static_cast<double>(ends.size() - 1) / 2) * step;
    };
    for (std::size_t n = 0; n < diagram.nodes.size(); ++n) {
        spread(below[n], cells[n], g.leave);
        spread(above[n], cells[n], g.enter);
    }
}

DiagramGeometry geometry_of(const Diagram& diagram) {
    DiagramGeometry g;
    g.layout = layered_layout(sizes_of(diagram));
    spread_ports(diagram, g);
    double y = margin + (diagram.title.empty() ? 0 : 26);
    for (std::size_t l = 0; l < g.layout.layers.size(); ++l) {
        double height = 0;
        double across = 0;  // the longest way sideways below this layer: wide ones need room to curve
        for (const std::size_t cell : g.layout.layers[l]) height = std::max(height, g.layout.cells[cell].height);
        for (std::size_t a = 0; a < g.leave.size(); ++a) {
            const auto& chain = g.layout.arcs[a].cells;
            if (chain.empty() || l < g.layout.cells[chain[0]].layer) continue;
            const std::size_t k = l - g.layout.cells[chain[0]].layer;
            if (k < g.leave[a].size()) across = std::max(across, std::abs(g.leave[a][k] - g.enter[a][k]));
        }
        g.top.push_back(y);
        y += height;
        g.bottom.push_back(y);
        if (l + 1 < g.layout.layers.size()) y += std::clamp(30 + across * 0.16, 34.0, 110.0);
    }
    g.height = y + margin;
    return g;
}

double middle_of(const DiagramGeometry& g, std::size_t layer) { return (g.top[layer] + g.bottom[layer]) / 2; }

void draw_tip(Svg& svg, double x, double y, bool down) {
    const double back = down ? -tip : tip;
    svg.path(fmt::format("M{} {}l-4 {}h8z", svg_number(x), svg_number(y), svg_number(back)), "tip");
}

void draw_arc(Svg& svg, const Diagram::Arc& arc, const DiagramGeometry& g, std::size_t index) {
    const auto& placed = g.layout.arcs[index];
    const auto& cells = g.layout.cells;
    const auto n = [](double v) { return svg_number(v); };
    const double above_tip = arc.arrow ? tip - 1 : 0;
    const auto& first = cells[placed.cells.front()];
    const auto& last = cells[placed.cells.back()];
    const double start = middle_of(g, first.layer) + first.height / 2;
    const double end = middle_of(g, last.layer) - last.height / 2;
    const std::size_t steps = placed.cells.size() - 1;
    std::string path = fmt::format("M{} {}", n(g.leave[index][0] + margin), n(start + (placed.reversed ? above_tip : 0)));
    for (std::size_t k = 0; k < steps; ++k) {
        const std::size_t layer = first.layer + k;
        const double from = g.leave[index][k] + margin;
        const double to = g.enter[index][k] + margin;
        const double y0 = g.bottom[layer] + (k == 0 && placed.reversed ? above_tip : 0);
        const double y1 = g.top[layer + 1] - (k + 1 == steps && !placed.reversed ? above_tip : 0);
        if (k > 0 || start < g.bottom[layer]) path += fmt::format("V{}", n(y0));
        path += std::abs(from - to) < 0.01
                    ? fmt::format("V{}", n(y1))
                    : fmt::format("C{} {} {} {} {} {}", n(from), n((y0 + y1) / 2), n(to), n((y0 + y1) / 2), n(to), n(y1));
    }
    const double finish = end - (placed.reversed ? 0 : above_tip);
    if (finish > g.top[last.layer]) path += fmt::format("V{}", n(finish));
    svg.path(path, "arc", arc.stroke == Diagram::Stroke::dashed ? "stroke-dasharray=\"5 4\"" : "");
    if (arc.arrow && placed.reversed) draw_tip(svg, g.leave[index][0] + margin, start, false);
    if (arc.arrow && !placed.reversed) draw_tip(svg, g.enter[index][steps - 1] + margin, end, true);
    if (placed.label) {
        const auto& cell = cells[*placed.label];
        const double y = middle_of(g, cell.layer);
        svg.rect(cell.x + margin - cell.width / 2, y - 9, cell.width, 18, "bg");
        svg.text(cell.x + margin, y + 4, Anchor::middle, "t", svg_shortened(arc.label, widest_line, 12));
    }
}

void draw_node(Svg& svg, const Diagram::Node& node, double x, double y, double width, double height) {
    if (node.shape != Diagram::Shape::plain)
        svg.rect(x - width / 2, y - height / 2, width, height, node.observed ? "node seen" : "node",
                 fmt::format("rx=\"{}\"", node.shape == Diagram::Shape::round ? svg_number(std::min(height / 2, 14.0)) : "3"));
    const auto lines = shown_lines(node.label);
    const double bars_height = node.bars.empty() ? 0 : static_cast<double>(node.bars.size()) * line_height + 4;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double offset = (static_cast<double>(i) - static_cast<double>(lines.size() - 1) / 2) * line_height - bars_height / 2;
        svg.text(x, y + offset + 4.5, Anchor::middle, "t", lines[i],
                 node.bars.empty() ? "style=\"font-size:13px\"" : "style=\"font-size:13px;font-weight:600\"");
    }
    if (node.bars.empty()) return;
    const BarColumns columns = columns_of_bars(node.bars);
    const double left = x - columns.width() / 2;
    double at = y + static_cast<double>(lines.size()) * line_height / 2 - bars_height / 2 + 4;  // the top of the bars
    const std::string size = fmt::format("style=\"font-size:{}px\"", svg_number(bar_font));
    for (const auto& bar : node.bars) {
        svg.text(left, at + 12.5, Anchor::start, "t", svg_shortened(bar.label, widest_bar_label, bar_font), size);
        svg.rect(left + columns.labels + 6, at + 3.5, bar_width, 10, "rest");
        svg.rect(left + columns.labels + 6, at + 3.5, bar_width * std::clamp(bar.share, 0.0, 1.0), 10, "f0");
        svg.text(left + columns.width(), at + 12.5, Anchor::end, "t", bar.text, size);
        at += line_height;
    }
}

}  // namespace

std::string diagram_svg(const Diagram& diagram) {
    const DiagramGeometry g = geometry_of(diagram);
    std::vector<std::size_t> loops(diagram.nodes.size(), 0);
    for (const auto& arc : diagram.arcs)
        if (arc.from == arc.to) ++loops[arc.from];
    const double title_width = diagram.title.empty() ? 0 : svg_text_width(diagram.title, 16);
    Svg svg(std::max({g.layout.width, title_width, 60.0}) + 2 * margin, g.height, diagram.title);
    if (!diagram.title.empty()) svg.text(margin, margin + 10, Anchor::start, "tt", diagram.title);
    for (std::size_t a = 0; a < diagram.arcs.size(); ++a)
        if (!g.layout.arcs[a].cells.empty()) draw_arc(svg, diagram.arcs[a], g, a);
    for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
        const auto& cell = g.layout.cells[i];
        const double width = cell.width - 2 * loop_room * static_cast<double>(loops[i]);
        draw_node(svg, diagram.nodes[i], cell.x + margin, middle_of(g, cell.layer), width, cell.height);
    }
    for (std::size_t a = 0; a < diagram.arcs.size(); ++a) {
        const auto& arc = diagram.arcs[a];
        if (arc.from != arc.to) continue;
        const auto& cell = g.layout.cells[arc.from];
        const double room = loop_room * static_cast<double>(loops[arc.from]--);
        const double x = cell.x + margin + cell.width / 2 - room;
        const double y = middle_of(g, cell.layer);
        svg.path(fmt::format("M{0} {1}c18 -14 18 22 6 13", svg_number(x), svg_number(y - 6)), "arc");
        if (arc.arrow) svg.path(fmt::format("M{} {}l8 -3l-1 8z", svg_number(x), svg_number(y + 5)), "tip");
        if (!arc.label.empty()) svg.text(x + 17, y + 4, Anchor::start, "n", svg_shortened(arc.label, loop_room - 12, 11));
    }
    return std::move(svg).finished();
}

}  // namespace credence::rt
