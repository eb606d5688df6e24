#include "runtime/nets/net_junction.hpp"

#include <algorithm>
#include <limits>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

/// A whole net with fewer entries in its cliques is calibrated for any query: every other posterior is then free.
constexpr double small_tree = 1e6;
/// From this many entries on, trees for parts of a net may be cheaper than one for all of it.
constexpr double parts_pay = 3e5;

bool is_minus_infinity(double x) { return x == -std::numeric_limits<double>::infinity(); }

/// 1 if there is weight: the support of a measure.
void to_support(std::vector<double>& values) {
    for (auto& v : values) v = v > 0 ? 1 : 0;
}

void append_table(TreeModel& model, const std::variant<std::vector<Rational>, std::vector<double>>& table) {
    model.begin.push_back(model.values.size());
    if (const auto* real = std::get_if<std::vector<double>>(&table))
        model.values.insert(model.values.end(), real->begin(), real->end());
    else
        for (const auto& value : std::get<std::vector<Rational>>(table)) model.values.push_back(value.to_double());
}

}  // namespace

TreeModel tree_model(const Net& net) {
    TreeModel out;
    out.directed = true;
    for (Slot i = 0; i < net.nodes.size(); ++i) {
        const auto& node = net.nodes[i];
        out.sizes.push_back(node.variable.size());
        out.names.push_back(node.variable.name);
        auto& scope = out.scopes.emplace_back();
        for (const auto parent : node.parents) scope.push_back(static_cast<Slot>(index(parent)));
        scope.push_back(i);
        append_table(out, node.table);
    }
    return out;
}

TreeModel tree_model(const MarkovNet& net) {
    TreeModel out;
    for (const auto& variable : net.variables) {
        out.sizes.push_back(variable.size());
        out.names.push_back(variable.name);
    }
    for (const auto& table : net.tables) {
        out.scopes.push_back(table.variables);
        append_table(out, table.values);
    }
    return out;
}

bool NetEvidence::same_as(const NetEvidence& other) const {
    return fixed == other.fixed && cut == other.cut &&
           std::equal(extra.begin(), extra.end(), other.extra.begin(), other.extra.end(),
                      [](const auto& a, const auto& b) { return a.variables == b.variables && a.values == b.values; });
}

Result<const Calibrated*> LiveTree::under(const NetEvidence& evidence, std::span<const Slot> variables, const Run& run) {
    constexpr const Calibrated* none = nullptr;
    const bool values_only = evidence.extra.empty() && !contains(evidence.cut, 1);
    if (!model_->directed || !values_only) return none;
    if (!tried_) {
        tried_ = true;
        const NetTrees all(*model_, {std::vector<std::int64_t>(model_->sizes.size(), -1), std::vector<char>(model_->sizes.size(), 0), {}});
        if (auto made = all.uncalibrated(small_tree, run)) whole_ = *std::move(made);
    }
    if (!whole_.tree || !(variables.empty() || whole_.tree->holds(variables))) return none;
    if (fixed_ == evidence.fixed) return &whole_;
    fixed_.clear();
    for (Slot v = 0; v < evidence.fixed.size(); ++v) {
        if (evidence.fixed[v] < 0)
            whole_.numbers->forget(v);
        else
            whole_.numbers->set_state(v, static_cast<std::size_t>(evidence.fixed[v]));
    }
    whole_.log_total = TRY(whole_.numbers->calibrate(run));
    fixed_ = evidence.fixed;
    return &whole_;
}

NetTrees::NetTrees(const TreeModel& model, NetEvidence evidence, LiveTree* live)
    : model_(&model), evidence_(std::move(evidence)), live_(live) {
    for (Slot v = 0; v < model.sizes.size(); ++v)
        if (evidence_.fixed[v] >= 0 && !evidence_.cut[v]) seeds_.push_back(v);
    for (const auto& f : evidence_.extra) seeds_.insert(seeds_.end(), f.variables.begin(), f.variables.end());
}

/// The variables and all their ancestors: what is left of a net after the barren nodes are gone. Of an undirected model, all.
std::vector<char> NetTrees::closure(std::span<const Slot> variables) const {
    if (!model_->directed) return std::vector<char>(model_->sizes.size(), 1);
    std::vector<char> in(model_->sizes.size(), 0);
    std::vector<Slot> stack(variables.begin(), variables.end());
    stack.insert(stack.end(), seeds_.begin(), seeds_.end());
    while (!stack.empty()) {
        const Slot node = stack.back();
        stack.pop_back();
        if (in[node]) continue;
        in[node] = 1;
        if (evidence_.cut[node] && evidence_.fixed[node] >= 0) continue;
        const auto& scope = model_->scopes[node];
        stack.insert(stack.end(), scope.begin(), scope.end() - 1);
    }
    return in;
}

NetTrees::Part NetTrees::part(const std::vector<char>& in, std::span<const Slot> together) const {
    Part out;
    const Sizes& sizes = model_->sizes;
    out.scopes.sizes = sizes;
    out.scopes.names = &model_->names;
    if (!together.empty()) out.scopes.together.emplace_back(together.begin(), together.end());
    const auto add = [&](const std::vector<Slot>& scope, const double* base, bool rows_sum_to_one) {
        auto& kept = out.scopes.scopes.emplace_back();
        FactorData data{base, {}};
        std::size_t step = 1;
        for (std::size_t i = scope.size(); i-- > 0; step *= sizes[scope[i]]) {
            if (const auto value = evidence_.fixed[scope[i]]; value >= 0) {
                data.base += static_cast<std::size_t>(value) * step;
            } else {
                kept.push_back(scope[i]);
                data.strides.push_back(step);
            }
        }
        const bool conditional = rows_sum_to_one && evidence_.fixed[scope.back()] < 0;
        out.scopes.child.push_back(conditional ? scope.back() : JunctionScopes::no_slot);
        out.data.push_back(std::move(data));
    };
    for (std::size_t f = 0; f < model_->scopes.size(); ++f) {
        if (model_->directed && (!in[f] || evidence_.cut[f])) continue;
        add(model_->scopes[f], model_->values.data() + model_->begin[f], model_->directed);
    }
    for (const auto& f : evidence_.extra) add(f.variables, f.values.data(), false);
    return out;
}

const Calibrated* NetTrees::find(std::span<const Slot> variables) const {
    const Calibrated* found = nullptr;
    for (const auto& c : trees_)
        if ((variables.empty() || c.tree->holds(variables)) &&
            (found == nullptr || c.tree->counts().entries < found->tree->counts().entries))
            found = &c;
    return found;
}

Result<JunctionTreePtr> NetTrees::compiled(const std::vector<char>& in, std::span<const Slot> together, const Run& run) const {
    return JunctionTree::compile(part(in, together).scopes, run);
}

Result<const Calibrated*> NetTrees::calibrated(JunctionTreePtr tree, const std::vector<char>& in, std::span<const Slot> together,
                                               const Run& run) {
    Calibrated out{tree, std::make_unique<Propagation>(tree), 0};
    out.numbers->set_tables(part(in, together).data);
    out.log_total = TRY(out.numbers->calibrate(run));
    trees_.push_back(std::move(out));
    return &trees_.back();
}

const JunctionTreePtr& NetTrees::whole(const Run& run) {
    if (!whole_tried_) {
        whole_tried_ = true;
        if (auto tree = compiled(std::vector<char>(model_->sizes.size(), 1), {}, run)) whole_ = *std::move(tree);
    }
    return whole_;
}

/// Of the tree of everything: an estimate, or where there are so few numbers that compiling is no more work, the figure itself.
double NetTrees::whole_entries(const Run& run) {
    constexpr std::size_t few = 1000;
    if (model_->values.size() <= few && whole(run)) return whole_->counts().entries;
    if (!whole_entries_) {
        const std::vector<char> all(model_->sizes.size(), 1);
        whole_entries_ = estimate_triangulation(part(all, {}).scopes.scopes, model_->sizes).entries;
    }
    return *whole_entries_;
}

/// The tree of everything, where it has the variables together and can be had.
Result<const Calibrated*> NetTrees::whole_with(std::span<const Slot> variables, const Run& run) {
    if (!whole(run) || !(variables.empty() || whole_->holds(variables))) return static_cast<const Calibrated*>(nullptr);
    return calibrated(whole_, std::vector<char>(model_->sizes.size(), 1), {}, run);
}

Result<Calibrated> NetTrees::uncalibrated(double most_entries, const Run& run) const {
    const std::vector<char> all(model_->sizes.size(), 1);
    const Part factors = part(all, {});
    if (estimate_triangulation(factors.scopes.scopes, model_->sizes).entries > most_entries) return Calibrated{};
    auto tree = TRY(JunctionTree::compile(factors.scopes, run));
    Calibrated out{tree, std::make_unique<Propagation>(tree), 0};
    out.numbers->set_tables(factors.data);
    return out;
}

Result<const Calibrated*> NetTrees::tree_with(std::span<const Slot> variables, const Run& run) {
    if (live_ != nullptr) {
        auto found = live_->under(evidence_, variables, run);
        // what vanished there may be held where the evidence has made the tables smaller
        if (!found || (*found && !is_minus_infinity((*found)->log_total) && !(*found)->numbers->faded())) return found;
    }
    if (const auto* found = find(variables)) return found;
    if (!model_->directed || whole_entries(run) <= small_tree) {  // nothing of an undirected model is left out anyway
        auto whole = whole_with(variables, run);
        if (!whole || *whole) return whole;
    }
    const auto in = closure(variables);
    auto tree = TRY(compiled(in, variables, run));
    // parts are paid for one by one, until the whole would have been cheaper
    if (spent_ + tree->counts().entries >= whole_entries(run)) {
        auto whole = whole_with(variables, run);
        if (!whole || *whole) return whole;
    }
    spent_ += tree->counts().entries;
    return calibrated(std::move(tree), in, variables, run);
}

const WideSum* NetTrees::known_wide_sum(std::span<const Slot> variables, SumBy by) const {
    for (const auto& sum : wide_sums_)
        if ((by == SumBy::any || by == sum->by) &&
            std::all_of(variables.begin(), variables.end(), [&](Slot v) { return sum->covered[v] != 0; }))
            return sum.get();
    return nullptr;
}

Result<const WideSum*> NetTrees::wide_sum_with(std::span<const Slot> variables, SumBy by, Fault too_large, const Run& run) {
    if (const auto* known = known_wide_sum(variables, by)) return known;
    wide_sums_.push_back(TRY(wide_sum(*this, closure(variables), by, std::move(too_large), run)));
    return wide_sums_.back().get();
}

std::vector<double> table_values(const NetTrees::Part& part, std::size_t factor) {
    const auto& scope = part.scopes.scopes[factor];
    const auto& [base, strides] = part.data[factor];
    std::vector<double> out(static_cast<std::size_t>(table_size(scope, part.scopes.sizes)));
    std::vector<std::size_t> value(scope.size(), 0);
    std::size_t at = 0;
    for (auto& entry : out) {
        entry = base[at];
        next_configuration(
            value, [&](std::size_t i) { return part.scopes.sizes[scope[i]]; }, strides, at);
    }
    return out;
}

/// Closures that together hold every node. A node without children represents all its ancestors; closures that are cheaper together are
/// joined. Empty if the whole is cheaper, or where finding out would cost too much of what there is to gain.
std::vector<std::vector<char>> NetTrees::parts_for_all(double whole_entries) const {
    constexpr double share = 0.06;  // of the cost of the whole, for the comparison: a tenth of the time
    const std::size_t n = model_->sizes.size();
    std::vector<char> childless(n, 1);
    for (const auto& scope : model_->scopes)
        for (std::size_t i = 0; i + 1 < scope.size(); ++i) childless[scope[i]] = 0;
    struct Closure {
        std::vector<char> in;
        double entries;
    };
    double effort = 0;
    const auto measured = [&](std::vector<char> in) {
        const auto found = estimate_triangulation(part(in, {}).scopes.scopes, model_->sizes);
        effort += found.effort;
        return Closure{std::move(in), found.entries};
    };
    std::vector<Closure> single;
    for (Slot node = 0; node < n; ++node) {
        if (!childless[node] || evidence_.fixed[node] >= 0) continue;
        single.push_back(measured(closure(std::span(&node, 1))));
        if (effort > share * whole_entries) return {};
    }
    std::stable_sort(single.begin(), single.end(), [](const auto& a, const auto& b) { return a.entries > b.entries; });
    std::vector<Closure> parts;
    double total = 0;
    for (auto& next : single) {
        std::size_t into = parts.size();
        Closure best;
        double gain = 0;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            std::vector<char> both = parts[p].in;
            for (std::size_t i = 0; i < n; ++i) both[i] = static_cast<char>(both[i] | next.in[i]);
            auto joined = both == parts[p].in ? parts[p] : measured(std::move(both));
            if (effort > share * whole_entries) return {};
            const double saved = parts[p].entries + next.entries - joined.entries;
            if (saved < gain || (into < parts.size() && saved == gain)) continue;
            gain = saved;
            into = p;
            best = std::move(joined);
        }
        if (into < parts.size()) {
            total += best.entries - parts[into].entries;
            parts[into] = std::move(best);
        } else {
            total += next.entries;
            parts.push_back(std::move(next));
        }
        if (total >= whole_entries) return {};
    }
    std::vector<std::vector<char>> out;
    for (auto& p : parts) out.push_back(std::move(p.in));
    return out;
}

Status NetTrees::cover_all(const Run& run) {
    std::vector<std::vector<char>> parts;
    if (model_->directed && whole_entries(run) > parts_pay) parts = parts_for_all(whole_entries(run));
    if (parts.size() < 2) {
        if (whole_) {
            TRY(whole_with({}, run));
            return Done{};
        }
        parts.assign(1, std::vector<char>(model_->sizes.size(), 1));
    }
    for (const auto& in : parts) {
        auto tree = TRY(compiled(in, {}, run));
        TRY(calibrated(std::move(tree), in, {}, run));
    }
    return Done{};
}

void NetTrees::marginal(Slot variable, std::span<double> out) const {
    if (evidence_.fixed[variable] >= 0) {
        std::fill(out.begin(), out.end(), 0.0);
        out[static_cast<std::size_t>(evidence_.fixed[variable])] = 1;
        return;
    }
    for (const auto& c : trees_) {
        if (!c.tree->has(variable)) continue;
        c.numbers->marginal(variable, out);
        return;
    }
}

Attempt<Maximum<LogProb>> NetTrees::heaviest(std::span<const Slot> over, const Run& run) const {
    const auto in = closure(over);
    for (Slot v = 0; v < in.size(); ++v)
        if (in[v] && evidence_.fixed[v] < 0 && !contains(over, v)) return not_applicable;
    const Part factors = part(in, {});
    auto tree = TRY(JunctionTree::compile(factors.scopes, run));
    Propagation numbers(tree);
    numbers.set_tables(factors.data);
    const auto log_weight = TRY(numbers.calibrate_maximum(run));
    if (is_minus_infinity(log_weight) || numbers.faded()) return not_applicable;
    Maximum<LogProb> out{{}, LogProb::of_log(log_weight), 1};
    std::vector<double> by_value;
    for (const auto v : over) {
        if (evidence_.fixed[v] >= 0) {
            out.values.push_back(static_cast<std::size_t>(evidence_.fixed[v]));
            continue;
        }
        if (!tree->has(v)) return not_applicable;  // nothing prefers one of its values
        by_value.resize(model_->sizes[v]);
        numbers.marginal(v, by_value);
        const auto best = std::max_element(by_value.begin(), by_value.end());
        constexpr double rounding = 1e-9;
        if (std::count_if(by_value.begin(), by_value.end(), [&](double x) { return x >= *best * (1 - rounding); }) > 1)
            return not_applicable;
        out.values.push_back(static_cast<std::size_t>(best - by_value.begin()));
    }
    return out;
}

/// The largest product of zeros and ones is one of them: nothing can vanish.
Result<bool> NetTrees::possible(const Run& run) const {
    TreeModel support = *model_;
    to_support(support.values);
    NetEvidence evidence = evidence_;
    for (auto& f : evidence.extra) to_support(f.values);
    const NetTrees there(support, std::move(evidence));
    const auto in = there.closure({});
    const Part factors = there.part(in, {});
    auto tree = JunctionTree::compile(factors.scopes, run);
    if (!tree) {
        const auto sum = TRY(wide_sum(there, in, SumBy::circuit, std::move(tree).fault(), run));
        return !is_minus_infinity(sum->log_total);
    }
    Propagation numbers(*tree);
    numbers.set_tables(factors.data);
    const auto log_weight = TRY(numbers.calibrate_maximum(run));
    return !is_minus_infinity(log_weight);
}

}  // namespace credence::rt
