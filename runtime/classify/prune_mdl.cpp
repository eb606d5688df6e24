// Minimum description length (Quinlan & Rivest 1989, "Inferring decision trees using the minimum description length principle").

#include <algorithm>
#include <cmath>

#include "runtime/classify/tree.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

double log2_choose(double n, double k) {
    return std::max(0.0, (log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)) / std::log(2.0));
}

/// The bits of a node taken as a leaf, and of a test made there.
struct NodeBits {
    double leaf = 0;
    double exceptions = 0;
    double test = 0;
};

std::vector<NodeBits> bits_of_nodes(const Tree& tree) {
    std::vector<NodeBits> out(tree.nodes.size());
    // Label columns that a path has tested with all their labels need not be named again.
    std::vector<double> open(tree.nodes.size(), static_cast<double>(tree.choices.size()));
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const TreeNode& node = tree.nodes[n];
        const double rows = node.weight;
        const double wrong = rows > 0 ? std::max(0.0, rows - tree.at(n)[static_cast<std::size_t>(node.majority)]) : 0;
        const double labels = static_cast<double>(tree.labels);
        out[n].leaf = 1 + std::log2(labels);
        out[n].exceptions = std::log2(rows + 1) + log2_choose(rows, wrong) + wrong * std::log2(std::max(1.0, labels - 1));
        if (node.is_leaf()) continue;
        const bool spent = node.label < 0 && !tree.numeric[static_cast<std::size_t>(node.column)];
        const double choices = spent ? 1 : static_cast<double>(tree.choices[static_cast<std::size_t>(node.column)]);
        out[n].test = 1 + std::log2(std::max(1.0, open[n])) + std::log2(std::max(1.0, choices));
        for (std::uint32_t b = 0; b < node.branches; ++b) open[node.first + b] = open[n] - (spent ? 1 : 0);
    }
    return out;
}

}  // namespace

DescriptionLength description_length(const Tree& tree) {
    const auto bits = bits_of_nodes(tree);
    DescriptionLength out;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        out.tree += tree.nodes[n].is_leaf() ? bits[n].leaf : bits[n].test;
        if (tree.nodes[n].is_leaf()) out.exceptions += bits[n].exceptions;
    }
    return out;
}

void prune_by_description_length(Tree& tree) {
    const auto bits = bits_of_nodes(tree);
    std::vector<double> shortest(tree.nodes.size());
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {
        const TreeNode& node = tree.nodes[n];
        const double as_leaf = bits[n].leaf + bits[n].exceptions;
        double as_test = bits[n].test;
        for (std::uint32_t b = 0; b < node.branches; ++b) as_test += shortest[node.first + b];
        if (!node.is_leaf() && as_leaf <= as_test) make_leaf(tree, n);
        shortest[n] = tree.nodes[n].is_leaf() ? as_leaf : as_test;
    }
}

}  // namespace credence::rt
