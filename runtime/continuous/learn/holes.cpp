// Where a `?` may occur in X ~ family(…), and how it is filled.

#include "runtime/continuous/learn/holes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/prob/declared/mixture.hpp"

namespace credence::rt {

bool ContinuousNet::is_open() const {
    return holes > 0 ||
           std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.kind == ContinuousNode::Kind::table && n.table.hole; });
}

Status check_holes(const ContinuousNet& net) {
    using namespace continuous;
    for (const auto& node : net.nodes) {
        const auto refuse = [&](std::string message, std::string hint) {
            return Fault{.code = "E-HOLE", .message = std::move(message), .origin = node.origin, .hint = std::move(hint)};
        };
        if (node.value && has_holes(node.value, net.nodes.size()))
            return refuse(fmt::format("{} is computed from its parents, so it has nothing to learn", node.variable.name), "");
        if (node.kind != ContinuousNode::Kind::drawn) continue;
        const FamilyInfo& info = *node.family;
        for (std::size_t p = 0; p < node.parameters.size(); ++p) {
            const Term& term = node.parameters[p];
            if (!has_holes(term, net.nodes.size())) continue;
            if (node.family == Family::categorical || node.family == Family::bernoulli)
                return refuse(fmt::format("the probabilities of {} are learned as a table", node.variable.name),
                              fmt::format("write {} in {{…}} : ?", node.variable.name));
            const std::string name = p < info.parameters.size() ? std::string(info.parameters[p].name) : "parameter";
            if (p >= info.parameters.size() || !info.parameters[p].learnable())
                return refuse(fmt::format("the {} of a {} cannot be learned", name, info.name),
                              "give it a prior instead, as in m ~ normal(0, 10), and ask P(m | data)");
            const bool mean = is_normal(node.family) && p == 0;
            if (mean ? !is_linear(term, net.nodes.size()) : !is_bare(term, net.nodes.size()))
                return refuse(mean ? fmt::format("the {} of {} is learned where each ? is a coefficient", name, node.variable.name)
                                   : fmt::format("the {} of {} is learned as one number, ?", name, node.variable.name),
                              mean ? "as in ? + ? * Y, or if C == a then ? + ? * Y else ?"
                                   : "it may differ by a discrete parent: if C == a then ? else ?");
        }
    }
    return Done{};
}

}  // namespace credence::rt

namespace credence::rt::continuous {

bool is_normal(Family family) { return family == Family::normal || family == Family::lognormal; }

std::vector<std::size_t> holes_of(const Term& term, std::size_t nodes) {
    std::vector<std::size_t> out;
    for (const auto id : variables_of(term))
        if (index(id) >= nodes) out.push_back(index(id) - nodes);
    return out;
}

bool has_holes(const Term& term, std::size_t nodes) { return !holes_of(term, nodes).empty(); }

bool is_bare(const Term& term, std::size_t nodes) {
    if (!has_holes(term, nodes) || term->op == TermOp::variable) return true;
    return term->op == TermOp::choose && !has_holes(term->parts[0], nodes) && is_bare(term->parts[1], nodes) &&
           is_bare(term->parts[2], nodes);
}

bool is_linear(const Term& term, std::size_t nodes) {
    if (!has_holes(term, nodes) || term->op == TermOp::variable) return true;
    const auto& parts = term->parts;
    const auto fine = [&](std::size_t i) { return is_linear(parts[i], nodes); };
    const auto known = [&](std::size_t i) { return !has_holes(parts[i], nodes); };
    switch (term->op) {
        case TermOp::negate:
            return fine(0);
        case TermOp::add:
        case TermOp::subtract:
            return fine(0) && fine(1);
        case TermOp::multiply:
            return (known(0) && fine(1)) || (fine(0) && known(1));
        case TermOp::divide:
            return fine(0) && known(1);
        case TermOp::choose:
            return known(0) && fine(1) && fine(2);
        default:
            return false;
    }
}

ContinuousNet filled(const ContinuousNet& net, std::vector<Number> numbers) {
    ContinuousNet out = net;
    for (auto& node : out.nodes)
        for (auto& term : node.parameters)
            term = rewrite(term, [&](const TermNode& leaf) -> Term {
                const bool hole = leaf.op == TermOp::variable && index(leaf.variable) >= net.nodes.size();
                return hole ? constant_term(numbers[index(leaf.variable) - net.nodes.size()]) : nullptr;
            });
    out.holes = 0;
    out.learned = std::move(numbers);
    return out;
}

}  // namespace credence::rt::continuous
