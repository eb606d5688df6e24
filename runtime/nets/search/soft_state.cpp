// The state of the network: its values, costs and functions, and the trail by which changes are undone.

#include <algorithm>
#include <bit>

#include "runtime/nets/search/soft_consistency.hpp"

namespace credence::rt {

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
    constexpr double least_nats = 1e-4;  // less is not worth moving, except where it raises the bound
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

}  // namespace credence::rt
