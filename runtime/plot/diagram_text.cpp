// A diagram in characters. Between two layers, each source has a horizontal track of its own, and no two of them share a column, so lines
// never run into each other: what crosses is drawn as a crossing, what joins as a junction.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "runtime/plot/diagram_render.hpp"
#include "runtime/plot/layered_layout.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t longest_line = 28;

struct TextBox {
    std::vector<std::string> lines;
    std::size_t bars = 0;  ///< the last lines, which have a bar each
    std::size_t bar_from = 0;
    std::size_t left = 0;
    std::size_t width = 1;
    std::size_t height = 1;
    std::optional<std::size_t> column;  ///< where the line through a bend runs
};

/// Lines that leave one place: a trunk, a track and branches.
struct Wire {
    std::size_t source = 0;  ///< cell
    std::size_t column = 0;
    bool head_up = false;  ///< an arrow at the upper end
    struct Branch {
        std::size_t cell;
        std::size_t column;
        bool head;
        std::size_t arc;
    };
    std::vector<Branch> branches = {};
    std::optional<std::size_t> track = {};

    std::size_t left() const {
        std::size_t out = column;
        for (const auto& b : branches) out = std::min(out, b.column);
        return out;
    }
    std::size_t right() const {
        std::size_t out = column;
        for (const auto& b : branches) out = std::max(out, b.column);
        return out;
    }
};

struct Channel {
    std::vector<Wire> wires;
    std::size_t tracks = 0;
    bool heads_up = false;
    std::size_t rows() const { return tracks + 1 + (heads_up ? 1 : 0); }
};

struct TextPlan {
    Layout layout;
    std::vector<TextBox> boxes;  ///< one for each cell
    std::vector<Channel> channels;
    std::size_t width = 0;
};

constexpr std::size_t bar_columns = 8;

/// A label, a bar and a number in one line, aligned with those of the other bars.
std::vector<std::string> bar_lines(const std::vector<Diagram::Bar>& bars, std::size_t& bar_from, bool unicode) {
    static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    constexpr std::size_t longest_bar_label = 11;
    std::size_t labels = 0;
    std::size_t numbers = 0;
    for (const auto& bar : bars) {
        labels = std::max(labels, std::min(longest_bar_label, columns_of(bar.label)));
        numbers = std::max(numbers, columns_of(bar.text));
    }
    bar_from = labels + 1;
    std::vector<std::string> out;
    for (const auto& bar : bars) {
        std::string line = shortened(bar.label, labels, unicode);
        line += std::string(bar_from - columns_of(line), ' ');
        const auto parts = static_cast<std::size_t>(std::lround(std::clamp(bar.share, 0.0, 1.0) * 8 * bar_columns));
        const std::size_t whole = unicode ? parts / 8 : (parts + 4) / 8;
        for (std::size_t i = 0; i < whole; ++i) line += unicode ? "█" : "#";
        std::size_t used = whole;
        if (unicode && parts % 8 > 0) {
            line += eighths[parts % 8];
            ++used;
        }
        line += std::string(bar_columns - used + 1 + numbers - columns_of(bar.text), ' ') + bar.text;
        out.push_back(std::move(line));
    }
    return out;
}

TextPlan placed_boxes(const Diagram& diagram, bool unicode) {
    TextPlan plan;
    LayoutInput input;
    input.gap = 2;
    input.bend_width = 1;
    std::vector<std::size_t> in(diagram.nodes.size(), 0);
    std::vector<std::size_t> loops(diagram.nodes.size(), 0);
    for (const auto& arc : diagram.arcs) ++(arc.from == arc.to ? loops : in)[arc.to];
    for (std::size_t n = 0; n < diagram.nodes.size(); ++n) {
        TextBox box;
        box.lines = diagram_lines(diagram.nodes[n].label);
        if (loops[n] > 0) box.lines.back() += unicode ? " ↺" : " (self)";
        for (auto& line : box.lines) line = shortened(line, longest_line, unicode);
        for (auto& line : bar_lines(diagram.nodes[n].bars, box.bar_from, unicode)) box.lines.push_back(std::move(line));
        box.bars = diagram.nodes[n].bars.size();
        const std::size_t border = diagram.nodes[n].shape == Diagram::Shape::plain ? 0 : 1;
        std::size_t inner = std::max<std::size_t>(1, 2 * in[n]);
        for (const auto& line : box.lines) inner = std::max(inner, columns_of(line));
        box.width = inner + 4 * border;
        box.height = box.lines.size() + 2 * border;
        input.nodes.push_back({static_cast<double>(box.width), static_cast<double>(box.height)});
        plan.boxes.push_back(std::move(box));
    }
    for (const auto& arc : diagram.arcs)
        input.arcs.push_back({arc.from, arc.to, static_cast<double>(columns_of(shortened(arc.label, longest_line, unicode))), 1});
    plan.layout = layered_layout(input);
    plan.boxes.resize(plan.layout.cells.size());
    for (std::size_t a = 0; a < diagram.arcs.size(); ++a)
        if (const auto label = plan.layout.arcs[a].label) {
            plan.boxes[*label].lines = {shortened(diagram.arcs[a].label, longest_line, unicode)};
            plan.boxes[*label].width = columns_of(plan.boxes[*label].lines[0]);
        }
    // Whole columns: rounding must not push neighbours together.
    for (const auto& layer : plan.layout.layers) {
        std::size_t free = 0;
        for (const std::size_t cell : layer) {
            TextBox& box = plan.boxes[cell];
            const double wish = std::max(0.0, std::floor(plan.layout.cells[cell].x - static_cast<double>(box.width) / 2 + 0.5));
            box.left = std::max(free, static_cast<std::size_t>(wish));
            free = box.left + box.width + 2;
            plan.width = std::max(plan.width, box.left + box.width);
        }
    }
    return plan;
}

/// The wires from one layer to the next with their sources' columns.
std::vector<Wire> wires_below(const Diagram& diagram, TextPlan& plan, std::size_t layer) {
    std::vector<Wire> wires;
    std::map<std::size_t, std::size_t> trunk;  // cell → wire
    for (const std::size_t cell : plan.layout.layers[layer]) {
        const std::size_t first = wires.size();
        for (std::size_t a = 0; a < diagram.arcs.size(); ++a) {
            const auto& placed = plan.layout.arcs[a];
            if (placed.cells.empty() || plan.layout.cells[placed.cells[0]].layer > layer) continue;
            const std::size_t k = layer - plan.layout.cells[placed.cells[0]].layer;
            if (k + 1 >= placed.cells.size() || placed.cells[k] != cell) continue;
            const bool head_up = k == 0 && placed.reversed && diagram.arcs[a].arrow;
            const bool head = k + 2 == placed.cells.size() && !placed.reversed && diagram.arcs[a].arrow;
            if (head_up || !trunk.contains(cell)) {
                if (!head_up) trunk[cell] = wires.size();
                wires.push_back({.source = cell, .head_up = head_up});
                wires.back().branches.push_back({placed.cells[k + 1], 0, head, a});
            } else {
                wires[trunk[cell]].branches.push_back({placed.cells[k + 1], 0, head, a});
            }
        }
        const TextBox& box = plan.boxes[cell];
        const std::size_t count = wires.size() - first;
        for (std::size_t i = first; i < wires.size(); ++i) {
            const std::size_t middle = box.left + box.width / 2;
            wires[i].column = box.column
                                  ? *box.column
                                  : std::min(box.left + box.width - 1, middle + 2 * (i - first) - std::min(middle - box.left, count - 1));
        }
    }
    return wires;
}

/// Columns at which branches enter the layer below: none that another wire's trunk or branch takes. False where a box is too narrow.
bool choose_columns(TextPlan& plan, std::vector<Wire>& wires, std::size_t layer) {
    std::map<std::size_t, std::size_t> taken;  // column → wire
    for (std::size_t w = 0; w < wires.size(); ++w)
        if (!taken.emplace(wires[w].column, w).second) return false;
    for (const std::size_t cell : plan.layout.layers[layer]) {
        TextBox& box = plan.boxes[cell];
        struct Entry {
            std::size_t wire;
            std::size_t branch;
        };
        std::vector<Entry> entries;
        for (std::size_t w = 0; w < wires.size(); ++w)
            for (std::size_t b = 0; b < wires[w].branches.size(); ++b)
                if (wires[w].branches[b].cell == cell) entries.push_back({w, b});
        std::stable_sort(entries.begin(), entries.end(),
                         [&](const Entry& x, const Entry& y) { return wires[x.wire].column < wires[y.wire].column; });
        const bool is_bend = !plan.layout.cells[cell].is_node && box.lines.empty();
        const long reach = is_bend ? 1 : 0;  // a bend may step aside into the gap beside it
        const long low = static_cast<long>(box.left) - reach + (plan.layout.cells[cell].is_node && box.width > 2 ? 1 : 0);
        const long high = static_cast<long>(box.left + box.width) - 1 + reach - (plan.layout.cells[cell].is_node && box.width > 2 ? 1 : 0);
        for (std::size_t e = 0; e < entries.size(); ++e) {
            const long middle = static_cast<long>(box.left + box.width / 2);
            long wish = middle + 2 * static_cast<long>(e) - static_cast<long>(entries.size() - 1);
            const long straight = static_cast<long>(wires[entries[e].wire].column);
            if (entries.size() == 1 && plan.layout.cells[cell].is_node && straight >= low && straight <= high) wish = straight;
            std::optional<std::size_t> best;
            for (long c = std::max(0L, low); c <= high; ++c) {
                const auto at = taken.find(static_cast<std::size_t>(c));
                const bool own_trunk = at != taken.end() && at->second == entries[e].wire && c == straight;
                if (at != taken.end() && !own_trunk) continue;
                if (!best || std::abs(c - wish) < std::abs(static_cast<long>(*best) - wish)) best = static_cast<std::size_t>(c);
            }
            if (!best) return false;
            taken[*best] = entries[e].wire;
            wires[entries[e].wire].branches[entries[e].branch].column = *best;
            if (!plan.layout.cells[cell].is_node) box.column = *best;
        }
    }
    return true;
}

/// Left-edge rule: a track takes wires that do not meet on it.
void assign_tracks(Channel& channel) {
    std::vector<std::size_t> order;
    for (std::size_t w = 0; w < channel.wires.size(); ++w) {
        channel.heads_up = channel.heads_up || channel.wires[w].head_up;
        if (channel.wires[w].left() < channel.wires[w].right()) order.push_back(w);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return channel.wires[a].left() < channel.wires[b].left(); });
    std::vector<std::size_t> end;
    for (const std::size_t w : order) {
        Wire& wire = channel.wires[w];
        std::size_t t = 0;
        while (t < end.size() && end[t] + 1 >= wire.left()) ++t;
        if (t == end.size()) end.push_back(0);
        end[t] = wire.right();
        wire.track = t;
    }
    channel.tracks = end.size();
}

void draw_wires(TextGrid& grid, const TextPlan& plan, const Channel& channel, std::size_t above, std::size_t above_rows, std::size_t below,
                std::size_t below_rows) {
    const std::size_t first_track = above + above_rows + (channel.heads_up ? 1 : 0);
    const std::size_t arrow_row = below - 1;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> across;  // (row, column) → wire whose track passes there
    for (std::size_t w = 0; w < channel.wires.size(); ++w) {
        const Wire& wire = channel.wires[w];
        if (!wire.track) continue;
        const std::size_t row = first_track + *wire.track;
        grid.line(wire.left(), row, wire.right(), row);
        for (std::size_t c = wire.left(); c <= wire.right(); ++c) across[{row, c}] = w;
    }
    const auto down = [&](std::size_t column, std::size_t from, std::size_t to, std::size_t w) {
        grid.line(column, from, column, to);
        for (std::size_t row = from; row <= to; ++row)
            if (const auto it = across.find({row, column}); it != across.end() && it->second != w)
                grid.put(column, row, grid.unicode() ? "│" : "|");
    };
    for (std::size_t w = 0; w < channel.wires.size(); ++w) {
        const Wire& wire = channel.wires[w];
        const TextBox& source = plan.boxes[wire.source];
        const std::size_t bottom = above + std::max<std::size_t>(source.height, 1) - 1;
        const std::size_t turn = wire.track ? first_track + *wire.track : arrow_row;
        down(wire.column, bottom, turn, w);
        if (wire.head_up) grid.put(wire.column, above + source.height, grid.unicode() ? "▲" : "^");
        for (const auto& branch : wire.branches) {
            const bool is_node = plan.layout.cells[branch.cell].is_node;
            const bool labelled = !is_node && !plan.boxes[branch.cell].lines.empty();
            down(branch.column, turn, is_node || labelled ? arrow_row : below + below_rows - 1, w);
            if (branch.head) grid.put(branch.column, arrow_row, grid.unicode() ? "▼" : "v");
        }
    }
}

void draw_box(TextGrid& grid, const TextBox& box, std::size_t top, bool border) {
    if (border) {
        const std::size_t right = box.left + box.width - 1;
        const std::size_t bottom = top + box.height - 1;
        grid.line(box.left, top, right, top);
        grid.line(box.left, bottom, right, bottom);
        grid.line(box.left, top, box.left, bottom);
        grid.line(right, top, right, bottom);
    }
    for (std::size_t i = 0; i < box.lines.size(); ++i) {
        const std::size_t room = box.width - (border ? 4 : 0);
        const std::size_t indent = (room - std::min(room, columns_of(box.lines[i]))) / 2 + (border ? 2 : 0);
        const std::size_t row = top + i + (border ? 1 : 0);
        grid.put(box.left + indent, row, box.lines[i]);
        if (i + box.bars >= box.lines.size()) grid.paint(box.left + indent + box.bar_from, row, bar_columns, paint_of(0));
    }
}

std::optional<std::string> boxes_and_lines(const Diagram& diagram, const TextStyle& style) {
    TextPlan plan = placed_boxes(diagram, style.unicode);
    if (plan.width >= style.width) return std::nullopt;  // a bend at the edge may take one column more
    const std::size_t layers = plan.layout.layers.size();
    for (std::size_t l = 0; l + 1 < layers; ++l) {
        Channel channel;
        channel.wires = wires_below(diagram, plan, l);
        if (!choose_columns(plan, channel.wires, l + 1)) return std::nullopt;
        assign_tracks(channel);
        plan.channels.push_back(std::move(channel));
    }
    std::vector<std::size_t> top;
    std::vector<std::size_t> rows;
    std::size_t y = diagram.title.empty() ? 0 : 1;
    for (std::size_t l = 0; l < layers; ++l) {
        std::size_t height = 1;
        for (const std::size_t cell : plan.layout.layers[l]) height = std::max(height, plan.boxes[cell].height);
        top.push_back(y);
        rows.push_back(height);
        y += height + (l + 1 < layers ? plan.channels[l].rows() : 0);
    }
    const std::string title = shortened(diagram.title, style.width, style.unicode);
    TextGrid grid(std::max(plan.width + 1, columns_of(title)), y, style.unicode);
    grid.put(0, 0, title);
    for (std::size_t l = 0; l < layers; ++l)
        for (const std::size_t cell : plan.layout.layers[l])
            draw_box(grid, plan.boxes[cell], top[l], plan.layout.cells[cell].is_node && diagram.nodes[cell].shape != Diagram::Shape::plain);
    for (std::size_t l = 0; l + 1 < layers; ++l) draw_wires(grid, plan, plan.channels[l], top[l], rows[l], top[l + 1], rows[l + 1]);
    return grid.text(style.color);
}

}  // namespace

std::string diagram_text(const Diagram& diagram, const TextStyle& style) {
    if (auto drawn = boxes_and_lines(diagram, style)) return *std::move(drawn);
    return diagram_list(diagram, style);
}

}  // namespace credence::rt
