#include "runtime/continuous/sample/label_elimination.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace credence::rt::continuous {

namespace {

constexpr double most_entries = 200'000;  // of one table

/// The variables of some factors, ascending, without one of them.
std::vector<VarId> scope_without(const std::vector<const LabelFactor*>& factors, VarId left_out) {
    std::vector<VarId> out;
    for (const auto* factor : factors)
        for (const auto v : factor->over)
            if (v != left_out) out.push_back(v);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Where a configuration of `scope` is found in a factor: its strides by the variables of the scope.
std::vector<std::size_t> factor_strides(const LabelFactor& factor, const std::vector<VarId>& scope, const Sizes& size) {
    std::vector<std::size_t> out(scope.size(), 0);
    std::size_t stride = 1;
    for (std::size_t k = factor.over.size(); k-- > 0;) {
        out[static_cast<std::size_t>(std::find(scope.begin(), scope.end(), factor.over[k]) - scope.begin())] = stride;
        stride *= size[index(factor.over[k])];
    }
    return out;
}

}  // namespace

Result<LabelSum> sum_out_labels(Tape& tape, std::vector<LabelFactor> factors, std::span<const VarId> labels, const Sizes& size,
                                const Run& run) {
    std::vector<std::vector<Slot>> scopes;
    for (const auto& factor : factors) {
        auto& scope = scopes.emplace_back();
        for (const auto v : factor.over) scope.push_back(static_cast<Slot>(index(v)));
    }
    std::vector<std::vector<Slot>> stages(1);
    for (const auto v : labels) stages[0].push_back(static_cast<Slot>(index(v)));
    const Plan plan = plan_elimination(scopes, stages, size);
    if (plan.largest_size > most_entries)
        return Fault{
            .code = "E-COST",
            .message = fmt::format("{} discrete variables depend on each other too closely to be summed out: a table over {} of them "
                                   "would have {:.3g} entries",
                                   labels.size(), plan.largest.size(), plan.largest_size),
            .hint = "observe some of them"};
    LabelSum out;
    std::vector<std::vector<std::size_t>> with(size.size());  // by variable: the factors that have it
    std::vector<bool> used;
    const auto add = [&](std::size_t f) {
        used.push_back(false);
        for (const auto v : factors[f].over) with[index(v)].push_back(f);
        if (factors[f].over.empty()) out.log_sums.push_back(factors[f].logs[0]);
    };
    factors.reserve(factors.size() + labels.size());
    for (std::size_t f = 0; f < factors.size(); ++f) add(f);
    for (const auto slot : plan.order) {
        if (run.stopped()) return stopped_fault();
        const auto label = static_cast<VarId>(slot);
        std::vector<const LabelFactor*> inputs;
        for (const auto f : with[slot]) {
            if (used[f]) continue;
            used[f] = true;
            inputs.push_back(&factors[f]);
        }
        LabelStep step{label, scope_without(inputs, label), {}};
        std::vector<VarId> scope = step.given;
        scope.push_back(label);
        std::vector<std::vector<std::size_t>> strides;
        for (const auto* input : inputs) strides.push_back(factor_strides(*input, scope, size));
        LabelFactor left{step.given, {}};
        std::vector<Tape::Node> parts(inputs.size());
        std::vector<Tape::Node> row;
        each_configuration(scope, size, [&](std::span<const std::size_t> at) {
            for (std::size_t i = 0; i < inputs.size(); ++i)
                parts[i] = inputs[i]->logs[std::inner_product(at.begin(), at.end(), strides[i].begin(), std::size_t{0})];
            row.push_back(tape.sum(parts));
            if (row.size() < size[slot]) return;
            left.logs.push_back(tape.log_sum_exp(row));
            step.weights.insert(step.weights.end(), row.begin(), row.end());
            row.clear();
        });
        out.steps.push_back(std::move(step));
        factors.push_back(std::move(left));
        add(factors.size() - 1);
    }
    return out;
}

}  // namespace credence::rt::continuous
