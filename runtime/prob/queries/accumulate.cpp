#include "runtime/prob/queries/accumulate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

constexpr double most_local = 4096;       // of a fold, which is better built up part by part
constexpr double most_at_once = 200'000;  // configurations of a quantity that is worked out by going through them
constexpr double most_states = 20'000'000;

std::vector<Slot> slots_of(const Quantity& quantity) {
    std::vector<Slot> out;
    for (const auto v : variables_of(quantity)) out.push_back(static_cast<Slot>(index(v)));
    return out;
}

double cases_of(std::span<const Slot> scope, const Variables& variables) {
    double out = 1;
    for (const auto slot : scope) out *= static_cast<double>(variables[slot].variable.size());
    return out;
}

/// n over k, as far as a double goes.
double choices(double n, double k) { return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)); }

}  // namespace

bool Accumulators::is_local(const Quantity& quantity) {
    if (quantity.kind == Quantity::Kind::order) return false;
    return cases_of(slots_of(quantity), *variables_) <= (quantity.kind == Quantity::Kind::fold ? most_local : most_at_once);
}

/// Finds what has to be carried so that the quantity can be told at the end.
void Accumulators::carry(const QuantityPtr& quantity) {
    if (quantity->kind == Quantity::Kind::constant || carrier_of_.contains(quantity.get())) return;
    const auto local = [&](const QuantityPtr& part) { return is_local(*part); };
    if (is_local(*quantity)) {
        carrier_of_[quantity.get()] = carriers_.size();
        carriers_.push_back({.kind = Carrier::Kind::single, .parts = {quantity}});
        return;
    }
    if (quantity->kind == Quantity::Kind::order) return carry_sorted(quantity);
    if (quantity->kind == Quantity::Kind::fold) {
        std::vector<QuantityPtr> near;
        std::vector<QuantityPtr> far;
        for (const auto& part : quantity->parts) (local(part) ? near : far).push_back(part);
        if (far.empty()) {
            carrier_of_[quantity.get()] = carriers_.size();
            carriers_.push_back({.kind = Carrier::Kind::fold, .fold = quantity->fold, .parts = std::move(near)});
            return;
        }
        if (near.size() > 1) {
            // Not through fold_quantity, which would flatten it again.
            auto inner =
                std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::fold, .parts = std::move(near), .fold = quantity->fold});
            far.push_back(inner);
            auto outer = std::make_shared<const Quantity>(Quantity{.kind = Quantity::Kind::fold, .parts = far, .fold = quantity->fold});
            rewritten_[quantity.get()] = outer;
            for (const auto& part : far) carry(part);
            return;
        }
    }
    for (const auto& part : quantity->parts) carry(part);
}

/// All ranks of one list share a carrier, which keeps the lowest or the highest values as far as a rank needs them.
void Accumulators::carry_sorted(const QuantityPtr& quantity) {
    const std::size_t n = quantity->parts.size();
    const std::size_t low = quantity->rank + 1;
    const std::size_t high = n - quantity->rank;
    for (auto& carrier : carriers_) {
        if (carrier.kind != Carrier::Kind::lowest && carrier.kind != Carrier::Kind::highest) continue;
        if (carrier.parts != quantity->parts) continue;
        // `kept` is how many of the lowest are needed, `of` how many of the highest, until contribute() decides.
        carrier.kept = std::max(carrier.kept, low);
        carrier.of = std::max(carrier.of, high);
        carrier_of_[quantity.get()] = static_cast<std::size_t>(&carrier - carriers_.data());
        return;
    }
    carrier_of_[quantity.get()] = carriers_.size();
    carriers_.push_back({.kind = Carrier::Kind::lowest, .kept = low, .of = high, .parts = quantity->parts});
}

/// How many values a fold can have, at most.
double Accumulators::expected_states(const Carrier& carrier) const {
    double all = 1;     // one for each configuration of its parts' values
    double widest = 1;  // distinct values of one part
    double span = 1;    // of a sum of whole numbers: from the least to the greatest
    bool whole = carrier.kind == Carrier::Kind::fold && carrier.fold == Fold::sum;
    bool alike = true;  // all parts have the same values, so that only how often each occurs matters
    DomainPtr common;
    for (const auto& part : carrier.parts) {
        std::vector<Label> values;
        const auto scope = slots_of(*part);
        const auto n = static_cast<std::size_t>(cases_of(scope, *variables_));
        double least = 0;
        double greatest = 0;
        bool first = true;
        for (std::size_t i = 0; i < n; ++i) {
            const auto value = evaluate(*part, [&](VarId v) {
                std::size_t rest = i;
                for (std::size_t k = scope.size(); k-- > 0;) {
                    const Domain& domain = *(*variables_)[scope[k]].variable.domain;
                    if (scope[k] == index(v)) return domain[rest % domain.size()];
                    rest /= domain.size();
                }
                return Label();
            });
            if (!value) continue;
            values.push_back(*value);
            const auto number = value->number();
            const bool integer = number && number->is_exact() && number->exact().is_integer();
            whole = whole && (integer || value->text() == "true" || value->text() == "false");
            const double x = integer ? number->real() : value->text() == "true" ? 1 : 0;
            least = first ? x : std::min(least, x);
            greatest = first ? x : std::max(greatest, x);
            first = false;
        }
        const auto domain = domain_of_values(std::move(values));
        alike = alike && (!common || *common == *domain);
        common = domain;
        const auto distinct = static_cast<double>(domain->size());
        all *= std::max(1.0, distinct);
        widest = std::max(widest, distinct);
        span += greatest - least;
    }
    switch (carrier.kind) {
        case Carrier::Kind::single:
            return all;
        case Carrier::Kind::fold:
            if (whole) return std::min(all, span);
            if (carrier.fold != Fold::sum && carrier.fold != Fold::product) return static_cast<double>(carrier.parts.size()) * widest;
            return alike ? std::min(all, choices(static_cast<double>(carrier.parts.size()) + widest, widest)) : all;
        case Carrier::Kind::lowest:
        case Carrier::Kind::highest:  // a state is a whole list here
            return std::min(all, choices(static_cast<double>(carrier.kept) + widest - 1, widest - 1)) * 50;
    }
    return all;
}

std::uint32_t Accumulators::number(Carrier& carrier, std::vector<Label> value) {
    std::string key;
    for (const auto& label : value) key += label.text() + '\x1f';
    const auto [found, fresh] = carrier.number_of.try_emplace(std::move(key), static_cast<std::uint32_t>(carrier.values.size()));
    if (fresh) carrier.values.push_back(std::move(value));
    return found->second;
}

std::uint32_t Accumulators::broken_by(Fault fault) {
    if (!fault_) fault_ = std::move(fault);
    return broken;
}

std::uint32_t Accumulators::combine_in(Carrier& carrier, std::uint32_t a, std::uint32_t b) {
    if (a == 0) return b;
    if (b == 0) return a;
    std::uint32_t out = broken;
    if (carrier.kind == Carrier::Kind::fold) {
        auto value = fold_step(carrier.fold, carrier.values[a][0], carrier.values[b][0]);
        out = value ? number(carrier, {*std::move(value)}) : broken_by(std::move(value).fault());
    } else {
        std::vector<Label> merged;
        std::merge(carrier.values[a].begin(), carrier.values[a].end(), carrier.values[b].begin(), carrier.values[b].end(),
                   std::back_inserter(merged));
        if (merged.size() > carrier.kept) {
            const auto extra = static_cast<std::ptrdiff_t>(merged.size() - carrier.kept);
            if (carrier.kind == Carrier::Kind::lowest)
                merged.erase(merged.end() - extra, merged.end());
            else
                merged.erase(merged.begin(), merged.begin() + extra);
        }
        out = number(carrier, std::move(merged));
    }
    return out;
}

StateId Accumulators::state_of(std::size_t carrier, std::uint32_t value) {
    if (!several_ || value == broken) return value;
    Tuple tuple(carriers_.size(), 0);
    tuple[carrier] = value;
    const auto [found, fresh] = state_of_tuple_.try_emplace(tuple, static_cast<StateId>(tuples_.size()));
    if (fresh) tuples_.push_back(std::move(tuple));
    return found->second;
}

std::uint32_t Accumulators::value_in(StateId state, std::size_t carrier) const { return several_ ? tuples_[state][carrier] : state; }

StateId Accumulators::combine_first(StateId a, StateId b) {
    if (a == broken || b == broken) return broken;
    const StateId out = combine_states(a, b);
    if (rows_.size() <= a) rows_.resize(a + 1);
    if (rows_[a].size() <= b) rows_[a].resize(b + 1, unknown);
    return rows_[a][b] = out;
}

StateId Accumulators::combine_states(StateId a, StateId b) {
    if (!several_) return combine_in(carriers_[0], a, b);
    if (a == start) return b;
    if (b == start) return a;
    Tuple tuple(carriers_.size());
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        tuple[c] = combine_in(carriers_[c], tuples_[a][c], tuples_[b][c]);
        if (tuple[c] == broken) return broken;
    }
    const auto [found, fresh] = state_of_tuple_.try_emplace(tuple, static_cast<StateId>(tuples_.size()));
    if (fresh) tuples_.push_back(std::move(tuple));
    return found->second;
}

Status Accumulators::contribute(const Run& run) {
    several_ = carriers_.size() != 1;
    tuples_.emplace_back(carriers_.size(), 0);
    state_of_tuple_[tuples_[0]] = start;
    for (std::size_t c = 0; c < carriers_.size(); ++c) {
        Carrier& carrier = carriers_[c];
        if (carrier.kind == Carrier::Kind::lowest) {
            const std::size_t low = carrier.kept;
            const std::size_t high = carrier.of;
            if (high < low) carrier.kind = Carrier::Kind::highest;
            carrier.kept = std::min(low, high);
            carrier.of = carrier.parts.size();
        }
        for (const auto& part : carrier.parts) {
            if (run.stopped()) return stopped_fault();
            Contribution out{slots_of(*part), {}};
            const auto n = static_cast<std::size_t>(cases_of(out.scope, *variables_));
            out.states.reserve(n);
            std::vector<std::size_t> at(out.scope.size(), 0);
            for (std::size_t i = 0; i < n; ++i) {
                auto value = evaluate(*part, [&](VarId v) {
                    const auto k = std::find(out.scope.begin(), out.scope.end(), index(v)) - out.scope.begin();
                    return (*(*variables_)[index(v)].variable.domain)[at[static_cast<std::size_t>(k)]];
                });
                const auto start_value = carrier.kind == Carrier::Kind::fold ? fold_start(carrier.fold) : std::nullopt;
                if (value && start_value) value = fold_step(carrier.fold, *start_value, *value);
                out.states.push_back(state_of(c, value ? number(carrier, {*std::move(value)}) : broken_by(std::move(value).fault())));
                next_configuration(at, [&](std::size_t k) { return (*variables_)[out.scope[k]].variable.size(); });
            }
            contributions_.push_back(std::move(out));
        }
    }
    return Done{};
}

Result<Accumulators> Accumulators::make(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run) {
    Accumulators out;
    out.variables_ = &variables;
    for (const auto& one : quantities) {
        out.quantities_.push_back(one.quantity);
        out.carry(one.quantity);
    }
    for (const auto& carrier : out.carriers_)
        for (const auto& part : carrier.parts)
            if (!out.is_local(*part))
                return Fault{.code = "E-COST",
                             .message = fmt::format("one value of the list to be sorted depends on {} variables", slots_of(*part).size()),
                             .hint = "sort plain variables, or sample instead"};
    double states = 1;
    for (auto& carrier : out.carriers_) {
        Carrier shape = carrier;
        shape.kept = carrier.kind == Carrier::Kind::lowest ? std::min(carrier.kept, carrier.of) : carrier.kept;
        states *= out.expected_states(shape);
    }
    if (states > most_states)
        return Fault{.code = "E-COST",
                     .message = fmt::format("this quantity goes through some {:.2g} different states", states),
                     .label = fmt::format("the limit is {:.2g}", most_states),
                     .hint = "ask for less at once, or sample: sample n from the model, and count"};
    TRY(out.contribute(run));
    return out;
}

Result<Label> Accumulators::value_of(const Quantity& quantity, StateId state) const {
    if (quantity.kind == Quantity::Kind::constant) return quantity.constant;
    if (const auto found = carrier_of_.find(&quantity); found != carrier_of_.end()) {
        const Carrier& carrier = carriers_[found->second];
        const auto& value = carrier.values[value_in(state, found->second)];
        if (quantity.kind == Quantity::Kind::order && carrier.kind == Carrier::Kind::lowest) return value[quantity.rank];
        if (quantity.kind == Quantity::Kind::order && carrier.kind == Carrier::Kind::highest)
            return value[quantity.rank - (carrier.of - carrier.kept)];
        return value[0];
    }
    if (const auto found = rewritten_.find(&quantity); found != rewritten_.end()) return value_of(*found->second, state);
    return combined(quantity, [&](std::size_t i) { return value_of(*quantity.parts[i], state); });
}

Result<std::vector<Label>> Accumulators::values(StateId state) const {
    std::vector<Label> out;
    for (const auto& quantity : quantities_) {
        auto value = TRY(value_of(*quantity, state));
        out.push_back(std::move(value));
    }
    return out;
}

namespace {

template <Prob P>
struct SeriesTable {
    std::vector<Slot> scope;
    std::vector<Series<P>> entries;
};

/// Products of series, added up by state.
template <Prob P>
class SeriesSum {
public:
    explicit SeriesSum(Accumulators& states, Work& work) : states_(states), work_(work) {}

    /// Adds the product of all of them.
    void add_product(std::span<const Series<P>* const> factors) {
        if (factors.empty()) {
            add(Accumulators::start, one<P>());
            return;
        }
        if (factors.size() == 1) {
            for (const auto& [state, weight] : factors[0]->terms) add(state, weight);
            return;
        }
        Series<P> product = *factors[0];
        for (std::size_t i = 1; i < factors.size() && !product.terms.empty() && !work_.exceeded(); ++i) {
            const bool last = i + 1 == factors.size();
            if (!last && !inner_) inner_ = std::make_unique<SeriesSum>(states_, work_);
            SeriesSum& into = last ? *this : *inner_;
            // The longer one inside: its combinations lie side by side.
            const bool swapped = product.terms.size() > factors[i]->terms.size();
            const Series<P>& outer = swapped ? *factors[i] : product;
            const Series<P>& rest = swapped ? product : *factors[i];
            into.add_product_of_two(outer, rest);
            if (!last) product = inner_->take();
        }
    }

    Series<P> take() {
        Series<P> out;
        out.terms.reserve(totals_.size());
        for (const auto& [state, total] : totals_) {
            P weight = total.get();
            if (!weight.is_zero()) out.terms.emplace_back(state, std::move(weight));
            if (state != Accumulators::broken) place_[state] = nowhere;
        }
        broken_place_ = nowhere;
        totals_.clear();
        return out;
    }

private:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    void add_product_of_two(const Series<P>& outer, const Series<P>& rest) {
        if constexpr (std::same_as<P, LogProb>)
            if (add_by_doubles(outer, rest)) return;
        for (const auto& [a, x] : outer.terms)
            for (const auto& [b, y] : rest.terms) {
                const P weight = x * y;
                work_.count(weight);
                add(states_.combine(a, b), weight);
            }
    }

    /// In doubles, relative to the largest weights: an exponential for each term, not for each product. False where some would get lost.
    bool add_by_doubles(const Series<LogProb>& outer, const Series<LogProb>& rest) {
        constexpr double widest = 300;  // in natural logarithms, of either: their products stay above 1e-261
        const auto scaled = [](const Series<LogProb>& series, std::vector<double>& out) -> std::optional<double> {
            double high = series.terms[0].second.log();
            double low = high;
            for (const auto& [state, weight] : series.terms) {
                high = std::max(high, weight.log());
                low = std::min(low, weight.log());
            }
            if (high - low > widest) return std::nullopt;
            out.clear();
            for (const auto& [state, weight] : series.terms) out.push_back(std::exp(weight.log() - high));
            return high;
        };
        const auto x_scale = scaled(outer, xs_);
        const auto y_scale = x_scale ? scaled(rest, ys_) : std::nullopt;
        if (!y_scale) return false;
        touched_.clear();
        for (std::size_t i = 0; i < xs_.size(); ++i) {
            const StateId a = outer.terms[i].first;
            auto known = states_.combinations(a);
            for (std::size_t j = 0; j < ys_.size(); ++j) {
                const StateId b = rest.terms[j].first;
                StateId state = b < known.size() ? known[b] : Accumulators::unknown;
                if (state == Accumulators::unknown) {
                    state = states_.combine(a, b);
                    known = states_.combinations(a);
                }
                if (state == Accumulators::broken) {
                    add(state, outer.terms[i].second * rest.terms[j].second);
                    continue;
                }
                if (state >= sums_.size()) sums_.resize(std::max<std::size_t>(state + 1, sums_.size() * 2), 0);
                if (sums_[state] == 0) touched_.push_back(state);
                sums_[state] += xs_[i] * ys_[j];
            }
        }
        for (const auto state : touched_) add(state, LogProb::of_log(*x_scale + *y_scale + std::log(std::exchange(sums_[state], 0))));
        return true;
    }

    void add(StateId state, const P& weight) {
        if (state != Accumulators::broken && state >= place_.size())
            place_.resize(std::max<std::size_t>(state + 1, place_.size() * 2), nowhere);
        std::uint32_t& place = state == Accumulators::broken ? broken_place_ : place_[state];
        if (place == nowhere) {
            place = static_cast<std::uint32_t>(totals_.size());
            totals_.emplace_back(state, Total<P>());
        }
        totals_[place].second.add(weight);
    }

    Accumulators& states_;
    Work& work_;
    std::vector<std::pair<StateId, Total<P>>> totals_;
    std::vector<std::uint32_t> place_;  // in totals_, by state
    std::uint32_t broken_place_ = nowhere;
    std::unique_ptr<SeriesSum> inner_;  // for the products on the way
    std::vector<double> xs_, ys_, sums_;
    std::vector<StateId> touched_;
};

/// The product of the tables over `scope`, with `sum` (if any) summed out.
template <Prob P>
Result<SeriesTable<P>> multiply(std::span<const SeriesTable<P>> tables, std::vector<Slot> scope, std::optional<Slot> sum,
                                const Sizes& sizes, Accumulators& states, Work& work) {
    std::vector<Slot> loop = scope;
    if (sum) loop.push_back(*sum);
    std::vector<std::vector<std::size_t>> strides;
    for (const auto& table : tables) strides.push_back(strides_in(table.scope, loop, sizes));
    SeriesTable<P> out{std::move(scope), {}};
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
            next_configuration(at, [&](std::size_t k) { return sizes[loop[k]]; });
        }
        if (auto fault = work.interrupted()) return *std::move(fault);
        out.entries.push_back(total.take());
    }
    return out;
}

template <Prob P>
bool mentions(const SeriesTable<P>& table, Slot slot) {
    return contains(table.scope, slot);
}

}  // namespace

template <Prob P>
Result<std::vector<Series<P>>> accumulate(const Problem<P>& problem, Accumulators& states, std::span<const Slot> keep, Work& work) {
    const Sizes& sizes = *problem.sizes;
    std::vector<SeriesTable<P>> tables;
    for (const auto& potential : problem.potentials) {
        SeriesTable<P> table{potential.variables, {}};
        for (const auto& value : potential.values) {
            Series<P> one_term;
            if (!value.is_zero()) one_term.terms.emplace_back(Accumulators::start, value);
            table.entries.push_back(std::move(one_term));
        }
        tables.push_back(std::move(table));
    }
    for (const auto& contribution : states.contributions()) {
        SeriesTable<P> table{contribution.scope, {}};
        for (const auto state : contribution.states) table.entries.push_back({{{state, one<P>()}}});
        tables.push_back(std::move(table));
    }
    std::vector<std::vector<Slot>> scopes;
    std::vector<Slot> eliminated;
    for (const auto& table : tables) {
        scopes.push_back(table.scope);
        for (const auto slot : table.scope)
            if (!contains(keep, slot) && !contains(eliminated, slot)) eliminated.push_back(slot);
    }
    const std::vector<std::vector<Slot>> stages{eliminated};
    const Plan plan = plan_elimination(scopes, stages, sizes);
    if (auto fault = too_large(plan, keep, sizes, *problem.names, sizeof(P), work.run())) return *std::move(fault);
    for (const auto slot : plan.order) {
        std::vector<SeriesTable<P>> used;
        std::vector<SeriesTable<P>> rest;
        for (auto& table : tables) (mentions(table, slot) ? used : rest).push_back(std::move(table));
        std::vector<Slot> scope;
        for (const auto& table : used)
            for (const auto other : table.scope)
                if (other != slot && !contains(scope, other)) scope.push_back(other);
        auto made = TRY(multiply<P>(used, std::move(scope), slot, sizes, states, work));
        ++work.eliminated;
        work.largest_table = std::max(work.largest_table, made.entries.size() * sizes[slot]);
        rest.push_back(std::move(made));
        tables = std::move(rest);
    }
    auto joint = TRY(multiply<P>(tables, {keep.begin(), keep.end()}, std::nullopt, sizes, states, work));
    return std::move(joint.entries);
}

template Result<std::vector<Series<Rational>>> accumulate(const Problem<Rational>&, Accumulators&, std::span<const Slot>, Work&);
template Result<std::vector<Series<LogProb>>> accumulate(const Problem<LogProb>&, Accumulators&, std::span<const Slot>, Work&);

}  // namespace credence::rt
