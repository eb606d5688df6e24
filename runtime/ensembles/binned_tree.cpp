#include "runtime/ensembles/binned_tree.hpp"

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

void BinnedTree::split(std::uint32_t at, const BinnedNode& test, const BinSet& set) {
    const auto left = static_cast<std::uint32_t>(nodes.size());
    BinnedNode& node = nodes[at];
    const std::uint32_t leaf = node.leaf;
    const bool labels = test.set >= 0;
    node = test;
    node.left = left;
    if (labels) {
        node.set = static_cast<std::int32_t>(sets.size());
        sets.push_back(set);
    }
    nodes.push_back({.leaf = leaf});
    nodes.push_back({.leaf = leaves++});
}

Json BinnedTree::save() const {
    Json out = Json::array();
    for (const auto& n : nodes) {
        if (n.feature < 0) {
            out.push_back(Json{{"leaf", std::size_t{n.leaf}}});
            continue;
        }
        Json item{{"feature", static_cast<std::size_t>(n.feature)}, {"left", std::size_t{n.left}}, {"missing", n.missing_left ? 1 : 0}};
        if (n.set < 0) {
            item.set("bin", std::size_t{n.bin});
        } else {
            std::vector<double> bins;
            for (std::size_t b = 0; b < most_bins; ++b)
                if (has_bin(sets[static_cast<std::size_t>(n.set)], static_cast<std::uint8_t>(b))) bins.push_back(static_cast<double>(b));
            item.set("bins", saved(std::span<const double>(bins)));
        }
        out.push_back(std::move(item));
    }
    return out;
}

Result<BinnedTree> read_binned_tree(const Json& json, const Bins& bins) {
    if (!json.is_array() || json.empty()) return damaged("a tree is not a list of nodes");
    BinnedTree out;
    std::vector<char> seen(json.size(), 0);
    for (const auto& item : json) {
        const std::size_t here = out.nodes.size();
        BinnedNode node;
        if (item.contains("leaf")) {
            const std::size_t leaf = TRY(read_count(item, "leaf"));
            if (leaf >= seen.size() || seen[leaf]) return damaged("a leaf's number is invalid");
            seen[leaf] = 1;
            node.leaf = static_cast<std::uint32_t>(leaf);
            ++out.leaves;
            out.nodes.push_back(node);
            continue;
        }
        const std::size_t feature = TRY(read_count(item, "feature"));
        const std::size_t left = TRY(read_count(item, "left"));
        const std::size_t missing = TRY(read_count(item, "missing"));
        if (feature >= bins.features.size() || left <= here || left + 1 >= json.size()) return damaged("a node of a tree is invalid");
        node.feature = static_cast<std::int32_t>(feature);
        node.left = static_cast<std::uint32_t>(left);
        node.missing_left = missing == 1;
        if (item.contains("bins")) {
            const auto members = TRY(read_reals(item, "bins"));
            BinSet set{};
            for (const double b : members) {
                if (!(b >= 0 && b < static_cast<double>(most_bins))) return damaged("a bin of a tree is invalid");
                add_bin(set, static_cast<std::size_t>(b));
            }
            node.set = static_cast<std::int32_t>(out.sets.size());
            out.sets.push_back(set);
        } else {
            const std::size_t bin = TRY(read_count(item, "bin"));
            if (bin >= most_bins) return damaged("a bin of a tree is invalid");
            node.bin = static_cast<std::uint8_t>(bin);
        }
        if (bins.features[feature].labels != (node.set >= 0)) return damaged("a test of a tree does not fit its column");
        out.nodes.push_back(node);
    }
    for (std::size_t leaf = 0; leaf < out.leaves; ++leaf)
        if (!seen[leaf]) return damaged("a leaf's number is invalid");
    return out;
}

std::string binned_test_text(const Schema& schema, const Bins& bins, const BinnedTree& tree, const BinnedNode& node, bool left) {
    const auto f = static_cast<std::size_t>(node.feature);
    const Field& field = schema.features[f];
    const FeatureBins& own = bins.features[f];
    std::string out;
    if (node.set < 0) {
        const double cut = node.bin < own.cuts.size() ? own.cuts[node.bin] : 0;
        out = node.bin < own.cuts.size() ? fmt::format("{} {} {:.6g}", field.name, left ? "<=" : ">", cut)
                                         : fmt::format("{} is {}", field.name, left ? "there" : "missing");
    } else {
        std::vector<std::string> members;
        for (std::size_t k = 0; k < own.of_label.size(); ++k)
            if (has_bin(tree.sets[static_cast<std::size_t>(node.set)], own.of_label[k]) == left)
                members.push_back((*field.domain)[k].text());
        constexpr std::size_t most = 6;
        const std::size_t more = members.size() > most ? members.size() - most : 0;
        if (more > 0) members.resize(most);
        out = fmt::format("{} in {{{}{}}}", field.name, joined(members, ", "), more > 0 ? fmt::format(", … {} more", more) : "");
    }
    return node.missing_left == left && !(node.set < 0 && node.bin >= own.cuts.size()) ? out + " or missing" : out;
}

std::string binned_path_text(const Schema& schema, const Bins& bins, const BinnedTree& tree, const std::uint8_t* row) {
    std::vector<std::string> tests;
    for (const BinnedNode* node = tree.nodes.data(); node->feature >= 0;) {
        const bool left = tree.goes_left(*node, row[node->feature]);
        tests.push_back(binned_test_text(schema, bins, tree, *node, left));
        node = tree.nodes.data() + (left ? node->left : node->left + 1);
    }
    return tests.empty() ? "all rows" : joined(tests, ", ");
}

}  // namespace credence::rt
