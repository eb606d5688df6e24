#include "runtime/nets/gibbs_blocks.hpp"

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/core/disjoint_sets.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_states = 4096;      // of a block that is listed
constexpr std::size_t most_steps = 1U << 20U;  // of the search for them

std::vector<std::size_t> table_strides(const PlainTable& table, const Sizes& sizes) {
    std::vector<std::size_t> out(table.variables.size());
    std::size_t stride = 1;
    for (std::size_t i = table.variables.size(); i-- > 0;) {
        out[i] = stride;
        stride *= sizes[table.variables[i]];
    }
    return out;
}

/// Lists the joint values that no table inside the block forbids, depth first: a table is looked at as soon as its variables are set.
class StateSearch {
public:
    StateSearch(const ApproximateCase& c, GibbsBlock& block, std::span<const std::uint32_t> inside) : c_(c), block_(block) {
        place_.assign(c.sizes.size(), 0);
        for (std::size_t i = 0; i < block.variables.size(); ++i) place_[block.variables[i]] = i;
        due_.resize(block.variables.size());
        for (const auto t : inside) {
            std::size_t last = 0;
            for (const auto slot : c.tables[t].variables) last = std::max(last, place_[slot]);
            due_[last].push_back(t);
        }
        value_.assign(block.variables.size(), 0);
    }

    /// False where there are too many.
    bool run() { return set(0, 1.0); }

private:
    bool set(std::size_t depth, double weight) {
        if (++steps_ > most_steps) return false;
        if (depth == block_.variables.size()) {
            if (block_.count == most_states) return false;
            block_.states.insert(block_.states.end(), value_.begin(), value_.end());
            block_.weights.push_back(weight);
            ++block_.count;
            return true;
        }
        for (std::uint32_t v = 0; v < c_.sizes[block_.variables[depth]]; ++v) {
            value_[depth] = v;
            double product = weight;
            for (const auto t : due_[depth]) {
                std::size_t entry = 0;
                for (const auto slot : c_.tables[t].variables) entry = entry * c_.sizes[slot] + value_[place_[slot]];
                product *= c_.tables[t].values[entry];
            }
            if (product > 0 && !set(depth + 1, product)) return false;
        }
        return true;
    }

    const ApproximateCase& c_;
    GibbsBlock& block_;
    std::vector<std::size_t> place_;
    std::vector<std::vector<std::uint32_t>> due_;
    std::vector<std::uint32_t> value_;
    std::size_t steps_ = 0;
};

}  // namespace

GibbsBlocks gibbs_blocks(const ApproximateCase& c) {
    DisjointSets sets(c.sizes.size());
    for (const auto& table : c.tables) {
        if (!contains(table.values, 0.0)) continue;
        for (std::size_t i = 1; i < table.variables.size(); ++i) sets.join(table.variables[0], table.variables[i]);
    }
    GibbsBlocks out;
    std::vector<std::size_t> block_of(c.sizes.size(), 0);
    for (Slot slot = 0; slot < c.sizes.size(); ++slot) {
        if (!c.active[slot]) continue;
        if (sets.find(slot) == slot) {
            block_of[slot] = out.blocks.size();
            out.blocks.emplace_back();
        }
        block_of[slot] = block_of[sets.find(slot)];
        out.blocks[block_of[slot]].variables.push_back(slot);
    }
    std::vector<std::vector<std::uint32_t>> touching(out.blocks.size());
    for (std::uint32_t t = 0; t < c.tables.size(); ++t) {
        const auto& table = c.tables[t];
        if (table.variables.empty()) {
            out.impossible = out.impossible || table.values[0] == 0;
            continue;
        }
        std::vector<std::size_t> blocks;
        for (const auto slot : table.variables) blocks.push_back(block_of[slot]);
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        for (const auto b : blocks) (blocks.size() == 1 ? out.blocks[b].inside : out.blocks[b].tables).push_back(t);
    }
    for (auto& block : out.blocks) {
        StateSearch search(c, block, block.inside);
        if (!search.run()) {
            block.states.clear();
            block.weights.clear();
            block.count = 0;
            continue;
        }
        if (block.count == 0) {
            out.impossible = true;
            continue;
        }
        std::vector<std::size_t> place(c.sizes.size(), block.variables.size());
        for (std::size_t i = 0; i < block.variables.size(); ++i) place[block.variables[i]] = i;
        for (std::size_t s = 0; s < block.count; ++s) {
            for (const auto t : block.tables) {
                const auto strides = table_strides(c.tables[t], c.sizes);
                std::size_t offset = 0;
                for (std::size_t i = 0; i < strides.size(); ++i) {
                    const std::size_t at = place[c.tables[t].variables[i]];
                    if (at < block.variables.size()) offset += strides[i] * block.states[s * block.variables.size() + at];
                }
                block.offsets.push_back(offset);
            }
        }
    }
    return out;
}

}  // namespace credence::rt
