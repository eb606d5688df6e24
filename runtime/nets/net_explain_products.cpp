// Joint probabilities as sums of products of table entries, the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explain_steps.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

Result<Number> NetExplained::number(const Query& query) const {
    const Clause& asked = query.targets;
    if (asked.events.empty() && asked.observations.empty() && asked.data.empty()) return Number(1);
    auto answer = TRY(ask_net(net_, variables_, query, run_));
    return std::get<Number>(answer.value);
}

Result<Number> NetExplained::probability(const Pairs& event, const Pairs& given) const {
    Query q;
    fix(q.targets, event, variables_);
    fix(q.given, given, variables_);
    q.doing = query_.doing;
    return number(q);
}

Result<Product> NetExplained::product(std::span<const char> relevant, std::span<const std::int64_t> value,
                                      std::span<const RowGroup> rows) const {
    Product out;
    const auto pairs_at = [&](const auto& slots) {
        Pairs pairs;
        for (const auto slot : slots) pairs.emplace_back(static_cast<Slot>(slot), static_cast<std::size_t>(value[static_cast<Slot>(slot)]));
        return pairs;
    };
    for (const auto id : net_.topological_order()) {
        const auto slot = static_cast<Slot>(index(id));
        if (!relevant[slot] || case_.done[slot] >= 0) continue;
        const Pairs given = pairs_at(net_.nodes[slot].parents);
        std::size_t row = 0;
        for (const auto& [parent, v] : given) row = row * case_.sizes[parent] + v;
        const auto v = static_cast<std::size_t>(value[slot]);
        out.times({term_of({{slot, v}}, given, variables_)}, net_.nodes[slot].entry(row * case_.sizes[slot] + v));
    }
    for (const auto& group : rows) {
        if (out.value.is_zero()) break;
        const Pairs given = pairs_at(shared_by_row(net_, case_.rows.by_row, group));
        const Pairs cells(group.cells.begin(), group.cells.end());
        out.times({term_of(cells, given, variables_)}, TRY(probability(cells, given)), group.count);
    }
    if (out.names.empty()) out.times({Number(1)}, 1);  // nothing but what do has set
    return out;
}

Result<NetExplained::Expansion> NetExplained::expand(const Pairs& assignment, std::span<const RowGroup> rows) const {
    Expansion out;
    std::vector<Slot> seeds;
    std::vector<std::int64_t> value(case_.sizes.size(), -1);
    for (const auto& [slot, v] : assignment) {
        seeds.push_back(slot);
        value[slot] = static_cast<std::int64_t>(v);
    }
    for (const auto& group : rows)
        for (const auto slot : shared_by_row(net_, case_.rows.by_row, group)) seeds.push_back(slot);
    const auto relevant = ancestors(case_, seeds);
    for (Slot slot = 0; slot < relevant.size(); ++slot) {
        if (!relevant[slot]) continue;
        if (case_.done[slot] >= 0) value[slot] = case_.done[slot];
        if (value[slot] < 0) out.hidden.push_back(slot);
    }
    out.terms = table_size(out.hidden, case_.sizes);
    if (out.terms > static_cast<double>(longest_sum)) return out;
    for (const auto& configuration : configurations(out.hidden, case_.sizes)) {
        for (const auto& [slot, v] : configuration) value[slot] = static_cast<std::int64_t>(v);
        Product one = TRY(product(relevant, value, rows));
        if (one.value.is_zero())
            ++out.zeros;
        else
            out.products.push_back(std::move(one));
    }
    return out;
}

Result<Number> NetProducts::total_probability(std::span<const Pairs> worlds) const {
    Number total = 0;
    for (const auto& world : worlds) total += TRY(probability(world, {}));
    return total;
}

Parts NetProducts::terms(std::span<const Pairs> events, const Pairs& given) const {
    std::vector<Parts> out;
    for (const auto& event : events) out.push_back({term_of(event, given, variables_)});
    return joined(out, " + ");
}

Result<bool> NetProducts::can_be_asked(std::span<const Product> products) const {
    for (const auto& product : products)
        for (const auto& name : product.names) {
            const auto* term = std::get_if<ProbabilityTerm>(&name[0]);
            if (term == nullptr || term->given.empty()) continue;
            Query q;
            for (const auto& [variable, label] : term->given)
                q.targets.events.push_back(event_equal(*net_.find(variable), label, Origin::none));
            if (TRY(number(q)).is_zero()) return false;
        }
    return true;
}

bool NetProducts::agrees_with_do(const Pairs& pairs) const {
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return case_.done[pair.first] < 0 || case_.done[pair.first] == static_cast<std::int64_t>(pair.second);
    });
}

std::vector<Pairs> NetProducts::evidence_at(const Pairs& given) const {
    std::vector<Pairs> out;
    for (const auto& way : ways_.evidence)
        if (auto both = merged(way, given)) out.push_back(*std::move(both));
    return out;
}

Attempt<Calculations> NetProducts::entries(std::span<const Pairs> targets, const Pairs& given) const {
    if (!is_conditional()) return not_applicable;
    const auto evidence = evidence_at(given);
    const auto possible = TRY(total_probability(evidence));
    if (possible.is_zero())
        return Calculations{
            {.notes = {fmt::format("{} has probability zero; the answer there is the entry of the table", text_of(given, variables_))},
             .written = false}};
    if (!is_table_entry()) return not_applicable;
    return TRY(table_entries(evidence[0], targets, given));
}

Result<Calculations> NetProducts::table_entries(const Pairs& evidence, std::span<const Pairs> targets, const Pairs& given) const {
    Calculations out;
    for (const auto& target : targets) {
        std::vector<Pairs> events;
        std::vector<Parts> numbers;
        Calculation one;
        for (const auto& way : ways_.target) {
            const auto event = merged(target, way);
            if (!event) continue;
            events.push_back(*event);
            const auto p = TRY(probability(*event, evidence));
            numbers.push_back({p});
            one.value += p;
        }
        if (events.empty()) continue;
        Pairs parents;
        for (const auto& pair : evidence)
            if (contains(net_.nodes[events[0][0].first].parents, static_cast<VarId>(pair.first))) parents.push_back(pair);
        const bool more_known = parents.size() != evidence.size();
        if (more_known) one.notes = {"given its parents, nothing else that is known matters"};
        if (events.size() > 1) one.heading = asked_text(Term::conditional, target, given);
        one.steps = {terms(events, evidence), more_known ? terms(events, parents) : Parts{}, joined(numbers, " + ")};
        for (std::size_t i = 0; i < events.size(); ++i) {
            const Product entry{.names = {{term_of(events[i], parents, variables_)}}, .numbers = {numbers[i]}, .value = 1};
            for (auto& note : noisy_entries(std::span(&entry, 1))) one.notes.push_back(std::move(note));
        }
        out.push_back(std::move(one));
    }
    return out;
}

Result<Calculation> NetProducts::joint(const Pairs& target, const Pairs& given) const {
    std::vector<Pairs> worlds;
    for (const auto& way : ways_.target) {
        const auto both = merged(target, way);
        if (!both) continue;
        for (const auto& evidence : evidence_at(given))
            if (auto all = merged(*both, evidence); all && agrees_with_do(*all)) worlds.push_back(*std::move(all));
    }
    if (worlds.empty()) return Calculation{.written = false};
    return sum_of_products(worlds, asked_text(Term::joint, target, given), where({&query_.targets, &query_.given}));
}

Attempt<Calculations> NetProducts::evidence(const Pairs& given, std::span<const Number> joints) const {
    const auto worlds = evidence_at(given);
    std::string heading = asked_text(Term::evidence, {}, given);
    if (case_.shape.target_events || joints.empty() || case_.shape.targets.empty())
        return Calculations{TRY(sum_of_products(worlds, std::move(heading), where({&query_.given})))};
    const bool cut = !query_.doing.empty();
    std::vector<Parts> numbers;
    for (const auto& j : joints) numbers.push_back({j});
    return Calculations{{.heading = cut || worlds.size() > 1 ? std::move(heading) : std::string(),
                         .steps = {cut ? Parts{} : terms(worlds, {}), joined(numbers, " + ")},
                         .value = TRY(total_probability(worlds))}};
}

Calculation NetProducts::quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const {
    std::vector<Pairs> events;
    for (const auto& way : ways_.target)
        if (auto event = merged(target, way)) events.push_back(*std::move(event));
    Calculation out = Explained::quotient(target, given, above, below);
    const auto evidence = evidence_at(given);
    if (evidence.size() != 1 || !query_.doing.empty() || events.empty()) return out;
    out.steps.insert(out.steps.begin(), terms(events, evidence[0]));
    if (events.size() == 1) out.heading.clear();
    return out;
}

std::vector<std::string> NetProducts::noisy_entries(std::span<const Product> products) const {
    std::vector<std::string> out;
    std::vector<std::optional<std::optional<NoisyOr>>> known(net_.nodes.size());
    for (const auto& product : products)
        for (std::size_t i = 0; i < product.names.size(); ++i) {
            const auto* term = std::get_if<ProbabilityTerm>(&product.names[i][0]);
            const auto id = term && term->event.size() == 1 ? net_.find(term->event[0].first) : std::nullopt;
            if (!id || term->given.size() < 2) continue;
            auto& noisy = known[index(*id)];
            if (!noisy) noisy = noisy_or_of(net_, index(*id));
            if (!*noisy) continue;
            std::string given;
            for (const auto& [name, label] : term->given) given += fmt::format("{}{} = {}", given.empty() ? "" : ", ", name, label.text());
            const auto* number = std::get_if<Number>(&product.numbers[i][0]);
            if (!number || out.size() == longest_sum) continue;
            std::string text = fmt::format("noisy-or: P({} = {} | {}) = {}", term->event[0].first, term->event[0].second.text(), given,
                                           noisy_entry(net_, index(*id), **noisy, *term, *number));
            if (contains(noisy_told_, text)) continue;
            noisy_told_.push_back(text);
            out.push_back(std::move(text));
        }
    return out;
}

Result<Calculation> NetProducts::sum_of_products(std::span<const Pairs> worlds, std::string heading, const std::string& where) const {
    Calculation out{.value = TRY(total_probability(worlds))};
    std::vector<Product> products;
    std::vector<Slot> hidden;
    double count = 0;
    std::size_t zeros = 0;
    for (const auto& world : worlds) {
        const auto e = TRY(expand(world));
        count += e.terms;
        zeros += e.zeros;
        hidden = e.hidden;
        products.insert(products.end(), e.products.begin(), e.products.end());
    }
    const bool written_out = count <= static_cast<double>(longest_sum);
    Parts eliminated;  // the numbers that elimination leaves, where the products are too many
    if (!written_out) {
        out.notes = {fmt::format("{:.0f} products are summed over {}", count, names_of(hidden))};
        if (auto trace = trace_elimination(case_, net_, worlds, where)) {
            out.notes[0] += ", one variable after the other:";
            out.notes.insert(out.notes.end(), trace->notes.begin(), trace->notes.end());
            if (trace->factors.size() > 1) eliminated = joined(trace->factors, " * ");
        }
    } else if (zeros > 0)
        out.notes = {
            fmt::format("{} that {} zero {} left out", counted(zeros, "product"), zeros == 1 ? "is" : "are", zeros == 1 ? "is" : "are")};
    const auto entries = noisy_entries(products);
    out.notes.insert(out.notes.end(), entries.begin(), entries.end());
    // A single entry of a table is named already.
    const bool repeats = worlds.size() == 1 && products.size() == 1 && products[0].names.size() == 1;
    const bool cut = !query_.doing.empty();
    const bool named = written_out && !products.empty() && (cut ? TRY(can_be_asked(products)) : !repeats);
    if (cut || worlds.size() > 1) out.heading = std::move(heading);
    out.steps = {cut ? Parts{} : terms(worlds, {}), named ? in_names(products) : Parts{}, written_out ? in_numbers(products) : eliminated};
    return out;
}

}  // namespace credence::rt
