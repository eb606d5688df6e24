#include "runtime/plot/diagram.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/plot/diagram_render.hpp"

namespace credence::rt {

std::vector<std::string> diagram_lines(const std::string& label) {
    std::vector<std::string> out{""};
    for (const char c : label)
        if (c == '\n')
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

std::string in_one_line(const Diagram::Node& node) {
    std::string out = node.label;
    std::replace(out.begin(), out.end(), '\n', ' ');
    std::string bars;
    for (const auto& bar : node.bars) bars += (bars.empty() ? "" : ", ") + bar.label + " " + bar.text;
    return out + (bars.empty() ? "" : " (" + bars + ")");
}

namespace {

std::string dot_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + "\"";
}

}  // namespace

std::string DiagramPicture::text(const TextStyle& style) const { return diagram_text(diagram_, style); }

std::string DiagramPicture::svg() const { return diagram_svg(diagram_); }

std::string DiagramPicture::dot() const {
    std::string out = fmt::format("digraph {} {{\n", dot_quoted(diagram_.title.empty() ? "G" : diagram_.title));
    for (std::size_t i = 0; i < diagram_.nodes.size(); ++i) {
        const auto& node = diagram_.nodes[i];
        const std::string_view shape = node.shape == Diagram::Shape::box     ? "box"
                                       : node.shape == Diagram::Shape::round ? "ellipse"
                                                                             : "plaintext";
        std::string label = node.label;
        for (const auto& bar : node.bars) label += "\n" + bar.label + " " + bar.text;
        out += fmt::format("  n{} [label={}, shape={}];\n", i + 1, dot_quoted(label), shape);
    }
    for (const auto& arc : diagram_.arcs) {
        std::string attributes;
        const auto add = [&](const std::string& text) { attributes += (attributes.empty() ? "" : ", ") + text; };
        if (!arc.label.empty()) add("label=" + dot_quoted(arc.label));
        if (arc.stroke == Diagram::Stroke::dashed) add("style=dashed");
        if (!arc.arrow) add("dir=none");
        out += fmt::format("  n{} -> n{}{};\n", arc.from + 1, arc.to + 1, attributes.empty() ? "" : " [" + attributes + "]");
    }
    return out + "}\n";
}

PicturePtr draw_diagram(Diagram diagram) { return std::make_shared<const DiagramPicture>(std::move(diagram)); }

}  // namespace credence::rt
