#include "runtime/prob/queries/accumulate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/prob/queries/series.hpp"

namespace credence::rt {

namespace {

constexpr double most_conditions = 4096;   // configurations of what the members of lists depend on together
constexpr double most_steps = 50'000'000;  // of the passes over the values of a list

/// The product of the tables over `scope`, with `sum` (if any) summed out.
template <Prob P>
Result<SeriesTable<P>> multiply(std::span<const SeriesTable<P>> tables, std::vector<Slot> scope, std::optional<Slot> sum,
                                const Sizes& sizes, Accumulators& states, Work& work) {
    std::vector<Slot> loop = scope;
    if (sum) loop.push_back(*sum);
    std::vector<std::vector<std::size_t>> strides;
    for (const auto& table : tables) strides.push_back(strides_in(table.scope, loop, sizes));
    SeriesTable<P> out{std::move(scope), {}};
    for (const auto& table : tables)
        if (table.list) out.list = table.list;
    const auto n = static_cast<std::size_t>(table_size(out.scope, sizes));
    const std::size_t inner = sum ? sizes[*sum] : 1;
    out.entries.reserve(n);
    std::vector<std::size_t> at(loop.size(), 0);
    std::vector<const Series<P>*> factors(tables.size());
    SeriesSum<P> total(states, work);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t s = 0; s < inner; ++s) {
            bool zero = false;
            for (std::size_t t = 0; t < tables.size() && !zero; ++t) {
                std::size_t place = 0;
                for (std::size_t k = 0; k < loop.size(); ++k) place += strides[t][k] * at[k];
                factors[t] = &tables[t].entries[place];
                zero = factors[t]->terms.empty();
            }
            if (!zero) total.add_product(factors);
            for (std::size_t k = at.size(); k-- > 0;) {
                if (++at[k] < sizes[loop[k]]) break;
                at[k] = 0;
            }
        }
        if (auto fault = work.interrupted()) return *std::move(fault);
        out.entries.push_back(total.take());
    }
    return out;
}

template <Prob P>
bool mentions(const SeriesTable<P>& table, Slot slot) {
    return std::find(table.scope.begin(), table.scope.end(), slot) != table.scope.end();
}

/// What the folds are of goes first where that costs no more: the entries stay short while other variables are gone through.
Plan plan_of(std::span<const std::vector<Slot>> scopes, const std::vector<Slot>& eliminated, const Accumulators& states,
             const Sizes& sizes) {
    std::vector<std::vector<Slot>> stages(2);
    for (const auto slot : eliminated) {
        const bool folded = std::any_of(states.contributions().begin(), states.contributions().end(), [&](const auto& contribution) {
            return std::find(contribution.scope.begin(), contribution.scope.end(), slot) != contribution.scope.end();
        });
        stages[folded ? 0 : 1].push_back(slot);
    }
    Plan staged = plan_elimination(scopes, stages, sizes);
    const std::vector<std::vector<Slot>> all{eliminated};
    Plan plain = plan_elimination(scopes, all, sizes);
    return staged.operations <= plain.operations && staged.largest_size <= plain.largest_size ? staged : plain;
}

/// Sums out all variables but `keep`.
template <Prob P>
Result<std::vector<SeriesTable<P>>> sum_out(std::vector<SeriesTable<P>> tables, const Problem<P>& problem, std::span<const Slot> keep,
                                            Accumulators& states, Work& work) {
    const Sizes& sizes = *problem.sizes;
    std::vector<std::vector<Slot>> scopes;
    std::vector<Slot> eliminated;
    for (const auto& table : tables) {
        scopes.push_back(table.scope);
        for (const auto slot : table.scope)
            if (std::find(keep.begin(), keep.end(), slot) == keep.end() &&
                std::find(eliminated.begin(), eliminated.end(), slot) == eliminated.end())
                eliminated.push_back(slot);
    }
    const Plan plan = plan_of(scopes, eliminated, states, sizes);
    if (auto fault = too_large(plan, keep, sizes, *problem.names, sizeof(P), work.run())) return *std::move(fault);
    for (const auto slot : plan.order) {
        std::vector<SeriesTable<P>> used;
        std::vector<SeriesTable<P>> rest;
        for (auto& table : tables) (mentions(table, slot) ? used : rest).push_back(std::move(table));
        std::vector<Slot> scope;
        for (const auto& table : used)
            for (const auto other : table.scope)
                if (other != slot && std::find(scope.begin(), scope.end(), other) == scope.end()) scope.push_back(other);
        auto made = TRY(multiply<P>(used, std::move(scope), slot, sizes, states, work));
        ++work.eliminated;
        work.largest_table = std::max(work.largest_table, made.entries.size() * sizes[slot]);
        rest.push_back(std::move(made));
        tables = std::move(rest);
    }
    return tables;
}

/// Variables given which the members of lists are independent of one another and of all that is folded: `keep`, and then those that
/// most depends on. Nothing if it takes too many.
template <Prob P>
std::optional<std::vector<Slot>> separators(std::span<const SeriesTable<P>> tables, std::span<const char> folded,
                                            std::span<const Slot> keep, const Sizes& sizes) {
    std::vector<Slot> out(keep.begin(), keep.end());
    while (table_size(out, sizes) <= most_conditions) {
        std::vector<std::size_t> group(sizes.size());
        std::iota(group.begin(), group.end(), 0);
        const auto find = [&](std::size_t i) {
            while (group[i] != i) i = group[i] = group[group[i]];
            return i;
        };
        const auto first_open = [&](const SeriesTable<P>& table) {
            return std::find_if(table.scope.begin(), table.scope.end(),
                                [&](Slot slot) { return std::find(out.begin(), out.end(), slot) == out.end(); });
        };
        for (const auto& table : tables) {
            const auto first = first_open(table);
            for (auto other = first; other != table.scope.end(); ++other)
                if (std::find(out.begin(), out.end(), *other) == out.end()) group[find(*other)] = find(*first);
        }
        std::vector<std::size_t> members(sizes.size(), 0);
        std::vector<std::size_t> folds(sizes.size(), 0);
        std::vector<std::size_t> uses(sizes.size(), 0);
        for (std::size_t t = 0; t < tables.size(); ++t) {
            const auto first = first_open(tables[t]);
            if (first == tables[t].scope.end()) continue;
            members[find(*first)] += tables[t].list ? 1 : 0;
            folds[find(*first)] += folded[t] ? 1 : 0;
            for (const auto slot : tables[t].scope) ++uses[slot];
        }
        std::optional<Slot> next;
        for (Slot slot = 0; slot < sizes.size(); ++slot) {
            const std::size_t g = find(slot);
            const bool together = members[g] > 1 || (members[g] == 1 && folds[g] > 0);
            if (together && std::find(out.begin(), out.end(), slot) == out.end() && (!next || uses[slot] > uses[*next])) next = slot;
        }
        if (!next) return out;
        out.push_back(*next);
    }
    return std::nullopt;
}

/// The joint of the variables in `keep` and the states, from tables over those and a few others given which the members of the lists
/// are independent (`given`, which begins with `keep`). Nothing if it would take too long.
template <Prob P>
class ListSums {
public:
    ListSums(std::span<const SeriesTable<P>> tables, Accumulators& states, const Sizes& sizes, Work& work)
        : tables_(tables), states_(states), sizes_(sizes), work_(work) {}

    /// False where some list cannot be gone through value by value.
    bool prepare() {
        for (std::size_t t = 0; t < tables_.size(); ++t) {
            if (!tables_[t].list) continue;
            auto [found, fresh] = lists_.try_emplace(*tables_[t].list);
            found->second.tables.push_back(t);
            if (!fresh) continue;
            auto levels = states_.levels(*tables_[t].list);
            if (!levels) return false;
            for (std::size_t v = 0; v < levels->values().size(); ++v) found->second.place.emplace(levels->values()[v].text(), v);
            found->second.levels = std::move(levels);
        }
        return true;
    }

    Attempt<std::vector<Series<P>>> joint(std::span<const Slot> keep, std::span<const Slot> given) {
        const auto kept = static_cast<std::size_t>(table_size(keep, sizes_));
        conditions_ = static_cast<std::size_t>(table_size(given, sizes_));
        std::vector<std::vector<std::size_t>> strides;
        for (const auto& table : tables_) strides.push_back(strides_in(table.scope, given, sizes_));
        std::vector<std::size_t> at(given.size(), 0);
        std::vector<Series<P>> out;
        SeriesSum<P> total(states_, work_);
        for (std::size_t i = 0; i < conditions_; ++i) {
            std::vector<const Series<P>*> here;
            for (std::size_t t = 0; t < tables_.size(); ++t) {
                std::size_t place = 0;
                for (std::size_t k = 0; k < given.size(); ++k) place += strides[t][k] * at[k];
                here.push_back(&tables_[t].entries[place]);
            }
            const bool possible = std::none_of(here.begin(), here.end(), [](const Series<P>* series) { return series->terms.empty(); });
            if (possible && !TRY(add(here, total))) return not_applicable;
            if (auto fault = work_.interrupted()) return *std::move(fault);
            if ((i + 1) % (conditions_ / kept) == 0) out.push_back(total.take());
            for (std::size_t k = at.size(); k-- > 0;) {
                if (++at[k] < sizes_[given[k]]) break;
                at[k] = 0;
            }
        }
        return out;
    }

private:
    struct ListOf {
        std::vector<std::size_t> tables;  // of its members
        std::optional<Levels> levels;
        std::unordered_map<std::string, std::size_t> place;  // of a value among the levels
    };

    /// One configuration. False where it takes too long.
    Result<bool> add(std::span<const Series<P>* const> here, SeriesSum<P>& total) {
        std::vector<Series<P>> made;
        made.reserve(lists_.size());
        for (auto& [carrier, list] : lists_) {
            const auto members = members_of(carrier, list, here);
            std::vector<std::size_t> counts;
            for (const auto& kind : members) counts.push_back(kind.count);
            if (static_cast<double>(conditions_) * list.levels->cost(counts) > most_steps) return false;
            const auto outcomes = TRY(list.levels->template outcomes<P>(members, work_));
            Series<P> series;
            for (const auto& [labels, weight] : outcomes) series.terms.emplace_back(states_.state_of_list(carrier, labels), weight);
            made.push_back(std::move(series));
        }
        std::vector<const Series<P>*> factors;
        for (std::size_t t = 0; t < tables_.size(); ++t)
            if (!tables_[t].list) factors.push_back(here[t]);
        for (const auto& series : made) factors.push_back(&series);
        total.add_product(factors);
        return true;
    }

    /// Those with the same weights together.
    std::vector<LevelMembers<P>> members_of(std::size_t carrier, const ListOf& list, std::span<const Series<P>* const> here) const {
        std::vector<LevelMembers<P>> out;
        for (const auto t : list.tables) {
            std::vector<P> weights(list.place.size());
            for (const auto& [state, weight] : here[t]->terms) weights[list.place.at(states_.member_value(state, carrier).text())] = weight;
            const auto found = std::find_if(out.begin(), out.end(), [&](const auto& kind) { return kind.weights == weights; });
            if (found == out.end())
                out.push_back({std::move(weights), 1});
            else
                ++found->count;
        }
        return out;
    }

    std::span<const SeriesTable<P>> tables_;
    Accumulators& states_;
    const Sizes& sizes_;
    Work& work_;
    std::size_t conditions_ = 1;
    std::map<std::size_t, ListOf> lists_;  // by carrier
};

/// The sum over the thresholds.
template <Prob P>
Result<std::vector<Series<P>>> by_thresholds(const Problem<P>& problem, Accumulators& states, std::span<const Slot> keep,
                                             std::span<const Label> thresholds, Work& work) {
    std::vector<SeriesSum<P>> totals;
    for (const auto& threshold : thresholds) {
        Accumulators branch = states.at_threshold(threshold);
        const auto joint = TRY(accumulate<P>(problem, branch, keep, work));
        while (totals.size() < joint.size()) totals.emplace_back(states, work);
        for (std::size_t i = 0; i < joint.size(); ++i) {
            Series<P> series;
            for (const auto& [state, weight] : joint[i].terms) series.terms.emplace_back(states.adopted(branch, state), weight);
            const Series<P>* one = &series;
            totals[i].add_product(std::span(&one, 1));
        }
    }
    std::vector<Series<P>> out;
    for (auto& total : totals) out.push_back(total.take());
    return out;
}

}  // namespace

template <Prob P>
Result<std::vector<Series<P>>> accumulate(const Problem<P>& problem, Accumulators& states, std::span<const Slot> keep, Work& work) {
    const Sizes& sizes = *problem.sizes;
    std::vector<SeriesTable<P>> tables;
    std::vector<char> folded;  // by table: whether it folds something
    for (const auto& potential : problem.potentials) {
        SeriesTable<P> table{potential.variables, {}};
        for (const auto& value : potential.values) {
            Series<P> one_term;
            if (!value.is_zero()) one_term.terms.emplace_back(Accumulators::start, value);
            table.entries.push_back(std::move(one_term));
        }
        tables.push_back(std::move(table));
        folded.push_back(0);
    }
    for (const auto& contribution : states.contributions()) {
        SeriesTable<P> table{contribution.scope, {}};
        if (states.is_list(contribution.carrier)) table.list = contribution.carrier;
        for (const auto state : contribution.states) table.entries.push_back({{{state, one<P>()}}});
        folded.push_back(table.list ? 0 : 1);
        tables.push_back(std::move(table));
    }
    if (states.has_lists()) {
        if (const auto given = separators<P>(tables, folded, keep, sizes)) {
            auto rest = TRY(sum_out<P>(std::move(tables), problem, *given, states, work));
            ListSums<P> sums(rest, states, sizes, work);
            if (sums.prepare())
                if (auto joint = TRY(sums.joint(keep, *given).or_nothing())) return *std::move(joint);
        }
        if (const auto thresholds = states.thresholds(); !thresholds.empty())
            return by_thresholds<P>(problem, states, keep, thresholds, work);
        TRY(states.leave_lists(work.run()));
        return accumulate<P>(problem, states, keep, work);
    }
    tables = TRY(sum_out<P>(std::move(tables), problem, keep, states, work));
    auto joint = TRY(multiply<P>(tables, {keep.begin(), keep.end()}, std::nullopt, sizes, states, work));
    return std::move(joint.entries);
}

template Result<std::vector<Series<Rational>>> accumulate(const Problem<Rational>&, Accumulators&, std::span<const Slot>, Work&);
template Result<std::vector<Series<LogProb>>> accumulate(const Problem<LogProb>&, Accumulators&, std::span<const Slot>, Work&);

}  // namespace credence::rt
