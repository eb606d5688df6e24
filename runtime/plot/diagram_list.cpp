// Diagrams too wide for boxes: a tree by indentation, or a line for each node with the nodes that lead to it.

#include <algorithm>

#include "runtime/plot/diagram_render.hpp"
#include "runtime/plot/text_grid.hpp"

namespace credence::rt {

namespace {

std::string one_line(const std::string& label) {
    std::string out = label;
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
}

struct Family {
    std::vector<std::vector<std::size_t>> into;    ///< arcs
    std::vector<std::vector<std::size_t>> out_of;  ///< arcs
};

Family family_of(const Diagram& diagram) {
    Family out{std::vector<std::vector<std::size_t>>(diagram.nodes.size()), std::vector<std::vector<std::size_t>>(diagram.nodes.size())};
    for (std::size_t a = 0; a < diagram.arcs.size(); ++a) {
        out.into[diagram.arcs[a].to].push_back(a);
        out.out_of[diagram.arcs[a].from].push_back(a);
    }
    return out;
}

/// At most one arc into each node, and every node below a root: then there is no cycle either.
std::vector<std::size_t> roots_of_forest(const Diagram& diagram, const Family& family) {
    std::vector<std::size_t> roots;
    for (std::size_t n = 0; n < diagram.nodes.size(); ++n) {
        if (family.into[n].size() > 1) return {};
        if (family.into[n].empty()) roots.push_back(n);
    }
    std::vector<std::size_t> stack = roots;
    std::size_t reached = 0;
    while (!stack.empty()) {
        const std::size_t n = stack.back();
        stack.pop_back();
        ++reached;
        for (const std::size_t a : family.out_of[n]) stack.push_back(diagram.arcs[a].to);
    }
    return reached == diagram.nodes.size() ? roots : std::vector<std::size_t>{};
}

std::string indented(const Diagram& diagram, const Family& family, const std::vector<std::size_t>& roots, const TextStyle& style) {
    struct Open {
        std::size_t node;
        std::string before;  ///< of its own line
        std::string below;   ///< of its children's lines
    };
    const bool u = style.unicode;
    std::string out;
    std::vector<Open> stack;
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) stack.push_back({*root, "", ""});
    while (!stack.empty()) {
        const Open open = stack.back();
        stack.pop_back();
        out += shortened(open.before + in_one_line(diagram.nodes[open.node]), style.width, u) + "\n";
        const auto& arcs = family.out_of[open.node];
        for (std::size_t i = arcs.size(); i-- > 0;) {
            const auto& arc = diagram.arcs[arcs[i]];
            const bool last = i + 1 == arcs.size();
            const std::string label = arc.label.empty() ? "" : one_line(arc.label) + ": ";
            stack.push_back({arc.to, open.below + (u ? (last ? "└─ " : "├─ ") : "+- ") + label,
                             open.below + (last ? "   "
                                           : u  ? "│  "
                                                : "|  ")});
        }
    }
    return out;
}

}  // namespace

std::string diagram_list(const Diagram& diagram, const TextStyle& style) {
    const Family family = family_of(diagram);
    std::string out = diagram.title.empty() ? "" : shortened(diagram.title, style.width, style.unicode) + "\n";
    if (const auto roots = roots_of_forest(diagram, family); !roots.empty()) return out + indented(diagram, family, roots, style);
    for (std::size_t n = 0; n < diagram.nodes.size(); ++n) {
        const std::string arrow = style.unicode ? " ←" : " <-";
        const auto& into = family.into[n];
        std::string line = shortened(in_one_line(diagram.nodes[n]), style.width - columns_of(arrow), style.unicode);
        if (!into.empty()) line += arrow;
        std::size_t used = columns_of(line);
        for (std::size_t i = 0; i < into.size(); ++i) {
            const auto& arc = diagram.arcs[into[i]];
            std::string item = one_line(diagram.nodes[arc.from].label);
            if (!arc.label.empty()) item += " (" + one_line(arc.label) + ")";
            constexpr std::size_t indent = 4;
            item = shortened(item, style.width - indent - 1, style.unicode) + (i + 1 < into.size() ? "," : "");
            const bool fits = used + 1 + columns_of(item) <= style.width;
            line += fits ? " " : "\n" + std::string(indent, ' ');
            used = (fits ? used + 1 : indent) + columns_of(item);
            line += item;
        }
        out += line + "\n";
    }
    return out;
}

}  // namespace credence::rt
