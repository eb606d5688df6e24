#include "runtime/prob/queries/derivation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace credence::rt {

void DerivationWriter::note(std::string text) { add(DerivationLine::Kind::note, {std::move(text)}); }
void DerivationWriter::formula(std::string text) { add(DerivationLine::Kind::formula, {std::move(text)}); }
void DerivationWriter::heading(std::string text) { add(DerivationLine::Kind::heading, {std::move(text)}); }
void DerivationWriter::begin(Parts parts) { add(DerivationLine::Kind::begin, std::move(parts)); }
void DerivationWriter::step(Parts parts) {
    if (parts.size() > 1 || !std::holds_alternative<Number>(parts[0])) add(DerivationLine::Kind::step, std::move(parts));
}
void DerivationWriter::result(const Number& number) { add(DerivationLine::Kind::result, {number}); }
void DerivationWriter::calculation(std::string what, std::span<const Parts> steps, const Number& value) {
    if (!what.empty()) heading(std::move(what));
    bool begun = false;
    for (const auto& parts : steps) {
        if (parts.empty()) continue;
        if (begun)
            step(parts);
        else
            begin(parts);
        begun = true;
    }
    if (!begun) begin({value});
    result(value);
}
void DerivationWriter::calculation(std::string what, std::initializer_list<Parts> steps, const Number& value) {
    calculation(std::move(what), std::span(steps.begin(), steps.size()), value);
}
void DerivationWriter::note_shown(std::size_t shown, std::size_t all, std::string_view what) {
    if (shown < all) note(fmt::format("{} of {} {} are shown, the most probable", shown, all, what));
}
Derivation DerivationWriter::take() && { return std::move(lines_); }
void DerivationWriter::add(DerivationLine::Kind kind, Parts parts) {
    for (auto& part : parts)
        if (auto* number = std::get_if<Number>(&part)) *number = readable(*number);
    lines_.push_back({kind, std::move(parts)});
}

void Product::times(Parts name, const Number& number, std::int64_t count) {
    Parts written{number};
    if (count > 1) {
        const Parts power{std::string("^"), Number(Rational(count))};
        append(name, power);
        written = operand(number);
        append(written, power);
    }
    names.push_back(std::move(name));
    numbers.push_back(std::move(written));
    value *= number.is_exact() ? Number(number.exact().pow(count)) : Number::real(std::pow(number.real(), static_cast<double>(count)));
}

void Product::times(const Product& more) {
    names.insert(names.end(), more.names.begin(), more.names.end());
    numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end());
    value *= more.value;
}

namespace {

Parts sum_of(std::span<const Product> sum, const std::vector<Parts> Product::*factors) {
    std::vector<Parts> products;
    for (const auto& product : sum) products.push_back(joined(product.*factors, " * "));
    return joined(products, " + ");
}

}  // namespace

Parts in_names(std::span<const Product> sum) { return sum_of(sum, &Product::names); }
Parts in_numbers(std::span<const Product> sum) { return sum_of(sum, &Product::numbers); }

Number readable(const Number& number) {
    constexpr std::size_t longest = 200;
    return number.is_exact() && number.exact().bits() > longest ? Number::real(number.real()) : number;
}

Parts operand(const Number& number) {
    if (number.is_exact() && number.exact().is_integer() && number.sign() >= 0) return {number};
    return {std::string("("), number, std::string(")")};
}

Parts quotient(const Number& above, const Number& below) {
    Parts out{above, std::string(" / ")};
    append(out, operand(below));
    return out;
}

void append(Parts& to, const Parts& more) { to.insert(to.end(), more.begin(), more.end()); }

std::string fraction_told(const Number& number) {
    if (!number.is_exact()) return fmt::format("{:.6g}", number.real());
    const Rational& exact = number.exact();
    if (exact.is_integer()) return exact.text();
    if (const auto decimal = exact.decimal(6)) return fmt::format("{} = {}", exact.text(), *decimal);
    return fmt::format("{} ≈ {:.6g}", exact.text(), number.real());
}

Parts joined(std::span<const Parts> parts, std::string_view separator) {
    Parts out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out.emplace_back(std::string(separator));
        append(out, parts[i]);
    }
    return out;
}

std::optional<Pairs> merged(const Pairs& a, const Pairs& b) {
    Pairs out = a;
    for (const auto& [slot, value] : b) {
        const auto same = std::find_if(out.begin(), out.end(), [&, s = slot](const auto& pair) { return pair.first == s; });
        if (same == out.end())
            out.emplace_back(slot, value);
        else if (same->second != value)
            return std::nullopt;
    }
    return out;
}

std::vector<std::pair<std::string, Label>> named(const Pairs& pairs, const Variables& variables) {
    std::vector<std::pair<std::string, Label>> out;
    for (const auto& [slot, value] : pairs) out.emplace_back(variables[slot].variable.name, (*variables[slot].variable.domain)[value]);
    return out;
}

std::string text_of(const Pairs& pairs, const Variables& variables) {
    std::string out;
    for (const auto& [name, label] : named(pairs, variables)) out += (out.empty() ? "" : ", ") + name + " = " + label.text();
    return out;
}

ProbabilityTerm term_of(const Pairs& event, const Pairs& given, const Variables& variables) {
    return {.event = named(event, variables), .given = named(given, variables)};
}

std::optional<ProbabilityTerm> plain_term(const Query& query, const Variables& variables) {
    ProbabilityTerm out;
    if (!query.doing.empty()) return std::nullopt;
    for (const auto& [clause, to] : {std::pair(&query.targets, &out.event), std::pair(&query.given, &out.given)}) {
        if (!clause->free.empty() || !clause->observations.empty() || !clause->data.empty() || !clause->soft.empty()) return std::nullopt;
        for (const auto& event : conjuncts(clause->events)) {
            if (event.kind != Event::Kind::atom || event.atom.compare != Compare::equal) return std::nullopt;
            to->emplace_back(variables[index(event.atom.variable)].variable.name, event.atom.values[0]);
        }
    }
    return out;
}

void fix(Clause& clause, const Pairs& pairs, const Variables& variables) {
    for (const auto& [slot, value] : pairs)
        clause.events.push_back(event_equal(static_cast<VarId>(slot), (*variables[slot].variable.domain)[value], Origin::none));
}

Query in_case(const Query& query, const Pairs& target, const Pairs& given, const Variables& variables) {
    Query out = query;
    for (auto [clause, pairs] : {std::pair(&out.targets, &target), std::pair(&out.given, &given)}) {
        clause->free.clear();
        const std::vector<Event> events = std::exchange(clause->events, {});
        fix(*clause, *pairs, variables);
        clause->events.insert(clause->events.end(), events.begin(), events.end());
    }
    return out;
}

QueryCases query_cases(const Shape& shape, const Sizes& sizes, const Answer& answer) {
    QueryCases out{configurations(shape.targets, sizes), configurations(shape.given, sizes), {}};
    std::vector<double> weights(out.size(), 1);
    if (const auto* factor = std::get_if<Factor>(&answer.value); factor && factor->size() == weights.size()) weights = factor->doubles();
    out.shown = shown_cases(weights);
    return out;
}

std::vector<Pairs> configurations(std::span<const Slot> slots, const Sizes& sizes) {
    std::vector<Pairs> out{{}};
    for (const auto slot : slots) {
        std::vector<Pairs> next;
        for (const auto& pairs : out) {
            for (std::size_t v = 0; v < sizes[slot]; ++v) {
                next.push_back(pairs);
                next.back().emplace_back(slot, v);
            }
        }
        out = std::move(next);
    }
    return out;
}

Attempt<std::vector<Pairs>> ways(std::span<const Event> events, const Variables& variables, const Run& run) {
    std::vector<Pairs> out{{}};
    for (const auto& event : conjuncts(events)) {
        for (const auto v : variables_of(event))
            if (!variables[index(v)].variable.is_discrete()) return not_applicable;
        auto table = TRY(table_of(event, variables, run));
        constexpr std::size_t longest_table = 4096;
        if (table.truth.size() > longest_table) return not_applicable;
        Sizes sizes;
        for (const auto& v : variables) sizes.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
        const auto all = configurations(table.variables, sizes);
        std::vector<Pairs> next;
        for (const auto& before : out) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!table.truth[i]) continue;
                if (auto both = merged(before, all[i])) next.push_back(*std::move(both));
            }
        }
        out = std::move(next);
        if (out.size() > longest_sum) return not_applicable;
    }
    return out;
}

std::vector<std::size_t> shown_cases(std::span<const double> weights) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= longest_sum) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    order.resize(cases_shown);
    std::sort(order.begin(), order.end());
    return order;
}

std::string soft_text(const SoftEvidence& soft, const Variables& variables) {
    const Variable& variable = variables[index(soft.variable)].variable;
    std::string weights;
    for (std::size_t v = 0; v < soft.weights.size(); ++v) {
        if (soft.weights[v].is_zero()) continue;
        weights += fmt::format("{}{}: {}", weights.empty() ? "" : ", ", (*variable.domain)[v].text(), label_text(soft.weights[v]));
    }
    return fmt::format("{} {} {{{}}}", variable.name, soft.kind == SoftEvidence::Kind::jeffrey ? "~" : "likelihood", weights);
}

std::string query_text(const Query& query, const Variables& variables) {
    const auto side = [&](const Clause& clause) {
        std::string out;
        const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
        for (const auto v : clause.free) add(variables[index(v)].variable.name);
        Clause certain = clause;
        certain.soft.clear();
        for (const auto& item : items_of(certain, variables)) add(item.text);
        for (const auto& soft : clause.soft) add(soft_text(soft, variables));
        return out;
    };
    std::string given = side(query.given);
    for (const auto& doing : query.doing)
        given +=
            fmt::format("{}do({} = {})", given.empty() ? "" : ", ", variables[index(doing.variable)].variable.name, doing.value.text());
    return given.empty() ? fmt::format("P({})", side(query.targets)) : fmt::format("P({} | {})", side(query.targets), given);
}

}  // namespace credence::rt
