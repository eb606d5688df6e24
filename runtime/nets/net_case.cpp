#include "runtime/nets/net_case.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

/// What is drawn in each row cannot be asked for as one thing.
std::optional<Fault> asked_of_rows(const NetCase& c, std::span<const Slot> named, Origin origin) {
    for (const auto slot : named) {
        if (c.rows.empty() || slot >= c.rows.by_row.size() || !c.rows.by_row[slot]) continue;
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} stands for every observation in the list or table", c.names[slot]),
                     .origin = origin,
                     .hint = fmt::format("ask for one more draw: next {}", c.names[slot])};
    }
    return std::nullopt;
}

Status apply_interventions(const Query& query, const Variables& variables, NetCase& c) {
    for (const auto& doing : query.doing) {
        const auto slot = index(doing.variable);
        const auto& v = variables[slot].variable;
        if (variables[slot].next)
            return Fault{.code = "E-DO", .message = "do(…) sets a variable of the net itself, not the next draw", .origin = doing.origin};
        const auto value = v.domain->find(doing.value);
        if (!value) {
            return Fault{
                .code = "E-LABEL", .message = fmt::format("{} has no value '{}'", v.name, doing.value.text()), .origin = doing.origin};
        }
        const auto at = static_cast<std::int64_t>(*value);
        if (c.done[slot] >= 0 && c.done[slot] != at) {
            return Fault{.code = "E-DO",
                         .message = fmt::format("do sets {} to two values", v.name),
                         .origin = doing.origin,
                         .label = fmt::format("it was set to {} before", (*v.domain)[static_cast<std::size_t>(c.done[slot])].text())};
        }
        const bool observed = std::any_of(c.evidence.begin(), c.evidence.end(),
                                          [&](const EventTable& t) { return contains(t.variables, static_cast<Slot>(slot)); });
        const auto among = [&](const std::vector<Slot>& slots) { return contains(slots, static_cast<Slot>(slot)); };
        if (observed || among(c.soft) || among(c.shape.given)) {
            return Fault{.code = "E-DO",
                         .message = fmt::format("{} is both set by do and observed", v.name),
                         .origin = doing.origin,
                         .hint = fmt::format("keep do({} = {}) or the evidence on {}, not both", v.name, doing.value.text(), v.name)};
        }
        c.done[slot] = at;
    }
    return Done{};
}

std::vector<Slot> named_slots(const NetCase& c) {
    std::vector<Slot> out = c.shape.answer;
    for (const auto* tables : {&c.evidence, &c.target_events})
        for (const auto& t : *tables) out.insert(out.end(), t.variables.begin(), t.variables.end());
    out.insert(out.end(), c.soft.begin(), c.soft.end());
    return out;
}

}  // namespace

Result<std::vector<EventTable>> event_tables(std::span<const Event> events, const Variables& variables, const Run& run) {
    std::vector<EventTable> out;
    std::vector<EventTable> compound;
    std::unordered_map<Slot, std::size_t> of_variable;  // the place of its table
    for (const auto& event : conjuncts(events)) {
        auto table = TRY(table_of(event, variables, run));
        if (table.variables.size() > 1) {
            compound.push_back(std::move(table));
            continue;
        }
        if (table.variables.empty() || of_variable.try_emplace(table.variables[0], out.size()).second) {
            out.push_back(std::move(table));
            continue;
        }
        EventTable& same = out[of_variable.at(table.variables[0])];
        for (std::size_t i = 0; i < same.truth.size(); ++i) same.truth[i] = static_cast<char>(same.truth[i] & table.truth[i]);
    }
    std::move(compound.begin(), compound.end(), std::back_inserter(out));
    return out;
}

std::vector<char> ancestors(const NetCase& c, std::span<const Slot> seeds) {
    std::vector<char> in(c.sizes.size(), 0);
    std::vector<Slot> stack(seeds.begin(), seeds.end());
    while (!stack.empty()) {
        const Slot node = stack.back();
        stack.pop_back();
        if (in[node]) continue;
        in[node] = 1;
        if (c.done[node] >= 0) continue;
        for (const auto parent : c.net->nodes[node].parents) stack.push_back(static_cast<Slot>(index(parent)));
    }
    return in;
}

Result<NetCase> digest(const Net& net, const Variables& variables, const Query& query, const Run& run) {
    if (auto known = check_known(net); !known) {
        Fault fault = std::move(known).fault();
        fault.origin = query.origin;
        return fault;
    }
    TRY(check_soft(query.given.soft, variables));

    NetCase c;
    c.declared = &net;
    c.rows = TRY(read_rows(net, variables, query));
    if (!c.rows.empty() || asks_for_next(variables, query)) c.with_next = with_next(net, variables, query, c.rows);
    c.net = c.with_next ? c.with_next.get() : &net;
    for (const auto& node : c.net->nodes) {
        c.sizes.push_back(node.variable.size());
        c.names.push_back(node.variable.name);
    }
    c.shape = shape_of(query);
    c.done.assign(c.net->nodes.size(), -1);
    c.evidence = TRY(event_tables(query.given.events, variables, run));
    c.target_events = TRY(event_tables(query.targets.events, variables, run));
    for (const auto& soft : query.given.soft) {
        c.soft.push_back(static_cast<Slot>(index(soft.variable)));
        for (const auto& weight : soft.weights) c.exact = c.exact && weight.is_exact();
    }
    TRY(apply_interventions(query, variables, c));
    c.fixed = c.done;
    for (const auto& table : c.evidence)
        if (const auto only = table.only_value(); only >= 0) c.fixed[table.variables[0]] = only;
    auto named = named_slots(c);
    if (auto fault = asked_of_rows(c, named, query.origin)) return *std::move(fault);
    for (const auto& group : c.rows.all) {
        for (const auto slot : nodes_of_row(net, c.rows.by_row, group)) c.exact = c.exact && net.nodes[slot].is_exact();
        for (const auto slot : shared_by_row(net, c.rows.by_row, group)) named.push_back(slot);
    }
    c.relevant = ancestors(c, named);
    for (std::size_t i = 0; i < c.sizes.size(); ++i) c.exact = c.exact && (!c.relevant[i] || c.net->nodes[i].is_exact());
    return c;
}

}  // namespace credence::rt
