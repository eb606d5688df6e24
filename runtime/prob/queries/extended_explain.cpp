// The derivation of an answer about quantities: the ways in which the events can happen, with the probability of each.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt {

namespace {

constexpr double most_ways = 100'000;

struct Way {
    std::vector<std::pair<std::string, Label>> values;
    Number probability;
};

std::string clause_text(std::span<const Event> events, const Variables& variables) {
    std::string out;
    for (const auto& event : events) out += (out.empty() ? "" : ", ") + event_text(event, variables);
    return out;
}

/// Those of many ways together that have the same probability: "6 * (1/36) + 4 * (1/18)".
void tell_grouped(std::span<const Way> ways, const Number& total, DerivationWriter& out) {
    std::vector<std::pair<Number, std::int64_t>> groups;
    for (const auto& way : ways) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == way.probability; });
        if (found == groups.end())
            groups.emplace_back(way.probability, 1);
        else
            ++found->second;
    }
    if (groups.size() == 1)
        out.note(fmt::format("it happens in {} ways, each with probability {}", ways.size(), fraction_told(groups[0].first)));
    else
        out.note(fmt::format("it happens in {} ways", ways.size()));
    std::vector<Parts> products;
    for (const auto& [probability, count] : groups) {
        Parts product;
        if (count > 1) product = {Number(Rational(count)), std::string(" * ")};
        append(product, operand(probability));
        products.push_back(std::move(product));
    }
    out.calculation("", {total.is_exact() && groups.size() <= longest_sum ? joined(products, " + ") : Parts{}}, total);
}

/// "P(D1 + D2 = 7) = P(D1 = 1, D2 = 6) + …", then the numbers; of many ways only how many there are.
void tell(const std::string& heading, std::span<const Way> ways, const std::vector<std::pair<std::string, Label>>& given,
          DerivationWriter& out) {
    Number total = 0;
    for (const auto& way : ways) total += way.probability;
    out.heading(heading);
    if (ways.empty()) out.note("it cannot happen");
    if (ways.size() > longest_sum) return tell_grouped(ways, total, out);
    std::vector<Parts> terms;
    std::vector<Parts> numbers;
    for (const auto& way : ways) {
        terms.push_back({ProbabilityTerm{way.values, given}});
        numbers.push_back({way.probability});
    }
    out.calculation("", {joined(terms, " + "), joined(numbers, " + ")}, total);
}

}  // namespace

Result<Derivation> ExtendedModel::explain(const Query& query, const Answer& answer, Run& run) const {
    DerivationWriter out;
    Split parts = split(query);
    // Evidence that is not of the form X = x is told like an event about a quantity: by the ways in which it can happen.
    const auto is_equality = [](const Event& event) { return event.kind == Event::Kind::atom && event.atom.compare == Compare::equal; };
    auto own_events = conjuncts(parts.own.given.events);
    if (!std::all_of(own_events.begin(), own_events.end(), is_equality)) {
        parts.given.insert(parts.given.begin(), own_events.begin(), own_events.end());
        parts.own.given.events.clear();
    }
    std::vector<VarId> over;
    const auto add = [&](VarId id) {
        if (is_own(id) && !contains(over, id)) over.push_back(id);
    };
    for (const auto id : parts.own.targets.free) add(id);
    for (const auto& event : parts.own.targets.events)
        for (const auto id : rt::variables_of(event)) add(id);
    for (const auto* events : {&parts.targets, &parts.given})
        for (const auto& event : *events)
            for (const auto id : rt::variables_of(event)) add(id);
    for (const auto& one : quantities_)
        for (const auto id : rt::variables_of(*one.quantity)) add(id);
    double configurations = 1;
    for (const auto id : over) {
        const auto& v = variables_[index(id)].variable;
        configurations *= v.is_discrete() ? static_cast<double>(v.size()) : most_ways;
    }
    const auto* number = std::get_if<Number>(&answer.value);
    const auto* factor = std::get_if<Factor>(&answer.value);
    const bool plain = parts.own.given.events.empty() && parts.own.given.observations.empty() && parts.own.given.data.empty() &&
                       query.given.soft.empty() && query.doing.empty();
    std::vector<std::pair<std::string, Label>> given;  // evidence on the model's own variables, where it is all of the form X = x
    bool written = plain;
    if (!plain && query.given.soft.empty() && query.doing.empty() && parts.own.given.observations.empty() && parts.own.given.data.empty()) {
        written = true;
        for (const auto& event : conjuncts(parts.own.given.events)) {
            given.emplace_back(variables_[index(event.atom.variable)].variable.name, event.atom.values[0]);
        }
    }
    if (configurations > most_ways || !written || !query.given.free.empty()) {
        const std::string what = query_text(query, variables_);
        out.note(
            configurations > most_ways
                ? fmt::format("the {} variables are summed out one after the other, and the quantity is built up on the way", over.size())
                : "the quantity is computed in every case that the evidence leaves, and their probabilities are added up");
        if (number) out.calculation(what, {}, *number);
        return std::move(out).take();
    }
    Query joint = parts.own;
    joint.targets = {};
    joint.targets.free = over;
    joint.goal = Goal::probability;
    auto asked = TRY(base_->ask(joint, run));
    const auto* table = std::get_if<Factor>(&asked.value);
    if (!table) return Fault{.code = "E-EXPLAIN", .message = "there is no derivation of this answer"};

    // The ways, by the labels of the free variables and of the quantities.
    std::map<std::vector<std::string>, std::vector<Way>> by_case;
    std::vector<Way> evidence;
    std::vector<Label> labels;
    std::vector<Label> computed(quantities_.size());
    const auto value = [&](VarId id) -> const Label& {
        if (!is_own(id)) return computed[index(id) - base_->variables().size()];
        return labels[static_cast<std::size_t>(std::find(over.begin(), over.end(), id) - over.begin())];
    };
    const auto holds_here = [&](const Event& event) { return holds_with(event, value); };
    for (std::size_t i = 0; i < table->size(); ++i) {
        if (table->at(i).is_zero()) continue;
        labels = table->labels(i);
        for (std::size_t k = 0; k < quantities_.size(); ++k) { computed[k] = TRY(evaluate(*quantities_[k].quantity, value)); }
        if (!std::all_of(parts.given.begin(), parts.given.end(), holds_here)) continue;
        Way way{{}, table->at(i)};
        for (std::size_t v = 0; v < over.size(); ++v) way.values.emplace_back(variables_[index(over[v])].variable.name, labels[v]);
        evidence.push_back(way);
        if (!std::all_of(parts.targets.begin(), parts.targets.end(), holds_here) ||
            !std::all_of(parts.own.targets.events.begin(), parts.own.targets.events.end(), holds_here))
            continue;
        std::vector<std::string> key;
        for (const auto id : query.targets.free) key.push_back(value(id).text());
        by_case[key].push_back(std::move(way));
    }
    const std::string own_given = clause_text(parts.own.given.events, variables_);
    const auto bar = own_given.empty() ? std::string() : " | " + own_given;
    std::vector<Event> target_events = parts.own.targets.events;
    target_events.insert(target_events.end(), parts.targets.begin(), parts.targets.end());
    const auto told_case = [&](const std::vector<std::pair<std::string, Label>>& free, const std::vector<Way>& ways, const Number& result) {
        std::string what;
        for (const auto& [name, label] : free) what += (what.empty() ? "" : ", ") + name + " = " + label.text();
        if (const auto events = clause_text(target_events, variables_); !events.empty()) what += (what.empty() ? "" : ", ") + events;
        const auto condition = clause_text(parts.given, variables_);
        if (ways.empty() && !condition.empty())
            return tell(fmt::format("P({} | {}{})", what, condition, own_given.empty() ? "" : ", " + own_given), ways, given, out);
        tell(fmt::format("P({}{}{})", what, condition.empty() ? "" : ", " + condition, bar), ways, given, out);
        if (condition.empty()) return;
        Number total = 0;
        for (const auto& way : ways) total += way.probability;
        Number below = 0;
        for (const auto& way : evidence) below += way.probability;
        out.calculation(fmt::format("P({} | {}{})", what, condition, own_given.empty() ? "" : ", " + own_given), {quotient(total, below)},
                        result);
    };
    if (!parts.given.empty()) tell(fmt::format("P({}{})", clause_text(parts.given, variables_), bar), evidence, given, out);
    if (number) {
        told_case({}, by_case[{}], *number);
    } else if (factor) {
        std::vector<double> weights = factor->doubles();
        const auto shown = shown_cases(weights);
        for (const auto i : shown) {
            std::vector<std::pair<std::string, Label>> free;
            std::vector<std::string> key;
            const auto at = factor->labels(i);
            for (std::size_t v = 0; v < at.size(); ++v) {
                free.emplace_back(factor->variables()[v].name, at[v]);
                key.push_back(at[v].text());
            }
            told_case(free, by_case[key], factor->at(i));
        }
        if (shown.size() < factor->size()) out.note(fmt::format("… and {} more", factor->size() - shown.size()));
    }
    return std::move(out).take();
}

}  // namespace credence::rt
