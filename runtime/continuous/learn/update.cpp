// Learning on: yesterday's posterior is today's prior. Possible where the posterior is a net of the same form.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::rt::continuous {

namespace {

Fault not_conjugate(const std::string& name) {
    return {.code = "E-TRAIN",
            .message = fmt::format("the posterior of {} is no longer a prior of its own family", name),
            .hint = "ask with all the rows as evidence instead: P(… | rows)"};
}

std::vector<Term> parameters_of(const Distribution& d) {
    std::vector<Term> out;
    for (const auto& p : d.parameters()) out.push_back(constant_term(std::get<Number>(p.value)));
    return out;
}

}  // namespace

Result<ContinuousNet> updated(const Expanded& net, ContinuousNet out, const TableView& rows, std::span<const double> row_weights,
                              const Run& run) {
    if (std::any_of(row_weights.begin(), row_weights.end(), [](double w) { return w != 1; }))
        return Fault{
            .code = "E-TRAIN", .message = "rows of a net with real-valued nodes count once each", .hint = "repeat the rows instead"};
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < rows.size(); ++i) all.push_back(static_cast<std::uint32_t>(rows.row(i)));
    auto table = TRY(take_rows(*rows.table, all));
    Query query;
    query.given.data.push_back({table, Origin::none});
    std::vector<std::size_t> unknown;  // declared numbers that the rows do not give
    for (std::size_t i = 0; i < net.declared; ++i) {
        const auto& node = net.node(i);
        if (node.variable.domain || node.kind != ContinuousNode::Kind::drawn || table->find(node.variable.name)) continue;
        const bool repeated = std::any_of(net.parents[i].begin(), net.parents[i].end(), [&](VarId p) {
            return index(p) < net.declared && table->find(net.node(index(p)).variable.name).has_value();
        });
        if (repeated) continue;
        unknown.push_back(i);
        query.targets.free.push_back(static_cast<VarId>(i));
    }
    auto problem = TRY(unroll(net, query));
    const auto instance_of = [&](std::size_t node) -> std::optional<VarId> {
        for (std::size_t i = 0; i < problem.instances.size(); ++i)
            if (problem.instances[i].node == node) return static_cast<VarId>(i);
        return std::nullopt;
    };
    std::vector<Term> wanted;
    for (std::size_t i = 0; i < problem.instances.size(); ++i)
        if (problem.instances[i].is_real_latent()) wanted.push_back(variable_term(static_cast<VarId>(i)));
    auto hybrid = TRY(solve_hybrid(problem, wanted, Allowed{true, true, false}, run).or_nothing());
    if (!hybrid) return not_conjugate(net.node(unknown.empty() ? 0 : unknown[0]).variable.name);
    for (const auto& component : hybrid->components) {
        if (!component.discrete.empty()) return not_conjugate(problem.name(component.numbers[0]));
        for (const auto& joint : component.posteriors[0].normals)
            if (joint.variables().size() > 1) return not_conjugate(problem.name(joint.variables()[0]));
    }
    const auto marginal = [&](VarId v) { return marginal_of(hybrid->of(v)->posteriors[0], variable_term(v)); };
    for (const auto i : unknown) {
        auto& node = out.nodes[i];
        if (net.is_vector(i)) {
            std::vector<Term> concentration;
            Term last;
            for (const auto stick : net.parts[i]) {
                const auto at = instance_of(index(stick));
                const auto d = at ? marginal(*at) : nullptr;
                if (!d || d->name() != "beta") return not_conjugate(node.variable.name);
                const auto p = parameters_of(*d);
                concentration.push_back(p[0]);
                last = p[1];
            }
            concentration.push_back(last);
            node.parameters = std::move(concentration);
            continue;
        }
        const auto at = instance_of(i);
        if (!at) continue;
        const auto& posterior = hybrid->of(*at)->posteriors[0];
        const auto gamma =
            std::find_if(posterior.normal_gammas.begin(), posterior.normal_gammas.end(), [&](const NormalGamma& g) { return g.mu == *at; });
        if (gamma != posterior.normal_gammas.end()) {
            const auto tau = static_cast<VarId>(problem.instances[index(gamma->tau)].node);
            node.parameters = {
                constant_term(gamma->mean),
                make_term(TermOp::divide,
                          {constant_term(1),
                           make_term(TermOp::sqrt, {make_term(TermOp::multiply, {constant_term(gamma->count), variable_term(tau)})})})};
            continue;
        }
        const auto d = marginal(*at);
        const auto* family = d ? find_family(d->name()) : nullptr;
        if (!family || !net.parents[i].empty()) return not_conjugate(node.variable.name);
        node.family = *family;
        node.parameters = parameters_of(*d);
    }
    return out;
}

}  // namespace credence::rt::continuous
