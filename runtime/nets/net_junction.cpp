#include "runtime/nets/net_junction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

/// A whole net with fewer entries in its cliques is calibrated for any query: every other posterior is then free.
constexpr double small_tree = 1e6;
constexpr std::size_t remembered = 4;

bool is_minus_infinity(double x) { return x == -std::numeric_limits<double>::infinity(); }

/// 1 where there is weight: the support of a measure, in which nothing can vanish by rounding.
void to_support(std::vector<double>& values) {
    for (auto& v : values) v = v > 0 ? 1 : 0;
}

NetEvidence support_of(NetEvidence evidence) {
    for (auto& f : evidence.extra) to_support(f.values);
    return evidence;
}

/// The evidence of a case as a tree takes it; the events of the target belong to it on that side.
NetEvidence evidence_of(const NetCase& c, Side side) {
    NetEvidence out;
    out.fixed = c.fixed;
    out.cut.assign(c.sizes.size(), 0);
    for (std::size_t i = 0; i < c.sizes.size(); ++i) out.cut[i] = c.done[i] >= 0;
    const auto add = [&](const EventTable& t) {
        const auto only = t.only_value();
        if (t.variables.size() == 1 && only >= 0 && (out.fixed[t.variables[0]] < 0 || out.fixed[t.variables[0]] == only)) {
            out.fixed[t.variables[0]] = only;
            return;
        }
        Potential<double> indicator{t.variables, {}};
        for (const char truth : t.truth) indicator.values.push_back(truth ? 1 : 0);
        out.extra.push_back(std::move(indicator));
    };
    for (const auto& t : c.evidence) add(t);
    if (side == Side::all)
        for (const auto& t : c.target_events) add(t);
    return out;
}

/// Weights as doubles, the largest 1; its logarithm is added to `log_scale`.
Potential<double> real_weights(const Potential<LogProb>& weights, double& log_scale) {
    double high = -std::numeric_limits<double>::infinity();
    for (const auto& w : weights.values) high = std::max(high, w.log());
    Potential<double> out{weights.variables, {}};
    for (const auto& w : weights.values) out.values.push_back(is_minus_infinity(high) ? 0 : std::exp(w.log() - high));
    if (!is_minus_infinity(high)) log_scale += high;
    return out;
}

}  // namespace

NetReals reals_of(const Net& net) {
    NetReals out;
    for (const auto& node : net.nodes) {
        out.begin.push_back(out.values.size());
        if (const auto* real = std::get_if<std::vector<double>>(&node.table))
            out.values.insert(out.values.end(), real->begin(), real->end());
        else
            for (const auto& value : std::get<std::vector<Rational>>(node.table)) out.values.push_back(value.to_double());
    }
    return out;
}

bool NetEvidence::same_as(const NetEvidence& other) const {
    return fixed == other.fixed && cut == other.cut &&
           std::equal(extra.begin(), extra.end(), other.extra.begin(), other.extra.end(),
                      [](const auto& a, const auto& b) { return a.variables == b.variables && a.values == b.values; });
}

NetTrees::NetTrees(const Net& net, const NetReals& reals, const SlotNames& names, NetEvidence evidence)
    : net_(&net), reals_(&reals), names_(&names), evidence_(std::move(evidence)) {
    for (const auto& node : net.nodes) sizes_.push_back(node.variable.size());
    for (Slot v = 0; v < sizes_.size(); ++v)
        if (evidence_.fixed[v] >= 0 && !evidence_.cut[v]) seeds_.push_back(v);
    for (const auto& f : evidence_.extra) seeds_.insert(seeds_.end(), f.variables.begin(), f.variables.end());
}

/// The variables and all their ancestors: what is left of the net after the barren nodes are gone.
std::vector<char> NetTrees::closure(std::span<const Slot> variables) const {
    std::vector<char> in(sizes_.size(), 0);
    std::vector<Slot> stack(variables.begin(), variables.end());
    stack.insert(stack.end(), seeds_.begin(), seeds_.end());
    while (!stack.empty()) {
        const Slot node = stack.back();
        stack.pop_back();
        if (in[node]) continue;
        in[node] = 1;
        if (evidence_.cut[node] && evidence_.fixed[node] >= 0) continue;
        for (const auto parent : net_->nodes[node].parents) stack.push_back(static_cast<Slot>(index(parent)));
    }
    return in;
}

NetTrees::Part NetTrees::part(const std::vector<char>& in, std::span<const Slot> together) const {
    Part out;
    out.scopes.sizes = sizes_;
    out.scopes.names = names_;
    if (!together.empty()) out.scopes.together.emplace_back(together.begin(), together.end());
    std::vector<Slot> scope;
    const auto add = [&](const double* base, bool rows_sum_to_one) {
        auto& kept = out.scopes.scopes.emplace_back();
        FactorData data{base, {}};
        std::size_t step = 1;
        for (std::size_t i = scope.size(); i-- > 0; step *= sizes_[scope[i]]) {
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
    for (Slot node = 0; node < sizes_.size(); ++node) {
        if (!in[node] || evidence_.cut[node]) continue;
        scope.clear();
        for (const auto parent : net_->nodes[node].parents) scope.push_back(static_cast<Slot>(index(parent)));
        scope.push_back(node);
        add(reals_->values.data() + reals_->begin[node], true);
    }
    for (const auto& f : evidence_.extra) {
        scope = f.variables;
        add(f.values.data(), false);
    }
    return out;
}

const NetTrees::Calibrated* NetTrees::find(std::span<const Slot> variables) const {
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

Result<const NetTrees::Calibrated*> NetTrees::calibrated(JunctionTreePtr tree, const std::vector<char>& in, std::span<const Slot> together,
                                                         const Run& run) {
    Calibrated out{tree, std::make_unique<Propagation>(tree), 0};
    out.numbers->set_tables(part(in, together).data);
    const auto total = out.numbers->calibrate(run);
    if (!total) return total.fault();
    out.log_total = *total;
    trees_.push_back(std::move(out));
    return &trees_.back();
}

Result<const NetTrees::Calibrated*> NetTrees::tree_with(std::span<const Slot> variables, const Run& run) {
    if (const auto* found = find(variables)) return found;
    const std::vector<char> all(sizes_.size(), 1);
    if (!whole_ && !whole_fault_) {
        auto tree = compiled(all, {}, run);
        if (tree)
            whole_ = *std::move(tree);
        else
            whole_fault_ = std::move(tree).fault();
    }
    const bool whole_serves = whole_ && (variables.empty() || whole_->holds(variables));
    if (whole_serves && whole_->counts().entries <= small_tree) return calibrated(whole_, all, {}, run);
    const auto in = closure(variables);
    auto tree = compiled(in, variables, run);
    if (!tree) return std::move(tree).fault();
    // parts are paid for one by one, until the whole would have been cheaper
    if (whole_serves && spent_ + (*tree)->counts().entries >= whole_->counts().entries) return calibrated(whole_, all, {}, run);
    spent_ += (*tree)->counts().entries;
    return calibrated(*std::move(tree), in, variables, run);
}

/// Closures that together hold every node. What has no child stands for all its ancestors; closures that are cheaper together are joined.
std::vector<std::vector<char>> NetTrees::parts_for_all(double whole_entries) const {
    const std::size_t n = sizes_.size();
    std::vector<char> childless(n, 1);
    for (Slot node = 0; node < n; ++node)
        for (const auto parent : net_->nodes[node].parents) childless[index(parent)] = 0;
    const auto cost = [&](const std::vector<char>& in) { return triangulate(part(in, {}).scopes.scopes, sizes_).entries; };
    std::vector<std::vector<char>> parts;
    double last = 0;
    double total = 0;
    for (Slot node = 0; node < n; ++node) {
        if (!childless[node] || (evidence_.fixed[node] >= 0 && !parts.empty())) continue;
        auto in = closure(std::span(&node, 1));
        const double alone = cost(in);
        if (!parts.empty()) {
            std::vector<char> both = parts.back();
            for (std::size_t i = 0; i < n; ++i) both[i] = static_cast<char>(both[i] | in[i]);
            const double joined = cost(both);
            if (joined <= last + alone) {
                total += joined - last;
                last = joined;
                parts.back() = std::move(both);
                if (total > whole_entries) return {};
                continue;
            }
        }
        total += alone;
        last = alone;
        parts.push_back(std::move(in));
        if (total > whole_entries) return {};
    }
    return parts;
}

Status NetTrees::cover_all(const Run& run) {
    const std::vector<char> all(sizes_.size(), 1);
    auto whole = compiled(all, {}, run);
    const double entries = whole ? (*whole)->counts().entries : std::numeric_limits<double>::infinity();
    std::vector<std::vector<char>> parts;
    if (entries > 20 * small_tree) parts = parts_for_all(entries);
    if (parts.empty()) {
        if (!whole) return std::move(whole).fault();
        auto done = calibrated(*std::move(whole), all, {}, run);
        if (!done) return std::move(done).fault();
        return Done{};
    }
    for (const auto& in : parts) {
        auto tree = compiled(in, {}, run);
        if (!tree) return std::move(tree).fault();
        auto done = calibrated(*std::move(tree), in, {}, run);
        if (!done) return std::move(done).fault();
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

NetTrees& NetMemory::trees_for(NetEvidence evidence, const SlotNames& names) {
    if (!reals_) {
        reals_ = reals_of(*net_);
        names_ = names;
    }
    const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const auto& trees) { return trees->evidence().same_as(evidence); });
    if (found != recent_.end()) {
        std::rotate(recent_.begin(), found, found + 1);
    } else {
        if (recent_.size() == remembered) recent_.pop_back();
        recent_.insert(recent_.begin(), std::make_unique<NetTrees>(*net_, *reals_, names_, std::move(evidence)));
    }
    return *recent_.front();
}

JunctionMeasure::JunctionMeasure(const NetCase& net_case, NetMemory& memory) : case_(&net_case), memory_(&memory), lock_(memory.busy_) {
    // What evidence separates from the target is another component of the tree anyway; only free evidence variables make tables cancel
    // that would make the answer undefined. Leaving the others in keeps the evidence the same for every target.
    cancelled_ = net_case.shape.given.empty() ? std::vector<char>(net_case.sizes.size(), 0) : cancelled_tables(net_case);
}

void JunctionMeasure::weigh(Potential<LogProb> weights) { weights_.push_back(std::move(weights)); }

NetMeasure<LogProb> JunctionMeasure::elimination() const {
    NetMeasure<LogProb> out(*case_, Method::elimination);
    for (const auto& w : weights_) out.weigh(w);
    return out;
}

NetTrees& JunctionMeasure::current(Side side, double& log_scale) const {
    NetEvidence evidence = evidence_of(*case_, side);
    for (std::size_t i = 0; i < cancelled_.size(); ++i) evidence.cut[i] = static_cast<char>(evidence.cut[i] | cancelled_[i]);
    for (const auto& w : weights_) evidence.extra.push_back(real_weights(w, log_scale));
    return memory_->trees_for(std::move(evidence), case_->names);
}

Result<Potential<LogProb>> JunctionMeasure::marginal(std::span<const Slot> keep, Side side, Work& work) {
    double log_scale = 0;
    NetTrees& trees = current(side, log_scale);
    const auto& fixed = trees.evidence().fixed;
    const Sizes& sizes = case_->sizes;
    std::vector<Slot> asked;  // those with more than one value
    for (const auto slot : keep)
        if (fixed[slot] < 0) asked.push_back(slot);
    const auto tree = trees.tree_with(asked, work.run());
    if (!tree) return tree.fault();
    const auto& [shape, numbers, log_total] = **tree;
    counts_ = shape->counts();
    if (is_minus_infinity(log_total)) {
        NetReals support = *memory_->reals_;
        to_support(support.values);
        NetTrees again(*memory_->net_, support, case_->names, support_of(trees.evidence()));
        const auto possible = again.tree_with(asked, work.run());
        if (!possible) return possible.fault();
        if (!is_minus_infinity((*possible)->log_total)) {  // it is not zero, only too small for doubles
            eliminated_ = true;
            return elimination().marginal(keep, side, work);
        }
        return Potential<LogProb>{{keep.begin(), keep.end()}, std::vector<LogProb>(static_cast<std::size_t>(table_size(keep, sizes)))};
    }
    std::vector<double> values(static_cast<std::size_t>(table_size(asked, sizes)));
    if (asked.empty())
        values[0] = 1;
    else if (asked.size() == 1)
        numbers->marginal(asked[0], values);
    else
        numbers->joint(asked, values);

    // fixed variables of the answer keep their axis: zero but at their value
    Potential<LogProb> out{{keep.begin(), keep.end()}, std::vector<LogProb>(static_cast<std::size_t>(table_size(keep, sizes)))};
    const auto strides = strides_in(keep, asked, sizes);
    std::size_t at = 0;
    const auto own = strides_in(keep, keep, sizes);
    for (std::size_t i = 0; i < keep.size(); ++i)
        if (fixed[keep[i]] >= 0) at += own[i] * static_cast<std::size_t>(fixed[keep[i]]);
    std::vector<std::size_t> value(asked.size(), 0);
    for (const double v : values) {
        if (v > 0) out.values[at] = LogProb::of_log(std::log(v) + log_total + log_scale);
        for (std::size_t i = asked.size(); i-- > 0;) {
            at += strides[i];
            if (++value[i] < sizes[asked[i]]) break;
            at -= strides[i] * sizes[asked[i]];
            value[i] = 0;
        }
    }
    return out;
}

Result<bool> evidence_impossible(const NetCase& c, std::span<const Potential<double>> weights, const Run& run) {
    NetEvidence evidence = evidence_of(c, Side::evidence);
    for (const auto& w : weights) evidence.extra.push_back(w);
    NetReals support = reals_of(*c.net);
    to_support(support.values);
    NetTrees trees(*c.net, support, c.names, support_of(std::move(evidence)));
    const auto tree = trees.tree_with({}, run);
    if (!tree) return tree.fault();
    return is_minus_infinity((*tree)->log_total);
}

}  // namespace credence::rt
