#include "runtime/nets/net_measure.hpp"

#include <map>
#include <numeric>

#include "runtime/core/contains.hpp"
#include "runtime/prob/factors/power.hpp"

namespace credence::rt {

namespace {

class UnionFind {
public:
    explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), Slot{0}); }
    Slot root(Slot x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }
    void join(Slot a, Slot b) { parent_[root(a)] = root(b); }

private:
    std::vector<Slot> parent_;
};

/// Whether no entry of a node's table is zero where the fixed variables have their values.
bool positive_under(const NetNode& node, Slot own, std::span<const std::int64_t> fixed, const Sizes& sizes) {
    std::vector<Slot> scope;
    for (const auto parent : node.parents) scope.push_back(static_cast<Slot>(index(parent)));
    scope.push_back(own);
    const auto positive = [&](const auto& table) {
        std::vector<std::size_t> value(scope.size(), 0);
        for (std::size_t i = 0; i < scope.size(); ++i)
            if (fixed[scope[i]] >= 0) value[i] = static_cast<std::size_t>(fixed[scope[i]]);
        while (true) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < scope.size(); ++i) at = at * sizes[scope[i]] + value[i];
            if (table[at] == 0) return false;
            std::size_t i = scope.size();
            while (i-- > 0) {
                if (fixed[scope[i]] >= 0) continue;
                if (++value[i] < sizes[scope[i]]) break;
                value[i] = 0;
            }
            if (i == SIZE_MAX) return true;
        }
    };
    return std::visit(positive, node.table);
}

}  // namespace

template <Prob P>
Potential<P> potential_of(const Net& net, Slot node) {
    const NetNode& n = net.nodes[node];
    Potential<P> out;
    for (const auto parent : n.parents) out.variables.push_back(static_cast<Slot>(index(parent)));
    out.variables.push_back(node);
    if constexpr (std::same_as<P, Rational>) {
        out.values = std::get<std::vector<Rational>>(n.table);
    } else {
        const auto convert = [&](const auto& table) {
            out.values.reserve(table.size());
            for (const auto& value : table) {
                if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, double>)
                    out.values.push_back(prob_of<P>(Number::real(value)));
                else
                    out.values.push_back(prob_of<P>(Number(value)));
            }
        };
        std::visit(convert, n.table);
    }
    return out;
}

template <Prob P>
NetMeasure<P>::NetMeasure(const NetCase& net_case, Method method)
    : case_(&net_case), method_(method), cancelled_(cancelled_tables(net_case)) {}

// With the free evidence variables G and the observed ones taken out, the tables fall into components. One that reaches no
// target is a function of G and e alone, occurs in numerator and denominator, and cancels: so P(C | A, B) is the table of C
// even where its parents' configuration is impossible, a root among G needs no prior, and what evidence separates from the
// targets is never multiplied out. It must stay only where it can be zero because of the evidence: that is a contradiction.
std::vector<char> cancelled_tables(const NetCase& c) {
    const std::size_t n = c.sizes.size();
    std::vector<char> cancelled(n, 0);
    const auto outside = [&](Slot slot) {
        return contains(c.shape.given, slot) || (c.fixed[slot] >= 0 && !contains(c.shape.targets, slot));
    };
    const auto scope_of = [&](Slot node) {
        std::vector<Slot> scope{node};
        for (const auto parent : c.net->nodes[node].parents) scope.push_back(static_cast<Slot>(index(parent)));
        std::erase_if(scope, outside);
        return scope;
    };
    UnionFind components(n);
    const auto join_all = [&](std::span<const Slot> scope) {
        std::optional<Slot> first;
        for (const auto slot : scope) {
            if (outside(slot)) continue;
            if (first) components.join(*first, slot);
            first = slot;
        }
    };
    for (Slot node = 0; node < n; ++node)
        if (c.relevant[node] && c.done[node] < 0) join_all(scope_of(node));
    for (const auto* tables : {&c.evidence, &c.target_events})
        for (const auto& t : *tables) join_all(t.variables);
    std::vector<std::vector<Slot>> row_scopes;  // what equal rows share
    for (const auto& group : c.rows.all) join_all(row_scopes.emplace_back(shared_by_row(*c.net, c.rows.by_row, group)));

    std::vector<char> wanted(n, 0);   // by root of a component
    std::vector<char> blocked(n, 0);  // holds evidence that may be impossible
    const auto mark = [&](std::vector<char>& marks, std::span<const Slot> scope) {
        for (const auto slot : scope)
            if (!outside(slot)) marks[components.root(slot)] = 1;
    };
    mark(wanted, c.shape.targets);
    for (const auto& t : c.target_events) mark(wanted, t.variables);
    mark(blocked, c.soft);
    for (const auto& scope : row_scopes) mark(c.rows.in_targets ? wanted : blocked, scope);
    for (const auto& t : c.evidence)
        if (t.only_value() < 0) mark(blocked, t.variables);

    std::vector<char> positive(n, 1);
    std::vector<char> has_evidence(n, 0);
    for (Slot node = 0; node < n; ++node) {
        if (!c.relevant[node] || c.done[node] >= 0) continue;
        positive[node] = positive_under(c.net->nodes[node], node, c.fixed, c.sizes) ? 1 : 0;
        has_evidence[node] = c.fixed[node] >= 0 || contains(c.soft, node) ? 1 : 0;
    }
    std::vector<char> zero_possible(n, 0);
    std::vector<char> holds_evidence(n, 0);
    for (Slot node = 0; node < n; ++node) {
        if (!c.relevant[node] || c.done[node] >= 0) continue;
        const auto scope = scope_of(node);
        if (scope.empty()) continue;
        if (!positive[node]) zero_possible[components.root(scope[0])] = 1;
        if (has_evidence[node]) holds_evidence[components.root(scope[0])] = 1;
    }
    for (Slot node = 0; node < n; ++node) {
        if (!c.relevant[node] || c.done[node] >= 0) continue;
        const auto scope = scope_of(node);
        if (scope.empty()) {
            cancelled[node] = !has_evidence[node] || positive[node] ? 1 : 0;
            continue;
        }
        const Slot root = components.root(scope[0]);
        cancelled[node] = !wanted[root] && !blocked[root] && (!holds_evidence[root] || !zero_possible[root]) ? 1 : 0;
    }
    return cancelled;
}

template <Prob P>
Problem<P> NetMeasure<P>::problem(std::span<const Slot> keep, Side side) const {
    const NetCase& c = *case_;
    std::vector<const EventTable*> events;
    for (const auto& t : c.evidence) events.push_back(&t);
    if (side == Side::all)
        for (const auto& t : c.target_events) events.push_back(&t);
    const auto matters = needed(keep, side);

    auto fixed = c.fixed;
    for (const auto slot : keep) fixed[slot] = -1;  // a variable of the answer keeps its axis: an indicator stands for its evidence
    Problem<P> out{&c.sizes, &c.names, {}};
    const auto add = [&](const Potential<P>& f) { out.potentials.push_back(restrict_to(f, fixed, c.sizes)); };
    for (Slot node = 0; node < c.sizes.size(); ++node) {
        if (!matters[node] || cancelled_[node]) continue;
        if (c.done[node] < 0) {
            add(potential_of<P>(*c.net, node));
        } else if (fixed[node] < 0) {
            Potential<P> set{{node}, std::vector<P>(c.sizes[node])};
            set.values[static_cast<std::size_t>(c.done[node])] = one<P>();
            add(set);
        }
    }
    for (const auto* t : events) {
        const bool is_restriction = t->variables.size() == 1 && fixed[t->variables[0]] >= 0 && t->only_value() == fixed[t->variables[0]];
        if (!is_restriction) add(indicator<P>(*t));
    }
    for (const auto& f : row_factors(side)) add(f);
    for (const auto& f : weights_) add(f);
    return out;
}

/// Nodes without evidence below them sum to one (barren); enumeration goes through the whole net anyway.
template <Prob P>
std::vector<char> NetMeasure<P>::needed(std::span<const Slot> keep, Side side) const {
    const NetCase& c = *case_;
    if (method_ == Method::enumeration && c.simple()) return std::vector<char>(c.sizes.size(), 1);
    std::vector<Slot> seeds(keep.begin(), keep.end());
    const auto add = [&](const std::vector<Slot>& slots) { seeds.insert(seeds.end(), slots.begin(), slots.end()); };
    for (const auto& t : c.evidence) add(t.variables);
    if (side == Side::all)
        for (const auto& t : c.target_events) add(t.variables);
    for (const auto& f : row_factors(side)) add(f.variables);
    for (const auto& f : weights_) add(f.variables);
    return ancestors(c, seeds);
}

template <Prob P>
Status NetMeasure<P>::observe_rows(Work& work) {
    if (auto status = add_row_factors(case_->rows.evidence, row_factors_[0], work); !status) return status;
    if (!case_->rows.in_targets) {
        row_factors_[1] = row_factors_[0];
        return Done{};
    }
    return add_row_factors(case_->rows.all, row_factors_[1], work);
}

template <Prob P>
Status NetMeasure<P>::add_row_factors(std::span<const RowGroup> groups, std::vector<Potential<P>>& to, Work& work) {
    const NetCase& c = *case_;
    const auto asked = [&](Slot slot) { return contains(c.shape.answer, slot) || contains(c.soft, slot); };
    std::map<std::vector<Slot>, std::size_t> places;
    for (const auto& group : groups) {
        auto fixed = c.fixed;
        for (Slot slot = 0; slot < fixed.size(); ++slot)
            if (asked(slot)) fixed[slot] = -1;
        for (const auto& [slot, value] : group.cells) fixed[slot] = static_cast<std::int64_t>(value);
        Problem<P> row{&c.sizes, &c.names, {}};
        for (const auto node : nodes_of_row(*c.net, c.rows.by_row, group))
            row.potentials.push_back(restrict_to(potential_of<P>(*c.net, node), fixed, c.sizes));
        auto shared = shared_by_row(*c.net, c.rows.by_row, group);
        std::erase_if(shared, [&](Slot slot) { return fixed[slot] >= 0; });
        auto factor = TRY(eliminate(std::move(row), shared, work));
        for (auto& value : factor.values) value = power(value, group.count, work);
        if (auto fault = work.interrupted()) return *std::move(fault);
        const auto [at, fresh] = places.emplace(shared, to.size());
        if (fresh) {
            to.push_back(std::move(factor));
            continue;
        }
        auto& product = to[at->second].values;
        for (std::size_t i = 0; i < product.size(); ++i) work.count(product[i] *= factor.values[i]);
        if (auto fault = work.interrupted()) return *std::move(fault);
    }
    return Done{};
}

template <Prob P>
Result<Potential<P>> NetMeasure<P>::marginal(std::span<const Slot> keep, Side side, Work& work) {
    if (method_ == Method::elimination) return eliminate(problem(keep, side), keep, work);
    if (method_ == Method::tree) return collect_messages(problem(keep, side), keep, cliques_, work);
    std::vector<Slot> all;
    const auto matters = needed(keep, side);
    for (Slot slot = 0; slot < case_->sizes.size(); ++slot)
        if ((matters[slot] && case_->fixed[slot] < 0) || contains(keep, slot)) all.push_back(slot);
    return enumerate(problem(keep, side), all, keep, work);
}

template <Prob P>
Result<Maximum<P>> NetMeasure<P>::maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) {
    if (method_ != Method::elimination) return Measure<P>::maximum(over, sizes, work);
    return maximise(problem(over, Side::all), over, work);
}

template class NetMeasure<Rational>;
template class NetMeasure<LogProb>;
template Potential<Rational> potential_of(const Net&, Slot);
template Potential<LogProb> potential_of(const Net&, Slot);

}  // namespace credence::rt
