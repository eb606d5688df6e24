#include "runtime/nets/expected_counts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parcels.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/nets/propagation.hpp"

namespace credence::rt {

namespace {

/// A group with at most so many combinations of hidden values is summed by enumeration.
constexpr std::size_t most_combinations = 256;
/// A tree is made for a group that at least so many different rows need; fewer go through the tree of the whole net.
constexpr std::size_t worth_a_tree = 8;

std::vector<Slot> family_scope(const Net& net, std::size_t node) {
    std::vector<Slot> out;
    for (const auto parent : net.nodes[node].parents) out.push_back(static_cast<Slot>(index(parent)));
    out.push_back(static_cast<Slot>(node));
    return out;
}

std::vector<std::size_t> family_strides(const Net& net, std::span<const Slot> scope) {
    std::vector<std::size_t> out(scope.size());
    std::size_t step = 1;
    for (std::size_t i = scope.size(); i-- > 0; step *= net.nodes[scope[i]].variable.size()) out[i] = step;
    return out;
}

}  // namespace

/// Takes the rows apart into groups.
struct ExpectedCounts::Sorter {
    ExpectedCounts& out;
    const Net& net;
    std::vector<std::vector<Slot>> scopes = {};  // by node
    std::vector<std::vector<std::size_t>> strides = {};
    std::vector<std::vector<std::uint32_t>> touching = {};  // by variable: the nodes whose table has it
    std::vector<Slot> leader = {};                          // of the missing cells of a row
    std::map<std::vector<Slot>, std::uint32_t> known = {};
    std::vector<std::map<std::vector<std::size_t>, std::uint32_t>> surroundings = {};  // by group: those seen, by their bases

    Slot find(Slot v) {
        while (leader[v] != v) v = leader[v] = leader[leader[v]];
        return v;
    }

    void prepare() {
        const std::size_t n = net.nodes.size();
        touching.resize(n);
        leader.resize(n);
        for (std::size_t v = 0; v < n; ++v) {
            scopes.push_back(family_scope(net, v));
            strides.push_back(family_strides(net, scopes.back()));
            for (const auto slot : scopes.back()) touching[slot].push_back(static_cast<std::uint32_t>(v));
        }
    }

    /// The missing cells of a row, those that share a table together.
    std::vector<std::vector<Slot>> hidden_of(std::span<const std::int32_t> codes) {
        std::iota(leader.begin(), leader.end(), Slot{0});
        for (const auto& scope : scopes) {
            std::optional<Slot> first;
            for (const auto slot : scope) {
                if (codes[slot] >= 0) continue;
                if (first) leader[find(slot)] = find(*first);
                first = slot;
            }
        }
        std::vector<std::vector<Slot>> groups;
        std::map<Slot, std::size_t> at;
        for (Slot v = 0; v < codes.size(); ++v) {
            if (codes[v] >= 0) continue;
            const auto [place, is_new] = at.emplace(find(v), groups.size());
            if (is_new) groups.emplace_back();
            groups[place->second].push_back(v);
        }
        return groups;
    }

    bool is_small(std::span<const Slot> hidden) const {
        double combinations = 1;
        for (const auto v : hidden) combinations *= static_cast<double>(net.nodes[v].variable.size());
        return combinations <= static_cast<double>(most_combinations);
    }

    Result<std::uint32_t> group_of(const std::vector<Slot>& hidden, const Run& run) {
        const auto [place, is_new] = known.emplace(hidden, static_cast<std::uint32_t>(out.groups_.size()));
        if (!is_new) return place->second;
        Group group;
        group.hidden = hidden;
        for (const auto v : hidden) group.families.insert(group.families.end(), touching[v].begin(), touching[v].end());
        std::sort(group.families.begin(), group.families.end());
        group.families.erase(std::unique(group.families.begin(), group.families.end()), group.families.end());
        for (const auto f : group.families) {
            auto& scope = group.scopes.emplace_back();
            auto& steps = group.strides.emplace_back();
            for (std::size_t i = 0; i < scopes[f].size(); ++i) {
                if (!std::binary_search(hidden.begin(), hidden.end(), scopes[f][i])) continue;
                scope.push_back(scopes[f][i]);
                steps.push_back(strides[f][i]);
            }
        }
        if (is_small(hidden)) {
            enumerate_steps(group);
        } else {
            JunctionScopes shape;
            SlotNames names;
            for (const auto& node : net.nodes) {
                shape.sizes.push_back(node.variable.size());
                names.push_back(node.variable.name);
            }
            shape.scopes = group.scopes;
            for (const auto f : group.families) {
                const bool own = std::binary_search(hidden.begin(), hidden.end(), static_cast<Slot>(f));
                shape.child.push_back(own ? static_cast<Slot>(f) : JunctionScopes::no_slot);
            }
            shape.families = Families::yes;
            shape.names = &names;
            group.tree = TRY(JunctionTree::compile(shape, run));
        }
        out.groups_.push_back(std::move(group));
        surroundings.emplace_back();
        return place->second;
    }

    void enumerate_steps(Group& group) const {
        group.combinations = 1;
        for (const auto v : group.hidden) group.combinations *= net.nodes[v].variable.size();
        for (std::size_t f = 0; f < group.families.size(); ++f) {
            for (std::size_t c = 0; c < group.combinations; ++c) {
                std::size_t rest = c;
                std::size_t step = 0;
                for (std::size_t i = group.hidden.size(); i-- > 0;) {
                    const std::size_t size = net.nodes[group.hidden[i]].variable.size();
                    const auto found = std::find(group.scopes[f].begin(), group.scopes[f].end(), group.hidden[i]);
                    if (found != group.scopes[f].end())
                        step += rest % size * group.strides[f][static_cast<std::size_t>(found - group.scopes[f].begin())];
                    rest /= size;
                }
                group.steps.push_back(static_cast<std::uint32_t>(step));
            }
        }
    }

    /// Where the table of a node begins and the observed cells of its scope lead.
    std::size_t base(std::size_t node, std::span<const std::int32_t> codes) const {
        std::size_t at = out.fixed_.offset[node];
        for (std::size_t i = 0; i < scopes[node].size(); ++i)
            if (const auto code = codes[scopes[node][i]]; code >= 0) at += static_cast<std::size_t>(code) * strides[node][i];
        return at;
    }

    void add(std::uint32_t g, std::span<const std::int32_t> codes, double weight) {
        Group& group = out.groups_[g];
        std::vector<std::size_t> bases;
        for (const auto f : group.families) bases.push_back(base(f, codes));
        const auto [place, is_new] = surroundings[g].emplace(std::move(bases), static_cast<std::uint32_t>(group.weights.size()));
        if (is_new) {
            group.bases.insert(group.bases.end(), place->first.begin(), place->first.end());
            group.weights.push_back(weight);
        } else {
            group.weights[place->second] += weight;
        }
    }
};

Result<ExpectedCounts> ExpectedCounts::make(const Net& net, NetData data, const Run& run) {
    ExpectedCounts out;
    out.net_ = &net;
    out.data_ = std::move(data);
    out.fixed_ = start_tables(net, nullptr);
    std::fill(out.fixed_.values.begin(), out.fixed_.values.end(), 0.0);
    Sorter sorter{.out = out, .net = net};
    sorter.prepare();
    const std::size_t rows = out.data_.rows();
    std::vector<std::vector<std::vector<Slot>>> hidden(rows);
    std::map<std::vector<Slot>, std::size_t> needed;  // large groups: by how many rows
    for (std::size_t r = 0; r < rows; ++r) {
        hidden[r] = sorter.hidden_of(out.data_.row(r));
        for (const auto& group : hidden[r])
            if (!sorter.is_small(group)) ++needed[group];
    }
    for (std::size_t r = 0; r < rows; ++r) {
        const auto codes = out.data_.row(r);
        const double weight = out.data_.weights[r];
        const bool whole = std::any_of(hidden[r].begin(), hidden[r].end(),
                                       [&](const auto& group) { return !sorter.is_small(group) && needed[group] < worth_a_tree; });
        if (whole) {
            out.whole_rows_.push_back(static_cast<std::uint32_t>(r));
            continue;
        }
        for (std::size_t v = 0; v < net.nodes.size(); ++v) {
            const auto& scope = sorter.scopes[v];
            if (std::all_of(scope.begin(), scope.end(), [&](Slot slot) { return codes[slot] >= 0; }))
                out.fixed_.values[sorter.base(v, codes)] += weight;
        }
        for (const auto& group : hidden[r]) {
            const auto g = TRY(sorter.group_of(group, run));
            sorter.add(g, codes, weight);
        }
    }
    constexpr std::uint32_t stretch = 256;
    for (std::uint32_t g = 0; g < out.groups_.size(); ++g) {
        const auto n = static_cast<std::uint32_t>(out.groups_[g].weights.size());
        for (std::uint32_t begin = 0; begin < n; begin += stretch) out.pieces_.push_back({g, begin, std::min(n, begin + stretch)});
    }
    if (out.whole_rows_.empty()) return out;
    out.whole_ = TRY(JunctionTree::compile(net, Families::yes, run));
    return out;
}

Fault ExpectedCounts::impossible_row() const {
    return {.code = "E-ZERO", .message = fmt::format("a row of the data is impossible under {}", net_->name)};
}

void ExpectedCounts::by_enumeration(const Group& group, Piece piece, const NetTables& tables, Tally& tally) const {
    const std::size_t n = group.combinations;
    const std::size_t families = group.families.size();
    std::vector<double> product(n);
    for (std::size_t s = piece.begin; s < piece.end; ++s) {
        const std::size_t* bases = group.bases.data() + s * families;
        const double weight = group.weights[s];
        std::fill(product.begin(), product.end(), 1.0);
        double log_scale = 0;
        for (std::size_t f = 0; f < families; ++f) {
            const double* table = tables.values.data() + bases[f];
            const std::uint32_t* steps = group.steps.data() + f * n;
            for (std::size_t c = 0; c < n; ++c) product[c] *= table[steps[c]];
            if (f % 16 != 15) continue;  // a hidden cause of a thousand effects: the product would vanish
            const double largest = *std::max_element(product.begin(), product.end());
            if (!(largest > 0)) break;
            for (auto& p : product) p /= largest;
            log_scale += std::log(largest);
        }
        const double total = std::accumulate(product.begin(), product.end(), 0.0);
        if (!(total > 0)) {
            tally.fault = impossible_row();
            return;
        }
        tally.log += weight * (std::log(total) + log_scale);
        const double share = weight / total;
        for (auto& p : product) p *= share;
        for (std::size_t f = 0; f < families; ++f) {
            double* counts = tally.counts.data() + bases[f];
            const std::uint32_t* steps = group.steps.data() + f * n;
            for (std::size_t c = 0; c < n; ++c) counts[steps[c]] += product[c];
        }
    }
}

std::optional<double> ExpectedCounts::calibrated(Propagation& propagation, const Run& run, Tally& tally) const {
    auto log = propagation.calibrate(run);
    if (log && !std::isinf(*log)) return *log;
    tally.fault = log ? impossible_row() : std::move(log).fault();
    return std::nullopt;
}

void ExpectedCounts::by_tree(const Group& group, Piece piece, const NetTables& tables, const Run& run, Tally& tally) const {
    Propagation propagation(group.tree);
    const std::size_t families = group.families.size();
    std::vector<FactorData> data(families);
    for (std::size_t f = 0; f < families; ++f) data[f].strides = group.strides[f];
    std::vector<double> joint;
    for (std::size_t s = piece.begin; s < piece.end; ++s) {
        const std::size_t* bases = group.bases.data() + s * families;
        for (std::size_t f = 0; f < families; ++f) data[f].base = tables.values.data() + bases[f];
        propagation.set_tables(data);
        const auto log = calibrated(propagation, run, tally);
        if (!log) return;
        tally.log += group.weights[s] * *log;
        for (std::size_t f = 0; f < families; ++f) {
            const auto& scope = group.scopes[f];
            std::size_t size = 1;
            for (const auto slot : scope) size *= net_->nodes[slot].variable.size();
            joint.resize(size);
            propagation.family(f, joint);
            double* counts = tally.counts.data() + bases[f];
            for (std::size_t i = 0; i < size; ++i) {
                std::size_t at = 0;
                std::size_t rest = i;
                for (std::size_t k = scope.size(); k-- > 0;) {
                    const std::size_t values = net_->nodes[scope[k]].variable.size();
                    at += rest % values * group.strides[f][k];
                    rest /= values;
                }
                counts[at] += group.weights[s] * joint[i];
            }
        }
    }
}

void ExpectedCounts::by_whole_tree(std::size_t begin, std::size_t end, const NetTables& tables, const Run& run, Tally& tally) const {
    Propagation propagation(whole_);
    std::vector<FactorData> factors;
    for (std::size_t v = 0; v < net_->nodes.size(); ++v)
        factors.push_back({tables.of(v).data(), family_strides(*net_, family_scope(*net_, v))});
    propagation.set_tables(factors);
    std::vector<double> family;
    for (std::size_t i = begin; i < end; ++i) {
        const auto codes = data_.row(whole_rows_[i]);
        const double weight = data_.weights[whole_rows_[i]];
        for (Slot v = 0; v < codes.size(); ++v) {
            if (codes[v] < 0)
                propagation.forget(v);
            else
                propagation.set_state(v, static_cast<std::size_t>(codes[v]));
        }
        const auto log = calibrated(propagation, run, tally);
        if (!log) return;
        tally.log += weight * *log;
        for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
            if (!net_->nodes[v].hole) continue;
            family.resize(fixed_.offset[v + 1] - fixed_.offset[v]);
            propagation.family(v, family);
            double* counts = tally.counts.data() + fixed_.offset[v];
            for (std::size_t e = 0; e < family.size(); ++e) counts[e] += weight * family[e];
        }
    }
}

double ExpectedCounts::cost() const {
    constexpr double of_a_message = 50;  // of a family in a tree, forth and back
    double out = static_cast<double>(whole_rows_.size() * net_->nodes.size()) * of_a_message;
    for (const auto& piece : pieces_) {
        const Group& group = groups_[piece.group];
        const auto rows = static_cast<double>((piece.end - piece.begin) * group.families.size());
        out += rows * (group.tree ? of_a_message : 2.0 * static_cast<double>(group.combinations));
    }
    return out;
}

Result<double> ExpectedCounts::count(const NetTables& tables, NetTables& counts, Run& run) {
    counts = fixed_;
    double log = 0;
    for (std::size_t i = 0; i < fixed_.values.size(); ++i) {
        if (fixed_.values[i] == 0) continue;
        if (!(tables.values[i] > 0)) return impossible_row();
        log += fixed_.values[i] * std::log(tables.values[i]);
    }
    // A fixed grid of chunks, each with counts of its own, added up in order: the same bytes for any number of threads.
    constexpr std::size_t grid = 8;
    const std::size_t chunks = std::min(grid, pieces_.size() + whole_rows_.size());
    if (chunks == 0) return log;
    std::vector<Tally> tallies(chunks);
    spread_chunks(run, {.n = chunks, .cost = cost()}, tallies, [&](std::size_t c, std::size_t, std::size_t) {
        Tally& tally = tallies[c];
        tally.counts.assign(fixed_.values.size(), 0.0);
        for (std::size_t p = c; p < pieces_.size() && !tally.fault; p += chunks) {
            if (run.stopped()) {
                tally.fault = stopped_fault();
                return;
            }
            const Group& group = groups_[pieces_[p].group];
            if (group.tree)
                by_tree(group, pieces_[p], tables, run, tally);
            else
                by_enumeration(group, pieces_[p], tables, tally);
        }
        if (!tally.fault && !whole_rows_.empty())
            by_whole_tree(c * whole_rows_.size() / chunks, (c + 1) * whole_rows_.size() / chunks, tables, run, tally);
    });
    for (auto& tally : tallies) {
        if (tally.fault) return *std::move(tally.fault);
        log += tally.log;
        for (std::size_t i = 0; i < counts.values.size(); ++i) counts.values[i] += tally.counts[i];
    }
    return log;
}

}  // namespace credence::rt
