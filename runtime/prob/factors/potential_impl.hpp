#pragma once
// The definitions behind potential.hpp; only the two units that instantiate them include this.

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

namespace detail {

/// A weight in the max-product algebra with the number of assignments that reach it: products multiply counts, maxima add them.
template <Prob P>
struct Best {
    P weight = one<P>();
    double count = 1;

    bool is_zero() const { return weight.is_zero(); }
    Best& operator*=(const Best& other) {
        weight *= other.weight;
        count *= other.count;
        return *this;
    }
};

/// Equal up to rounding: logarithms of the same product in another order differ in their last bits.
inline bool same_weight(const Rational& a, const Rational& b) { return a == b; }
inline bool same_weight(LogProb a, LogProb b) {
    constexpr double rounding = 1e-11;
    if (a.is_zero() || b.is_zero()) return a.is_zero() && b.is_zero();
    return std::abs(a.log() - b.log()) <= rounding * std::max(1.0, std::abs(a.log()));
}

template <class P>
P unit() {
    return one<P>();
}
template <>
inline Best<Rational> unit() {
    return {};
}
template <>
inline Best<LogProb> unit() {
    return {};
}

template <Prob P>
void count_work(Work& work, const P& value) {
    work.count(value);
}
template <Prob P>
void count_work(Work& work, const Best<P>& value) {
    work.count(value.weight);
}

template <class P>
using Inputs = std::vector<const Potential<P>*>;

/// Walks all configurations of `scope` (last fastest) and keeps each input's offset by addition alone.
template <class P>
class Walk {
public:
    Walk(const Inputs<P>& inputs, std::span<const Slot> scope, const Sizes& sizes) : offsets_(inputs.size(), 0), value_(scope.size(), 0) {
        for (const auto slot : scope) sizes_.push_back(sizes[slot]);
        for (const auto* input : inputs) strides_.push_back(strides_in(input->variables, scope, sizes));
    }
    const std::vector<std::size_t>& offsets() const { return offsets_; }
    const std::vector<std::size_t>& value() const { return value_; }
    bool advance() {
        for (std::size_t v = value_.size(); v-- > 0;) {
            if (++value_[v] < sizes_[v]) {
                for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] += strides_[i][v];
                return true;
            }
            value_[v] = 0;
            for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] -= strides_[i][v] * (sizes_[v] - 1);
        }
        return false;
    }

private:
    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> value_;
    std::vector<std::size_t> sizes_;
    std::vector<std::vector<std::size_t>> strides_;
};

template <class P>
P product_at(const Inputs<P>& inputs, std::span<const std::size_t> offsets, std::span<const std::size_t> inner, std::size_t value,
             Work& work) {
    P term = unit<P>();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const P& entry = inputs[i]->values[offsets[i] + (inner.empty() ? 0 : inner[i] * value)];
        if (entry.is_zero()) return entry;
        if (i == 0)
            term = entry;
        else {
            term *= entry;
            count_work(work, term);
        }
    }
    return term;
}

constexpr std::size_t check_every = 1024;

/// Multiplies the inputs and reduces one variable away: sums it, or maximises over it.
template <class P, class Reducer>
Result<Potential<P>> reduce(const Inputs<P>& inputs, std::span<const Slot> outer, Slot inner, const Sizes& sizes, Work& work,
                            Reducer& reducer) {
    Potential<P> out;
    out.variables.assign(outer.begin(), outer.end());
    out.values.reserve(static_cast<std::size_t>(table_size(outer, sizes)));
    std::vector<std::size_t> inner_stride;
    for (const auto* input : inputs) inner_stride.push_back(strides_in(input->variables, std::span(&inner, 1), sizes)[0]);
    Walk<P> walk(inputs, outer, sizes);
    std::size_t done = 0;
    do {
        reducer.start();
        for (std::size_t v = 0; v < sizes[inner]; ++v) reducer.add(v, product_at(inputs, walk.offsets(), inner_stride, v, work));
        out.values.push_back(reducer.finish());
        count_work(work, out.values.back());
        if (++done % check_every == 0)
            if (auto fault = work.interrupted()) return *std::move(fault);
    } while (walk.advance());
    if (auto fault = work.interrupted()) return *std::move(fault);
    return out;
}

template <Prob P>
struct SumReducer {
    Total<P> total;
    void start() { total = {}; }
    void add(std::size_t, const P& term) { total.add(term); }
    P finish() const { return total.get(); }
};

template <Prob P>
struct MaxReducer {
    Best<P> best;
    std::size_t at = 0;
    std::vector<std::uint32_t> back;  // the value that won, by configuration
    void start() { at = SIZE_MAX; }
    void add(std::size_t value, const Best<P>& term) {
        if (at == SIZE_MAX) {
            best = term;
            at = value;
        } else if (same_weight(best.weight, term.weight)) {
            best.count += term.count;
        } else if (best.weight < term.weight) {
            best = term;
            at = value;
        }
    }
    Best<P> finish() {
        back.push_back(static_cast<std::uint32_t>(at));
        return best;
    }
};

/// Potentials that are taken out by variable and put back as products, found without a look at all the others.
template <class P>
class Pool {
public:
    Pool(std::vector<Potential<P>> potentials, std::size_t slots) : places_(slots) {
        for (auto& f : potentials) add(std::move(f));
    }
    void add(Potential<P> f) {
        for (const auto slot : f.variables) places_[slot].push_back(potentials_.size());
        potentials_.push_back(std::move(f));
        there_.push_back(1);
    }
    /// Those that have the variable, in their order.
    std::vector<Potential<P>> take(Slot variable) {
        std::vector<Potential<P>> taken;
        for (const auto place : places_[variable]) {
            if (!there_[place]) continue;
            there_[place] = 0;
            taken.push_back(std::move(potentials_[place]));
        }
        return taken;
    }
    /// All that are left, in their order.
    std::vector<Potential<P>> rest() && {
        std::vector<Potential<P>> out;
        for (std::size_t i = 0; i < potentials_.size(); ++i)
            if (there_[i]) out.push_back(std::move(potentials_[i]));
        return out;
    }

private:
    std::vector<Potential<P>> potentials_;
    std::vector<char> there_;
    std::vector<std::vector<std::size_t>> places_;  ///< of those that have the variable, taken ones too
};

template <class P>
std::vector<Slot> scope_without(std::span<const Potential<P>> potentials, Slot variable) {
    std::vector<Slot> scope;
    for (const auto& f : potentials)
        for (const auto slot : f.variables)
            if (slot != variable) scope.push_back(slot);
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    return scope;
}

template <class P>
Inputs<P> pointers(std::span<const Potential<P>> potentials) {
    Inputs<P> out;
    for (const auto& f : potentials) out.push_back(&f);
    return out;
}

template <class P>
std::vector<std::vector<Slot>> scopes_of(std::span<const Potential<P>> potentials) {
    std::vector<std::vector<Slot>> out;
    for (const auto& f : potentials) out.push_back(f.variables);
    return out;
}

/// All variables the potentials have, without `except`.
template <class P>
std::vector<Slot> others(std::span<const Potential<P>> potentials, std::span<const Slot> except, const Sizes& sizes) {
    std::vector<char> in(sizes.size(), 0);
    for (const auto& f : potentials)
        for (const auto slot : f.variables) in[slot] = 1;
    for (const auto slot : except) in[slot] = 0;
    std::vector<Slot> out;
    for (Slot slot = 0; slot < sizes.size(); ++slot)
        if (in[slot]) out.push_back(slot);
    return out;
}

template <class P>
Result<Potential<P>> multiply(std::span<const Potential<P>> potentials, std::span<const Slot> keep, const Sizes& sizes, Work& work) {
    const auto inputs = pointers(potentials);
    Potential<P> out;
    out.variables.assign(keep.begin(), keep.end());
    out.values.reserve(static_cast<std::size_t>(table_size(keep, sizes)));
    Walk<P> walk(inputs, keep, sizes);
    do {
        out.values.push_back(product_at(inputs, walk.offsets(), {}, 0, work));
        if (out.values.size() % check_every == 0)
            if (auto fault = work.interrupted()) return *std::move(fault);
    } while (walk.advance());
    if (auto fault = work.interrupted()) return *std::move(fault);
    return out;
}

/// Plans, checks the cost, and reports what is about to be done.
template <Prob P>
Result<Plan> prepare(const Problem<P>& problem, std::span<const std::vector<Slot>> stages, std::span<const Slot> keep, Work& work) {
    Plan plan = plan_elimination(scopes_of(std::span(problem.potentials)), stages, *problem.sizes);
    if (auto fault = too_large(plan, keep, *problem.sizes, *problem.names, sizeof(P), work.run())) return *std::move(fault);
    const auto to_the_end = std::count_if(problem.potentials.begin(), problem.potentials.end(), [&](const auto& f) {
        return std::all_of(f.variables.begin(), f.variables.end(), [&](Slot slot) { return contains(keep, slot); });
    });  // nothing of them is summed out: they are multiplied with what is left
    work.foresee<P>(plan.operations + static_cast<double>(to_the_end) * table_size(keep, *problem.sizes));
    if (auto fault = work.interrupted()) return *std::move(fault);
    work.eliminated += plan.order.size();
    work.largest_table = std::max(
        {work.largest_table, static_cast<std::size_t>(plan.largest_size), static_cast<std::size_t>(table_size(keep, *problem.sizes))});
    return plan;
}

/// Best weight over all variables of the list, and its assignment by slot.
template <Prob P>
struct Chain {
    Best<P> best;
    std::vector<std::size_t> value;
};

template <Prob P>
Result<Chain<P>> max_product(std::vector<Potential<Best<P>>> potentials, std::span<const Slot> order, const Sizes& sizes, Work& work) {
    struct Step {
        Slot variable;
        std::vector<Slot> outer;
        std::vector<std::uint32_t> back;
    };
    std::vector<Step> steps;
    Pool<Best<P>> pool(std::move(potentials), sizes.size());
    for (const auto variable : order) {
        const auto bucket = pool.take(variable);
        const auto outer = scope_without<Best<P>>(bucket, variable);
        MaxReducer<P> reducer;
        auto reduced = TRY(reduce(pointers<Best<P>>(bucket), outer, variable, sizes, work, reducer));
        pool.add(std::move(reduced));
        steps.push_back({variable, outer, std::move(reducer.back)});
    }
    Chain<P> out;
    out.value.assign(sizes.size(), 0);
    for (const auto& f : std::move(pool).rest()) out.best *= f.values[0];
    for (std::size_t s = steps.size(); s-- > 0;) {
        std::size_t at = 0;
        for (const auto slot : steps[s].outer) at = at * sizes[slot] + out.value[slot];
        out.value[steps[s].variable] = steps[s].back[at];
    }
    return out;
}

/// Among equals the lexicographically first: fixes one variable after the other to the first value that still reaches the best.
template <Prob P>
Status first_among_equals(std::vector<Potential<Best<P>>> potentials, std::span<const Slot> over, const Plan& plan, const Sizes& sizes,
                          Work& work, Chain<P>& chain) {
    constexpr double effort = 2e7;
    double values = 0;
    for (const auto slot : over) values += static_cast<double>(sizes[slot]);
    if ((plan.operations + static_cast<double>(over.size())) * values > effort) return Done{};
    std::vector<std::int64_t> fixed(sizes.size(), -1);
    for (const auto slot : over) {
        for (std::size_t v = 0; v < sizes[slot]; ++v) {
            if (v == chain.value[slot]) {  // nothing before it reached the best
                fixed[slot] = static_cast<std::int64_t>(v);
                break;
            }
            auto trial = fixed;
            trial[slot] = static_cast<std::int64_t>(v);
            std::vector<Potential<Best<P>>> restricted;
            for (const auto& f : potentials) restricted.push_back(restrict_to(f, trial, sizes));
            std::vector<Slot> order;
            for (const auto next : plan.order)
                if (trial[next] < 0 && contains(over, next)) order.push_back(next);
            auto attempt = TRY(max_product<P>(std::move(restricted), order, sizes, work));
            if (!same_weight(attempt.best.weight, chain.best.weight)) continue;
            fixed[slot] = static_cast<std::int64_t>(v);
            for (const auto next : order) chain.value[next] = attempt.value[next];
            break;
        }
        chain.value[slot] = static_cast<std::size_t>(fixed[slot]);
    }
    return Done{};
}

/// Sums the variables out of the pool, one after the other.
template <Prob P>
Status sum_out(Pool<P>& pool, std::span<const Slot> variables, const Sizes& sizes, Work& work) {
    for (const auto variable : variables) {
        const auto bucket = pool.take(variable);
        SumReducer<P> reducer;
        auto reduced = TRY(reduce(pointers<P>(bucket), scope_without<P>(bucket, variable), variable, sizes, work, reducer));
        pool.add(std::move(reduced));
    }
    return Done{};
}

}  // namespace detail

template <class P>
Potential<P> restrict_to(const Potential<P>& f, std::span<const std::int64_t> fixed, const Sizes& sizes) {
    Potential<P> out;
    std::size_t offset = 0;
    const auto strides = strides_in(f.variables, f.variables, sizes);
    for (std::size_t i = 0; i < f.variables.size(); ++i) {
        if (fixed[f.variables[i]] < 0)
            out.variables.push_back(f.variables[i]);
        else
            offset += strides[i] * static_cast<std::size_t>(fixed[f.variables[i]]);
    }
    if (out.variables.size() == f.variables.size()) return f;
    detail::Walk<P> walk({&f}, out.variables, sizes);
    do out.values.push_back(f.values[offset + walk.offsets()[0]]);
    while (walk.advance());
    return out;
}

template <Prob P>
Result<Potential<P>> eliminate(Problem<P> problem, std::span<const Slot> keep, Work& work) {
    const Sizes& sizes = *problem.sizes;
    const std::vector<std::vector<Slot>> stages{detail::others<P>(problem.potentials, keep, sizes)};
    const auto plan = TRY(detail::prepare(problem, stages, keep, work));
    detail::Pool<P> pool(std::move(problem.potentials), sizes.size());
    TRY(detail::sum_out(pool, plan.order, sizes, work));
    return detail::multiply<P>(std::move(pool).rest(), keep, sizes, work);
}

template <Prob P>
Result<Potential<P>> enumerate(const Problem<P>& problem, std::span<const Slot> all, std::span<const Slot> keep, Work& work) {
    const Sizes& sizes = *problem.sizes;
    const double terms = table_size(all, sizes);
    if (terms > static_cast<double>(work.run().limits.table_entries)) {
        return Fault{.code = "E-COST",
                     .message = fmt::format("enumeration would add up {:.3g} terms", terms),
                     .label = fmt::format("the limit is {:.3g}", static_cast<double>(work.run().limits.table_entries)),
                     .hint = "leave out by enumeration, or use by variable_elimination"};
    }
    if (auto fault = too_large({}, keep, sizes, *problem.names, sizeof(P), work.run())) return *std::move(fault);
    work.foresee<P>(terms);
    work.terms += static_cast<std::size_t>(terms);
    const auto inputs = detail::pointers<P>(problem.potentials);
    const auto target = strides_in(keep, all, sizes);
    std::vector<Total<P>> totals(static_cast<std::size_t>(table_size(keep, sizes)));
    detail::Walk<P> walk(inputs, all, sizes);
    std::size_t done = 0;
    do {
        std::size_t at = 0;
        for (std::size_t v = 0; v < all.size(); ++v) at += target[v] * walk.value()[v];
        const P term = detail::product_at(inputs, walk.offsets(), {}, 0, work);
        totals[at].add(term);
        if (++done % detail::check_every == 0) {
            work.count(totals[at].get());
            if (auto fault = work.interrupted()) return *std::move(fault);
        }
    } while (walk.advance());
    if (auto fault = work.interrupted()) return *std::move(fault);
    Potential<P> out;
    out.variables.assign(keep.begin(), keep.end());
    for (const auto& total : totals) out.values.push_back(total.get());
    return out;
}

template <Prob P>
Result<Maximum<P>> maximise(Problem<P> problem, std::span<const Slot> over, Work& work) {
    const Sizes& sizes = *problem.sizes;
    const std::vector<std::vector<Slot>> stages{detail::others<P>(problem.potentials, over, sizes), {over.begin(), over.end()}};
    const auto plan = TRY(detail::prepare(problem, stages, {}, work));
    const std::span<const Slot> summed(plan.order.data(), stages[0].size());
    const std::span<const Slot> maximised(plan.order.data() + stages[0].size(), over.size());
    detail::Pool<P> pool(std::move(problem.potentials), sizes.size());
    TRY(detail::sum_out(pool, summed, sizes, work));
    std::vector<Potential<detail::Best<P>>> weights;
    for (const auto& f : std::move(pool).rest()) {
        Potential<detail::Best<P>> g{f.variables, {}};
        for (const auto& value : f.values) g.values.push_back({value, 1});
        weights.push_back(std::move(g));
    }
    auto chain = TRY(detail::max_product<P>(weights, maximised, sizes, work));
    if (chain.best.count > 1) { TRY(detail::first_among_equals<P>(std::move(weights), over, plan, sizes, work, chain)); }
    Maximum<P> out{{}, chain.best.weight, chain.best.count};
    for (const auto slot : over) out.values.push_back(chain.value[slot]);
    return out;
}

template <Prob P>
Result<BackwardSampler<P>> BackwardSampler<P>::make(Problem<P> problem, std::span<const Slot> over, Work& work) {
    BackwardSampler out;
    out.sizes_ = *problem.sizes;
    const std::vector<std::vector<Slot>> stages{detail::others<P>(problem.potentials, over, out.sizes_), {over.begin(), over.end()}};
    const auto plan = TRY(detail::prepare(problem, stages, {}, work));
    std::size_t position = 0;
    detail::Pool<P> pool(std::move(problem.potentials), out.sizes_.size());
    for (const auto variable : plan.order) {
        auto bucket = pool.take(variable);
        detail::SumReducer<P> reducer;
        auto reduced =
            detail::reduce(detail::pointers<P>(bucket), detail::scope_without<P>(bucket, variable), variable, out.sizes_, work, reducer);
        if (!reduced) return std::move(reduced).fault();
        pool.add(*std::move(reduced));
        if (position++ >= stages[0].size()) out.steps_.push_back({variable, std::move(bucket)});
    }
    for (const auto& f : std::move(pool).rest()) out.total_ *= f.values[0];
    return out;
}

template <Prob P>
void BackwardSampler<P>::draw(Rng& rng, std::vector<std::size_t>& assignment) const {
    std::vector<double> weights;
    for (std::size_t s = steps_.size(); s-- > 0;) {
        const auto& [variable, inputs] = steps_[s];
        weights.assign(sizes_[variable], 0.0);
        double high = -std::numeric_limits<double>::infinity();
        for (std::size_t v = 0; v < weights.size(); ++v) {
            assignment[variable] = v;
            double log_weight = 0;
            for (const auto& f : inputs) {
                std::size_t at = 0;
                for (const auto slot : f.variables) at = at * sizes_[slot] + assignment[slot];
                const P& entry = f.values[at];
                log_weight += entry.is_zero() ? -std::numeric_limits<double>::infinity() : entry.log();
            }
            weights[v] = log_weight;
            high = std::max(high, log_weight);
        }
        double total = 0;
        for (auto& w : weights) total += w = std::exp(w - high);
        double left = rng.uniform() * total;
        std::size_t chosen = 0;
        for (std::size_t v = 0; v < weights.size(); ++v) {
            if (weights[v] == 0) continue;
            chosen = v;
            if (left < weights[v]) break;
            left -= weights[v];
        }
        assignment[variable] = chosen;
    }
}

}  // namespace credence::rt
