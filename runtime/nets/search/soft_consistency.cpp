#include "runtime/nets/search/soft_consistency.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

/// Functions of more configurations wait until some of their variables are assigned.
constexpr double most_tuples = 4096;

}  // namespace

bool SoftNet::make_consistent(std::uint32_t i) {
    const auto& f = functions_[i];
    const Var low = std::min(f.scope[0], f.scope[1]);
    const Var high = std::max(f.scope[0], f.scope[1]);
    existential_.insert(low);
    existential_.insert(high);
    return arc(i, high) && full(i, low, least_move_);
}

/// Whether the configuration that cost nothing the last time still does.
bool SoftNet::hint_holds(const Function& f, std::uint32_t place, Value a, bool with_unaries) const {
    const Value* hint = hint_of(f, place, a);
    std::size_t at = 0;
    Cost moved = 0;
    for (std::uint32_t k = 0; k < f.arity; ++k) {
        const Var y = f.scope[k];
        const Value b = k == place ? a : hint[k];
        if (!has(y, b)) return false;
        at += std::size_t{f.strides[k]} * b;
        moved += f.moved[k][b];
        if (with_unaries && k != place && claimed_[y] != claim_) moved -= unary(y, b);
    }
    return f.costs[at] == moved;
}

/// The axes of a function but one, flat: what each value adds to the place in the table and to the cost.
struct SoftNet::Axes {
    struct Axis {
        std::uint32_t place, first, count, now;
    };
    std::vector<Axis> axes;
    std::vector<std::size_t> offset;
    std::vector<Cost> cost;
    std::vector<Value> value;
};

void SoftNet::spread(const Function& f, std::uint32_t place, bool with_unaries, Axes& out) const {
    out.axes.clear();
    out.offset.clear();
    out.cost.clear();
    out.value.clear();
    for (std::uint32_t k = 0; k < f.arity; ++k) {
        if (k == place) continue;
        const Var y = f.scope[k];
        const bool counted = with_unaries && claimed_[y] != claim_;
        out.axes.push_back({k, static_cast<std::uint32_t>(out.value.size()), variables_[y].count, 0});
        for (const Value b : values(y)) {
            out.value.push_back(b);
            out.offset.push_back(std::size_t{f.strides[k]} * b);
            out.cost.push_back((counted ? unary(y, b) : 0) - f.moved[k][b]);
        }
    }
}

/// The least cost where the variable at `place` has that value; stops at a configuration that costs nothing.
Cost SoftNet::least_with(const Function& f, std::uint32_t place, Value a, Axes& over) const {
    const Cost own_cost = f.moved[place][a];
    const Cost* table = f.costs + std::size_t{f.strides[place]} * a;
    Cost least = forbidden;
    Value* hint = hint_of(f, place, a);
    auto& axes = over.axes;
    const std::size_t last = axes.size() - 1;
    for (auto& axis : axes) axis.now = 0;
    while (true) {
        std::size_t at = 0;
        Cost outer = 0;
        for (std::size_t k = 0; k < last; ++k) {
            at += over.offset[axes[k].first + axes[k].now];
            outer += over.cost[axes[k].first + axes[k].now];
        }
        const auto& inner = axes[last];
        effort_ += inner.count;
        for (std::uint32_t j = inner.first; j < inner.first + inner.count; ++j) {
            const Cost c = table[at + over.offset[j]];
            if (c >= forbidden || c + outer + over.cost[j] - own_cost >= least) continue;
            least = c + outer + over.cost[j] - own_cost;
            for (std::size_t k = 0; k < last; ++k) hint[axes[k].place] = over.value[axes[k].first + axes[k].now];
            hint[inner.place] = over.value[j];
            if (least == 0) return 0;
        }
        std::size_t k = last;
        while (k-- > 0) {
            if (++axes[k].now < axes[k].count) break;
            axes[k].now = 0;
        }
        if (k == SIZE_MAX) return least;
    }
}

/// By value of the variable at that place: the least cost, with the unary costs of the others or without.
void SoftNet::minima(const Function& f, std::uint32_t place, bool with_unaries, std::vector<Cost>& out) {
    constexpr std::size_t a_hint = 8;  // of effort
    static thread_local Axes over;
    bool flat = false;
    const Var x = f.scope[place];
    out.resize(variables_[x].size);
    for (const Value a : values(x)) {
        out[a] = 0;
        effort_ += a_hint;
        if (hint_holds(f, place, a, with_unaries)) continue;
        if (!flat) spread(f, place, with_unaries, over);
        flat = true;
        out[a] = least_with(f, place, a, over);
    }
}

/// Moves costs from the function to a variable; a value that is left without any configuration goes.
bool SoftNet::project(Function& f, std::uint32_t place, std::span<const Cost> least, Cost worth) {
    const Var x = f.scope[place];
    const auto& v = variables_[x];
    for (std::uint32_t i = v.count; i-- > 0;) {
        const Value a = values_[v.first + i];
        if (least[a] >= forbidden) {
            if (!drop(x, a)) return false;
        } else if (least[a] >= worth) {
            save(f.moved[place][a]);
            f.moved[place][a] += least[a];
            raise(x, a, least[a]);
        }
    }
    return true;
}

bool SoftNet::arc(std::uint32_t i, Var x) {
    auto& f = functions_[i];
    if (f.arity > 2 && tuples(f) > most_tuples) return true;
    const auto place = static_cast<std::uint32_t>(std::find(f.scope, f.scope + f.arity, x) - f.scope);
    static thread_local std::vector<Cost> least;
    minima(f, place, false, least);
    return project(f, place, least, least_move_) || conflict(i);
}

/// Moves unary costs of the variable at `place` into the function, so that the target can have what is wanted of it.
void SoftNet::extend(Function& f, std::uint32_t place, std::uint32_t target, std::span<const Cost> wanted, const std::vector<char>& later) {
    const Var y = f.scope[place];
    const Var x = f.scope[target];
    static thread_local std::vector<Cost> need;
    need.assign(variables_[y].size, 0);
    if (f.arity == 2) {
        for (const Value a : values(x)) {
            if (wanted[a] >= forbidden) continue;
            effort_ += variables_[y].count;
            for (const Value b : values(y)) {
                const Cost c = place == 1 ? cost2(f, a, b) : cost2(f, b, a);
                need[b] = std::max(need[b], wanted[a] - c);
            }
        }
    } else {
        static thread_local std::vector<Cost> least;  // by values of both
        const std::size_t ys = variables_[y].size;
        least.assign(variables_[x].size * ys, forbidden);
        std::uint32_t at_value[32] = {};
        effort_ += static_cast<std::size_t>(tuples(f));
        while (true) {
            std::size_t at = 0;
            Cost moved = 0;
            for (std::uint32_t k = 0; k < f.arity; ++k) {
                const Value b = values(f.scope[k])[at_value[k]];
                at += std::size_t{f.strides[k]} * b;
                moved += f.moved[k][b];
                if (later[k]) moved -= unary(f.scope[k], b);
            }
            if (f.costs[at] < forbidden) {
                Cost& l = least[values(x)[at_value[target]] * ys + values(y)[at_value[place]]];
                l = std::min(l, f.costs[at] - moved);
            }
            std::uint32_t k = f.arity;
            while (k-- > 0) {
                if (++at_value[k] < variables_[f.scope[k]].count) break;
                at_value[k] = 0;
            }
            if (k == none) break;
        }
        for (const Value a : values(x))
            if (wanted[a] < forbidden)
                for (const Value b : values(y)) need[b] = std::max(need[b], wanted[a] - least[a * ys + b]);
    }
    for (const Value b : values(y)) {
        const Cost by = std::min(need[b], unary(y, b));
        if (by <= 0) continue;
        save(own(y, b));
        own(y, b) -= by;
        save(f.moved[place][b]);
        f.moved[place][b] -= by;
    }
}

/// Full support of x: what the function and the unary costs of its other variables together demand of x goes to x.
bool SoftNet::full(std::uint32_t i, Var x, Cost worth) {
    auto& f = functions_[i];
    if (f.arity > 2 && tuples(f) > most_tuples) return true;
    const auto target = static_cast<std::uint32_t>(std::find(f.scope, f.scope + f.arity, x) - f.scope);
    static thread_local std::vector<Cost> wanted;
    ++claim_;
    minima(f, target, true, wanted);
    bool any = false;
    for (const Value a : values(x)) any = any || wanted[a] >= worth;
    if (!any) return true;
    std::vector<char> later(f.arity, 0);
    for (std::uint32_t k = 0; k < f.arity; ++k) later[k] = k != target && open(f.scope[k]) ? 1 : 0;
    for (std::uint32_t k = 0; k < f.arity; ++k) {
        if (!later[k]) continue;
        later[k] = 0;
        extend(f, k, target, wanted, later);
    }
    return project(f, target, wanted, worth) || conflict(i);
}

/// Whether x has a value that costs nothing together with its neighbours; if not, costs move to x until the bound can rise.
bool SoftNet::existential(Var x) {
    if (!open(x)) return true;
    static thread_local std::vector<Cost> total;
    static thread_local std::vector<Cost> part;
    total.assign(unary_.begin() + variables_[x].first, unary_.begin() + variables_[x].first + variables_[x].size);
    ++claim_;
    for (const auto i : functions_of_[x]) {
        auto& f = functions_[i];
        if (!f.active || (f.arity > 2 && tuples(f) > most_tuples)) continue;
        const auto place = static_cast<std::uint32_t>(std::find(f.scope, f.scope + f.arity, x) - f.scope);
        minima(f, place, true, part);
        for (const Value a : values(x)) total[a] = plus(total[a], part[a]);
        for (std::uint32_t k = 0; k < f.arity; ++k) claimed_[f.scope[k]] = claim_;
    }
    auto& v = variables_[x];
    for (const Value a : values(x))
        if (!has(x, v.support) || total[a] < total[v.support]) v.support = a;
    if (total[v.support] < least_move_) return true;
    if (total[v.support] >= upper_ - lower_) return false;
    const std::size_t n = functions_of_[x].size();
    for (std::size_t k = 0; k < n; ++k) {
        const auto i = functions_of_[x][k];
        if (functions_[i].active && !full(i, x, 1)) return false;
    }
    return settle_bounds(x) || conflict(none);
}

bool SoftNet::propagate() {
    constexpr std::size_t most_supports = 8;  // of each variable: what comes after is small
    constexpr std::size_t between_questions = 256;
    constexpr std::size_t a_step = 64;  // of effort: queues, the trail, functions whose hints hold
    std::size_t supports = most_supports * variables_.size();
    for (std::size_t step = 1;; ++step) {
        if (lower_ >= upper_) return conflict(none);
        effort_ += a_step;
        if (step % between_questions == 0 && spent()) {
            interrupted_ = true;
            empty_queues();
            return true;
        }
        if (const auto x = bounds_.take_least()) {
            if (!settle_bounds(*x)) return conflict(none);
        } else if (const auto y = assigned_.take_least()) {
            if (!settle_assigned(*y)) return empty_queues();
        } else if (const auto z = arcs_.take_least()) {
            const std::size_t n = functions_of_[*z].size();
            for (std::size_t k = 0; k < n; ++k) {
                const auto i = functions_of_[*z][k];
                const auto& f = functions_[i];
                for (std::uint32_t p = 0; f.active && p < f.arity; ++p)
                    if (f.scope[p] != *z && open(f.scope[p]) && !arc(i, f.scope[p])) return false;
            }
        } else if (const auto w = directional_.take_largest()) {
            const std::size_t n = functions_of_[*w].size();
            for (std::size_t k = 0; k < n; ++k) {
                const auto i = functions_of_[*w][k];
                const auto& f = functions_[i];
                if (!f.active) continue;
                Var low = *w;
                for (std::uint32_t p = 0; p < f.arity; ++p)
                    if (open(f.scope[p])) low = std::min(low, f.scope[p]);
                if (low != *w && !full(i, low, least_move_)) return false;
            }
        } else if (lower_rose_) {
            drop_dear();
        } else if (const auto e = existential_.take_least()) {
            if (supports == 0) continue;
            --supports;
            if (!existential(*e)) return conflict(none);
        } else if (const auto s = small_.take_least()) {
            if (!eliminate(*s)) return empty_queues();
        } else {
            return true;
        }
    }
}

}  // namespace credence::rt
