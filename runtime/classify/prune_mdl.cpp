// Minimum description length (Quinlan & Rivest 1989, "Inferring decision trees using the minimum description length principle").

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

TreeFigures figures_of(const Tree& tree) {
    TreeFigures out;
    out.columns = static_cast<double>(tree.choices.size());
    out.labels = static_cast<double>(tree.labels);
    std::vector<double> depth(tree.nodes.size(), 0);
    std::vector<char> reached(tree.nodes.size(), 0);
    reached[0] = 1;
    out.rows = tree.nodes[0].weight;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        if (!reached[n]) continue;
        const TreeNode& node = tree.nodes[n];
        out.depth = std::max(out.depth, depth[n]);
        if (node.is_leaf()) {
            ++out.leaves;
            if (node.weight > 0) out.errors += std::max(0.0, node.weight - tree.at(n)[static_cast<std::size_t>(node.majority)]);
            continue;
        }
        ++out.tests;
        for (std::uint32_t b = 0; b < node.branches; ++b) {
            reached[node.first + b] = 1;
            depth[node.first + b] = depth[n] + 1;
        }
    }
    return out;
}

Result<double> bits_by(const TreeCodes::Code& code, const TreeFigures& figures, const char* name) {
    const double bits = TRY(code(figures));
    if (!std::isfinite(bits) || bits < 0)
        return Fault{.code = "E-PARAMETER", .message = fmt::format("{} gave {:.6g}: a code gives a number of bits, 0 or more", name, bits)};
    return bits;
}

/// The code of Quinlan & Rivest.
DescriptionLength own_length(const Tree& tree) {
    const auto bits = bits_of_nodes(tree);
    std::vector<char> reached(tree.nodes.size(), 0);
    reached[0] = 1;
    DescriptionLength out;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        if (!reached[n]) continue;
        const TreeNode& node = tree.nodes[n];
        out.tree += node.is_leaf() ? bits[n].leaf : bits[n].test;
        if (node.is_leaf()) out.exceptions += bits[n].exceptions;
        for (std::uint32_t b = 0; !node.is_leaf() && b < node.branches; ++b) reached[node.first + b] = 1;
    }
    return out;
}

/// Codes of the script see the tree as a whole, so each cut is tried on all of it, from the leaves up.
Status prune_by_codes(Tree& tree, const TreeCodes& codes) {
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {
        if (tree.nodes[n].is_leaf()) continue;
        Tree cut = tree;
        make_leaf(cut, n);
        const DescriptionLength as_test = TRY(description_length(tree, codes));
        const DescriptionLength as_leaf = TRY(description_length(cut, codes));
        if (as_leaf.tree + as_leaf.exceptions <= as_test.tree + as_test.exceptions) tree = std::move(cut);
    }
    return Done{};
}

}  // namespace

Result<DescriptionLength> description_length(const Tree& tree, const TreeCodes& codes) {
    DescriptionLength out = own_length(tree);
    if (!codes.any()) return out;
    const TreeFigures figures = figures_of(tree);
    if (codes.tree) out.tree = TRY(bits_by(codes.tree, figures, "C1"));
    if (codes.exceptions) out.exceptions = TRY(bits_by(codes.exceptions, figures, "C2"));
    return out;
}

Status prune_by_description_length(Tree& tree, const TreeCodes& codes) {
    if (codes.any()) return prune_by_codes(tree, codes);
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
    return Done{};
}

}  // namespace credence::rt
