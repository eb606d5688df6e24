// Quantities computed from the variables of a net with real-valued nodes: computed nodes of a larger net.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double most_rows = 200'000;  // of the table of a quantity over labels

/// Answers through the larger net, whose variables are in another order.
class RealExtension final : public ExtendedModel, public NumericModel {
public:
    RealExtension(ModelPtr base, std::vector<NamedQuantity> quantities, std::shared_ptr<const ContinuousModel> larger)
        : ExtendedModel(std::move(base), std::move(quantities)), larger_(std::move(larger)), inner_(places_in(larger_->variables())) {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            variables_[i].variable.domain = larger_->variables()[index(inner_[i])].variable.domain;
    }

    Result<Answer> ask(const Query& query, Run& run) const override { return larger_->ask(translated(query), run); }
    const NumericModel* numeric() const override { return this; }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        return larger_->expectation(with_variables(term, [&](VarId id) { return inner(id); }), translated(query), run);
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        Query query;
        query.given = given;
        return larger_->sample(n, translated(query).given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return larger_->explain(translated(query), answer, run);
    }

private:
    VarId inner(VarId id) const { return inner_[index(id)]; }

    Query translated(const Query& query) const { return renumbered(query, inner_); }

    std::shared_ptr<const ContinuousModel> larger_;
    std::vector<VarId> inner_;
};

class Larger {
public:
    Larger(const Variables& variables, const ContinuousNet& net) : variables_(variables), net_(net) {}

    Status add(const std::vector<NamedQuantity>& quantities) {
        const std::size_t first = net_.nodes.size();
        net_.nodes.resize(first + quantities.size());
        for (std::size_t k = 0; k < quantities.size(); ++k) {
            auto node = TRY(node_of(quantities[k]));
            net_.nodes[first + k] = std::move(node);
        }
        return Done{};
    }
    ContinuousNet take() && { return std::move(net_); }

private:
    /// A variable of the model as a leaf of the net's terms.
    std::optional<Term> leaf(VarId id) const {
        const std::string& name = variables_[index(id)].variable.name;
        for (std::size_t i = 0; i < net_.nodes.size(); ++i) {
            const std::string& own = net_.nodes[i].variable.name;
            if (own == name) return variable_term(static_cast<VarId>(i));
            if (!own.empty() && name.starts_with(own + "[")) {  // a component of a dirichlet
                const std::size_t parameters = net_.nodes[i].parameters.size();
                for (std::size_t j = 1; j <= parameters; ++j)
                    if (name == fmt::format("{}[{}]", own, j)) return component_term(static_cast<VarId>(i), j);
            }
        }
        return std::nullopt;
    }

    bool over_labels(const Quantity& quantity) const {
        const auto ids = rt::variables_of(quantity);
        return std::all_of(ids.begin(), ids.end(), [&](VarId id) { return variables_[index(id)].variable.is_discrete(); });
    }

    /// A certain table over the labels that the quantity depends on; nothing where it would be too long.
    Result<std::optional<ContinuousNode>> table_of(const Quantity& quantity, std::string name) const {
        const auto ids = rt::variables_of(quantity);
        double rows = 1;
        for (const auto id : ids) rows *= static_cast<double>(variables_[index(id)].variable.size());
        if (rows > most_rows) return std::optional<ContinuousNode>();
        std::vector<std::optional<Label>> values(static_cast<std::size_t>(rows));
        std::vector<Label> present;
        std::optional<Fault> fault;
        for (std::size_t r = 0; r < values.size(); ++r) {
            auto value = evaluate(quantity, [&](VarId v) {
                std::size_t rest = r;
                for (std::size_t k = ids.size(); k-- > 0;) {
                    const Domain& domain = *variables_[index(ids[k])].variable.domain;
                    if (ids[k] == v) return domain[rest % domain.size()];
                    rest /= domain.size();
                }
                return Label();
            });
            if (!value) {
                fault = std::move(value).fault();
                continue;
            }
            values[r] = *std::move(value);
            present.push_back(*values[r]);
        }
        if (present.empty()) return *std::move(fault);
        ContinuousNode out;
        out.kind = ContinuousNode::Kind::table;
        out.variable = {std::move(name), domain_of_values(std::move(present))};
        if (rows * static_cast<double>(out.variable.size()) > most_rows * 20) return std::optional<ContinuousNode>();
        out.table.variable = out.variable;
        for (const auto id : ids) {
            const auto own = leaf(id);
            if (!own || (*own)->op != TermOp::variable) return std::optional<ContinuousNode>();
            out.table.parents.push_back((*own)->variable);
        }
        std::vector<Rational> table(values.size() * out.variable.size());
        for (std::size_t r = 0; r < values.size(); ++r)
            table[r * out.variable.size() + (values[r] ? *out.variable.domain->find(*values[r]) : 0)] = 1;
        out.table.table = std::move(table);
        return std::optional(std::move(out));
    }

    Result<ContinuousNode> node_of(const NamedQuantity& one) {
        if (over_labels(*one.quantity)) {
            auto table = TRY(table_of(*one.quantity, one.name));
            if (table) return *std::move(table);
        }
        std::optional<Fault> fault;
        const auto part = [&](const Quantity& quantity) -> std::optional<Term> {
            if (quantity.kind == Quantity::Kind::variable) return leaf(quantity.variable);
            const bool operation = quantity.kind == Quantity::Kind::fold || quantity.kind == Quantity::Kind::constant ||
                                   (quantity.kind == Quantity::Kind::function && quantity.op);
            if (operation || !over_labels(quantity)) return std::nullopt;
            // No operation on numbers, but of labels alone: a node of its own.
            auto table = table_of(quantity, fmt::format("{}, part {}", one.name, net_.nodes.size()));
            if (!table) {
                fault = std::move(table).fault();
                return std::nullopt;
            }
            if (!*table) return std::nullopt;
            net_.nodes.push_back(**std::move(table));
            return variable_term(static_cast<VarId>(net_.nodes.size() - 1));
        };
        auto term = as_term(*one.quantity, part);
        if (fault) return *std::move(fault);
        if (!term)
            return Fault{
                .code = "E-TYPE",
                .message = fmt::format("{} is not made of operations on numbers", one.name),
                .hint = "+ - * / ^, comparisons, if, min, max, sum, mean, count, abs, exp, ln, sqrt work on real-valued variables"};
        ContinuousNode out;
        out.variable = {one.name, one.is_event ? boolean_domain() : nullptr};
        if (one.is_event) {
            out.kind = ContinuousNode::Kind::drawn;
            out.family = Family::bernoulli;
            out.parameters = {*std::move(term)};
        } else {
            out.kind = ContinuousNode::Kind::computed;
            out.value = *std::move(term);
        }
        return out;
    }

    const Variables& variables_;
    ContinuousNet net_;
};

}  // namespace

}  // namespace credence::rt::continuous

namespace credence::rt {

Result<ModelPtr> extend_by_net(const ModelPtr& base, const ContinuousNet& net, const std::vector<NamedQuantity>& quantities) {
    continuous::Larger larger(base->variables(), net);
    TRY(larger.add(quantities));
    return ModelPtr(std::make_shared<const continuous::RealExtension>(base, quantities, make_continuous_model(std::move(larger).take())));
}

}  // namespace credence::rt
