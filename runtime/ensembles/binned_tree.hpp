#pragma once
// A tree over binned cells, as ensembles keep it.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/ensembles/bins.hpp"

namespace credence::rt {

/// Bins that go left, one bit each.
using BinSet = std::array<std::uint64_t, 4>;
inline bool has_bin(const BinSet& set, std::uint8_t bin) { return (set[bin >> 6U] >> (bin & 63U) & 1U) != 0; }
inline void add_bin(BinSet& set, std::size_t bin) { set[bin >> 6U] |= std::uint64_t{1} << (bin & 63U); }

struct BinnedNode {
    std::int32_t feature = -1;  ///< −1: a leaf
    std::int32_t set = -1;      ///< labels: which bins go left
    std::uint32_t left = 0;     ///< the right branch is the node after it
    std::uint32_t leaf = 0;     ///< of a leaf: its number
    std::uint8_t bin = 0;       ///< numbers: this bin and those below go left
    bool missing_left = false;
};

struct BinnedTree {
    std::vector<BinnedNode> nodes;  ///< the root first
    std::vector<BinSet> sets;
    std::uint32_t leaves = 0;

    bool goes_left(const BinnedNode& node, std::uint8_t bin) const {
        if (bin == missing_bin) return node.missing_left;
        return node.set < 0 ? bin <= node.bin : has_bin(sets[static_cast<std::size_t>(node.set)], bin);
    }
    /// The leaf of a row whose bins these are, one for each feature.
    std::uint32_t leaf_of(const std::uint8_t* row) const {
        const BinnedNode* node = nodes.data();
        while (node->feature >= 0) node = nodes.data() + (goes_left(*node, row[node->feature]) ? node->left : node->left + 1);
        return node->leaf;
    }
    /// Puts a test at a leaf; the new leaves are the last two nodes.
    void split(std::uint32_t at, const BinnedNode& test, const BinSet& set);
    Json save() const;
};
Result<BinnedTree> read_binned_tree(const Json& json, const Bins& bins);

/// "Age <= 41.5", "Job in {clerk, sales}": the test for the left branch.
std::string binned_test_text(const Schema& schema, const Bins& bins, const BinnedTree& tree, const BinnedNode& node, bool left);
/// How a row reaches its leaf: its tests, joined by commas.
std::string binned_path_text(const Schema& schema, const Bins& bins, const BinnedTree& tree, const std::uint8_t* row);

}  // namespace credence::rt
