#include "runtime/classify/tree.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

void prune_by_reduced_error(Tree& tree, const TableView& kept_back, std::span<const double> weights, std::vector<PruneTrace>* trace) {
    const auto columns = feature_columns(*kept_back.table);
    const Column& target = *kept_back.table->columns[*kept_back.table->target];
    // right[n]: the weight of the rows that come to n and have its majority: what it gets right as a leaf.
    std::vector<double> right(tree.nodes.size(), 0);
    std::vector<double> reached(tree.nodes.size(), 0);
    std::vector<std::pair<std::size_t, double>> stack;
    for (std::size_t i = 0; i < kept_back.size(); ++i) {
        const std::size_t row = kept_back.row(i);
        stack.assign(1, {0, weights.empty() ? 1 : weights[i]});
        while (!stack.empty()) {
            const auto [n, w] = stack.back();
            stack.pop_back();
            const TreeNode& node = tree.nodes[n];
            reached[n] += w;
            if (target.codes[row] == node.majority) right[n] += w;
            if (node.is_leaf()) continue;
            const Column& column = *columns[static_cast<std::size_t>(node.column)];
            if (!column.is_missing(row)) {
                stack.emplace_back(node.first + branch_of(node, column, row), w);
                continue;
            }
            double all = 0;
            for (std::uint32_t b = 0; b < node.branches; ++b) all += tree.nodes[node.first + b].weight;
            for (std::uint32_t b = 0; b < node.branches; ++b)
                if (tree.nodes[node.first + b].weight > 0) stack.emplace_back(node.first + b, w * tree.nodes[node.first + b].weight / all);
        }
    }
    double all_right = 0;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n)
        if (tree.nodes[n].is_leaf()) all_right += right[n];
    // Branches come after their node, so that a backward pass decides them first.
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {
        const TreeNode& node = tree.nodes[n];
        if (node.is_leaf()) continue;
        double below = 0;
        for (std::uint32_t b = 0; b < node.branches; ++b) below += right[node.first + b];
        const bool pruned = right[n] >= below - 1e-9;
        const double with_leaf = all_right - below + right[n];
        if (trace) trace->push_back({n, below, right[n], reached[n], all_right / reached[0], with_leaf / reached[0], pruned});
        if (pruned) {
            all_right = with_leaf;
            make_leaf(tree, n);
        } else {
            right[n] = below;
        }
    }
}

}  // namespace credence::rt
