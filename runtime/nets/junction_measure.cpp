// Queries answered from junction trees, and what is remembered between them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/configurations.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/nets/net_junction.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t remembered = 4;

/// Weights as doubles, the largest 1; its logarithm is added to `log_scale`.
Potential<double> scaled_weights(const Potential<LogProb>& weights, double& log_scale) {
    double high = -std::numeric_limits<double>::infinity();
    for (const auto& w : weights.values) high = std::max(high, w.log());
    Potential<double> out{weights.variables, {}};
    for (const auto& w : weights.values) out.values.push_back(std::isinf(high) ? 0 : std::exp(w.log() - high));
    if (!std::isinf(high)) log_scale += high;
    return out;
}

/// Whether some value of the free evidence variables has no weight at all in a table over `keep`.
bool empty_configuration(std::span<const double> values, std::span<const Slot> keep, std::span<const Slot> given, const Sizes& sizes) {
    std::vector<char> seen(static_cast<std::size_t>(table_size(given, sizes)), 0);
    const auto strides = strides_in(given, keep, sizes);
    std::vector<std::size_t> value(keep.size(), 0);
    std::size_t at = 0;
    for (const double v : values) {
        if (v > 0) seen[at] = 1;
        next_configuration(
            value, [&](std::size_t i) { return sizes[keep[i]]; }, strides, at);
    }
    return contains(seen, 0);
}

Number count_of(double n) { return Rational(static_cast<std::int64_t>(n)); }

}  // namespace

void add_events(NetEvidence& evidence, std::span<const EventTable> events) {
    for (const auto& t : events) {
        const auto only = t.only_value();
        if (t.variables.size() == 1 && only >= 0 && (evidence.fixed[t.variables[0]] < 0 || evidence.fixed[t.variables[0]] == only)) {
            evidence.fixed[t.variables[0]] = only;
            continue;
        }
        Potential<double> indicator{t.variables, {}};
        for (const char truth : t.truth) indicator.values.push_back(truth ? 1 : 0);
        evidence.extra.push_back(std::move(indicator));
    }
}

TreeCase tree_case(const NetCase& c) {
    TreeCase out;
    out.sizes = c.sizes;
    out.shape = c.shape;
    out.evidence.fixed = c.fixed;
    out.evidence.cut.assign(c.sizes.size(), 0);
    for (std::size_t i = 0; i < c.sizes.size(); ++i) out.evidence.cut[i] = c.done[i] >= 0;
    // What evidence separates from the target is another component of the tree anyway; only free evidence variables make tables cancel
    // that would make the answer undefined. Leaving the others in keeps the evidence the same for every target. Where tables are gone, what
    // is below them no longer sums to one and has to go as well.
    if (!c.shape.given.empty()) {
        const auto cancelled = cancelled_tables(c);
        for (std::size_t i = 0; i < c.sizes.size(); ++i)
            if (cancelled[i] || !c.relevant[i]) out.evidence.cut[i] = 1;
    }
    add_events(out.evidence, c.evidence);
    out.all = out.evidence;
    add_events(out.all, c.target_events);
    out.elimination = [&c] { return std::make_unique<NetMeasure<LogProb>>(c, Method::elimination); };
    return out;
}

NetTrees& NetMemory::trees_for(NetEvidence evidence) {
    if (!model_) {
        model_ = make_();
        live_ = std::make_unique<LiveTree>(*model_);
    }
    const auto found = std::find_if(recent_.begin(), recent_.end(), [&](const auto& trees) { return trees->evidence().same_as(evidence); });
    if (found != recent_.end()) {
        std::rotate(recent_.begin(), found, found + 1);
    } else {
        if (recent_.size() == remembered) recent_.pop_back();
        recent_.insert(recent_.begin(), std::make_unique<NetTrees>(*model_, std::move(evidence), live_.get()));
    }
    return *recent_.front();
}

/// Elimination leaves out tables that cancel, and so has other totals: the query has to begin again.
Fault JunctionMeasure::begin_anew() {
    beyond_trees_ = true;
    return {.code = "E-COST", .message = "this is outside the range of doubles on a tree"};
}

NetTrees& JunctionMeasure::current(Side side, double& log_scale) const {
    NetEvidence evidence = side == Side::all ? case_.all : case_.evidence;
    for (const auto& w : weights_) evidence.extra.push_back(scaled_weights(w, log_scale));
    return memory_->trees_for(std::move(evidence));
}

Result<Potential<LogProb>> JunctionMeasure::marginal(std::span<const Slot> keep, Side side, Work& work) {
    double log_scale = 0;
    NetTrees& trees = current(side, log_scale);
    const auto& fixed = trees.evidence().fixed;
    const Sizes& sizes = case_.sizes;
    std::vector<Slot> asked;  // those with more than one value
    for (const auto slot : keep)
        if (fixed[slot] < 0) asked.push_back(slot);
    const auto tree = TRY(trees.tree_with(asked, work.run()));
    const auto& [shape, numbers, log_total] = *tree;
    counts_ = shape->counts();
    Potential<LogProb> out{{keep.begin(), keep.end()}, std::vector<LogProb>(static_cast<std::size_t>(table_size(keep, sizes)))};
    if (std::isinf(log_total)) {
        const auto possible = TRY(trees.possible(work.run()));
        if (possible) return begin_anew();  // it is not zero, only too small for doubles
        return out;
    }
    std::vector<double> values(static_cast<std::size_t>(table_size(asked, sizes)));
    if (asked.empty())
        values[0] = 1;
    else if (asked.size() == 1)
        numbers->marginal(asked[0], values);
    else
        numbers->joint(asked, values);
    std::vector<Slot> per_value;  // something is divided by the sum for each of their configurations
    if (side == Side::evidence || !case_.shape.target_events)
        for (const auto slot : case_.shape.given)
            if (contains(asked, slot)) per_value.push_back(slot);
    if (!per_value.empty() && empty_configuration(values, asked, per_value, sizes)) return begin_anew();

    // fixed variables of the answer keep their axis: zero but at their value
    const auto strides = strides_in(keep, asked, sizes);
    std::size_t at = 0;
    const auto own = strides_in(keep, keep, sizes);
    for (std::size_t i = 0; i < keep.size(); ++i)
        if (fixed[keep[i]] >= 0) at += own[i] * static_cast<std::size_t>(fixed[keep[i]]);
    std::vector<std::size_t> value(asked.size(), 0);
    for (const double v : values) {
        if (v > 0) out.values[at] = LogProb::of_log(std::log(v) + log_total + log_scale);
        next_configuration(
            value, [&](std::size_t i) { return sizes[asked[i]]; }, strides, at);
    }
    return out;
}

Result<Maximum<LogProb>> JunctionMeasure::maximum(std::span<const Slot> over, const Sizes&, Work& work) {
    double log_scale = 0;
    NetTrees& trees = current(Side::all, log_scale);
    auto best = TRY(trees.heaviest(over, work.run()).or_nothing());
    if (!best) return begin_anew();
    best->weight *= LogProb::of_log(log_scale);
    return *std::move(best);
}

Result<Answer> answer_on_trees(TreeCase tree_case, const Query& query, const Variables& variables, NetMemory& memory, const ZeroFault& zero,
                               const Run& run) {
    Work work(run, false);
    JunctionMeasure measure(std::move(tree_case), memory);
    auto answer = answer_query<LogProb>(measure, query, variables, zero, work);
    if (measure.beyond_trees()) {
        const auto elimination = measure.elimination();
        answer = answer_query<LogProb>(*elimination, query, variables, zero, work);
        if (!answer) return answer;
        answer->engine = "variable_elimination";
        answer->counts = {{"eliminated", count_of(static_cast<double>(work.eliminated))},
                          {"largest_table", count_of(static_cast<double>(work.largest_table))}};
        return answer;
    }
    if (!answer) return answer;
    const auto& counts = measure.counts();
    answer->engine = "junction_tree";
    answer->counts = {{"cliques", count_of(static_cast<double>(counts.cliques))},
                      {"largest_clique", count_of(counts.largest)},
                      {"table_entries", count_of(counts.entries)}};
    return answer;
}

Result<bool> evidence_impossible(const NetCase& c, std::span<const Potential<double>> weights, const Run& run) {
    NetEvidence evidence = tree_case(c).evidence;
    evidence.extra.insert(evidence.extra.end(), weights.begin(), weights.end());
    const TreeModel model = tree_model(*c.net);
    const auto possible = TRY(NetTrees(model, std::move(evidence)).possible(run));
    return !possible;
}

}  // namespace credence::rt
