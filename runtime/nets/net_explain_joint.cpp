// Joint probabilities as sums of products of table entries, the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

Result<Number> NetExplainer::number(const Query& query) const {
    const Clause& asked = query.targets;
    if (asked.events.empty() && asked.observations.empty() && asked.data.empty()) return Number(1);
    auto answer = TRY(ask_net(net_, variables_, query, run_));
    return std::get<Number>(answer.value);
}

Result<Number> NetExplainer::probability(const Pairs& event, const Pairs& given) const {
    Query q;
    fix(q.targets, event, variables_);
    fix(q.given, given, variables_);
    q.doing = query_.doing;
    return number(q);
}

Result<Number> NetExplainer::total_probability(std::span<const Pairs> worlds) const {
    Number total = 0;
    for (const auto& world : worlds) total += TRY(probability(world, {}));
    return total;
}

Result<Product> NetExplainer::product(std::span<const char> relevant, std::span<const std::int64_t> value,
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

Result<NetExplainer::Expansion> NetExplainer::expand(const Pairs& assignment, std::span<const RowGroup> rows) const {
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

Query NetExplainer::side(Side side, const Pairs& cell, const Pairs& g) const {
    const Query full = in_case(query_, side == Side::evidence ? Pairs{} : cell, g, variables_);
    if (side == Side::conditional) return full;
    Query out;
    out.doing = query_.doing;
    if (side == Side::joint) out.targets = full.targets;
    out.targets.events.insert(out.targets.events.end(), full.given.events.begin(), full.given.events.end());
    out.targets.observations.insert(out.targets.observations.end(), full.given.observations.begin(), full.given.observations.end());
    out.targets.data.insert(out.targets.data.end(), full.given.data.begin(), full.given.data.end());
    out.given.soft = query_.given.soft;
    return out;
}

Parts NetExplainer::terms(std::span<const Pairs> events, const Pairs& given) const {
    std::vector<Parts> out;
    for (const auto& event : events) out.push_back({term_of(event, given, variables_)});
    return joined(out, " + ");
}

Status NetExplainer::write_joint(std::span<const Pairs> worlds, const Number& value, std::string heading) {
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
    if (!written_out)
        out_.note(fmt::format("{:.0f} products are summed over {}", count, names_of(hidden)));
    else if (zeros > 0)
        out_.note(
            fmt::format("{} that {} zero {} left out", counted(zeros, "product"), zeros == 1 ? "is" : "are", zeros == 1 ? "is" : "are"));
    // A single entry of a table is named already.
    const bool repeats = worlds.size() == 1 && products.size() == 1 && products[0].names.size() == 1;
    const bool cut = !query_.doing.empty();
    const bool named = written_out && !products.empty() && (cut ? TRY(can_be_asked(products)) : !repeats);
    out_.calculation(
        cut || worlds.size() > 1 ? std::move(heading) : std::string(),
        {cut ? Parts{} : terms(worlds, {}), named ? in_names(products) : Parts{}, written_out ? in_numbers(products) : Parts{}}, value);
    return Done{};
}

Result<bool> NetExplainer::can_be_asked(std::span<const Product> products) const {
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

Status NetExplainer::write_given(const Pairs& g, std::span<const Pairs> cells, bool all_cells) {
    std::vector<Pairs> evidence;
    for (const auto& way : evidence_ways_)
        if (auto both = merged(way, g)) evidence.push_back(*std::move(both));
    const bool conditional = has_evidence();
    if (conditional) {
        const auto possible = TRY(total_probability(evidence));
        if (possible.is_zero()) {
            out_.note(fmt::format("{} has probability zero; the answer there is the entry of the table", text_of(g, variables_)));
            return Done{};
        }
        if (is_table_entry()) return write_entries(evidence[0], cells, g);
    }
    std::vector<Number> joint;
    for (const auto& cell : cells) {
        const auto worlds = worlds_of(cell, evidence);
        auto value = TRY(total_probability(worlds));
        joint.push_back(value);
        if (worlds.empty()) continue;
        TRY(write_joint(worlds, value, asked_text(Side::joint, cell, g)));
    }
    if (!conditional) return Done{};
    const auto below = TRY(total_probability(evidence));
    TRY(write_evidence(evidence, joint, all_cells, below, g));
    for (std::size_t i = 0; i < cells.size(); ++i) write_quotient(cells[i], g, evidence, joint[i], below);
    return Done{};
}

std::vector<Pairs> NetExplainer::worlds_of(const Pairs& cell, std::span<const Pairs> evidence) const {
    std::vector<Pairs> out;
    for (const auto& target : target_ways_) {
        const auto both = merged(cell, target);
        if (!both) continue;
        for (const auto& way : evidence)
            if (auto all = merged(*both, way); all && agrees_with_do(*all)) out.push_back(*std::move(all));
    }
    return out;
}

bool NetExplainer::agrees_with_do(const Pairs& pairs) const {
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return case_.done[pair.first] < 0 || case_.done[pair.first] == static_cast<std::int64_t>(pair.second);
    });
}

Status NetExplainer::write_entries(const Pairs& evidence, std::span<const Pairs> cells, const Pairs& g) {
    for (const auto& cell : cells) {
        std::vector<Pairs> events;
        std::vector<Parts> numbers;
        Number value = 0;
        for (const auto& target : target_ways_) {
            const auto event = merged(cell, target);
            if (!event) continue;
            events.push_back(*event);
            const auto p = TRY(probability(*event, evidence));
            numbers.push_back({p});
            value += p;
        }
        if (events.empty()) continue;
        Pairs parents;
        for (const auto& pair : evidence)
            if (contains(net_.nodes[events[0][0].first].parents, static_cast<VarId>(pair.first))) parents.push_back(pair);
        const bool more_known = parents.size() != evidence.size();
        if (more_known) out_.note("given its parents, nothing else that is known matters");
        out_.calculation(events.size() > 1 ? asked_text(Side::conditional, cell, g) : "",
                         {terms(events, evidence), more_known ? terms(events, parents) : Parts{}, joined(numbers, " + ")}, value);
    }
    return Done{};
}

Status NetExplainer::write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value,
                                    const Pairs& g) {
    std::string heading = asked_text(Side::evidence, {}, g);
    if (case_.shape.target_events || !all_cells || case_.shape.targets.empty()) return write_joint(evidence, value, std::move(heading));
    const bool cut = !query_.doing.empty();
    std::vector<Parts> numbers;
    for (const auto& j : joint) numbers.push_back({j});
    out_.calculation(cut || evidence.size() > 1 ? std::move(heading) : std::string(),
                     {cut ? Parts{} : terms(evidence, {}), joined(numbers, " + ")}, value);
    return Done{};
}

void NetExplainer::write_quotient(const Pairs& cell, const Pairs& g, std::span<const Pairs> evidence, const Number& above,
                                  const Number& below) {
    std::vector<Pairs> events;
    for (const auto& target : target_ways_)
        if (auto event = merged(cell, target)) events.push_back(*std::move(event));
    const bool named = evidence.size() == 1 && query_.doing.empty() && !events.empty();
    out_.calculation(named && events.size() == 1 ? "" : asked_text(Side::conditional, cell, g),
                     {named ? terms(events, evidence[0]) : Parts{}, quotient(above, below)}, above / below);
}

}  // namespace credence::rt
