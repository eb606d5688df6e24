// Quantities computed from the variables of a net with real-valued nodes: computed nodes of a larger net.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/continuous/exact/axes.hpp"
#include "runtime/continuous/exact/chains.hpp"
#include "runtime/continuous/unroll/several_numbers.hpp"
#include "runtime/core/member_name.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double most_rows = 200'000;  // of the table of a quantity over labels

/// Answers through the larger net, whose variables are in another order.
class RealExtension final : public ExtendedModel, public NumericModel {
public:
    RealExtension(ModelPtr base, const ContinuousNet& net, std::vector<NamedQuantity> quantities,
                  std::shared_ptr<const ContinuousModel> larger)
        : ExtendedModel(std::move(base), std::move(quantities)),
          net_(net),
          larger_(std::move(larger)),
          inner_(places_in(larger_->variables())) {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            variables_[i].variable.domain = larger_->variables()[index(inner_[i])].variable.domain;
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        const Expanded own = expand(net_);
        auto answer = ask_by_chains({own, variables_, quantities_}, query, run);
        if (answer.failed()) return at_query(answer.reason(), query);
        if (answer) return *std::move(answer);
        return larger_->ask(translated(query), run);
    }
    const NumericModel* numeric() const override { return this; }
    Result<Answer> expectation(const Term& term, const Query& query, Run& run) const override {
        const Expanded own = expand(net_);
        auto answer = expectation_by_chains({own, variables_, quantities_}, term, query, run);
        if (answer.failed()) return at_query(answer.reason(), query);
        if (answer) return *std::move(answer);
        return larger_->expectation(with_variables(term, [&](VarId id) { return inner(id); }), translated(query), run);
    }
    Result<PointwiseLikelihood> pointwise_likelihood(const Query& query, Run& run) const override {
        return larger_->pointwise_likelihood(translated(query), run);
    }
    Result<LogEvidence> log_evidence(const Query& query, Run& run) const override { return larger_->log_evidence(translated(query), run); }
    Result<TablePtr> replicate(std::size_t n, const Query& query, Run& run) const override {
        return larger_->replicate(n, translated(query), run);
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        Query query;
        query.given = given;
        auto drawn = larger_->sample(n, translated(query).given, run);
        if (!drawn) return drawn;
        Table out = **drawn;  // without what was computed for the evidence
        std::erase_if(out.columns, [&](const ColumnPtr& column) {
            return std::any_of(quantities_.begin(), quantities_.end(), [&](const NamedQuantity& one) { return one.name == column->name; });
        });
        return std::make_shared<const Table>(std::move(out));
    }
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override {
        return larger_->explain(translated(query), answer, run);
    }

private:
    VarId inner(VarId id) const { return inner_[index(id)]; }

    static Fault at_query(Fault fault, const Query& query) {
        if (fault.origin == Origin::none) fault.origin = query.origin;
        return fault;
    }

    Query translated(const Query& query) const { return renumbered(query, inner_); }

    ContinuousNet net_;  // of the base
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
            if (own.empty() || !net_.nodes[i].is_vector()) continue;
            for (std::size_t j = 1; j <= net_.nodes[i].parameters.size(); ++j)
                if (name == member_name(own, j)) return component_term(static_cast<VarId>(i), j);
        }
        return std::nullopt;
    }

    bool over_labels(const Quantity& quantity) const {
        const auto ids = rt::variables_of(quantity);
        return std::all_of(ids.begin(), ids.end(), [&](VarId id) { return variables_[index(id)].variable.is_discrete(); });
    }

    /// A certain table over the labels that the quantity depends on; not applicable where it would be too long.
    Attempt<ContinuousNode> table_of(const Quantity& quantity, std::string name) const {
        const auto ids = rt::variables_of(quantity);
        double rows = 1;
        for (const auto id : ids) rows *= static_cast<double>(variables_[index(id)].variable.size());
        if (rows > most_rows) return not_applicable;
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
        if (rows * static_cast<double>(out.variable.size()) > most_rows * 20) return not_applicable;
        out.table.variable = out.variable;
        for (const auto id : ids) {
            const auto own = leaf(id);
            if (!own || (*own)->op != TermOp::variable) return not_applicable;
            out.table.parents.push_back((*own)->variable);
        }
        std::vector<Rational> table(values.size() * out.variable.size());
        for (std::size_t r = 0; r < values.size(); ++r)
            table[r * out.variable.size() + (values[r] ? *value_place(out.variable, *values[r]) : 0)] = 1;
        out.table.table = std::move(table);
        return out;
    }

    using Leaf = std::function<std::optional<Term>(const Quantity&)>;

    /// The one of some numbers that is `rank`-th when they are sorted: a network of comparators (Batcher, 1968) of which only the part
    /// that leads to it is kept.
    static std::optional<Term> order_term(const Quantity& quantity, const Leaf& leaf, std::optional<Fault>& fault) {
        std::vector<Term> terms;
        for (const auto& part : quantity.parts) {
            auto term = as_term(*part, leaf);
            if (!term) return std::nullopt;
            terms.push_back(*std::move(term));
        }
        const std::size_t n = terms.size();
        if (quantity.rank == 0 || quantity.rank + 1 == n) {
            Term out = terms[0];
            for (std::size_t i = 1; i < n; ++i) out = make_term(quantity.rank == 0 ? TermOp::min : TermOp::max, {out, terms[i]});
            return out;
        }
        constexpr std::size_t most_sorted = 12;
        if (n > most_sorted) {
            fault = Fault{.code = "E-COST",
                          .message = fmt::format("{} real numbers would have to be sorted", n),
                          .label = fmt::format("at most {} are; the first and the last of any number", most_sorted)};
            return std::nullopt;
        }
        for (std::size_t p = 1; p < n; p *= 2)
            for (std::size_t k = p; k >= 1; k /= 2)
                for (std::size_t j = k % p; j + k < n; j += 2 * k)
                    for (std::size_t i = 0; i < k && i + j + k < n; ++i) {
                        if ((i + j) / (2 * p) != (i + j + k) / (2 * p)) continue;
                        const Term low = make_term(TermOp::min, {terms[i + j], terms[i + j + k]});
                        terms[i + j + k] = make_term(TermOp::max, {terms[i + j], terms[i + j + k]});
                        terms[i + j] = low;
                    }
        return terms[quantity.rank];
    }

    static bool is_choice(const Quantity& quantity) { return quantity.kind == Quantity::Kind::function && quantity.op == TermOp::choose; }

    /// The labels that a choice can come to; false if it may also come to a number.
    bool labels_of(const Quantity& quantity, std::vector<Label>& out) const {
        const auto add = [&](const Label& label) {
            if (std::find(out.begin(), out.end(), label) == out.end()) out.push_back(label);
            return !label.is_number();
        };
        if (quantity.kind == Quantity::Kind::constant) return add(quantity.constant);
        if (quantity.kind == Quantity::Kind::variable) {
            const auto& variable = variables_[index(quantity.variable)].variable;
            return variable.is_discrete() && std::all_of(variable.domain->labels().begin(), variable.domain->labels().end(), add);
        }
        return is_choice(quantity) && labels_of(*quantity.parts[1], out) && labels_of(*quantity.parts[2], out);
    }

    /// Whether a choice comes to this label, as a term that is true (1) or false (0).
    std::optional<Term> comes_to(const Quantity& quantity, const Label& label, const Leaf& leaf_of) const {
        if (quantity.kind == Quantity::Kind::constant) return constant_term(quantity.constant == label ? 1 : 0);
        if (quantity.kind == Quantity::Kind::variable) {
            const auto own = leaf(quantity.variable);
            return own ? std::optional(is_term((*own)->variable, label)) : std::nullopt;
        }
        const auto condition = as_term(*quantity.parts[0], leaf_of);
        const auto yes = comes_to(*quantity.parts[1], label, leaf_of);
        const auto no = comes_to(*quantity.parts[2], label, leaf_of);
        if (!condition || !yes || !no) return std::nullopt;
        const auto both = [](const Term& a, const Term& b) {
            if (is_constant(b)) return b->value.is_zero() ? b : a;
            return make_term(TermOp::and_, {a, b});
        };
        const Term left = both(*condition, *yes);
        const Term right = both(make_term(TermOp::not_, {*condition}), *no);
        if (is_constant(left) || is_constant(right)) return is_constant(left) ? right : left;
        return make_term(TermOp::or_, {left, right});
    }

    /// `if x > y then a else b`: a node over labels, each with its condition.
    std::optional<ContinuousNode> chosen_label(const NamedQuantity& one, const Leaf& leaf_of) const {
        std::vector<Label> labels;
        if (!is_choice(*one.quantity) || !labels_of(*one.quantity, labels)) return std::nullopt;
        ContinuousNode out;
        out.kind = ContinuousNode::Kind::drawn;
        out.family = Family::categorical;
        out.variable = {one.name, make_domain(labels)};
        out.labels = std::move(labels);
        for (const auto& label : out.labels) {
            auto term = comes_to(*one.quantity, label, leaf_of);
            if (!term) return std::nullopt;
            out.parameters.push_back(*std::move(term));
        }
        return out;
    }

    Result<ContinuousNode> node_of(const NamedQuantity& one) {
        for (const auto& node : net_.nodes) {
            if (!node.is_vector()) continue;
            for (const auto id : rt::variables_of(*one.quantity))
                if (node.variable.name == variables_[index(id)].variable.name) return several_numbers(node.variable.name, Origin::none);
        }
        if (over_labels(*one.quantity)) {
            auto table = table_of(*one.quantity, one.name);
            if (table.failed()) return table.reason();
            if (table) return *std::move(table);
        }
        std::optional<Fault> fault;
        const std::function<std::optional<Term>(const Quantity&)> part = [&](const Quantity& quantity) -> std::optional<Term> {
            if (quantity.kind == Quantity::Kind::variable) return leaf(quantity.variable);
            if (quantity.kind == Quantity::Kind::order) return order_term(quantity, part, fault);
            const bool operation = quantity.kind == Quantity::Kind::fold || quantity.kind == Quantity::Kind::constant ||
                                   (quantity.kind == Quantity::Kind::function && quantity.op);
            if (operation || !over_labels(quantity)) return std::nullopt;
            // No operation on numbers, but of labels alone: a node of its own.
            auto table = table_of(quantity, fmt::format("{}, part {}", one.name, net_.nodes.size()));
            if (table.failed()) fault = table.reason();
            if (!table) return std::nullopt;
            net_.nodes.push_back(*std::move(table));
            return variable_term(static_cast<VarId>(net_.nodes.size() - 1));
        };
        if (auto labelled = chosen_label(one, part)) return *std::move(labelled);
        auto term = as_term(*one.quantity, part);
        if (fault) return *std::move(fault);
        if (!term)
            return Fault{
                .code = "E-TYPE",
                .message = fmt::format("{} is not made of operations on numbers", one.name),
                .hint = "+ - * / ^, comparisons, if, min, max, sum, mean, count, abs, exp, ln, sqrt work on real-valued variables"};
        ContinuousNode out;
        const bool truth = one.is_event || ((*term)->has_variables && is_truth(*term));
        out.variable = {one.name, truth ? boolean_domain() : nullptr};
        if (truth) {
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
    return ModelPtr(
        std::make_shared<const continuous::RealExtension>(base, net, quantities, make_continuous_model(std::move(larger).take())));
}

}  // namespace credence::rt
