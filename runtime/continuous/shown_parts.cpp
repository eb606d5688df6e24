// What nets with numbers show: for each node what it is drawn from, or its table.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

namespace {

/// With the real numbers in it to six digits: what was learned is shown as it is, and 6.000000000000001 as 6.
Term rounded(const Term& term) {
    if (is_constant(term) && !term->value.is_exact())
        return constant_term(Number::real(std::stod(fmt::format("{:.6g}", term->value.real()))));
    if (term->parts.empty()) return term;
    std::vector<Term> parts;
    for (const auto& part : term->parts) parts.push_back(rounded(part));
    return make_term(term->op, std::move(parts));
}

std::vector<std::string> names_in(const Term& term, const std::function<std::string(VarId)>& name) {
    std::vector<std::string> out;
    for (const auto v : variables_of(term)) out.push_back(name(v));
    return out;
}

/// "~ normal(2 * a, 1)". A number that is to be learned is a question mark.
std::string drawn_text(const ContinuousNode& node, const std::function<std::string(VarId)>& name) {
    if (node.family == Family(by_cases_family)) {
        std::vector<std::string> cases;
        for (auto& one : cases_of(node.family, node.parameters)) {
            ContinuousNode plain;
            plain.family = one.family;
            plain.parameters = std::move(one.parameters);
            cases.push_back(drawn_text(plain, name).substr(2));
        }
        return fmt::format("~ {}, by {}", joined(cases, " or "), joined(names_in(node.parameters[0], name), ", "));
    }
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < node.parameters.size(); ++i) {
        const std::string text = term_text(rounded(node.parameters[i]), name);
        parameters.push_back(i < node.labels.size() ? fmt::format("{}: {}", node.labels[i].text(), text) : text);
    }
    const std::string inside = joined(parameters, ", ");
    return node.labels.empty() ? fmt::format("~ {}({})", (*node.family).name, inside) : fmt::format("~ {{{}}}", inside);
}

}  // namespace

ModelParts parts_of(const ContinuousNet& net) {
    const auto name = [&](VarId id) { return index(id) < net.nodes.size() ? net.nodes[index(id)].variable.name : std::string("?"); };
    ModelParts out;
    for (const auto& node : net.nodes) {
        if (node.table.step) continue;
        const std::string& own = node.variable.name;
        switch (node.kind) {
            case ContinuousNode::Kind::drawn:
                out.push_back(words_part(own, drawn_text(node, name)));
                break;
            case ContinuousNode::Kind::computed:
                out.push_back(words_part(own, "= " + term_text(rounded(node.value), name)));
                break;
            case ContinuousNode::Kind::table: {
                std::vector<Variable> variables;
                for (const auto parent : node.table.parents) variables.push_back(net.nodes[index(parent)].variable);
                variables.push_back(node.variable);
                if (node.table.hole)
                    out.push_back(words_part(own, "?"));
                else
                    out.push_back(
                        {own, std::visit([&](const auto& values) { return Factor(std::move(variables), values); }, node.table.table)});
                break;
            }
        }
    }
    if (!net.history.empty()) out.push_back(figure("log_likelihood", net.history.back()));
    return out;
}

bool ContinuousModel::is_count(const Variable& variable) const {
    const auto& nodes = declared().nodes;
    return std::any_of(nodes.begin(), nodes.end(), [&](const ContinuousNode& node) {
        return node.variable.name == variable.name && node.kind == ContinuousNode::Kind::drawn && node.family->range == ValueRange::counts;
    });
}

}  // namespace credence::rt
