#pragma once
// Boxes and arrows: what nets, decision trees, parse trees and function graphs are drawn from.

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/core/picture.hpp"

namespace credence::rt {

struct Diagram {
    enum class Shape {
        box,    ///< a test, a rule
        round,  ///< a variable, a quantity, an outcome
        plain,  ///< a word without a border
    };
    enum class Stroke { solid, dashed };

    /// A share of 0 to 1 within a node, such as the probability of one of its values.
    struct Bar {
        std::string label;
        double share = 0;
        std::string text;  ///< the number beside it
    };
    struct Node {
        std::string label;  ///< '\n' begins a new line
        Shape shape = Shape::round;
        std::vector<Bar> bars = {};  ///< below the label
        bool observed = false;       ///< set off from the others: its value is known
    };
    struct Arc {
        std::size_t from = 0;
        std::size_t to = 0;
        std::string label = {};
        Stroke stroke = Stroke::solid;
        bool arrow = true;  ///< false: a line without a head, as in parse trees
    };

    std::string title = {};
    std::vector<Node> nodes = {};
    std::vector<Arc> arcs = {};  ///< cycles, loops and several arcs between two nodes are allowed
};

/// A picture of a diagram remembers it, so that it can also be written in Graphviz's language.
class DiagramPicture : public Picture {
public:
    explicit DiagramPicture(Diagram diagram) : diagram_(std::move(diagram)) {}
    const Diagram& diagram() const { return diagram_; }
    std::string text(const TextStyle& style) const override;
    std::string svg() const override;
    std::string dot() const;  ///< Graphviz

private:
    Diagram diagram_;
};

/// Laid out in layers, arcs downward (layered_layout.hpp).
PicturePtr draw_diagram(Diagram diagram);

}  // namespace credence::rt
