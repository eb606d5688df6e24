#include "runtime/classify/tree.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// All of it while that is short; the middle between two neighbours can have 16 digits, and six are as useful.
std::string number_text(double x) {
    constexpr std::size_t longest = 12;
    std::string all = label_text(Number(Rational::from_decimal(x)));
    return all.size() <= longest ? all : fmt::format("{:.6g}", x);
}

std::string label_of(const Field& field, std::int32_t code) { return (*field.domain)[static_cast<std::size_t>(code)].text(); }

/// "No (3)", "Yes (5, 1 wrong)": the label of a leaf, its rows, and those of other labels.
std::string leaf_text(const Schema& schema, const Tree& tree, std::size_t n) {
    const TreeNode& node = tree.nodes[n];
    const double wrong = node.weight > 0 ? node.weight - tree.at(n)[static_cast<std::size_t>(node.majority)] : 0;
    const std::string label = label_of(schema.target, node.majority);
    if (wrong > 1e-9 * node.weight) return fmt::format("{} ({:.6g}, {:.6g} wrong)", label, node.weight, wrong);
    return fmt::format("{} ({:.6g})", label, node.weight);
}

bool whole(std::span<const double> counts) {
    return std::all_of(counts.begin(), counts.end(), [](double x) { return x == std::floor(x); });
}

}  // namespace

std::size_t Tree::depth() const {
    std::vector<std::size_t> at(nodes.size(), 0);
    std::size_t deepest = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
        for (std::uint32_t b = 0; b < nodes[n].branches; ++b) {
            at[nodes[n].first + b] = at[n] + 1;
            deepest = std::max(deepest, at[n] + 1);
        }
    return deepest;
}

std::size_t Tree::leaves() const {
    return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](const TreeNode& n) { return n.is_leaf(); }));
}

std::string branch_text(const Schema& schema, const TreeNode& node, std::uint32_t branch) {
    const Field& field = schema.features[static_cast<std::size_t>(node.column)];
    if (field.kind == ColumnKind::numeric)
        return fmt::format("{} {} {}", field.name, branch == 0 ? "<=" : ">", number_text(node.threshold));
    if (node.label >= 0) return fmt::format("{} {} {}", field.name, branch == 0 ? "=" : "!=", label_of(field, node.label));
    return fmt::format("{} = {}", field.name, label_of(field, static_cast<std::int32_t>(branch)));
}

std::string test_text(const Schema& schema, const TreeNode& node) {
    const Field& field = schema.features[static_cast<std::size_t>(node.column)];
    return field.kind == ColumnKind::numeric || node.label >= 0 ? branch_text(schema, node, 0) : field.name;
}

std::string tree_text(const Schema& schema, const Tree& tree) {
    if (tree.nodes[0].is_leaf()) return leaf_text(schema, tree, 0);
    struct Line {
        std::size_t parent;
        std::uint32_t branch;
        std::size_t depth;
    };
    std::string out;
    std::vector<Line> stack;
    const auto push = [&](std::size_t n, std::size_t depth) {
        for (std::uint32_t b = tree.nodes[n].branches; b-- > 0;) stack.push_back({n, b, depth});
    };
    push(0, 0);
    while (!stack.empty()) {
        const Line line = stack.back();
        stack.pop_back();
        const TreeNode& parent = tree.nodes[line.parent];
        const std::size_t n = parent.first + line.branch;
        if (!out.empty()) out += '\n';
        out += std::string(2 * line.depth, ' ') + branch_text(schema, parent, line.branch);
        if (tree.nodes[n].is_leaf())
            out += ": " + leaf_text(schema, tree, n);
        else
            push(n, line.depth + 1);
    }
    return out;
}

void make_leaf(Tree& tree, std::size_t node) {
    TreeNode& n = tree.nodes[node];
    n.column = -1;
    n.label = -1;
    n.threshold = 0;
    n.first = 0;
    n.branches = 0;
}

Tree compacted(const Tree& tree) {
    std::vector<char> reached(tree.nodes.size(), 0);
    std::vector<std::uint32_t> index_of(tree.nodes.size(), 0);
    reached[0] = 1;
    Tree out;
    out.labels = tree.labels;
    out.choices = tree.choices;
    out.numeric = tree.numeric;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        if (!reached[n]) continue;
        index_of[n] = static_cast<std::uint32_t>(out.nodes.size());
        out.nodes.push_back(tree.nodes[n]);
        const auto counts = tree.at(n);
        out.counts.insert(out.counts.end(), counts.begin(), counts.end());
        if (!tree.fractions.empty())
            for (std::size_t k = 0; k < tree.labels; ++k) out.fractions.push_back(tree.fractions[n * tree.labels + k]);
        for (std::uint32_t b = 0; b < tree.nodes[n].branches; ++b) reached[tree.nodes[n].first + b] = 1;
    }
    for (auto& node : out.nodes)
        if (!node.is_leaf()) node.first = index_of[node.first];
    return out;
}

// --- what a row gets -------------------------------------------------------------------------------------------------

namespace {

/// Calls leaf(node, share) for every leaf that a row reaches. Share starts as the given one; part(node, branch) is the share of a branch.
template <class Share, class Part, class Leaf>
void descend(const Tree& tree, const Table& table, std::size_t row, Share start, Part&& part, Leaf&& leaf) {
    std::vector<std::pair<std::size_t, Share>> stack;
    std::size_t n = 0;
    Share share = std::move(start);
    while (true) {
        const TreeNode& node = tree.nodes[n];
        if (!node.is_leaf()) {
            const Column& column = *table.columns[static_cast<std::size_t>(node.column)];
            if (!column.is_missing(row)) {
                n = node.first + branch_of(node, column, row);
                continue;
            }
            for (std::uint32_t b = node.branches; b-- > 0;)
                if (tree.nodes[node.first + b].weight > 0) stack.emplace_back(node.first + b, share * part(n, b));
        } else {
            leaf(n, share);
        }
        if (stack.empty()) return;
        n = stack.back().first;
        share = std::move(stack.back().second);
        stack.pop_back();
    }
}

}  // namespace

void tree_shares(const Tree& tree, const Table& table, std::size_t row, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const auto part = [&](std::size_t n, std::uint32_t b) {
        const TreeNode& node = tree.nodes[n];
        double all = 0;
        for (std::uint32_t j = 0; j < node.branches; ++j) all += tree.nodes[node.first + j].weight;
        return tree.nodes[node.first + b].weight / all;
    };
    descend(tree, table, row, 1.0, part, [&](std::size_t n, double share) {
        const auto counts = tree.at(n);
        double all = 0;
        for (const double c : counts) all += c;
        for (std::size_t k = 0; k < out.size(); ++k) out[k] += share * counts[k] / all;
    });
}

std::vector<LeafPart> exact_leaf_parts(const Tree& tree, const Table& table, std::size_t row) {
    if (tree.fractions.empty() && !whole(tree.counts)) return {};
    const auto count = [&](std::size_t n, std::size_t k) {
        return tree.fractions.empty() ? Rational::from_decimal(tree.counts[n * tree.labels + k]) : tree.fractions[n * tree.labels + k];
    };
    const auto total = [&](std::size_t n) {
        Rational out;
        for (std::size_t k = 0; k < tree.labels; ++k) out += count(n, k);
        return out;
    };
    const auto part = [&](std::size_t n, std::uint32_t b) {
        const TreeNode& node = tree.nodes[n];
        Rational all;
        for (std::uint32_t j = 0; j < node.branches; ++j)
            if (tree.nodes[node.first + j].weight > 0) all += total(node.first + j);
        return total(node.first + b) / all;
    };
    std::vector<LeafPart> out;
    descend(tree, table, row, Rational(1), part, [&](std::size_t n, const Rational& share) {
        LeafPart& leaf = out.emplace_back(LeafPart{share, {}});
        for (std::size_t k = 0; k < tree.labels; ++k) leaf.counts.push_back(count(n, k));
    });
    return out;
}

}  // namespace credence::rt
