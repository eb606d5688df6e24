#include "runtime/nets/noisy.hpp"

#include <algorithm>
#include <functional>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_causes = 1000;

/// The distribution of the effect where each cause has a value: steps form a tree, so each is summed out once.
class Effect {
public:
    Effect(const Net& net, VarId node) : net_(net), node_(node), value_(net.nodes.size(), 0) {}

    void set(VarId cause, std::size_t value) { value_[index(cause)] = value; }

    std::vector<Number> distribution() const { return of(node_); }

private:
    std::vector<Number> of(VarId id) const {
        const NetNode& node = net_.nodes[index(id)];
        std::vector<Number> out(node.variable.size(), Number(0));
        if (!node.step && id != node_) {
            out[value_[index(id)]] = 1;
            return out;
        }
        std::vector<std::vector<Number>> parents;
        for (const auto parent : node.parents) parents.push_back(of(parent));
        std::vector<std::size_t> at(parents.size(), 0);
        std::size_t entry = 0;
        do {
            Number weight = 1;
            for (std::size_t k = 0; k < at.size() && !weight.is_zero(); ++k) weight *= parents[k][at[k]];
            for (auto& p : out) {
                if (!weight.is_zero()) p += weight * node.entry(entry);
                ++entry;
            }
        } while (next_configuration(at, [&](std::size_t k) { return parents[k].size(); }));
        return out;
    }

    const Net& net_;
    VarId node_;
    std::vector<std::size_t> value_;
};

/// What the node is computed from: false where a number on the way is unknown.
bool find_causes(const Net& net, VarId id, std::vector<VarId>& out) {
    if (net.nodes[index(id)].hole) return false;
    return std::all_of(net.nodes[index(id)].parents.begin(), net.nodes[index(id)].parents.end(), [&](VarId parent) {
        if (net.nodes[index(parent)].step) return find_causes(net, parent, out);
        if (!contains(out, parent)) out.push_back(parent);
        return out.size() <= most_causes;
    });
}

std::optional<std::size_t> true_place(const Variable& variable) {
    return variable.size() == 2 ? variable.domain->find(Label::of_bool(true)) : std::nullopt;
}

}  // namespace

std::optional<NoisyStrengths> noisy_strengths(const Net& net, VarId node) {
    const NetNode& effect = net.nodes[index(node)];
    NoisyStrengths out;
    if (!effect.noisy || !true_place(effect.variable) || !find_causes(net, node, out.causes)) return std::nullopt;
    const std::size_t absent = 1 - *true_place(effect.variable);
    Effect model(net, node);
    for (const auto cause : out.causes) {
        const auto present = true_place(net.nodes[index(cause)].variable);
        if (!present) return std::nullopt;
        model.set(cause, 1 - *present);
    }
    const Number leak_fails = model.distribution()[absent];
    if (leak_fails.is_zero()) return std::nullopt;
    out.leak = Number(1) - leak_fails;
    for (const auto cause : out.causes) {
        const std::size_t present = *true_place(net.nodes[index(cause)].variable);
        model.set(cause, present);
        out.strengths.push_back(Number(1) - model.distribution()[absent] / leak_fails);
        model.set(cause, 1 - present);
    }
    return out;
}

std::optional<Factor> noisy_table(const Net& net, VarId node) {
    constexpr std::size_t most_entries = 10'000;
    const NetNode& effect = net.nodes[index(node)];
    std::vector<VarId> causes;
    if (!effect.noisy || !find_causes(net, node, causes)) return std::nullopt;
    std::vector<Variable> variables;
    std::size_t entries = effect.variable.size();
    for (const auto cause : causes) {
        variables.push_back(net.nodes[index(cause)].variable);
        entries *= variables.back().size();
        if (entries > most_entries) return std::nullopt;
    }
    variables.push_back(effect.variable);
    Effect model(net, node);
    std::vector<Number> table;
    std::vector<std::size_t> at(causes.size(), 0);
    do {
        for (std::size_t k = 0; k < causes.size(); ++k) model.set(causes[k], at[k]);
        const auto row = model.distribution();
        table.insert(table.end(), row.begin(), row.end());
    } while (next_configuration(at, [&](std::size_t k) { return variables[k].size(); }));
    if (std::all_of(table.begin(), table.end(), [](const Number& p) { return p.is_exact(); })) {
        std::vector<Rational> exact;
        for (const auto& p : table) exact.push_back(p.exact());
        return Factor(std::move(variables), std::move(exact));
    }
    std::vector<double> real;
    for (const auto& p : table) real.push_back(p.real());
    return Factor(std::move(variables), std::move(real));
}

}  // namespace credence::rt
