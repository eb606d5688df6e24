// Quantities as added nodes of a net: one certain table for each, and a chain of them for each fold.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/nets/net_quantities.hpp"

namespace credence::rt {

namespace {

constexpr double most_entries = 4'000'000;  // of one added table
constexpr double few_entries = 20'000;      // of a table over all the variables at once, in place of a chain

class Adder {
public:
    /// `strict`: a configuration without a value is a fault.
    explicit Adder(Net& net, bool strict = false) : net_(net), strict_(strict) {}

    /// The node with the value of the quantity.
    Result<VarId> add(const QuantityPtr& quantity, std::optional<std::string> name, DomainPtr domain) {
        if (!name) {
            if (quantity->kind == Quantity::Kind::variable) return quantity->variable;
            if (const auto found = known_.find(quantity.get()); found != known_.end()) return found->second;
        }
        auto out = made(quantity, name, std::move(domain));
        if (out && !name) known_[quantity.get()] = *out;
        return out;
    }

    /// The first so many numbers are kept for the quantities themselves.
    void reserve(std::size_t count) {
        reserved_ = net_.nodes.size();
        net_.nodes.resize(net_.nodes.size() + count);
    }

private:
    double size_of(VarId id) const { return static_cast<double>(net_.nodes[index(id)].variable.size()); }

    Result<VarId> made(const QuantityPtr& quantity, const std::optional<std::string>& name, DomainPtr domain) {
        const auto variables = rt::variables_of(*quantity);
        double all = 1;
        for (const auto v : variables) all *= size_of(v);
        if (all * (domain ? static_cast<double>(domain->size()) : all) <= few_entries || quantity->kind == Quantity::Kind::order) {
            const auto whole = [&](std::span<const Label> values) {
                return evaluate(*quantity, [&](VarId v) {
                    return values[static_cast<std::size_t>(std::lower_bound(variables.begin(), variables.end(), v) - variables.begin())];
                });
            };
            return certain(variables, whole, name, std::move(domain));
        }
        std::vector<VarId> parts;
        for (const auto& part : quantity->parts) {
            if (part->kind == Quantity::Kind::constant) {
                auto held = constant(part->constant);
                if (!held) return held;
                parts.push_back(*held);
                continue;
            }
            auto node = add(part, std::nullopt, nullptr);
            if (!node) return node;
            parts.push_back(*node);
        }
        if (quantity->kind == Quantity::Kind::function) return certain(parts, quantity->function, name, std::move(domain));
        const auto step = [fold = quantity->fold](std::span<const Label> values) { return fold_step(fold, values[0], values[1]); };
        VarId sum = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const bool last = i + 1 == parts.size();
            auto next = certain({sum, parts[i]}, step, last ? name : std::nullopt, last ? domain : nullptr);
            if (!next) return next;
            sum = *next;
        }
        return sum;
    }

    Result<VarId> constant(const Label& value) {
        return certain(
            {}, [value](std::span<const Label>) -> Result<Label> { return value; }, std::nullopt, nullptr);
    }

    /// A node whose value is the function of its parents' values. Where that has no value, it is the first: no engine gets there unless
    /// the configuration is possible, and then the default engine has said so.
    Result<VarId> certain(const std::vector<VarId>& parents, const Quantity::Function& function, const std::optional<std::string>& name,
                          DomainPtr domain) {
        double configurations = 1;
        for (const auto parent : parents) configurations *= size_of(parent);
        if (configurations > most_entries) return too_large(configurations);
        const auto rows = static_cast<std::size_t>(configurations);
        std::vector<std::optional<Label>> values(rows);
        std::vector<Label> at(parents.size());
        std::vector<Label> present;
        for (std::size_t r = 0; r < rows; ++r) {
            std::size_t rest = r;
            for (std::size_t k = parents.size(); k-- > 0;) {
                const auto& v = net_.nodes[index(parents[k])].variable;
                at[k] = (*v.domain)[rest % v.size()];
                rest /= v.size();
            }
            auto value = function(at);
            if (!value && strict_) return std::move(value).fault();
            if (!value) continue;
            values[r] = *std::move(value);
            present.push_back(*values[r]);
        }
        if (!domain) domain = domain_of_values(std::move(present));
        if (configurations * static_cast<double>(domain->size()) > most_entries)
            return too_large(configurations * static_cast<double>(domain->size()));
        NetNode node;
        node.variable = {name.value_or(fmt::format("step {}", ++steps_)), domain};
        node.parents = parents;
        std::vector<Rational> table(rows * domain->size());
        for (std::size_t r = 0; r < rows; ++r) {
            const auto place = values[r] ? domain->find(label_in(*domain, *values[r])) : std::nullopt;
            table[r * domain->size() + place.value_or(0)] = 1;
        }
        node.table = std::move(table);
        if (name && reserved_ < net_.nodes.size() && next_named_ + reserved_ < net_.nodes.size()) {
            const std::size_t own = reserved_ + next_named_++;
            net_.nodes[own] = std::move(node);
            return static_cast<VarId>(own);
        }
        net_.nodes.push_back(std::move(node));
        return static_cast<VarId>(net_.nodes.size() - 1);
    }

    static Fault too_large(double entries) {
        return {.code = "E-COST",
                .message = fmt::format("as a node of the net this quantity needs a table of {:.2g} entries", entries),
                .label = fmt::format("the limit is {:.2g}", most_entries),
                .hint = "leave `by` out: the default engine needs no such table"};
    }

    Net& net_;
    bool strict_;
    std::size_t reserved_ = 0;
    std::size_t next_named_ = 0;
    std::size_t steps_ = 0;
    std::map<const Quantity*, VarId> known_;
};

}  // namespace

Result<NetPtr> net_with_quantities(const Net& net, const std::vector<NamedQuantity>& quantities, const std::vector<DomainPtr>& domains) {
    auto out = std::make_shared<Net>(net);
    Adder adder(*out);
    adder.reserve(quantities.size());
    for (std::size_t k = 0; k < quantities.size(); ++k) { TRY(adder.add(quantities[k].quantity, quantities[k].name, domains[k])); }
    return NetPtr(std::move(out));
}

Result<NetPtr> net_with_node(const Net& net, const NamedQuantity& quantity) {
    auto out = std::make_shared<Net>(net);
    Adder adder(*out, true);
    adder.reserve(1);
    TRY(adder.add(quantity.quantity, quantity.name, nullptr));
    return NetPtr(std::move(out));
}

}  // namespace credence::rt
