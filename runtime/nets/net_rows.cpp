#include "runtime/nets/net_rows.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

using Cells = std::vector<std::pair<Slot, std::size_t>>;

/// Counts equal rows.
class RowCounts {
public:
    void add(Cells cells, std::int64_t count) {
        std::sort(cells.begin(), cells.end());
        counts_[std::move(cells)] += count;
    }
    std::vector<RowGroup> take() && {
        std::vector<RowGroup> out;
        for (auto& [cells, count] : counts_)
            if (count > 0 && !cells.empty()) out.push_back({cells, count});
        return out;
    }

private:
    std::map<Cells, std::int64_t> counts_;
};

/// The descendants too; arcs into nodes that `done` sets are cut.
void spread(const Net& net, std::span<const char> done, std::vector<char>& marks) {
    for (const auto id : net.topological_order()) {
        const auto i = index(id);
        if (marks[i] || done[i]) continue;
        const auto& parents = net.nodes[i].parents;
        marks[i] = std::any_of(parents.begin(), parents.end(), [&](VarId p) { return marks[index(p)] != 0; }) ? 1 : 0;
    }
}

std::vector<char> set_by_do(const Net& net, const Query& query) {
    std::vector<char> out(net.nodes.size(), 0);
    for (const auto& doing : query.doing)
        if (index(doing.variable) < out.size()) out[index(doing.variable)] = 1;
    return out;
}

class RowReader {
public:
    RowReader(const Net& net, const Variables& variables, const Query& query)
        : net_(net), variables_(variables), query_(query), done_(set_by_do(net, query)), observed_(net.nodes.size(), 0) {}

    Result<NetRows> read() {
        for (const auto step : {&RowReader::mark_lists, &RowReader::mark_tables, &RowReader::check_singles}) TRY((this->*step)());
        if (std::none_of(observed_.begin(), observed_.end(), [](char c) { return c != 0; })) return std::move(out_);
        out_.by_row = observed_;
        if (asks_for_cases())
            for (std::size_t i = 0; i < nodes(); ++i) out_.by_row[i] = !done_[i];
        spread(net_, done_, out_.by_row);
        TRY(check_counts());
        for (const bool next : {false, true}) add_lists(next);
        for (const bool target : {false, true})
            for (const auto& data : clause(target).data) TRY(add_table(data, target));
        out_.evidence = std::move(evidence_).take();
        out_.all = std::move(all_).take();
        return std::move(out_);
    }

private:
    std::size_t nodes() const { return net_.nodes.size(); }
    const Clause& clause(bool target) const { return target ? query_.targets : query_.given; }
    bool is_next(VarId id) const { return index(id) >= nodes(); }
    std::size_t node(VarId id) const { return index(id) % nodes(); }
    const std::string& name(std::size_t i) const { return net_.nodes[i].variable.name; }

    /// The probability of data and of nothing else, in a net that was learned from such rows: nothing is shared, hidden variables neither.
    bool asks_for_cases() const {
        const auto& [given, targets] = std::tie(query_.given, query_.targets);
        return net_.learned && targets.free.empty() && targets.events.empty() && given.free.empty() && given.events.empty() &&
               given.observations.empty() && given.data.empty() && given.soft.empty();
    }

    Fault set_and_observed(std::size_t i, Origin origin) const {
        return {.code = "E-DO",
                .message = fmt::format("{} is both set by do and observed", name(i)),
                .origin = origin,
                .hint = "keep one of the two"};
    }

    /// Lists are read side by side, so they have the same length.
    Status mark_lists() {
        const Observations* first[2] = {nullptr, nullptr};
        std::vector<char> listed(2 * nodes(), 0);
        for (const bool target : {false, true}) {
            for (const auto& list : clause(target).observations) {
                const auto i = node(list.variable);
                if (done_[i]) return set_and_observed(i, list.origin);
                if (listed[index(list.variable)]) return twice(i, list.origin);
                listed[index(list.variable)] = 1;
                observed_[i] = 1;
                out_.in_targets = out_.in_targets || target;
                if (!list.counts.empty()) continue;
                const Observations*& before = first[is_next(list.variable) ? 1 : 0];
                if (before == nullptr) before = &list;
                if (before->values.size() != list.values.size())
                    return Fault{.code = "E-QUERY",
                                 .message = fmt::format("{} has {} values, {} has {}", name(node(before->variable)), before->values.size(),
                                                        name(i), list.values.size()),
                                 .origin = list.origin,
                                 .label = "lists are read side by side: one value of each for every row",
                                 .hint = "in a table, a cell that is missing is written ?"};
            }
        }
        return Done{};
    }

    Fault twice(std::size_t i, Origin origin) const {
        return {.code = "E-QUERY",
                .message = fmt::format("{} was observed many times: which one is asked for?", name(i)),
                .origin = origin,
                .hint = fmt::format("write next {} for more draws", name(i))};
    }

    Status mark_tables() {
        for (const bool target : {false, true}) {
            for (const auto& data : clause(target).data) {
                bool any = false;
                for (const auto& column : data.table->columns) {
                    const auto id = net_.find(column->name);
                    if (!id) continue;
                    if (done_[index(*id)]) return set_and_observed(index(*id), data.origin);
                    any = true;
                    observed_[index(*id)] = 1;
                }
                out_.in_targets = out_.in_targets || target;
                if (any) continue;
                std::string there;
                for (const auto& c : data.table->columns) there += (there.empty() ? "" : ", ") + c->name;
                return Fault{.code = "E-COLUMN",
                             .message = fmt::format("no column of the table is a variable of net {}", net_.name),
                             .origin = data.origin,
                             .label = "its columns are " + there,
                             .hint = "columns and variables are matched by name"};
            }
        }
        for (const auto& list : query_.targets.observations)
            for (const auto& data : query_.given.data)
                if (!is_next(list.variable) && data.table->find(name(node(list.variable)))) return twice(node(list.variable), list.origin);
        return Done{};
    }

    /// Beside rows, a single value of what is drawn for each row would belong to none of them.
    Status check_singles() {
        for (const auto* side : {&query_.given, &query_.targets})
            for (const auto& event : side->events)
                for (const auto id : variables_of(event))
                    if (!is_next(id) && observed_[node(id)])
                        return Fault{.code = "E-QUERY",
                                     .message = fmt::format("{} is observed both once and in a list or table", name(node(id))),
                                     .origin = event.origin,
                                     .hint = fmt::format("put the single value into the list, or write next {}", name(node(id)))};
        return Done{};
    }

    /// Counts do not say which values were seen together. That does not matter only where the variables have nothing in common but what
    /// all rows share.
    Status check_counts() {
        std::vector<const Observations*> lists;
        for (const bool target : {false, true})
            for (const auto& list : clause(target).observations) lists.push_back(&list);
        for (const auto* counted : lists) {
            if (counted->counts.empty()) continue;
            const auto own = nodes_of_row(net_, out_.by_row, {{{static_cast<Slot>(node(counted->variable)), 0}}, 1});
            for (const auto* other : lists) {
                if (other == counted || is_next(other->variable) != is_next(counted->variable)) continue;
                for (const auto slot : nodes_of_row(net_, out_.by_row, {{{static_cast<Slot>(node(other->variable)), 0}}, 1}))
                    if (contains(own, slot))
                        return Fault{.code = "E-QUERY",
                                     .message = fmt::format("counts of {} do not say which values of {} were seen with them",
                                                            name(node(counted->variable)), name(node(other->variable))),
                                     .origin = counted->origin,
                                     .hint = "give two lists of the same length, or a table"};
            }
        }
        return Done{};
    }

    void add(Cells evidence, Cells all, std::int64_t count) {
        evidence_.add(std::move(evidence), count);
        all_.add(std::move(all), count);
    }

    void add_lists(bool next) {
        std::size_t rows = 0;
        for (const bool target : {false, true}) {
            for (const auto& list : clause(target).observations) {
                if (is_next(list.variable) != next) continue;
                const auto slot = static_cast<Slot>(node(list.variable));
                if (list.counts.empty()) {
                    rows = list.values.size();
                    continue;
                }
                for (std::size_t i = 0; i < list.values.size(); ++i) {
                    const Cells cell{{slot, *value_place(net_.nodes[slot].variable, list.values[i])}};
                    add(target ? Cells{} : cell, cell, list.counts[i]);
                }
            }
        }
        for (std::size_t r = 0; r < rows; ++r) {
            Cells sides[2];
            for (const bool target : {false, true})
                for (const auto& list : clause(target).observations) {
                    if (is_next(list.variable) != next || !list.counts.empty()) continue;
                    const auto slot = static_cast<Slot>(node(list.variable));
                    sides[target ? 1 : 0].emplace_back(slot, *value_place(net_.nodes[slot].variable, list.values[r]));
                }
            Cells both = sides[0];
            both.insert(both.end(), sides[1].begin(), sides[1].end());
            add(std::move(sides[0]), std::move(both), 1);
        }
    }

    /// A missing cell is not observed: it is summed out.
    Status add_table(const DataEvidence& data, bool target) {
        const Table& table = *data.table;
        std::vector<std::pair<Slot, const Column*>> columns;
        for (const auto& column : table.columns)
            if (const auto id = net_.find(column->name)) columns.emplace_back(static_cast<Slot>(index(*id)), column.get());
        for (std::size_t r = 0; r < table.rows(); ++r) {
            Cells cells;
            for (const auto& [slot, column] : columns) {
                if (column->is_missing(r)) continue;
                const auto value = value_place(net_.nodes[slot].variable, column->label(r));
                if (!value)
                    return Fault{.code = "E-LABEL",
                                 .message = fmt::format("{} has no value '{}'", column->name, column->label(r).text()),
                                 .origin = data.origin,
                                 .label = fmt::format("row {} of the table", r + 1)};
                cells.emplace_back(slot, *value);
            }
            add(target ? Cells{} : cells, cells, 1);
        }
        return Done{};
    }

    const Net& net_;
    const Variables& variables_;
    const Query& query_;
    NetRows out_;
    std::vector<char> done_;
    std::vector<char> observed_;
    RowCounts evidence_;
    RowCounts all_;
};

template <class Visit>
void for_each_named(const Query& query, const Visit& visit) {
    for (const auto* clause : {&query.targets, &query.given}) {
        for (const auto id : clause->free) visit(id);
        for (const auto& event : clause->events)
            for (const auto id : variables_of(event)) visit(id);
        for (const auto& list : clause->observations) visit(list.variable);
        for (const auto& soft : clause->soft) visit(soft.variable);
    }
}

}  // namespace

Result<NetRows> read_rows(const Net& net, const Variables& variables, const Query& query) {
    return RowReader(net, variables, query).read();
}

bool asks_for_next(const Variables& variables, const Query& query) {
    bool out = false;
    for_each_named(query, [&](VarId id) { out = out || variables[index(id)].next; });
    return out;
}

Variables variables_of(const Net& net) {
    Variables out;
    out.reserve(2 * net.nodes.size());
    for (const auto& node : net.nodes) out.push_back({.variable = node.variable, .is_step = node.step});
    for (const auto& node : net.nodes) {
        Variable next = node.variable;
        next.name = "next " + next.name;
        out.push_back({.variable = std::move(next), .next = true});
    }
    return out;
}

NetPtr with_next(const Net& net, const Variables& variables, const Query& query, const NetRows& rows) {
    const std::size_t n = net.nodes.size();
    std::vector<char> fresh = rows.empty() ? std::vector<char>(n, 0) : rows.by_row;
    for_each_named(query, [&](VarId id) {
        if (variables[index(id)].next) fresh[index(id) - n] = 1;
    });
    const auto done = set_by_do(net, query);
    spread(net, done, fresh);
    auto out = std::make_shared<Net>(net);
    out->nodes.reserve(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        NetNode copy;
        copy.variable = variables[n + i].variable;
        if (fresh[i]) {
            copy.table = net.nodes[i].table;
            copy.origin = net.nodes[i].origin;
            for (const auto parent : net.nodes[i].parents)
                copy.parents.push_back(fresh[index(parent)] && !done[index(parent)] ? static_cast<VarId>(n + index(parent)) : parent);
        }
        out->nodes.push_back(std::move(copy));
    }
    return out;
}

std::vector<Slot> nodes_of_row(const Net& net, std::span<const char> by_row, const RowGroup& group) {
    std::vector<Slot> out;
    std::vector<Slot> stack;
    for (const auto& cell : group.cells) stack.push_back(cell.first);
    while (!stack.empty()) {
        const Slot slot = stack.back();
        stack.pop_back();
        if (contains(out, slot)) continue;
        out.push_back(slot);
        for (const auto parent : net.nodes[slot].parents)
            if (by_row[index(parent)]) stack.push_back(static_cast<Slot>(index(parent)));
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<Slot> shared_by_row(const Net& net, std::span<const char> by_row, const RowGroup& group) {
    std::vector<Slot> out;
    for (const auto slot : nodes_of_row(net, by_row, group))
        for (const auto parent : net.nodes[slot].parents)
            if (!by_row[index(parent)]) out.push_back(static_cast<Slot>(index(parent)));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace credence::rt
