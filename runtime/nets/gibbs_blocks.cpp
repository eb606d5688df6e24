#include "runtime/nets/gibbs_blocks.hpp"

#include <algorithm>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/disjoint_sets.hpp"
#include "runtime/nets/circuit/partial_problem.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_states = 4096;           // of a block that is listed
constexpr std::size_t most_steps = 1U << 20U;       // of the search for them
constexpr std::size_t many_states = 256;            // so many take longer than to draw the block and its neighbours together
constexpr double most_entries_at_once = 1U << 23U;  // of the largest table, where a wide block takes in its neighbours

/// By variable: whether each value is possible.
using Possible = std::vector<std::vector<char>>;

/// What the tables leave when each has lost the values that another forbids. Empty: nothing is possible.
std::optional<Possible> possible_values(const ApproximateCase& c) {
    Possible out;
    for (const auto size : c.sizes) out.emplace_back(size, 1);
    std::vector<CircuitTable> tables;
    Sizes sizes(c.sizes.size(), 1);
    for (const auto& table : c.tables) {
        if (table.variables.empty() || !contains(table.values, 0.0)) continue;
        for (const auto slot : table.variables) sizes[slot] = c.sizes[slot];
        tables.push_back({table.variables, table.values});
    }
    auto problem = PartialProblem::make(sizes, std::move(tables));
    if (!problem) return out;
    if (!problem->begin()) return std::nullopt;
    for (Slot slot = 0; slot < sizes.size(); ++slot) {
        if (sizes[slot] != c.sizes[slot]) continue;
        for (std::size_t k = 0; k < sizes[slot]; ++k) out[slot][k] = static_cast<char>(problem->values(slot) >> k & 1U);
    }
    return out;
}

/// Whether the table is zero for some values that are possible.
bool has_zero(const ApproximateCase& c, const PlainTable& table, const Possible& possible) {
    if (!contains(table.values, 0.0)) return false;
    std::vector<std::size_t> value(table.variables.size(), 0);
    for (const double v : table.values) {
        bool reached = v == 0;
        for (std::size_t i = 0; reached && i < value.size(); ++i) reached = possible[table.variables[i]][value[i]] != 0;
        if (reached) return true;
        next_configuration(value, [&](std::size_t i) { return c.sizes[table.variables[i]]; });
    }
    return false;
}

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
    StateSearch(const ApproximateCase& c, const Possible& possible, GibbsBlock& block) : c_(c), possible_(possible), block_(block) {
        place_.assign(c.sizes.size(), 0);
        for (std::size_t i = 0; i < block.variables.size(); ++i) place_[block.variables[i]] = i;
        due_.resize(block.variables.size());
        for (const auto t : block.inside) {
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
            if (!possible_[block_.variables[depth]][v]) continue;
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
    const Possible& possible_;
    GibbsBlock& block_;
    std::vector<std::size_t> place_;
    std::vector<std::vector<std::uint32_t>> due_;
    std::vector<std::uint32_t> value_;
    std::size_t steps_ = 0;
};

/// Where in its tables each state of the block stands.
void place_states(const ApproximateCase& c, GibbsBlock& block) {
    const std::size_t size = block.variables.size();
    std::vector<std::size_t> place(c.sizes.size(), size);
    for (std::size_t i = 0; i < size; ++i) place[block.variables[i]] = i;
    for (std::size_t s = 0; s < block.count; ++s) {
        for (const auto t : block.tables) {
            const auto strides = table_strides(c.tables[t], c.sizes);
            std::size_t offset = 0;
            for (std::size_t i = 0; i < strides.size(); ++i) {
                const std::size_t at = place[c.tables[t].variables[i]];
                if (at < size) offset += strides[i] * block.states[s * size + at];
            }
            block.offsets.push_back(offset);
        }
    }
}

GibbsBlocks blocks_of(const ApproximateCase& c, const Possible& possible, DisjointSets& sets) {
    GibbsBlocks out;
    out.possible = possible;
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
        if (!StateSearch(c, possible, block).run()) {
            block.states.clear();
            block.weights.clear();
            block.count = 0;
            continue;
        }
        out.impossible = out.impossible || block.count == 0;
        place_states(c, block);
    }
    return out;
}

/// Joins to every large block what tables tie it to, if all of that can be eliminated at once. False where nothing changes.
bool join_neighbours_of_large(const ApproximateCase& c, const GibbsBlocks& blocks, DisjointSets& sets) {
    std::vector<char> touched(c.sizes.size(), 0);
    for (const auto& block : blocks.blocks)
        if ((block.wide() || block.count > many_states) && !block.tables.empty()) touched[block.variables[0]] = 1;
    if (!contains(touched, 1)) return false;
    DisjointSets whole(c.sizes.size());
    std::vector<std::vector<Slot>> scopes;
    std::vector<Slot> all;
    for (const auto& table : c.tables) {
        for (std::size_t i = 1; i < table.variables.size(); ++i) whole.join(table.variables[0], table.variables[i]);
        scopes.push_back(table.variables);
    }
    for (Slot slot = 0; slot < c.sizes.size(); ++slot)
        if (c.active[slot]) all.push_back(slot);
    if (plan_elimination(scopes, std::vector<std::vector<Slot>>{all}, c.sizes).largest_size > most_entries_at_once) return false;
    std::vector<char> joined(c.sizes.size(), 0);
    for (Slot slot = 0; slot < c.sizes.size(); ++slot)
        if (touched[slot]) joined[whole.find(slot)] = 1;
    for (const auto& table : c.tables)
        for (std::size_t i = 1; i < table.variables.size(); ++i)
            if (joined[whole.find(table.variables[0])]) sets.join(table.variables[0], table.variables[i]);
    return true;
}

}  // namespace

GibbsBlocks gibbs_blocks(const ApproximateCase& c) {
    const auto possible = possible_values(c);
    if (!possible) return {.blocks = {}, .possible = {}, .impossible = true};
    DisjointSets sets(c.sizes.size());
    for (const auto& table : c.tables) {
        if (!has_zero(c, table, *possible)) continue;
        for (std::size_t i = 1; i < table.variables.size(); ++i) sets.join(table.variables[0], table.variables[i]);
    }
    auto out = blocks_of(c, *possible, sets);
    if (!out.impossible && join_neighbours_of_large(c, out, sets)) return blocks_of(c, *possible, sets);
    return out;
}

}  // namespace credence::rt
