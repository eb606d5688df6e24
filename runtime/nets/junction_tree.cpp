#include "runtime/nets/junction_tree.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

double product_of_sizes(std::span<const Slot> slots, const Sizes& sizes) {
    double out = 1;
    for (const auto slot : slots) out *= static_cast<double>(sizes[slot]);
    return out;
}

std::string clique_names(std::span<const Slot> members, const SlotNames* names) {
    constexpr std::size_t shown = 8;
    std::vector<Slot> slots(members.begin(), members.end());
    std::sort(slots.begin(), slots.end());  // as they were declared
    std::string out;
    for (std::size_t i = 0; i < std::min(slots.size(), shown); ++i)
        out += (i == 0 ? "" : ", ") + (names != nullptr ? (*names)[slots[i]] : fmt::format("{}", slots[i]));
    if (slots.size() > shown) out += fmt::format(" and {} more", slots.size() - shown);
    return out;
}

}  // namespace

struct JunctionTree::Builder {
    struct Node {  // a clique before the tree has its root
        std::vector<Slot> members;
        std::vector<std::uint32_t> near;
        double entries = 1;
        std::optional<std::uint32_t> room = {};  // where the last clique that shares its variables was put, if that is elsewhere
    };

    const JunctionScopes& scopes;
    const Run& run;
    JunctionTree& tree;
    Triangulation triangulation = {};
    std::vector<Node> nodes = {};
    std::vector<std::uint32_t> node_of = {};                // by variable: the node in which it is eliminated
    std::vector<std::uint32_t> clique_of = {};              // by node: its number in preorder
    std::vector<std::vector<std::uint32_t>> children = {};  // by clique
    std::vector<char> has = {};

    std::optional<Fault> build() {
        tree.sizes_ = scopes.sizes;
        tree.scopes_ = scopes.scopes;
        std::vector<std::vector<Slot>> all = scopes.scopes;
        all.insert(all.end(), scopes.together.begin(), scopes.together.end());
        triangulation = triangulate(all, scopes.sizes);
        make_nodes();
        if (auto fault = too_costly()) return fault;
        number_from_roots();
        find_homes();
        assign_factors();
        find_separators();
        if (auto fault = too_much_memory()) return fault;
        find_vacuous();
        lay_out();
        return std::nullopt;
    }

    /// Cliques in reverse order of elimination: one whose separator is the whole parent clique extends that clique.
    void make_nodes() {
        const std::size_t n = triangulation.order.size();
        node_of.assign(scopes.sizes.size(), 0);
        for (std::size_t i = n; i-- > 0;) {
            const auto members = triangulation.members(i);
            const Slot own = members.back();
            const auto separator = members.first(members.size() - 1);
            if (!separator.empty()) {
                const std::uint32_t above = node_of[separator.back()];  // the earliest of the later ones
                if (nodes[above].members.size() == separator.size()) {
                    nodes[above].members.push_back(own);
                    nodes[above].entries *= static_cast<double>(scopes.sizes[own]);
                    node_of[own] = above;
                    continue;
                }
                const std::uint32_t parent = with_room(above, separator);
                nodes[parent].near.push_back(static_cast<std::uint32_t>(nodes.size()));
                nodes.push_back(
                    {.members = {members.begin(), members.end()}, .near = {parent}, .entries = product_of_sizes(members, scopes.sizes)});
            } else {
                nodes.push_back({.members = {own}, .near = {}, .entries = static_cast<double>(scopes.sizes[own])});
            }
            node_of[own] = static_cast<std::uint32_t>(nodes.size() - 1);
        }
    }

    /// Many cliques that share the same variables become a row of bunches: a product of all their messages at once could vanish. The
    /// first one remembers the end of the row, so that it is not walked again for each clique.
    std::uint32_t with_room(std::uint32_t first, std::span<const Slot> separator) {
        constexpr std::size_t most_near = 32;
        const auto shares = [&](std::uint32_t node) {
            return std::all_of(separator.begin(), separator.end(), [&](Slot v) { return contains(nodes[node].members, v); });
        };
        std::uint32_t node = first;
        if (const auto end = nodes[first].room; end && shares(*end)) node = *end;
        while (nodes[node].near.size() >= most_near && shares(nodes[node].near.back())) node = nodes[node].near.back();
        if (node != first) nodes[first].room = node;
        return node;
    }

    std::optional<Fault> too_costly() {
        const Node* largest = nullptr;
        for (const auto& node : nodes) {
            tree.counts_.entries += node.entries;
            if (largest == nullptr || node.entries > largest->entries) largest = &node;
        }
        tree.counts_.cliques = nodes.size();
        if (largest == nullptr) return std::nullopt;
        tree.counts_.largest = largest->entries;
        const auto limit = static_cast<double>(run.limits.table_entries);
        if (largest->entries <= limit) return std::nullopt;
        return cost_fault(fmt::format("the exact answer needs a clique of {:.3g} entries over {}", largest->entries,
                                      clique_names(largest->members, scopes.names)),
                          fmt::format("the limit is {:.3g} entries", limit));
    }
    std::optional<Fault> too_much_memory() const {
        double messages = 0;
        std::size_t largest = 0;
        std::vector<double> of(separators.size());
        for (std::size_t k = 0; k < separators.size(); ++k) {
            messages += of[k] = product_of_sizes(separators[k], scopes.sizes);
            if (of[k] > of[largest]) largest = k;
        }
        constexpr double both_ways = 2;
        const double bytes = static_cast<double>(sizeof(double)) * (both_ways * messages + static_cast<double>(tree.tables_size_));
        double limit = static_cast<double>(sizeof(double)) * static_cast<double>(run.limits.table_entries) * both_ways;
        if (run.limits.memory_bytes != 0) limit = std::min(limit, static_cast<double>(run.limits.memory_bytes));
        if (bytes <= limit) return std::nullopt;
        return cost_fault(fmt::format("the exact answer needs {:.3g} bytes, most of them where the clique over {} meets the next", bytes,
                                      clique_names(tree.members(tree.cliques_[largest]), scopes.names)),
                          fmt::format("the limit is {:.3g} bytes", limit));
    }
    static Fault cost_fault(std::string message, std::string label) {
        return {.code = "E-COST",
                .message = std::move(message),
                .label = std::move(label),
                .hint = "sample instead, as in by likelihood_weighting(100000) or by gibbs(100000)"};
    }

    /// The root of each component is its largest clique, which is then traversed once instead of twice.
    void number_from_roots() {
        std::vector<std::uint32_t> by_size(nodes.size());
        std::iota(by_size.begin(), by_size.end(), 0U);
        std::stable_sort(by_size.begin(), by_size.end(), [&](auto a, auto b) { return nodes[a].entries > nodes[b].entries; });
        constexpr std::uint32_t unseen = UINT32_MAX;
        clique_of.assign(nodes.size(), unseen);
        children.resize(nodes.size());
        tree.cliques_.reserve(nodes.size());
        struct Frame {
            std::uint32_t node;
            std::size_t next;
        };
        std::vector<Frame> path;
        const auto open = [&](std::uint32_t node, std::int32_t parent) {
            clique_of[node] = static_cast<std::uint32_t>(tree.cliques_.size());
            if (parent >= 0) children[static_cast<std::size_t>(parent)].push_back(clique_of[node]);
            Clique clique;
            clique.members = static_cast<std::uint32_t>(tree.members_.size());
            clique.size = static_cast<std::uint32_t>(nodes[node].members.size());
            clique.parent = parent;
            clique.entries = nodes[node].entries;
            tree.members_.insert(tree.members_.end(), nodes[node].members.begin(), nodes[node].members.end());
            tree.cliques_.push_back(clique);
            path.push_back({node, 0});
        };
        for (const auto root : by_size) {
            if (clique_of[root] != unseen) continue;
            open(root, -1);
            while (!path.empty()) {
                const auto node = path.back().node;
                if (path.back().next == nodes[node].near.size()) {
                    tree.cliques_[clique_of[node]].end = static_cast<std::uint32_t>(tree.cliques_.size());
                    path.pop_back();
                    continue;
                }
                const auto next = nodes[node].near[path.back().next++];
                if (clique_of[next] == unseen) open(next, static_cast<std::int32_t>(clique_of[node]));
            }
        }
    }

    void find_homes() {
        tree.home_.assign(scopes.sizes.size(), -1);
        for (std::size_t k = 0; k < tree.cliques_.size(); ++k)
            for (const auto slot : tree.members(tree.cliques_[k])) {
                auto& home = tree.home_[slot];
                if (home < 0 || tree.cliques_[k].entries < tree.cliques_[static_cast<std::size_t>(home)].entries)
                    home = static_cast<std::int32_t>(k);
            }
    }

    /// A factor goes to the clique in which the first of its variables is eliminated; small joint scopes become one table.
    void assign_factors() {
        std::vector<std::vector<std::uint32_t>> tables_of(tree.cliques_.size());
        tree.factor_clique_.assign(scopes.scopes.size(), 0);
        std::vector<std::uint32_t> by_size(scopes.scopes.size());
        std::iota(by_size.begin(), by_size.end(), 0U);
        std::vector<double> entries;
        for (const auto& scope : scopes.scopes) entries.push_back(product_of_sizes(scope, scopes.sizes));
        std::stable_sort(by_size.begin(), by_size.end(), [&](auto a, auto b) { return entries[a] > entries[b]; });
        std::vector<std::vector<Slot>> scope_of;
        const auto& position = triangulation.position;
        const auto later_first = [&](Slot a, Slot b) { return position[a] > position[b]; };
        for (const auto f : by_size) {
            if (scopes.scopes[f].empty()) continue;  // a number: see Propagation
            auto scope = scopes.scopes[f];
            std::sort(scope.begin(), scope.end(), later_first);
            const auto k = clique_of[node_of[scope.back()]];
            tree.factor_clique_[f] = k;
            bool placed = false;
            for (const auto t : tables_of[k]) {
                std::vector<Slot> both;
                std::set_union(scope_of[t].begin(), scope_of[t].end(), scope.begin(), scope.end(), std::back_inserter(both), later_first);
                const double joint = product_of_sizes(both, scopes.sizes);
                constexpr double small = 8;
                const double largest = std::max(entries[f], static_cast<double>(tree.tables_[t].entries));
                if (joint > largest && joint * small > tree.cliques_[k].entries && joint > 2 * small) continue;
                scope_of[t] = std::move(both);
                tree.tables_[t].entries = static_cast<std::uint32_t>(joint);
                tree.tables_[t].factors.push_back(f);
                placed = true;
                break;
            }
            if (placed) continue;
            tables_of[k].push_back(static_cast<std::uint32_t>(tree.tables_.size()));
            Table table;
            table.entries = static_cast<std::uint32_t>(entries[f]);
            table.factors = {f};
            tree.tables_.push_back(std::move(table));
            scope_of.push_back(std::move(scope));
        }
        for (std::size_t t = 0; t < tree.tables_.size(); ++t) {
            auto& table = tree.tables_[t];
            table.scope = static_cast<std::uint32_t>(tree.members_.size());
            table.scope_size = static_cast<std::uint32_t>(scope_of[t].size());
            table.offset = static_cast<std::uint32_t>(tree.tables_size_);
            tree.tables_size_ += table.entries;
            tree.members_.insert(tree.members_.end(), scope_of[t].begin(), scope_of[t].end());
        }
        clique_tables = std::move(tables_of);
    }
    std::vector<std::vector<std::uint32_t>> clique_tables = {};

    std::vector<std::vector<Slot>> separators = {};  // by clique

    void find_separators() {
        std::vector<char> mark(scopes.sizes.size(), 0);
        separators.resize(tree.cliques_.size());
        for (std::size_t k = 0; k < tree.cliques_.size(); ++k) {
            const auto& clique = tree.cliques_[k];
            if (clique.parent < 0) continue;
            const auto above = tree.members(tree.cliques_[static_cast<std::size_t>(clique.parent)]);
            for (const auto slot : above) mark[slot] = 1;
            for (const auto slot : tree.members(clique))
                if (mark[slot]) separators[k].push_back(slot);
            for (const auto slot : above) mark[slot] = 0;
        }
    }

    /// Where a subtree has the tables of exactly the variables that it does not share with the rest, they sum to 1.
    void find_vacuous() {
        std::vector<std::uint32_t> table_at(scopes.sizes.size(), UINT32_MAX);  // the clique with the table of a variable
        std::vector<std::uint32_t> factors(tree.cliques_.size(), 0);
        std::vector<char> conditional(tree.cliques_.size(), 1);
        for (std::size_t f = 0; f < scopes.scopes.size(); ++f) {
            if (scopes.scopes[f].empty()) continue;
            const auto k = tree.factor_clique_[f];
            ++factors[k];
            if (scopes.child[f] == JunctionScopes::no_slot)
                conditional[k] = 0;
            else
                table_at[scopes.child[f]] = k;
        }
        std::vector<std::uint32_t> inside(tree.cliques_.size(), 0);
        for (std::size_t k = tree.cliques_.size(); k-- > 0;) {
            auto& clique = tree.cliques_[k];
            const auto& shared = separators[k];
            inside[k] += clique.size - static_cast<std::uint32_t>(shared.size());
            bool all = conditional[k] && inside[k] == factors[k];
            for (const auto slot : shared)
                all = all && !(table_at[slot] >= k && table_at[slot] < clique.end && table_at[slot] != UINT32_MAX);
            clique.vacuous = all;
            if (clique.parent < 0) continue;
            const auto above = static_cast<std::size_t>(clique.parent);
            inside[above] += inside[k];
            factors[above] += factors[k];
            conditional[above] = static_cast<char>(conditional[above] && conditional[k]);
        }
    }

    void lay_out() {
        tree.marginal_offset_.assign(scopes.sizes.size(), 0);
        for (std::size_t v = 0; v < scopes.sizes.size(); ++v) {
            tree.marginal_offset_[v] = static_cast<std::uint32_t>(tree.marginals_size_);
            tree.marginals_size_ += scopes.sizes[v];
        }
        tree.family_offset_.assign(scopes.scopes.size(), 0);
        for (std::size_t f = 0; f < scopes.scopes.size() && scopes.families == Families::yes; ++f) {
            tree.family_offset_[f] = static_cast<std::uint32_t>(tree.families_size_);
            tree.families_size_ += static_cast<std::size_t>(product_of_sizes(scopes.scopes[f], scopes.sizes));
        }
        std::vector<std::vector<std::uint32_t>> factors_of(tree.cliques_.size());
        for (std::uint32_t f = 0; f < scopes.scopes.size() && scopes.families == Families::yes; ++f)
            if (!scopes.scopes[f].empty()) factors_of[tree.factor_clique_[f]].push_back(f);
        for (std::size_t k = 0; k < tree.cliques_.size(); ++k) {
            auto& clique = tree.cliques_[k];
            clique.message = static_cast<std::uint32_t>(tree.messages_size_);
            clique.message_size = static_cast<std::uint32_t>(product_of_sizes(separators[k], scopes.sizes));
            tree.messages_size_ += clique.message_size;
        }
        const std::size_t edges = 2 * tree.cliques_.size(), singles = scopes.sizes.size();
        tree.inputs_.reserve(tree.tables_.size() + edges + singles);
        tree.outputs_.reserve((scopes.families == Families::yes ? scopes.scopes.size() : 0) + edges + singles);
        for (std::uint32_t k = 0; k < tree.cliques_.size(); ++k) {
            auto& clique = tree.cliques_[k];
            clique.layout = layout_of(tree.members(clique), scopes.sizes, tree.numbers_);
            clique.inputs = static_cast<std::uint32_t>(tree.inputs_.size());
            clique.outputs = static_cast<std::uint32_t>(tree.outputs_.size());
            for (const auto t : clique_tables[k]) tree.inputs_.push_back({operand(clique, tree.scope(tree.tables_[t])), From::table, t});
            if (clique.parent >= 0) {
                const Operand shared = operand(clique, separators[k]);
                tree.inputs_.push_back({shared, From::above, k});
                tree.outputs_.push_back({shared, To::above, k});
            }
            for (const auto child : children[k]) {
                const Operand shared = operand(clique, separators[child]);
                tree.inputs_.push_back({shared, From::below, child});
                tree.outputs_.push_back({shared, To::below, child});
            }
            for (const auto slot : tree.members(clique)) {
                if (tree.home_[slot] != static_cast<std::int32_t>(k)) continue;
                const Operand single = operand(clique, std::span(&slot, 1));
                tree.inputs_.push_back({single, From::likelihood, slot});
                tree.outputs_.push_back({single, To::marginal, slot});
            }
            for (const auto f : factors_of[k]) tree.outputs_.push_back({operand(clique, scopes.scopes[f]), To::family, f});
            sort_operands(clique);
        }
    }

    Operand operand(const Clique& clique, std::span<const Slot> scope) {
        has.assign(clique.size, 0);
        const auto all = tree.members(clique);
        for (std::size_t i = 0; i < all.size(); ++i) has[i] = contains(scope, all[i]);
        return operand_of(clique.layout, all, has, scopes.sizes, tree.numbers_);
    }

    /// As a sweep wants them: inputs from the outermost level on, numbers before vectors; outputs from the innermost.
    void sort_operands(Clique& clique) {
        clique.inputs_end = static_cast<std::uint32_t>(tree.inputs_.size());
        clique.outputs_end = static_cast<std::uint32_t>(tree.outputs_.size());
        std::stable_sort(tree.inputs_.begin() + clique.inputs, tree.inputs_.end(), [](const Input& a, const Input& b) {
            if (a.operand.level != b.operand.level) return a.operand.level < b.operand.level;
            return a.operand.fit == Fit::scalar && b.operand.fit != Fit::scalar;
        });
        std::stable_sort(tree.outputs_.begin() + clique.outputs, tree.outputs_.end(),
                         [](const Output& a, const Output& b) { return a.operand.level > b.operand.level; });
    }
};

Result<JunctionTreePtr> JunctionTree::compile(const JunctionScopes& scopes, const Run& run) {
    auto tree = std::make_shared<JunctionTree>();
    Builder builder{.scopes = scopes, .run = run, .tree = *tree};
    if (auto fault = builder.build()) return *std::move(fault);
    return JunctionTreePtr(std::move(tree));
}

Result<JunctionTreePtr> JunctionTree::compile(const Net& net, Families families, const Run& run) {
    JunctionScopes scopes;
    scopes.families = families;
    SlotNames names;
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        const auto& node = net.nodes[i];
        scopes.sizes.push_back(node.variable.size());
        names.push_back(node.variable.name);
        auto& scope = scopes.scopes.emplace_back();
        for (const auto parent : node.parents) scope.push_back(static_cast<Slot>(index(parent)));
        scope.push_back(static_cast<Slot>(i));
        scopes.child.push_back(static_cast<Slot>(i));
    }
    scopes.names = &names;
    return compile(scopes, run);
}

std::int32_t JunctionTree::clique_with(std::span<const Slot> variables) const {
    std::int32_t best = -1;
    for (std::size_t k = 0; k < cliques_.size(); ++k) {
        if (best >= 0 && cliques_[k].entries >= cliques_[static_cast<std::size_t>(best)].entries) continue;
        const auto all = members(cliques_[k]);
        const bool holds = std::all_of(variables.begin(), variables.end(), [&](Slot slot) { return contains(all, slot); });
        if (holds) best = static_cast<std::int32_t>(k);
    }
    return best;
}

}  // namespace credence::rt
