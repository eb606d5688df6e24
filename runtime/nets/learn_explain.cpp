// What `explain train` tells of the tables of a net: each entry with its counts.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/nets/learn.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

std::vector<double> family_counts(const Net& net, const NetData& data, std::size_t v, std::size_t configurations_count) {
    const NetNode& node = net.nodes[v];
    const std::size_t k = node.variable.size();
    std::vector<double> n(configurations_count * k, 0.0);
    for (std::size_t r = 0; r < data.rows(); ++r) {
        const auto codes = data.row(r);
        const bool whole =
            codes[v] >= 0 && std::all_of(node.parents.begin(), node.parents.end(), [&](VarId p) { return codes[index(p)] >= 0; });
        if (whole) n[row_at(net, v, codes) * k + static_cast<std::size_t>(codes[v])] += data.weights[r];
    }
    return n;
}

void tell_learned(const Net& before, const Net& net, const NetData* data, DerivationWriter& out) {
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        if (!before.nodes[v].hole) continue;
        const NetNode& node = net.nodes[v];
        const std::size_t k = node.variable.size();
        std::vector<Slot> parents;
        Sizes sizes;
        for (const auto& n : net.nodes) sizes.push_back(n.variable.size());
        std::size_t configurations_count = 1;
        for (const auto p : node.parents) {
            parents.push_back(static_cast<Slot>(index(p)));
            configurations_count *= sizes[index(p)];
        }
        const auto counts = data ? family_counts(net, *data, v, configurations_count) : std::vector<double>{};
        const auto given = configurations(parents, sizes);
        for (std::size_t r = 0; r < configurations_count; ++r) {
            if (!is_learned(before.nodes[v], r)) continue;
            std::string u;
            for (const auto& [slot, value] : given[r])
                u += fmt::format("{}{} = {}", u.empty() ? " | " : ", ", net.nodes[slot].variable.name,
                                 (*net.nodes[slot].variable.domain)[value].text());
            double all = 0;
            for (std::size_t j = 0; j < k && data; ++j) all += counts[r * k + j];
            for (std::size_t j = 0; j < k; ++j) {
                const Number p = node.entry(r * k + j);
                const std::string share = p.is_exact() && !p.exact().is_integer() ? fmt::format("{} = {:.6g}", p.exact().text(), p.real())
                                                                                  : fmt::format("{:.6g}", p.real());
                out.note(fmt::format("  P({} = {}{}){} {}", node.variable.name, (*node.variable.domain)[j].text(), u,
                                     data ? fmt::format(": n(x, u) = {:.6g}, n(u) = {:.6g},", counts[r * k + j], all) : " =", share));
            }
        }
    }
}

}  // namespace credence::rt
