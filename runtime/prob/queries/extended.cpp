#include "runtime/prob/queries/extended.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

ExtendedModel::ExtendedModel(ModelPtr base, std::vector<NamedQuantity> quantities)
    : base_(std::move(base)), quantities_(std::move(quantities)), variables_(base_->variables()) {
    for (const auto& one : quantities_) variables_.push_back({.variable = {.name = one.name, .domain = nullptr}, .is_event = one.is_event});
}

bool ExtendedModel::is_own(const Event& event) const {
    const auto about = rt::variables_of(event);
    return std::all_of(about.begin(), about.end(), [&](VarId id) { return is_own(id); });
}

ExtendedModel::Split ExtendedModel::split(const Query& query) const {
    Split out{query, {}, {}};
    const auto divide = [&](Clause& clause, std::vector<Event>& others) {
        std::erase_if(clause.free, [&](VarId id) { return !is_own(id); });
        const auto all = conjuncts(clause.events);
        clause.events.clear();
        for (const auto& event : all) (is_own(event) ? clause.events : others).push_back(event);
    };
    divide(out.own.targets, out.targets);
    divide(out.own.given, out.given);
    return out;
}

std::vector<VarId> ExtendedModel::places_in(const Variables& others) const {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < others.size(); ++i) by_name.try_emplace(others[i].variable.name, i);
    std::vector<VarId> out;
    for (const auto& v : variables_) out.push_back(static_cast<VarId>(by_name.at(v.variable.name)));
    return out;
}

Fault with_case(Fault fault, const Quantity& quantity, const Variables& variables, const std::function<Label(VarId)>& value_of) {
    Evaluation evaluation(quantity);
    std::vector<VarId> kept = rt::variables_of(quantity);
    // Unrestricted values are not shown.
    for (std::size_t k = kept.size(); k-- > 0;) {
        const auto& domain = variables[index(kept[k])].variable.domain;
        if (!domain) continue;  // a number
        const auto& labels = domain->labels();
        if (std::none_of(labels.begin(), labels.end(), [&](const Label& other) {
                return static_cast<bool>(evaluation.at([&](VarId id) { return id == kept[k] ? other : value_of(id); }));
            }))
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
    }
    std::string where;
    for (const auto id : kept)
        where += (where.empty() ? "" : ", ") + fmt::format("{} = {}", variables[index(id)].variable.name, value_of(id).text());
    if (!where.empty()) fault.message += " where " + where;
    return fault;
}

Query renumbered(Query query, std::span<const VarId> places) {
    const auto move = [&](VarId& id) { id = places[index(id)]; };
    const std::function<void(Event&)> move_event = [&](Event& event) {
        if (event.kind == Event::Kind::atom) move(event.atom.variable);
        for (auto& part : event.parts) move_event(part);
    };
    for (auto* clause : {&query.targets, &query.given}) {
        for (auto& id : clause->free) move(id);
        for (auto& event : clause->events) move_event(event);
        for (auto& list : clause->observations) move(list.variable);
        for (auto& soft : clause->soft) move(soft.variable);
    }
    for (auto& doing : query.doing) move(doing.variable);
    return query;
}

Result<TablePtr> ExtendedModel::sample(std::size_t n, const Clause& given, Run& run) const {
    Query query;
    query.given = given;
    const Split parts = split(query);
    if (parts.given.empty()) return base_->sample(n, given, run);
    return kept_rows(n, parts, run);
}

/// Rows drawn given the evidence on the base's own variables; those are kept in which the events about quantities hold.
Result<TablePtr> ExtendedModel::kept_rows(std::size_t n, const Split& parts, Run& run) const {
    constexpr std::size_t batch = 10'000;
    constexpr std::size_t most_batches = 200;
    std::vector<ColumnBuilder> columns;
    std::size_t found = 0;
    for (std::size_t b = 0; found < n; ++b) {
        if (b == most_batches)
            return Fault{.code = "E-COST",
                         .message = fmt::format("the evidence is met in {} of {} draws, and {} are wanted", found, b * batch, n),
                         .hint = "draw from a distribution that is computed first: sample 10 from P(X | …)"};
        Run own = run;
        own.rng = run.rng.child(b);
        auto drawn = base_->sample(batch, parts.own.given, own);
        if (!drawn) return drawn;
        const Table& table = **drawn;
        if (columns.empty())
            for (const auto& column : table.columns) columns.emplace_back(column->name);
        std::vector<Label> values(variables_.size());
        std::vector<std::optional<std::size_t>> column_of;
        for (std::size_t i = 0; i < base_->variables().size(); ++i) column_of.push_back(table.find(variables_[i].variable.name));
        for (std::size_t row = 0; row < batch && found < n; ++row) {
            for (std::size_t i = 0; i < column_of.size(); ++i)
                if (column_of[i]) values[i] = table.columns[*column_of[i]]->label(row);
            for (std::size_t k = 0; k < quantities_.size(); ++k) {
                auto worth = TRY(evaluate(*quantities_[k].quantity, [&](VarId id) { return values[index(id)]; }));
                values[column_of.size() + k] = std::move(worth);
            }
            if (!std::all_of(parts.given.begin(), parts.given.end(), [&](const Event& event) {
                    return holds_with(event, [&](VarId id) -> const Label& { return values[index(id)]; });
                }))
                continue;
            for (std::size_t c = 0; c < columns.size(); ++c) columns[c].add(table.columns[c]->label(row));
            ++found;
        }
    }
    Table out;
    out.row_count = found;
    for (auto& column : columns) {
        auto built = TRY(std::move(column).finish());
        out.columns.push_back(std::move(built));
    }
    return std::make_shared<const Table>(std::move(out));
}

namespace {

void add_once(std::vector<VarId>& to, VarId id) {
    if (!contains(to, id)) to.push_back(id);
}

class JointExtension final : public ExtendedModel {
public:
    using ExtendedModel::ExtendedModel;

    Result<Answer> ask(const Query& query, Run& run) const override {
        const Split parts = split(query);
        if (!query.targets.observations.empty() || !query.targets.data.empty())
            return Fault{.code = "E-QUERY",
                         .message = "lists and tables of data cannot be asked for together with a computed quantity",
                         .origin = query.origin};
        // The joint of all that the answer and the events about quantities need.
        Query joint = parts.own;
        joint.goal = Goal::probability;
        std::vector<VarId> over = parts.own.targets.free;
        for (const auto id : parts.own.given.free) add_once(over, id);
        for (const auto& event : parts.own.targets.events)
            for (const auto id : rt::variables_of(event)) add_once(over, id);
        for (const auto* events : {&parts.targets, &parts.given})
            for (const auto& event : *events)
                for (const auto id : rt::variables_of(event))
                    if (is_own(id)) add_once(over, id);
        for (const auto& one : quantities_)
            for (const auto id : rt::variables_of(*one.quantity)) add_once(over, id);
        joint.targets = {};
        joint.targets.free = over;
        joint.given.free.clear();
        auto answer = base_->ask(joint, run);
        if (!answer) return answer;
        const auto* table = std::get_if<Factor>(&answer->value);
        if (!table)
            return Fault{
                .code = "E-QUERY",
                .message = "this model cannot answer queries about several of its variables at once, nor about values computed from them",
                .origin = query.origin};
        answer->value = TRY(summed(*table, over, query, parts));
        return answer;
    }

private:
    using Configuration = std::vector<std::size_t>;
    using AnswerValue = decltype(Answer::value);

    /// Numerator and denominator by configuration of the answer's variables.
    struct Sums {
        std::map<Configuration, Number> all;    // of targets and given
        std::map<Configuration, Number> given;  // of given
    };

    Result<AnswerValue> summed(const Factor& joint, const std::vector<VarId>& over, const Query& query, const Split& parts) const {
        std::vector<VarId> answer_ids = query.targets.free;
        for (const auto id : query.given.free) add_once(answer_ids, id);
        std::vector<Label> labels;
        std::vector<Label> computed(quantities_.size());
        const auto value = [&](VarId id) -> const Label& {
            if (!is_own(id)) return computed[index(id) - base_->variables().size()];
            return labels[static_cast<std::size_t>(std::find(over.begin(), over.end(), id) - over.begin())];
        };
        std::vector<std::vector<Label>> seen(answer_ids.size());  // values by axis, numbered as they come
        Sums sums;
        for (std::size_t i = 0; i < joint.size(); ++i) {
            const Number p = joint.at(i);
            if (p.is_zero()) continue;
            labels = joint.labels(i);
            for (std::size_t k = 0; k < quantities_.size(); ++k) {
                auto worth = evaluate(*quantities_[k].quantity, value);
                if (!worth) return with_case(std::move(worth).fault(), *quantities_[k].quantity, variables_, value);
                computed[k] = *std::move(worth);
            }
            Configuration at;
            for (std::size_t a = 0; a < answer_ids.size(); ++a) {
                const Label& own = value(answer_ids[a]);
                auto found = std::find_if(seen[a].begin(), seen[a].end(), [&](const Label& label) { return same_value(label, own); });
                if (found == seen[a].end()) found = seen[a].insert(seen[a].end(), own);
                at.push_back(static_cast<std::size_t>(found - seen[a].begin()));
            }
            const auto hold = [&](const std::vector<Event>& events) {
                return std::all_of(events.begin(), events.end(), [&](const Event& e) { return holds_with(e, value); });
            };
            if (!hold(parts.given)) continue;
            Configuration condition;
            for (const auto id : query.given.free)
                condition.push_back(at[static_cast<std::size_t>(std::find(answer_ids.begin(), answer_ids.end(), id) - answer_ids.begin())]);
            sums.given[condition] += p;
            if (hold(parts.targets) && hold(parts.own.targets.events)) sums.all[at] += p;
        }
        if (sums.given.empty()) return impossible(query);
        if (answer_ids.empty())
            return AnswerValue(divided(sums.all.empty() ? Number(0) : sums.all.begin()->second, sums.given.begin()->second));
        return table_of(answer_ids, seen, sums, joint, query);
    }

    static Number divided(const Number& a, const Number& b) { return b == Number(1) ? a : a / b; }

    Result<AnswerValue> table_of(const std::vector<VarId>& ids, const std::vector<std::vector<Label>>& seen, const Sums& sums,
                                 const Factor& joint, const Query& query) const {
        std::vector<Variable> axes;
        std::vector<std::vector<std::size_t>> place(ids.size());  // in the domain, by the number given above
        std::size_t size = 1;
        for (std::size_t a = 0; a < ids.size(); ++a) {
            const auto position = joint.find(variables_[index(ids[a])].variable.name);
            Variable axis = is_own(ids[a]) && position ? joint.variables()[*position]
                                                       : Variable{variables_[index(ids[a])].variable.name, domain_of_values(seen[a])};
            for (const auto& label : seen[a]) place[a].push_back(*value_place(axis, label));
            size *= axis.size();
            axes.push_back(std::move(axis));
        }
        const auto entry = [&](const Configuration& at) {
            std::size_t out = 0;
            for (std::size_t a = 0; a < ids.size(); ++a) out = out * axes[a].size() + place[a][at[a]];
            return out;
        };
        std::vector<Number> values(size, Number(0));
        for (const auto& [at, weight] : sums.all) {
            Configuration condition;
            for (const auto id : query.given.free)
                condition.push_back(at[static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin())]);
            values[entry(at)] = divided(weight, sums.given.at(condition));
        }
        return AnswerValue(Factor::of_numbers(std::move(axes), values));
    }

    Fault impossible(const Query& query) const {
        std::string list;
        Clause given = query.given;
        std::erase_if(given.events, [&](const Event& event) { return is_own(event); });
        for (const auto& item : items_of(given, variables_)) list += (list.empty() ? "" : ", ") + item.text;
        return {.code = "E-ZERO",
                .message = "the evidence has probability zero",
                .origin = query.origin,
                .label = fmt::format("{} is impossible here", list)};
    }
};

}  // namespace

ModelPtr make_joint_extension(ModelPtr base, std::vector<NamedQuantity> quantities) {
    return std::make_shared<const JointExtension>(std::move(base), std::move(quantities));
}

Result<ModelPtr> Model::with_quantities(const ModelPtr& self, const std::vector<NamedQuantity>& quantities, Run&) const {
    return make_joint_extension(self, quantities);
}

}  // namespace credence::rt
