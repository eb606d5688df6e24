#include "runtime/nets/search/soft_consistency.hpp"

#include <algorithm>
#include <bit>

namespace credence::rt {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
/// Functions of more configurations wait until some of their variables are assigned.
constexpr double most_tuples = 4096;
/// Less is not worth moving, except where it raises the bound.
constexpr double least_nats = 1e-4;

}  // namespace

std::optional<std::uint32_t> NumberSet::take_least() {
    for (std::size_t w = 0; w < words_.size(); ++w) {
        if (words_[w] == 0) continue;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(words_[w]));
        words_[w] &= words_[w] - 1;
        return static_cast<std::uint32_t>(w * 64) + bit;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> NumberSet::take_largest() {
    for (std::size_t w = words_.size(); w-- > 0;) {
        if (words_[w] == 0) continue;
        const auto bit = 63U - static_cast<std::uint32_t>(std::countl_zero(words_[w]));
        words_[w] &= ~(std::uint64_t{1} << bit);
        return static_cast<std::uint32_t>(w * 64) + bit;
    }
    return std::nullopt;
}

std::byte* SoftNet::Arena::take(std::size_t bytes) {
    constexpr std::size_t block = std::size_t{1} << 20U;
    bytes = (bytes + 15) / 16 * 16;
    if (used % block + bytes > block) used = (used / block + 1) * block;
    while (blocks.size() <= used / block) blocks.push_back(std::make_unique<std::byte[]>(block));
    std::byte* out = blocks[used / block].get() + used % block;
    used += bytes;
    return out;
}

std::byte* SoftNet::Arena::keep(std::size_t bytes) { return large.emplace_back(std::make_unique<std::byte[]>(bytes)).get(); }

SoftNet::SoftNet(const CostNet& net, const std::function<bool()>& stopped) : lower_(net.base), stopped_(stopped) {
    least_move_ = std::max<Cost>(1, static_cast<Cost>(least_nats / net.unit));
    const std::size_t n = net.sizes.size();
    variables_.resize(n);
    functions_of_.resize(n);
    claimed_.assign(n, 0);
    arcs_ = directional_ = existential_ = small_ = assigned_ = bounds_ = NumberSet(n);
    for (Var x = 0; x < n; ++x) {
        auto& v = variables_[x];
        v.first = static_cast<std::uint32_t>(values_.size());
        v.size = v.count = static_cast<std::uint32_t>(net.sizes[x]);
        for (Value a = 0; a < v.size; ++a) {
            values_.push_back(a);
            place_.push_back(a);
            unary_.push_back(0);
        }
        for (auto* queue : {&arcs_, &directional_, &existential_, &small_, &bounds_}) queue->insert(x);
        if (v.count == 1) assigned_.insert(x);
    }
    for (const auto& f : net.functions) {
        if (f.scope.size() == 1) {
            const Var x = f.scope[0];
            for (Value a = 0; a < net.sizes[x]; ++a) own(x, a) = plus(own(x, a), f.costs[a]);
            continue;
        }
        const auto i = add_function(f.scope, static_cast<std::uint32_t>(weights_.size()), true);
        weights_.push_back(1);
        std::copy(f.costs.begin(), f.costs.end(), functions_[i].costs);
    }
    for (Var x = 0; x < n; ++x)
        for (Value a = 0; a < variables_[x].size; ++a)
            if (own(x, a) >= forbidden) drop(x, a);
}

/// Its costs are to be filled in.
std::uint32_t SoftNet::add_function(std::span<const Var> scope, std::uint32_t weight, bool at_root) {
    Function f;
    f.memory = arena_.used;
    f.arity = f.open = static_cast<std::uint32_t>(scope.size());
    f.weight = weight;
    std::size_t entries = 1;
    std::size_t values = 0;
    for (const Var x : scope) {
        entries *= variables_[x].size;
        values += variables_[x].size;
    }
    const std::size_t bytes = (entries + values) * sizeof(Cost) + scope.size() * (sizeof(Cost*) + (2 + values) * sizeof(Var));
    std::byte* at = at_root ? arena_.keep(bytes) : arena_.take(bytes);
    f.costs = reinterpret_cast<Cost*>(at);
    Cost* moved = f.costs + entries;
    std::fill(moved, moved + values, 0);
    f.moved = reinterpret_cast<Cost**>(moved + values);
    f.scope = reinterpret_cast<Var*>(f.moved + scope.size());
    f.strides = f.scope + scope.size();
    f.hints = f.strides + scope.size();
    std::fill(f.hints, f.hints + values * scope.size(), 0U);
    std::size_t step = 1;
    for (std::size_t i = scope.size(); i-- > 0;) {
        f.scope[i] = scope[i];
        f.strides[i] = static_cast<std::uint32_t>(step);
        step *= variables_[scope[i]].size;
    }
    for (std::size_t i = 0; i < scope.size(); ++i) {
        f.moved[i] = moved;
        moved += variables_[scope[i]].size;
    }
    const auto id = static_cast<std::uint32_t>(functions_.size());
    functions_.push_back(f);
    for (const Var x : scope) functions_of_[x].push_back(id);
    if (!at_root) trail_.push_back({nullptr, 0, Entry::function});
    return id;
}

void SoftNet::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const Undo u = trail_.back();
        trail_.pop_back();
        switch (u.entry) {
            case Entry::cost:
                *static_cast<Cost*>(u.at) = u.old;
                break;
            case Entry::number:
                *static_cast<std::uint32_t*>(u.at) = static_cast<std::uint32_t>(u.old);
                break;
            case Entry::step:
                steps_.pop_back();
                break;
            case Entry::function: {
                const Function& f = functions_.back();
                for (std::uint32_t i = 0; i < f.arity; ++i) functions_of_[f.scope[i]].pop_back();
                arena_.used = f.memory;
                functions_.pop_back();
                break;
            }
        }
    }
    empty_queues();
}

bool SoftNet::empty_queues() {
    for (auto* queue : {&arcs_, &directional_, &existential_, &small_, &bounds_, &assigned_}) queue->clear();
    lower_rose_ = false;
    return false;
}

bool SoftNet::conflict(std::uint32_t f) {
    if (f != none) weights_[functions_[f].weight] += 1;
    return empty_queues();
}

void SoftNet::deactivate(Function& f) {
    save(f.active);
    f.active = 0;
    for (std::uint32_t i = 0; i < f.arity; ++i)
        if (open(f.scope[i])) small_.insert(f.scope[i]);
}

void SoftNet::neighbours_wait(Var x) {
    for (const auto i : functions_of_[x]) {
        const auto& f = functions_[i];
        if (!f.active) continue;
        for (std::uint32_t k = 0; k < f.arity; ++k)
            if (open(f.scope[k])) existential_.insert(f.scope[k]);
    }
}

void SoftNet::raise(Var x, Value a, Cost by) {
    Cost& c = own(x, a);
    if (c < least_move_) {
        directional_.insert(x);
        neighbours_wait(x);
    }
    save(c);
    c += by;
    bounds_.insert(x);
}

bool SoftNet::drop(Var x, Value a) {
    auto& v = variables_[x];
    if (v.count == 1) return false;
    ++removed_values;
    save(v.count);
    --v.count;
    const auto at = place_[v.first + a];
    const Value last = values_[v.first + v.count];
    std::swap(values_[v.first + at], values_[v.first + v.count]);
    place_[v.first + last] = at;
    place_[v.first + a] = v.count;
    arcs_.insert(x);
    directional_.insert(x);
    existential_.insert(x);
    bounds_.insert(x);
    neighbours_wait(x);
    if (v.count == 1) assigned_.insert(x);
    return true;
}

void SoftNet::assign(Var x, Value a) {
    auto& v = variables_[x];
    for (std::uint32_t i = v.count; i-- > 0;)
        if (values_[v.first + i] != a) drop(x, values_[v.first + i]);
}

void SoftNet::remove(Var x, Value a) { drop(x, a); }

/// Node consistency: the least unary cost goes to the constant; values that cost too much go.
bool SoftNet::settle_bounds(Var x) {
    auto& v = variables_[x];
    if (v.state == is_eliminated) return true;
    Cost least = forbidden;
    for (const Value a : values(x)) least = std::min(least, own(x, a));
    if (least >= upper_ - lower_) return false;
    if (least > 0) {
        for (const Value a : values(x)) {
            save(own(x, a));
            own(x, a) -= least;
        }
        save(lower_);
        lower_ += least;
        lower_rose_ = true;
    }
    for (std::uint32_t i = v.count; i-- > 0;) {
        const Value a = values_[v.first + i];
        if (own(x, a) >= upper_ - lower_) drop(x, a);
    }
    if (own(x, v.support) > 0 || !has(x, v.support)) {
        existential_.insert(x);
        for (const Value a : values(x))
            if (own(x, a) == 0) v.support = a;
    }
    return true;
}

void SoftNet::drop_dear() {
    lower_rose_ = false;
    for (Var x = 0; x < variables_.size(); ++x) {
        auto& v = variables_[x];
        if (v.state != is_open) continue;
        for (std::uint32_t i = v.count; i-- > 0;) {
            const Value a = values_[v.first + i];
            if (own(x, a) >= upper_ - lower_) drop(x, a);
        }
    }
}

double SoftNet::tuples(const Function& f) const {
    double out = 1;
    for (std::uint32_t i = 0; i < f.arity; ++i) out *= variables_[f.scope[i]].count;
    return out;
}

Cost SoftNet::cost_at(const Function& f, std::span<const Value> value) const {
    std::size_t at = 0;
    Cost moved = 0;
    for (std::uint32_t i = 0; i < f.arity; ++i) {
        const Value a = value[f.scope[i]];
        at += std::size_t{f.strides[i]} * a;
        moved += f.moved[i][a];
    }
    const Cost c = f.costs[at];
    return c >= forbidden ? forbidden : c - moved;
}

bool SoftNet::settle_assigned(Var x) {
    if (variables_[x].state != is_open) return true;
    save(variables_[x].state);
    variables_[x].state = is_assigned;
    const std::size_t n = functions_of_[x].size();
    for (std::size_t k = 0; k < n; ++k) {
        const auto i = functions_of_[x][k];
        auto& f = functions_[i];
        if (!f.active) continue;
        save(f.open);
        --f.open;
        if (f.open == 1 && !to_unary(i)) return conflict(i);
        if (f.open == 2 && f.arity > 2 && !to_binary(i)) return conflict(i);
    }
    return true;
}

bool SoftNet::to_unary(std::uint32_t i) {
    auto& f = functions_[i];
    std::uint32_t place = 0;
    std::size_t base = 0;
    Cost moved = 0;
    for (std::uint32_t k = 0; k < f.arity; ++k) {
        const Var x = f.scope[k];
        if (open(x)) {
            place = k;
            continue;
        }
        const Value a = values_[variables_[x].first];
        base += std::size_t{f.strides[k]} * a;
        moved += f.moved[k][a];
    }
    const Var y = f.scope[place];
    deactivate(f);
    const auto& v = variables_[y];
    for (std::uint32_t k = v.count; k-- > 0;) {
        const Value b = values_[v.first + k];
        const Cost c = f.costs[base + std::size_t{f.strides[place]} * b];
        if (c >= forbidden) {
            if (!drop(y, b)) return false;
        } else if (const Cost left = c - moved - f.moved[place][b]; left > 0) {
            raise(y, b, left);
        }
    }
    return true;
}

bool SoftNet::to_binary(std::uint32_t i) {
    auto& f = functions_[i];
    std::uint32_t places[2] = {none, none};
    std::size_t base = 0;
    Cost moved = 0;
    for (std::uint32_t k = 0; k < f.arity; ++k) {
        const Var x = f.scope[k];
        if (open(x)) {
            places[places[0] == none ? 0 : 1] = k;
            continue;
        }
        const Value a = values_[variables_[x].first];
        base += std::size_t{f.strides[k]} * a;
        moved += f.moved[k][a];
    }
    const Var x = f.scope[places[0]];
    const Var y = f.scope[places[1]];
    std::vector<Cost> costs(std::size_t{variables_[x].size} * variables_[y].size, 0);
    for (const Value a : values(x)) {
        for (const Value b : values(y)) {
            const Cost c = f.costs[base + std::size_t{f.strides[places[0]]} * a + std::size_t{f.strides[places[1]]} * b];
            costs[std::size_t{a} * variables_[y].size + b] =
                c >= forbidden ? forbidden : c - moved - f.moved[places[0]][a] - f.moved[places[1]][b];
        }
    }
    const auto weight = f.weight;
    deactivate(f);
    return make_consistent(replace_between(x, y, weight, costs));
}

/// A binary function with these costs, and those of one that is there already.
std::uint32_t SoftNet::replace_between(Var x, Var y, std::uint32_t weight, const std::vector<Cost>& costs) {
    const auto& shorter = functions_of_[x].size() < functions_of_[y].size() ? functions_of_[x] : functions_of_[y];
    std::uint32_t found = none;
    for (const auto i : shorter) {
        const auto& f = functions_[i];
        if (!f.active || f.arity != 2) continue;
        if ((f.scope[0] == x && f.scope[1] == y) || (f.scope[0] == y && f.scope[1] == x)) found = i;
    }
    const Var scope[2] = {x, y};
    const auto made = add_function(scope, weight, false);
    auto& f = functions_[made];
    std::copy(costs.begin(), costs.end(), f.costs);
    if (found == none) return made;
    auto& old = functions_[found];
    const bool same = old.scope[0] == x;
    for (const Value a : values(x)) {
        for (const Value b : values(y)) {
            Cost& c = f.costs[a * f.strides[0] + b];
            c = plus(c, same ? cost2(old, a, b) : cost2(old, b, a));
        }
    }
    deactivate(old);
    return made;
}

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
    static thread_local Axes over;
    bool flat = false;
    const Var x = f.scope[place];
    out.resize(variables_[x].size);
    for (const Value a : values(x)) {
        out[a] = 0;
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

/// Takes a variable with at most two neighbours out, for its cost as a function of them.
bool SoftNet::eliminate(Var x) {
    if (!open(x)) return true;
    Var near[2];
    std::size_t count = 0;
    std::uint32_t weight = 0;
    std::vector<std::uint32_t> used;
    for (const auto i : functions_of_[x]) {
        const auto& f = functions_[i];
        if (!f.active) continue;
        used.push_back(i);
        weight = f.weight;
        for (std::uint32_t k = 0; k < f.arity; ++k) {
            const Var y = f.scope[k];
            if (y == x || !open(y) || (count > 0 && near[0] == y) || (count > 1 && near[1] == y)) continue;
            if (count == 2) return true;
            near[count++] = y;
        }
    }
    static thread_local std::vector<Value> value;
    value.resize(variables_.size());
    for (const auto i : used)
        for (std::uint32_t k = 0; k < functions_[i].arity; ++k) {
            const Var y = functions_[i].scope[k];
            value[y] = values_[variables_[y].first];
        }
    const auto least = [&] {
        Cost out = forbidden;
        for (const Value a : values(x)) {
            value[x] = a;
            Cost c = unary(x, a);
            for (const auto i : used) c = plus(c, cost_at(functions_[i], value));
            out = std::min(out, c);
        }
        return out;
    };
    const auto close = [&] {
        save(variables_[x].state);
        variables_[x].state = is_eliminated;
        for (const auto i : used) deactivate(functions_[i]);
        steps_.push_back({x, used});
        trail_.push_back({nullptr, 0, Entry::step});
    };
    if (count == 0) {
        close();
        return true;
    }
    const Var y = near[0];
    if (count == 1) {
        std::vector<Cost> costs(variables_[y].size);
        for (const Value b : values(y)) {
            value[y] = b;
            costs[b] = least();
        }
        close();
        const auto& v = variables_[y];
        for (std::uint32_t k = v.count; k-- > 0;) {
            const Value b = values_[v.first + k];
            if (costs[b] >= forbidden) {
                if (!drop(y, b)) return conflict(none);
            } else if (costs[b] > 0) {
                raise(y, b, costs[b]);
            }
        }
        return true;
    }
    const Var z = near[1];
    std::vector<Cost> costs(std::size_t{variables_[y].size} * variables_[z].size, 0);
    for (const Value b : values(y)) {
        for (const Value c : values(z)) {
            value[y] = b;
            value[z] = c;
            costs[std::size_t{b} * variables_[z].size + c] = least();
        }
    }
    close();
    return make_consistent(replace_between(y, z, weight, costs));
}

bool SoftNet::propagate() {
    constexpr std::size_t most_supports = 8;  // of each variable: what comes after is small
    constexpr std::size_t between_questions = 256;
    std::size_t supports = most_supports * variables_.size();
    for (std::size_t step = 1;; ++step) {
        if (lower_ >= upper_) return conflict(none);
        if (step % between_questions == 0 && stopped_ && stopped_()) {
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

SoftNet::Value SoftNet::support(Var x) const {
    const auto& v = variables_[x];
    if (has(x, v.support) && unary(x, v.support) == 0) return v.support;
    for (const Value a : values(x))
        if (unary(x, a) == 0) return a;
    return values(x)[0];
}

double SoftNet::weight(Var x) const {
    double out = 0;
    for (const auto i : functions_of_[x])
        if (functions_[i].active) out += weights_[functions_[i].weight];
    return out;
}

std::size_t SoftNet::degree(Var x) const {
    std::size_t out = 0;
    for (const auto i : functions_of_[x]) out += functions_[i].active;
    return out;
}

std::vector<SoftNet::Value> SoftNet::assignment() const {
    std::vector<Value> out(variables_.size(), 0);
    for (Var x = 0; x < variables_.size(); ++x) out[x] = values_[variables_[x].first];
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        Cost least = forbidden;
        Value best = values(step->variable)[0];
        for (const Value a : values(step->variable)) {
            out[step->variable] = a;
            Cost c = unary(step->variable, a);
            for (const auto i : step->functions) c = plus(c, cost_at(functions_[i], out));
            if (c >= least) continue;
            least = c;
            best = a;
        }
        out[step->variable] = best;
    }
    return out;
}

}  // namespace credence::rt
