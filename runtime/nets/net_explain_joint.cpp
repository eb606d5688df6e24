// Joint probabilities as sums of products of table entries, the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

Result<Number> NetExplainer::probability(const Pairs& event, const Pairs& given) {
    if (event.empty()) return Number(1);
    Query q;
    for (const auto& [slot, value] : event)
        q.targets.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
    for (const auto& [slot, value] : given)
        q.given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
    q.doing = query_.doing;
    auto answer = TRY(ask_net(net_, variables_, q, run_));
    return std::get<Number>(answer.value);
}

Result<Number> NetExplainer::total_probability(std::span<const Pairs> worlds) {
    Number total = 0;
    for (const auto& world : worlds) {
        auto p = probability(world, {});
        if (!p) return p;
        total += *p;
    }
    return total;
}

Result<Number> NetExplainer::added_up(Clause targets, Clause given, const Pairs& event, const Pairs& known) {
    const auto fix = [&](Clause& clause, const Pairs& pairs) {
        clause.free.clear();
        for (const auto& [slot, value] : pairs)
            clause.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
    };
    Query q;
    q.targets = std::move(targets);
    q.given = std::move(given);
    q.doing = query_.doing;
    fix(q.targets, event);
    fix(q.given, known);
    if (q.targets.events.empty()) return Number(1);
    auto answer = TRY(ask_net(net_, variables_, q, run_));
    return std::get<Number>(answer.value);
}

NetExplainer::Expansion NetExplainer::expand(const Pairs& assignment) const {
    Expansion out;
    std::vector<Slot> seeds;
    std::vector<std::int64_t> value(case_.sizes.size(), -1);
    for (const auto& [slot, v] : assignment) {
        seeds.push_back(slot);
        value[slot] = static_cast<std::int64_t>(v);
    }
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
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        bool zero = false;
        for (const auto id : net_.topological_order()) {
            const auto slot = static_cast<Slot>(index(id));
            if (!relevant[slot] || case_.done[slot] >= 0) continue;
            Pairs given;
            std::size_t row = 0;
            for (const auto parent : net_.nodes[slot].parents) {
                const auto p = static_cast<Slot>(index(parent));
                given.emplace_back(p, static_cast<std::size_t>(value[p]));
                row = row * case_.sizes[p] + static_cast<std::size_t>(value[p]);
            }
            const auto v = static_cast<std::size_t>(value[slot]);
            const Number entry = net_.nodes[slot].entry(row * case_.sizes[slot] + v);
            zero = zero || entry.is_zero();
            names.push_back({term_of({{slot, v}}, given, variables_)});
            numbers.push_back({entry});
        }
        if (zero) {
            ++out.zeros;
            continue;
        }
        if (names.empty()) names.push_back({Number(1)});  // nothing but what do has set
        if (numbers.empty()) numbers.push_back({Number(1)});
        out.names.push_back(joined(names, " * "));
        out.numbers.push_back(joined(numbers, " * "));
    }
    return out;
}

std::string NetExplainer::asked_text(Side side, const Pairs& cell, const Pairs& g) const {
    Query q;
    q.doing = query_.doing;
    const auto add = [&](Clause& to, const Pairs& pairs, const std::vector<Event>& events) {
        for (const auto& [slot, value] : pairs)
            to.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
        to.events.insert(to.events.end(), events.begin(), events.end());
    };
    if (side != Side::evidence) add(q.targets, cell, query_.targets.events);
    add(side == Side::conditional ? q.given : q.targets, g, query_.given.events);
    return query_text(q, variables_);
}

Status NetExplainer::write_joint(std::span<const Pairs> worlds, const Number& value, std::string heading) {
    std::vector<Parts> named_terms;
    std::vector<Parts> names;
    std::vector<Parts> numbers;
    std::vector<Slot> hidden;
    double terms = 0;
    std::size_t zeros = 0;
    for (const auto& world : worlds) {
        named_terms.push_back({term_of(world, {}, variables_)});
        const auto e = expand(world);
        terms += e.terms;
        zeros += e.zeros;
        hidden = e.hidden;
        names.insert(names.end(), e.names.begin(), e.names.end());
        numbers.insert(numbers.end(), e.numbers.begin(), e.numbers.end());
    }
    const bool written_out = terms <= static_cast<double>(longest_sum);
    if (!written_out) {
        out_.note(fmt::format("{:.0f} products are summed over {}", terms, names_of(hidden)));
    } else if (zeros > 0) {
        out_.note(
            fmt::format("{} that {} zero {} left out", counted(zeros, "product"), zeros == 1 ? "is" : "are", zeros == 1 ? "is" : "are"));
    }
    const Parts in_numbers = numbers.empty() ? Parts{Number(0)} : joined(numbers, " + ");
    if (!query_.doing.empty()) {
        out_.heading(std::move(heading));
        if (!written_out)
            out_.begin({value});
        else if (auto status = begin_after_cut(names, in_numbers); !status)
            return status;
        out_.result(value);
        return Done{};
    }
    if (worlds.size() > 1) out_.heading(std::move(heading));
    out_.begin(joined(named_terms, " + "));
    if (written_out) {
        const bool repeats = named_terms.size() == 1 && names.size() == 1 && names[0].size() == 1;
        if (!names.empty() && !repeats) out_.step(joined(names, " + "));
        out_.step(in_numbers);
    }
    out_.result(value);
    return Done{};
}

Status NetExplainer::begin_after_cut(std::span<const Parts> names, const Parts& in_numbers) {
    bool expressible = !names.empty();
    for (const auto& product : names) {
        for (const auto& part : product) {
            const auto* term = std::get_if<ProbabilityTerm>(&part);
            if (term == nullptr || term->given.empty()) continue;
            Query q;
            for (const auto& [name, label] : term->given) q.targets.events.push_back(event_equal(*net_.find(name), label, Origin::none));
            const auto p = TRY(ask_net(net_, variables_, q, run_));
            expressible = expressible && !std::get<Number>(p.value).is_zero();
        }
    }
    if (expressible) out_.begin(joined(names, " + "));
    if (expressible)
        out_.step(in_numbers);
    else
        out_.begin(in_numbers);
    return Done{};
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
        if (auto status = write_joint(worlds, value, asked_text(Side::joint, cell, g)); !status) return status;
    }
    if (!conditional) return Done{};
    auto below = TRY(total_probability(evidence));
    if (auto status = write_evidence(evidence, joint, all_cells, below, g); !status) return status;
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
        std::vector<Parts> full;
        std::vector<Parts> entry;
        std::vector<Parts> numbers;
        Number value = 0;
        for (const auto& target : target_ways_) {
            const auto event = merged(cell, target);
            if (!event) continue;
            const auto p = TRY(probability(*event, evidence));
            value += p;
            Pairs parents;
            for (const auto& pair : evidence) {
                const auto& of = net_.nodes[(*event)[0].first].parents;
                if (contains(of, static_cast<VarId>(pair.first))) parents.push_back(pair);
            }
            full.push_back({term_of(*event, evidence, variables_)});
            if (parents.size() != evidence.size()) entry.push_back({term_of(*event, parents, variables_)});
            numbers.push_back({p});
        }
        if (full.empty()) continue;
        if (!entry.empty()) out_.note("given its parents, nothing else that is known matters");
        if (full.size() > 1) out_.heading(asked_text(Side::conditional, cell, g));
        out_.begin(joined(full, " + "));
        if (!entry.empty()) out_.step(joined(entry, " + "));
        out_.step(joined(numbers, " + "));
        out_.result(value);
    }
    return Done{};
}

Status NetExplainer::write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value,
                                    const Pairs& g) {
    std::string heading = asked_text(Side::evidence, {}, g);
    if (case_.shape.target_events || !all_cells || case_.shape.targets.empty()) return write_joint(evidence, value, std::move(heading));
    if (!query_.doing.empty() || evidence.size() > 1) out_.heading(std::move(heading));
    std::vector<Parts> numbers;
    for (const auto& j : joint) numbers.push_back({j});
    const Parts sum = joined(numbers, " + ");
    if (query_.doing.empty()) {
        std::vector<Parts> terms;
        for (const auto& way : evidence) terms.push_back({term_of(way, {}, variables_)});
        out_.begin(joined(terms, " + "));
        out_.step(sum);
    } else {
        out_.begin(sum);
    }
    out_.result(value);
    return Done{};
}

void NetExplainer::write_quotient(const Pairs& cell, const Pairs& g, std::span<const Pairs> evidence, const Number& above,
                                  const Number& below) {
    std::vector<Parts> terms;
    for (const auto& target : target_ways_)
        if (const auto event = merged(cell, target)) terms.push_back({term_of(*event, evidence[0], variables_)});
    const bool named = evidence.size() == 1 && query_.doing.empty() && !terms.empty();
    if (!named || terms.size() > 1) out_.heading(asked_text(Side::conditional, cell, g));
    if (named) {
        out_.begin(joined(terms, " + "));
        out_.step(quotient(above, below));
    } else {
        out_.begin(quotient(above, below));
    }
    out_.result(above / below);
}

}  // namespace credence::rt
