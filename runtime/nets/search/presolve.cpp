#include "runtime/nets/search/presolve.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

double entries_over(std::span<const Slot> scope, const Sizes& sizes) {
    double out = 1;
    for (const auto v : scope) out *= static_cast<double>(sizes[v]);
    return out;
}

/// Calls body(entry, value) for every configuration of a scope.
template <class Body>
void each_entry(std::span<const Slot> scope, const Sizes& sizes, const Body& body) {
    std::vector<std::uint32_t> value(scope.size(), 0);
    const auto n = static_cast<std::size_t>(entries_over(scope, sizes));
    for (std::size_t at = 0; at < n; ++at) {
        body(at, value);
        for (std::size_t i = scope.size(); i-- > 0;) {
            if (++value[i] < sizes[scope[i]]) break;
            value[i] = 0;
        }
    }
}

/// Adds `f` to `to`, whose scope has all its variables.
void add_into(CostFunction& to, const CostFunction& f, const Sizes& sizes) {
    const auto strides = strides_in(f.scope, to.scope, sizes);
    each_entry(to.scope, sizes, [&](std::size_t at, const std::vector<std::uint32_t>& value) {
        std::size_t from = 0;
        for (std::size_t i = 0; i < value.size(); ++i) from += strides[i] * value[i];
        to.costs[at] = plus(to.costs[at], f.costs[from]);
    });
}

bool within(std::span<const Slot> small, std::span<const Slot> large) {
    return std::all_of(small.begin(), small.end(), [&](Slot v) { return contains(large, v); });
}

}  // namespace

class Presolver {
public:
    Presolver(CostNet net, const PresolveLimits& limits, const std::function<bool()>& stopped, Presolved& out)
        : net_(std::move(net)), limits_(limits), stopped_(stopped), out_(out) {
        const std::size_t n = net_.sizes.size();
        alive_.assign(n, 1);
        for (const auto size : net_.sizes) {
            auto& values = out_.values_.emplace_back(size);
            std::iota(values.begin(), values.end(), 0U);
        }
    }

    void run() {
        for (bool changed = true; changed && !net_.impossible && !stopped_();) {
            while (prune() && !net_.impossible) {}
            if (net_.impossible) break;
            join();
            changed = substitute();
            changed = eliminate() || changed;
        }
        finish();
    }

private:
    /// Removes values that no configuration of some table allows; what has one value left leaves the tables.
    bool prune() {
        std::vector<std::vector<char>> possible(net_.sizes.size());
        for (Slot v = 0; v < net_.sizes.size(); ++v) possible[v].assign(net_.sizes[v], 1);
        for (const auto& f : net_.functions) {
            std::vector<std::vector<char>> seen;
            for (const auto v : f.scope) seen.emplace_back(net_.sizes[v], char{0});
            each_entry(f.scope, net_.sizes, [&](std::size_t at, const std::vector<std::uint32_t>& value) {
                if (f.costs[at] >= forbidden) return;
                for (std::size_t i = 0; i < value.size(); ++i) seen[i][value[i]] = 1;
            });
            for (std::size_t i = 0; i < f.scope.size(); ++i)
                for (std::size_t a = 0; a < seen[i].size(); ++a)
                    if (!seen[i][a]) possible[f.scope[i]][a] = 0;
        }
        bool changed = false;
        Sizes sizes = net_.sizes;
        for (Slot v = 0; v < sizes.size(); ++v) {
            const auto left = static_cast<std::size_t>(std::count(possible[v].begin(), possible[v].end(), 1));
            if (left == 0) net_.impossible = true;
            changed = changed || left < sizes[v];
            sizes[v] = left;
        }
        if (net_.impossible) return false;
        for (auto& f : net_.functions) shrink(f, possible, sizes);
        for (Slot v = 0; v < sizes.size(); ++v) {
            auto& values = out_.values_[v];
            std::size_t kept = 0;
            for (std::size_t a = 0; a < values.size(); ++a)
                if (possible[v][a]) values[kept++] = values[a];
            values.resize(kept);
            if (kept == 1) alive_[v] = 0;
        }
        net_.sizes = std::move(sizes);
        std::erase_if(net_.functions, [&](const CostFunction& f) {
            if (f.scope.empty()) net_.base += f.costs[0];
            return f.scope.empty();
        });
        return changed;
    }

    void shrink(CostFunction& f, const std::vector<std::vector<char>>& possible, const Sizes& sizes) const {
        CostFunction out;
        for (const auto v : f.scope)
            if (sizes[v] > 1) out.scope.push_back(v);
        if (entries_over(f.scope, net_.sizes) == entries_over(out.scope, sizes) && out.scope.size() == f.scope.size()) return;
        each_entry(f.scope, net_.sizes, [&](std::size_t at, const std::vector<std::uint32_t>& value) {
            for (std::size_t i = 0; i < value.size(); ++i)
                if (!possible[f.scope[i]][value[i]]) return;
            out.costs.push_back(f.costs[at]);
        });
        f = std::move(out);
    }

    /// Adds each table to one that has all its variables.
    void join() {
        auto by_variable = functions_by_variable();
        std::vector<std::size_t> order(net_.functions.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return net_.functions[a].scope.size() < net_.functions[b].scope.size(); });
        for (const auto i : order) {
            auto& f = net_.functions[i];
            Slot rarest = f.scope[0];
            for (const auto v : f.scope)
                if (by_variable[v].size() < by_variable[rarest].size()) rarest = v;
            for (const auto j : by_variable[rarest]) {
                auto& g = net_.functions[j];
                const bool larger = g.scope.size() > f.scope.size() || (g.scope.size() == f.scope.size() && j > i);
                if (j == i || g.scope.empty() || !larger || !within(f.scope, g.scope)) continue;
                add_into(g, f, net_.sizes);
                f.scope.clear();
                break;
            }
        }
        std::erase_if(net_.functions, [](const CostFunction& f) { return f.scope.empty(); });
    }

    /// A variable that another one determines takes its place: x = g(y).
    bool substitute() {
        bool changed = false;
        auto by_variable = functions_by_variable();
        for (std::size_t i = 0; i < net_.functions.size(); ++i) {
            if (net_.functions[i].scope.size() != 2) continue;
            for (const std::size_t determined : {1U, 0U}) {
                const Slot x = net_.functions[i].scope[determined];
                const Slot y = net_.functions[i].scope[1 - determined];
                const auto image = function_of(net_.functions[i], determined);
                if (image.empty() || !affordable(by_variable[x], x, y)) continue;
                replace(i, x, y, image, by_variable);
                changed = true;
                break;
            }
        }
        std::erase_if(net_.functions, [](const CostFunction& f) { return f.scope.empty(); });
        return changed;
    }

    /// By value of the other variable: the only value that this one may have. Empty if there are more.
    std::vector<std::uint32_t> function_of(const CostFunction& f, std::size_t determined) const {
        const std::size_t xs = net_.sizes[f.scope[determined]];
        const std::size_t ys = net_.sizes[f.scope[1 - determined]];
        std::vector<std::uint32_t> image(ys);
        for (std::size_t b = 0; b < ys; ++b) {
            std::size_t found = 0;
            for (std::size_t a = 0; a < xs; ++a) {
                if (f.costs[determined == 1 ? b * xs + a : a * ys + b] >= forbidden) continue;
                image[b] = static_cast<std::uint32_t>(a);
                ++found;
            }
            if (found != 1) return {};
        }
        return image;
    }

    bool affordable(const std::vector<std::size_t>& functions, Slot x, Slot y) const {
        if (net_.sizes[y] <= net_.sizes[x]) return true;
        return std::all_of(functions.begin(), functions.end(), [&](std::size_t i) {
            const auto& scope = net_.functions[i].scope;
            if (contains(scope, y)) return true;
            return entries_over(scope, net_.sizes) * static_cast<double>(net_.sizes[y]) / static_cast<double>(net_.sizes[x]) <=
                   limits_.entries;
        });
    }

    void replace(std::size_t by, Slot x, Slot y, const std::vector<std::uint32_t>& image,
                 std::vector<std::vector<std::size_t>>& by_variable) {
        record(x, {by});
        for (const auto i : by_variable[x]) {
            auto& f = net_.functions[i];
            CostFunction out;
            for (const auto v : f.scope)
                if (v != x) out.scope.push_back(v);
            if (!contains(out.scope, y)) {
                out.scope.push_back(y);
                by_variable[y].push_back(i);
            }
            const auto strides = strides_in(f.scope, out.scope, net_.sizes);
            const std::size_t own = strides_in(f.scope, std::vector<Slot>{x}, net_.sizes)[0];
            const auto place = static_cast<std::size_t>(std::find(out.scope.begin(), out.scope.end(), y) - out.scope.begin());
            each_entry(out.scope, net_.sizes, [&](std::size_t, const std::vector<std::uint32_t>& value) {
                std::size_t from = own * image[value[place]];
                for (std::size_t k = 0; k < value.size(); ++k) from += strides[k] * value[k];
                out.costs.push_back(f.costs[from]);
            });
            f = std::move(out);
        }
        by_variable[x].clear();
        alive_[x] = 0;
    }

    /// Variables whose neighbours make a small table, those with the fewest first.
    bool eliminate() {
        bool changed = false;
        auto by_variable = functions_by_variable();
        std::vector<std::size_t> degree(alive_.size(), 0);
        std::set<std::pair<std::size_t, Slot>> waiting;  // by degree
        const auto consider = [&](Slot x) {
            waiting.erase({degree[x], x});
            degree[x] = neighbours(x, by_variable[x]).size();
            if (degree[x] <= limits_.arity) waiting.insert({degree[x], x});
        };
        for (Slot x = 0; x < alive_.size(); ++x)
            if (alive_[x]) consider(x);
        while (!waiting.empty() && !stopped_()) {
            const Slot x = waiting.begin()->second;
            waiting.erase(waiting.begin());
            const auto scope = neighbours(x, by_variable[x]);
            if (entries_over(scope, net_.sizes) > limits_.entries) continue;
            minimise_out(x, scope, by_variable);
            for (const auto v : scope) consider(v);
            changed = true;
        }
        std::erase_if(net_.functions, [](const CostFunction& f) { return f.scope.empty(); });
        return changed;
    }

    std::vector<Slot> neighbours(Slot x, const std::vector<std::size_t>& functions) const {
        std::vector<Slot> out;
        for (const auto i : functions)
            for (const auto v : net_.functions[i].scope)
                if (v != x && !contains(out, v)) out.push_back(v);
        std::sort(out.begin(), out.end());
        return out;
    }

    void minimise_out(Slot x, const std::vector<Slot>& scope, std::vector<std::vector<std::size_t>>& by_variable) {
        const auto used = by_variable[x];
        record(x, used);
        CostFunction all{scope, {}};
        all.scope.push_back(x);
        all.costs.assign(static_cast<std::size_t>(entries_over(all.scope, net_.sizes)), 0);
        for (const auto i : used) {
            add_into(all, net_.functions[i], net_.sizes);
            for (const auto v : net_.functions[i].scope) std::erase(by_variable[v], i);
            net_.functions[i] = {};
        }
        alive_[x] = 0;
        CostFunction out{scope, {}};
        const std::size_t n = net_.sizes[x];
        for (std::size_t at = 0; at < all.costs.size(); at += n) {
            const auto begin = all.costs.begin() + static_cast<std::ptrdiff_t>(at);
            out.costs.push_back(*std::min_element(begin, begin + static_cast<std::ptrdiff_t>(n)));
        }
        if (scope.empty()) {
            net_.base += out.costs[0];
            return;
        }
        for (const auto v : scope) by_variable[v].push_back(net_.functions.size());
        net_.functions.push_back(std::move(out));
    }

    void record(Slot x, const std::vector<std::size_t>& functions) {
        Presolved::Step step{x, {}, {}};
        for (const auto i : functions) {
            step.functions.push_back(net_.functions[i]);
            auto& values = step.values.emplace_back();
            for (const auto v : net_.functions[i].scope) values.push_back(out_.values_[v]);
        }
        out_.steps_.push_back(std::move(step));
    }

    std::vector<std::vector<std::size_t>> functions_by_variable() const {
        std::vector<std::vector<std::size_t>> out(net_.sizes.size());
        for (std::size_t i = 0; i < net_.functions.size(); ++i)
            for (const auto v : net_.functions[i].scope) out[v].push_back(i);
        return out;
    }

    void finish() {
        constexpr Slot gone = ~Slot{0};
        std::vector<Slot> number(net_.sizes.size(), gone);
        CostNet& reduced = out_.reduced_;
        reduced = {{}, {}, net_.base, net_.log_scale, net_.unit, net_.impossible};
        if (net_.impossible) return;
        for (Slot v = 0; v < net_.sizes.size(); ++v) {
            if (!alive_[v]) continue;
            number[v] = static_cast<Slot>(out_.variables_.size());
            out_.variables_.push_back(v);
            reduced.sizes.push_back(net_.sizes[v]);
        }
        for (auto& f : net_.functions) {
            for (auto& v : f.scope) v = number[v];
            reduced.functions.push_back(std::move(f));
        }
    }

    CostNet net_;
    PresolveLimits limits_;
    const std::function<bool()>& stopped_;
    Presolved& out_;
    std::vector<char> alive_;
};

Presolved::Presolved(CostNet net, const PresolveLimits& limits, const std::function<bool()>& stopped) {
    if (net.impossible)
        reduced_ = std::move(net);
    else
        Presolver(std::move(net), limits, stopped, *this).run();
}

std::vector<std::uint32_t> Presolved::restored(std::span<const std::uint32_t> values) const {
    std::vector<std::uint32_t> out;
    for (const auto& left : values_) out.push_back(left[0]);
    for (std::size_t i = 0; i < values.size(); ++i) out[variables_[i]] = values_[variables_[i]][values[i]];
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        std::vector<Cost> costs;
        const auto& own = values_[step->variable];
        for (const auto candidate : own) {
            out[step->variable] = candidate;
            Cost total = 0;
            for (std::size_t f = 0; f < step->functions.size(); ++f) {
                const auto& scope = step->functions[f].scope;
                std::size_t at = 0;
                for (std::size_t k = 0; k < scope.size(); ++k) {
                    const auto& axis = step->values[f][k];
                    const auto place = static_cast<std::size_t>(std::find(axis.begin(), axis.end(), out[scope[k]]) - axis.begin());
                    at = at * axis.size() + place;
                }
                total = plus(total, step->functions[f].costs[at]);
            }
            costs.push_back(total);
        }
        out[step->variable] = own[static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin())];
    }
    return out;
}

}  // namespace credence::rt
