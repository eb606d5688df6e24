#include "stdlib/plots/diagram_of_tree.hpp"

#include <fmt/format.h>

namespace credence::std_ {

namespace {

constexpr std::size_t most_nodes = 400;

/// "High", "<= 54", "not red": the outcome of the test.
std::string outcome_text(const rt::Schema& schema, const rt::TreeNode& node, std::uint32_t branch) {
    const std::string whole = rt::branch_text(schema, node, branch);
    const std::string& column = schema.features[static_cast<std::size_t>(node.column)].name;
    std::string rest = whole.substr(column.size() + 1);
    if (rest.starts_with("= ")) return rest.substr(2);
    if (rest.starts_with("!= ")) return "not " + rest.substr(3);
    return rest;
}

std::string leaf_label(const rt::Schema& schema, const rt::Tree& tree, std::size_t n) {
    const rt::TreeNode& node = tree.nodes[n];
    const std::string label = (*schema.target.domain)[static_cast<std::size_t>(node.majority)].text();
    const double wrong = node.weight > 0 ? node.weight - tree.at(n)[static_cast<std::size_t>(node.majority)] : 0;
    if (wrong > 1e-9 * node.weight) return fmt::format("{}\n{:.6g}, {:.6g} wrong", label, node.weight, wrong);
    return fmt::format("{}\n{:.6g}", label, node.weight);
}

}  // namespace

rt::Result<rt::Diagram> diagram_of_tree(const rt::DecisionTree& model, std::string title) {
    const rt::Tree& tree = model.tree();
    if (tree.nodes.size() > most_nodes)
        return rt::Fault{.code = "E-COST",
                         .message = fmt::format("the tree has {} nodes: a picture holds {}", tree.nodes.size(), most_nodes),
                         .hint = "prune it, or stop it earlier with max_depth or min_rows; .tree is the whole as text"};
    rt::Diagram out{.title = std::move(title), .nodes = {}, .arcs = {}};
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const rt::TreeNode& node = tree.nodes[n];
        if (node.is_leaf()) {
            out.nodes.push_back({leaf_label(model.schema(), tree, n), rt::Diagram::Shape::round});
            continue;
        }
        out.nodes.push_back({model.schema().features[static_cast<std::size_t>(node.column)].name, rt::Diagram::Shape::box});
        for (std::uint32_t b = 0; b < node.branches; ++b)
            out.arcs.push_back({.from = n, .to = node.first + b, .label = outcome_text(model.schema(), node, b)});
    }
    return out;
}

}  // namespace credence::std_
