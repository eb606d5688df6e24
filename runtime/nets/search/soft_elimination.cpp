// Functions and variables that are replaced by smaller ones: functions with few open variables, variables with few neighbours.

#include <algorithm>

#include "runtime/nets/search/soft_consistency.hpp"

namespace credence::rt {

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

/// The functions of a variable and its open neighbours; nothing if there are more than two of these.
std::optional<SoftNet::Bucket> SoftNet::bucket_of(Var x) const {
    Bucket out;
    for (const auto i : functions_of_[x]) {
        const auto& f = functions_[i];
        if (!f.active) continue;
        out.functions.push_back(i);
        out.weight = f.weight;
        for (std::uint32_t k = 0; k < f.arity; ++k) {
            const Var y = f.scope[k];
            if (y == x || !open(y) || (out.count > 0 && out.near[0] == y) || (out.count > 1 && out.near[1] == y)) continue;
            if (out.count == 2) return std::nullopt;
            out.near[out.count++] = y;
        }
    }
    return out;
}

/// Takes a variable with at most two neighbours out, for its cost as a function of them.
bool SoftNet::eliminate(Var x) {
    if (!open(x)) return true;
    auto bucket = bucket_of(x);
    if (!bucket) return true;
    const auto& used = bucket->functions;
    static thread_local std::vector<Value> value;
    value.resize(variables_.size());
    for (const auto i : used)
        for (std::uint32_t k = 0; k < functions_[i].arity; ++k) {
            const Var y = functions_[i].scope[k];
            value[y] = values_[variables_[y].first];
        }
    const auto least = [&] {
        Cost out = forbidden;
        effort_ += variables_[x].count * used.size();
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
    if (bucket->count == 0) {
        close();
        return true;
    }
    const Var y = bucket->near[0];
    if (bucket->count == 1) {
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
    const Var z = bucket->near[1];
    std::vector<Cost> costs(std::size_t{variables_[y].size} * variables_[z].size, 0);
    for (const Value b : values(y)) {
        for (const Value c : values(z)) {
            value[y] = b;
            value[z] = c;
            costs[std::size_t{b} * variables_[z].size + c] = least();
        }
    }
    close();
    return make_consistent(replace_between(y, z, bucket->weight, costs));
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
