#include "runtime/latent/as_net.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

ContinuousNode table_node(const Variable& variable, std::vector<double> weights) {
    ContinuousNode out;
    out.kind = ContinuousNode::Kind::table;
    out.variable = variable;
    out.table.variable = variable;
    out.table.table = std::move(weights);
    return out;
}

/// L = (A 0; lᵀ s): given the columns before it, with deviations u, the next deviates by βᵀu on average, where Aᵀβ = l, and by s about
/// that.
std::vector<double> slopes(const Matrix& factor, std::size_t column) {
    std::vector<double> out(column);
    for (std::size_t j = column; j-- > 0;) {
        double rest = factor(column, j);
        for (std::size_t l = j + 1; l < column; ++l) rest -= factor(l, j) * out[l];
        out[j] = rest / factor(j, j);
    }
    return out;
}

Term mean_of_column(const GaussianMixture& mixture, const Matrix& factor, std::size_t c, std::size_t column) {
    const auto slope = slopes(factor, column);
    double constant = mixture.means(c, column);
    for (std::size_t j = 0; j < column; ++j) constant -= slope[j] * mixture.means(c, j);
    Term out = constant_term(Number::real(constant));
    for (std::size_t j = 0; j < column; ++j) {
        if (slope[j] == 0) continue;
        Term part = make_term(TermOp::multiply, {constant_term(Number::real(slope[j])), variable_term(static_cast<VarId>(j))});
        out = make_term(TermOp::add, {std::move(out), std::move(part)});
    }
    return out;
}

}  // namespace

std::shared_ptr<const ContinuousModel> net_of_part(const Variable& component, const Distribution& part) {
    const FamilyInfo* family = find_family(part.name());
    if (!family || part.support() == Support::labels || part.support() == Support::vectors) return nullptr;
    ContinuousNode x;
    x.variable = {"x", nullptr};
    x.family = *family;
    for (const auto& parameter : part.parameters()) {
        const auto* number = std::get_if<Number>(&parameter.value);
        if (!number) return nullptr;
        x.parameters.push_back(constant_term(*number));
    }
    ContinuousNet net;
    const std::size_t k = component.size();
    net.nodes.push_back(table_node(component, std::vector<double>(k, 1 / static_cast<double>(k))));
    net.nodes.push_back(std::move(x));
    return make_continuous_model(std::move(net));
}

std::optional<ContinuousNet> net_of_mixture(const Variable& component, std::span<const Number> weights,
                                            std::span<const DistributionPtr> parts) {
    const FamilyInfo* family = find_family(parts[0]->name());
    if (!family) return std::nullopt;
    ContinuousNode x;
    x.variable = {"x", nullptr};
    x.family = *family;
    for (std::size_t j = parts.size(); j-- > 0;) {
        const auto parameters = parts[j]->parameters();
        if (parts[j]->name() != parts[0]->name() || parameters.size() != parts[0]->parameters().size()) return std::nullopt;
        const Term here = is_term(VarId{0}, (*component.domain)[j]);
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const auto* number = std::get_if<Number>(&parameters[k].value);
            if (!number) return std::nullopt;
            if (x.parameters.size() <= k)
                x.parameters.push_back(constant_term(*number));
            else
                x.parameters[k] = make_term(TermOp::choose, {here, constant_term(*number), x.parameters[k]});
        }
    }
    ContinuousNet net;
    std::vector<double> shares;
    for (const auto& weight : weights) shares.push_back(weight.real());
    net.nodes.push_back(table_node(component, std::move(shares)));
    if (std::all_of(weights.begin(), weights.end(), [](const Number& w) { return w.is_exact(); })) {
        std::vector<Rational> exact;
        for (const auto& weight : weights) exact.push_back(weight.exact());
        net.nodes[0].table.table = std::move(exact);
    }
    net.nodes.push_back(std::move(x));
    return net;
}

std::shared_ptr<const ContinuousModel> net_of_gaussians(const GaussianMixture& mixture, const Schema& schema,
                                                        std::span<const Matrix> factors) {
    const std::size_t columns = schema.features.size();
    const auto component = static_cast<VarId>(columns);
    ContinuousNet net;
    for (std::size_t i = 0; i < columns; ++i) {
        Term mean;
        Term sd;
        for (std::size_t c = mixture.weights.size(); c-- > 0;) {
            Term own_mean = mean_of_column(mixture, factors[c], c, i);
            Term own_sd = constant_term(Number::real(factors[c](i, i)));
            const Term here = is_term(component, (*schema.target.domain)[c]);
            mean = mean ? make_term(TermOp::choose, {here, std::move(own_mean), std::move(mean)}) : std::move(own_mean);
            sd = sd ? make_term(TermOp::choose, {here, std::move(own_sd), std::move(sd)}) : std::move(own_sd);
        }
        ContinuousNode node;
        node.variable = {schema.features[i].name, nullptr};
        node.family = Family::normal;
        node.parameters = {std::move(mean), std::move(sd)};
        net.nodes.push_back(std::move(node));
    }
    net.nodes.push_back(table_node({schema.target.name, schema.target.domain}, mixture.weights));
    return make_continuous_model(std::move(net));
}

}  // namespace credence::rt
