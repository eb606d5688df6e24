#pragma once
// The two renderings of a diagram.

#include <string>
#include <vector>

#include "runtime/plot/diagram.hpp"

namespace credence::rt {

std::vector<std::string> diagram_lines(const std::string& label);
/// The label in one line, with the figures of the bars.
std::string in_one_line(const Diagram::Node& node);
/// Boxes with lines where they fit the width, else a tree by indentation, else a line for each node.
std::string diagram_text(const Diagram& diagram, const TextStyle& style);
std::string diagram_list(const Diagram& diagram, const TextStyle& style);
std::string diagram_svg(const Diagram& diagram);

}  // namespace credence::rt
