// Quantities for the explainer: the ways in which the events can happen, with the probability of each.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/explainer.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt {

namespace {

constexpr double most_ways = 100'000;

using NamedValues = std::vector<std::pair<std::string, Label>>;

/// A configuration of the variables that the quantities are computed from, in which the evidence about quantities holds.
struct Way {
    NamedValues values = {};
    Number probability = 0;
    std::vector<Label> free = {};  ///< the values of what is free in the targets
    bool asked_for = true;         ///< the events of the targets hold too
};

std::string clause_text(std::span<const Event> events, const Variables& variables) {
    std::string out;
    for (const auto& event : events) out += (out.empty() ? "" : ", ") + event_text(event, variables);
    return out;
}

/// Those of many ways together that have the same probability: "6 * (1/36) + 4 * (1/18)".
void group_ways(std::span<const Way> ways, Calculation& out) {
    std::vector<std::pair<Number, std::int64_t>> groups;
    for (const auto& way : ways) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == way.probability; });
        if (found == groups.end())
            groups.emplace_back(way.probability, 1);
        else
            ++found->second;
    }
    out.notes = {groups.size() == 1
                     ? fmt::format("it happens in {} ways, each with probability {}", ways.size(), fraction_told(groups[0].first))
                     : fmt::format("it happens in {} ways", ways.size())};
    std::vector<Parts> products;
    for (const auto& [probability, count] : groups) {
        Parts product;
        if (count > 1) product = {Number(Rational(count)), std::string(" * ")};
        append(product, operand(probability));
        products.push_back(std::move(product));
    }
    if (out.value.is_exact() && groups.size() <= longest_sum) out.steps = {joined(products, " + ")};
}

class QuantityExplained : public Explained {
public:
    QuantityExplained(const Variables& variables, const Query& query, const Answer& answer, std::vector<Way> ways, NamedValues own_given,
                      std::vector<Event> given)
        : Explained(variables, query, answer), ways_(std::move(ways)), own_given_(std::move(own_given)), given_(std::move(given)) {}

    Result<Number> number(const Query&) const override {
        return Fault{.code = "E-EXPLAIN", .message = "there is no derivation of this answer"};
    }
    QueryCases cases() const override {
        Sizes sizes;
        for (const auto& v : variables_) sizes.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
        return query_cases(shape_of(query_), sizes, answer_);
    }
    bool is_conditional() const override { return !given_.empty(); }

    Result<Calculation> joint(const Pairs& target, const Pairs&) const override {
        const auto found = ways_to(target);
        if (found.empty() && is_conditional()) return Calculation{.written = false};
        const std::string condition = clause_text(given_, variables_);
        return sum_of(found, fmt::format("P({}{}{})", target_text(target), condition.empty() ? "" : ", " + condition, bar()));
    }

    Attempt<Calculations> evidence(const Pairs&, std::span<const Number>) const override {
        return Calculations{sum_of(ways_, fmt::format("P({}{})", clause_text(given_, variables_), bar()))};
    }

    Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const override {
        Calculation out = Explained::quotient(target, given, above, below);
        std::string condition = clause_text(given_, variables_);
        for (const auto& [name, label] : own_given_) condition += fmt::format(", {} = {}", name, label.text());
        out.heading = fmt::format("P({} | {})", target_text(target), condition);
        if (ways_to(target).empty()) out.notes = {"it cannot happen"};
        return out;
    }

private:
    std::vector<Way> ways_to(const Pairs& target) const {
        std::vector<Label> labels;
        for (const auto& [slot, value] : target) labels.push_back((*variables_[slot].variable.domain)[value]);
        std::vector<Way> out;
        std::copy_if(ways_.begin(), ways_.end(), std::back_inserter(out), [&](const Way& way) {
            return way.asked_for && std::equal(way.free.begin(), way.free.end(), labels.begin(), labels.end(), same_value);
        });
        return out;
    }

    std::string target_text(const Pairs& target) const {
        const std::string free = text_of(target, variables_);
        const std::string events = clause_text(query_.targets.events, variables_);
        return free.empty() || events.empty() ? free + events : free + ", " + events;
    }

    std::string bar() const {
        std::string out;
        for (const auto& [name, label] : own_given_) out += fmt::format("{}{} = {}", out.empty() ? " | " : ", ", name, label.text());
        return out;
    }

    /// "P(D1 + D2 = 7) = P(D1 = 1, D2 = 6) + …", then the numbers; of many ways only how many there are.
    Calculation sum_of(std::span<const Way> ways, std::string heading) const {
        Calculation out{.heading = std::move(heading)};
        for (const auto& way : ways) out.value += way.probability;
        if (ways.empty()) out.notes = {"it cannot happen"};
        if (ways.size() > longest_sum) {
            group_ways(ways, out);
            return out;
        }
        std::vector<Parts> terms;
        std::vector<Parts> numbers;
        for (const auto& way : ways) {
            terms.push_back({ProbabilityTerm{way.values, own_given_}});
            numbers.push_back({way.probability});
        }
        out.steps = {joined(terms, " + "), joined(numbers, " + ")};
        return out;
    }

    std::vector<Way> ways_;
    NamedValues own_given_;  ///< evidence of the form X = x on the model's own variables
    std::vector<Event> given_;
};

}  // namespace

Result<Derivation> ExtendedModel::explain(const Query& query, const Answer& answer, Run& run) const {
    Split parts = split(query);
    // Evidence that is not of the form X = x is explained like an event about a quantity: by the ways in which it can happen.
    const auto is_equality = [](const Event& event) { return event.kind == Event::Kind::atom && event.atom.compare == Compare::equal; };
    const auto own_events = conjuncts(parts.own.given.events);
    if (!std::all_of(own_events.begin(), own_events.end(), is_equality)) {
        parts.given.insert(parts.given.begin(), own_events.begin(), own_events.end());
        parts.own.given.events.clear();
    }
    std::vector<VarId> over;
    const auto add = [&](VarId id) {
        if (is_own(id) && !contains(over, id)) over.push_back(id);
    };
    for (const auto id : parts.own.targets.free) add(id);
    for (const auto* events : {&parts.own.targets.events, &parts.targets, &parts.given})
        for (const auto& event : *events)
            for (const auto id : rt::variables_of(event)) add(id);
    for (const auto& one : quantities_)
        for (const auto id : rt::variables_of(*one.quantity)) add(id);
    double configurations = 1;
    for (const auto id : over) {
        const auto& v = variables_[index(id)].variable;
        configurations *= v.is_discrete() ? static_cast<double>(v.size()) : most_ways;
    }
    Query condition;
    condition.given = parts.own.given;
    condition.doing = query.doing;
    const auto own_given = plain_term(condition, variables_);
    DerivationWriter out;
    if (configurations > most_ways || !own_given || !query.given.free.empty()) {
        out.note(
            configurations > most_ways
                ? fmt::format("the {} variables are summed out one after the other, and the quantity is built up on the way", over.size())
                : "the quantity is computed in every case that the evidence leaves, and their probabilities are added up");
        if (const auto* number = std::get_if<Number>(&answer.value)) out.calculation(query_text(query, variables_), {}, *number);
        return std::move(out).take();
    }
    Query joint = parts.own;
    joint.targets = {};
    joint.targets.free = over;
    joint.goal = Goal::probability;
    auto asked = TRY(base_->ask(joint, run));
    const auto* table = std::get_if<Factor>(&asked.value);
    if (!table) return Fault{.code = "E-EXPLAIN", .message = "there is no derivation of this answer"};

    std::vector<Way> ways;
    std::vector<Label> labels;
    std::vector<Label> computed(quantities_.size());
    const auto value = [&](VarId id) -> const Label& {
        if (!is_own(id)) return computed[index(id) - base_->variables().size()];
        return labels[static_cast<std::size_t>(std::find(over.begin(), over.end(), id) - over.begin())];
    };
    const auto hold = [&](std::span<const Event> events) {
        return std::all_of(events.begin(), events.end(), [&](const Event& event) { return holds_with(event, value); });
    };
    for (std::size_t i = 0; i < table->size(); ++i) {
        if (table->at(i).is_zero()) continue;
        labels = table->labels(i);
        for (std::size_t k = 0; k < quantities_.size(); ++k) { computed[k] = TRY(evaluate(*quantities_[k].quantity, value)); }
        if (!hold(parts.given)) continue;
        Way way{.probability = table->at(i), .asked_for = hold(parts.targets) && hold(parts.own.targets.events)};
        for (std::size_t v = 0; v < over.size(); ++v) way.values.emplace_back(variables_[index(over[v])].variable.name, labels[v]);
        for (const auto id : query.targets.free) way.free.push_back(value(id));
        ways.push_back(std::move(way));
    }
    // The values of the quantities that are free are those of the answer.
    Variables with_values = variables_;
    if (const auto* factor = std::get_if<Factor>(&answer.value))
        for (std::size_t k = 0; k < query.targets.free.size(); ++k)
            with_values[index(query.targets.free[k])].variable.domain = factor->variables()[k].domain;
    TRY(write_explanation(QuantityExplained(with_values, query, answer, std::move(ways), own_given->given, std::move(parts.given)), out));
    return std::move(out).take();
}

}  // namespace credence::rt
