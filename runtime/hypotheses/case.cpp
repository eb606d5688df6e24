#include "runtime/hypotheses/case.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

Slot slot_of(VarId v) { return static_cast<Slot>(index(v)); }

/// Counts equal observations; groups are in the order of their inputs' first appearance, so that equal inputs are neighbours.
class Grouping {
public:
    void add(std::vector<Label> inputs, Label value, std::int64_t count) {
        if (count == 0) return;
        std::string key;
        for (const auto& input : inputs) key += input.text() + '\x1f';
        const std::size_t block = blocks_.emplace(key, blocks_.size()).first->second;
        if (block == by_block_.size()) by_block_.emplace_back();
        key += '\x1e' + value.text();
        const auto [at, fresh] = groups_.emplace(std::move(key), std::pair{block, by_block_[block].size()});
        if (fresh)
            by_block_[block].push_back({std::move(inputs), std::move(value), count});
        else
            by_block_[block][at->second.second].count += count;
    }
    std::vector<ObservationGroup> take() && {
        std::vector<ObservationGroup> out;
        for (auto& block : by_block_) std::move(block.begin(), block.end(), std::back_inserter(out));
        return out;
    }

private:
    std::unordered_map<std::string, std::size_t> blocks_;
    std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> groups_;
    std::vector<std::vector<ObservationGroup>> by_block_;
};

class Digester {
public:
    Digester(const HypothesisSpace& space, const Variables& variables, const Query& query, const Run& run) : query_(query), run_(run) {
        c_.space = &space;
        c_.variables = &variables;
        c_.layout = {.parameters = space.parameters.size(), .inputs = space.inputs.size()};
        c_.shape = shape_of(query);
        for (const auto& v : variables) {
            c_.sizes.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
            c_.names.push_back(v.variable.name);
        }
    }

    Result<HypothesesCase> digest() {
        for (const auto step : {&Digester::check_kind, &Digester::find_mentions, &Digester::bind_inputs, &Digester::sort_events,
                                &Digester::group_observations, &Digester::check_inputs, &Digester::check_exactness}) {
            if (auto status = (this->*step)(); !status) {
                Fault fault = std::move(status).fault();
                if (fault.origin == Origin::none) fault.origin = query_.origin;
                return fault;
            }
        }
        return std::move(c_);
    }

private:
    const std::string& name(Slot s) const { return c_.names[s]; }
    const std::string& outcome_name() const { return c_.space->outcome.name; }

    Status check_kind() {
        if (!query_.doing.empty()) {
            return Fault{.code = "E-DO",
                         .message = fmt::format("{} is a hypothesis space: do is for nets", c_.space->name),
                         .origin = query_.doing[0].origin};
        }
        for (const auto v : query_.targets.free)
            if (auto fault = free_input(slot_of(v))) return *std::move(fault);
        for (const auto v : query_.given.free) {
            if (auto fault = free_input(slot_of(v))) return *std::move(fault);
            if (!(*c_.variables)[index(v)].variable.is_discrete())
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} takes any number, so there is no table of answers for each", name(slot_of(v))),
                             .hint = "give it a value"};
        }
        return check_soft(query_.given.soft, *c_.variables);
    }

    std::optional<Fault> free_input(Slot s) const {
        if (!c_.layout.is_input(s)) return std::nullopt;
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} is an input of {}: it has no probability", name(s), outcome_name()),
                     .hint = fmt::format("give it a value, as in {} = 1", name(s))};
    }

    void mention(Slot s) {
        if (c_.layout.is_outcome(s)) c_.draws[c_.layout.is_next(s) ? 1 : 0].mentioned = true;
    }

    Status find_mentions() {
        bool observed = false;
        for (const auto* clause : {&query_.targets, &query_.given}) {
            for (const auto v : clause->free) mention(slot_of(v));
            for (const auto& e : clause->events)
                for (const auto v : variables_of(e)) mention(slot_of(v));
            for (const auto& list : clause->observations)
                if (c_.layout.is_outcome(slot_of(list.variable)) && !c_.layout.is_next(slot_of(list.variable))) listed_ = true;
            for (const auto& soft : clause->soft) mention(slot_of(soft.variable));
        }
        for (const auto& list : query_.given.observations) observed = observed || c_.layout.is_outcome(slot_of(list.variable));
        observed = observed || !query_.given.data.empty();
        if (!observed) return Done{};
        // "Candy" while a list of Candy is known: which of them?
        const auto ambiguous = [&](Origin origin) {
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("{} was observed many times: which one is asked for?", outcome_name()),
                         .origin = origin,
                         .hint = fmt::format("write next {} for one more draw", outcome_name())};
        };
        for (const auto v : query_.targets.free)
            if (slot_of(v) == c_.layout.outcome()) return ambiguous(query_.origin);
        for (const auto& e : query_.targets.events)
            for (const auto v : variables_of(e))
                if (slot_of(v) == c_.layout.outcome()) return ambiguous(e.origin);
        for (const auto& list : query_.targets.observations)
            if (slot_of(list.variable) == c_.layout.outcome()) return ambiguous(list.origin);
        return Done{};
    }

    Status bind_inputs() {
        const auto& layout = c_.layout;
        bound_[0].resize(layout.inputs);
        bound_[1].resize(layout.inputs);
        for (const auto& event : conjuncts(query_.given.events)) {
            const auto about = variables_of(event);
            const bool has_input = std::any_of(about.begin(), about.end(), [&](VarId v) { return layout.is_input(slot_of(v)); });
            if (!has_input) {
                evidence_.push_back(event);
                continue;
            }
            if (event.kind != Event::Kind::atom || event.atom.compare != Compare::equal) {
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is an input of {} and needs one value", name(slot_of(about[0])), outcome_name()),
                             .origin = event.origin,
                             .label = fmt::format("as in {} = 1", name(slot_of(about[0])))};
            }
            const Slot s = slot_of(event.atom.variable);
            const bool for_next = layout.is_next(s) || !(c_.draws[0].mentioned || listed_);
            bound_[for_next ? 1 : 0][layout.input_of(s)] = event.atom.values[0];
            c_.bindings.push_back(event);
        }
        for (const auto& event : conjuncts(query_.targets.events))
            for (const auto v : variables_of(event))
                if (auto fault = free_input(slot_of(v))) return *std::move(fault);
        return Done{};
    }

    /// Events about a number-valued outcome become probabilities under each hypothesis; all others become tables.
    Status sort_events() {
        const auto targets = conjuncts(query_.targets.events);
        for (const bool is_target : {false, true}) {
            for (const auto& event : is_target ? targets : evidence_) {
                bool about[2] = {false, false};
                for (const auto v : variables_of(event))
                    if (c_.layout.is_outcome(slot_of(v)) && !c_.space->outcome.is_discrete())
                        about[c_.layout.is_next(slot_of(v)) ? 1 : 0] = true;
                if (about[0] && about[1]) {
                    return Fault{.code = "E-QUERY",
                                 .message = fmt::format("one event mentions both {0} and next {0}", outcome_name()),
                                 .origin = event.origin,
                                 .hint = "separate them by a comma"};
                }
                if (about[0] || about[1]) {
                    Draw& draw = c_.draws[about[1] ? 1 : 0];
                    (is_target ? draw.targets : draw.evidence).push_back(event);
                    continue;
                }
                auto table = TRY(table_of(event, *c_.variables, run_));
                (is_target ? c_.target_tables : c_.evidence_tables).push_back(std::move(table));
            }
        }
        return Done{};
    }

    Status add_lists(const Clause& clause, Grouping& groups) {
        for (const auto& list : clause.observations) {
            const Slot s = slot_of(list.variable);
            if (c_.layout.is_input(s)) continue;
            if (!c_.layout.is_outcome(s)) {
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} has one value, not a list of observations", name(s)),
                             .origin = list.origin,
                             .hint = fmt::format("lists are for the outcome, {}", outcome_name())};
            }
            const bool next = c_.layout.is_next(s);
            std::vector<const Observations*> inputs(c_.layout.inputs, nullptr);
            for (const auto* side : {&query_.given, &query_.targets})
                for (const auto& other : side->observations)
                    if (c_.layout.is_input(slot_of(other.variable)) && c_.layout.is_next(slot_of(other.variable)) == next)
                        inputs[c_.layout.input_of(slot_of(other.variable))] = &other;
            for (std::size_t i = 0; i < list.values.size(); ++i) {
                std::vector<Label> at;
                for (std::size_t k = 0; k < inputs.size(); ++k) {
                    if (inputs[k] != nullptr && !(list.counts.empty() && inputs[k]->counts.empty())) {
                        return Fault{.code = "E-QUERY",
                                     .message = fmt::format("counts do not say which value of {} goes with which {}", c_.space->inputs[k],
                                                            outcome_name()),
                                     .origin = inputs[k]->origin,
                                     .hint = "give two lists of the same length, or a table"};
                    }
                    if (inputs[k] != nullptr && inputs[k]->values.size() != list.values.size()) {
                        return Fault{.code = "E-QUERY",
                                     .message = fmt::format("{} has {} values, {} has {}", c_.space->inputs[k], inputs[k]->values.size(),
                                                            outcome_name(), list.values.size()),
                                     .origin = inputs[k]->origin,
                                     .label = "one value of the input for each observation"};
                    }
                    if (inputs[k] != nullptr)
                        at.push_back(inputs[k]->values[i]);
                    else if (bound_[next ? 1 : 0][k])
                        at.push_back(*bound_[next ? 1 : 0][k]);
                    else
                        return needs(k, list.origin);
                }
                groups.add(std::move(at), list.values[i], list.count(i));
            }
        }
        return Done{};
    }

    Status add_tables(const Clause& clause, Grouping& groups) {
        for (const auto& data : clause.data) {
            const Table& table = *data.table;
            std::vector<const Column*> columns;
            std::vector<std::string> wanted = c_.space->inputs;
            wanted.push_back(outcome_name());
            for (const auto& column : wanted) {
                const auto found = table.find(column);
                if (!found) {
                    std::string there;
                    for (const auto& c : table.columns) there += (there.empty() ? "" : ", ") + c->name;
                    return Fault{.code = "E-COLUMN",
                                 .message = fmt::format("the table has no column {}, {} of {}", column,
                                                        column == outcome_name() ? "the outcome" : "an input", c_.space->name),
                                 .origin = data.origin,
                                 .label = "its columns are " + there};
                }
                columns.push_back(table.columns[*found].get());
            }
            std::size_t left_out = 0;
            for (std::size_t row = 0; row < table.rows(); ++row) {
                if (std::any_of(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(row); })) {
                    ++left_out;
                    continue;
                }
                std::vector<Label> inputs;
                for (std::size_t k = 0; k + 1 < columns.size(); ++k) inputs.push_back(columns[k]->label(row));
                Label value = columns.back()->label(row);
                if (c_.space->outcome.is_discrete()) value = truth_of_number(*c_.space->outcome.domain, value);
                if (c_.space->outcome.is_discrete() && !c_.space->outcome.domain->find(value)) {
                    return Fault{.code = "E-LABEL",
                                 .message = fmt::format("row {} has {} = {}, which is not an outcome of any hypothesis of {}", row + 1,
                                                        outcome_name(), value.text(), c_.space->name),
                                 .origin = data.origin};
                }
                groups.add(std::move(inputs), std::move(value), 1);
            }
            if (left_out > 0) c_.notes.push_back(fmt::format("{} left out because of missing cells", counted(left_out, "row")));
        }
        return Done{};
    }

    Status group_observations() {
        for (const auto& [clause, groups] :
             {std::pair{&query_.given, &c_.evidence_groups}, std::pair{&query_.targets, &c_.target_groups}}) {
            Grouping grouping;
            if (auto status = add_lists(*clause, grouping); !status) return status;
            if (auto status = add_tables(*clause, grouping); !status) return status;
            *groups = std::move(grouping).take();
        }
        return Done{};
    }

    Fault needs(std::size_t input, Origin origin) const {
        const auto& x = c_.space->inputs[input];
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} needs a value for its input {}", outcome_name(), x),
                     .origin = origin,
                     .hint = fmt::format("add {} = … after the bar", x)};
    }

    Status check_inputs() {
        for (std::size_t d = 0; d < 2; ++d) {
            if (!c_.draws[d].mentioned) continue;
            for (std::size_t k = 0; k < c_.layout.inputs; ++k) {
                if (!bound_[d][k]) return needs(k, query_.origin);
                c_.draws[d].inputs.push_back(*bound_[d][k]);
            }
        }
        return Done{};
    }

    Status check_exactness() {
        const auto exact = [](const Number& n) { return n.is_exact(); };
        const auto& s = *c_.space;
        c_.exact =
            std::all_of(s.prior.distinct().begin(), s.prior.distinct().end(), exact) && std::all_of(s.table.begin(), s.table.end(), exact);
        for (const auto& soft : query_.given.soft) c_.exact = c_.exact && std::all_of(soft.weights.begin(), soft.weights.end(), exact);
        return Done{};
    }

    const Query& query_;
    const Run& run_;
    HypothesesCase c_;
    bool listed_ = false;          // the query has a list of this (not the next) outcome
    std::vector<Event> evidence_;  // without the bindings
    std::vector<std::optional<Label>> bound_[2];
};

}  // namespace

Variables variables_of(const HypothesisSpace& space) {
    Variables out;
    for (const auto& parameter : space.parameters) out.push_back({.variable = parameter, .space = space.parametric ? space.name : ""});
    for (const bool next : {false, true}) {
        const std::string prefix = next ? "next " : "";
        Variable outcome = space.outcome;
        outcome.name = prefix + outcome.name;
        out.push_back({.variable = std::move(outcome), .next = next});
        for (const auto& input : space.inputs)
            out.push_back({.variable = {.name = prefix + input, .domain = nullptr}, .next = next, .is_input = true});
    }
    return out;
}

Result<HypothesesCase> digest(const HypothesisSpace& space, const Variables& variables, const Query& query, const Run& run) {
    return Digester(space, variables, query, run).digest();
}

std::optional<Slot> free_number(const HypothesesCase& c) {
    for (const auto s : c.shape.targets)
        if (c.layout.is_outcome(s) && !c.space->outcome.is_discrete()) return s;
    return std::nullopt;
}

}  // namespace credence::rt
