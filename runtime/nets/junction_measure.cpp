// Queries answered from junction trees, and what is remembered between them.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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

std::string_view sum_engine(SumBy by) {
    return by == SumBy::circuit ? "arithmetic_circuit" : by == SumBy::conditioning ? "cutset_conditioning" : "junction_tree";
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

JunctionMeasure::Joint JunctionMeasure::by_tree(const Calibrated& tree, std::span<const Slot> asked) {
    const auto& counts = tree.tree->counts();
    engine_ = "junction_tree";
    counts_ = {{"cliques", count_of(static_cast<double>(counts.cliques))},
               {"largest_clique", count_of(counts.largest)},
               {"table_entries", count_of(counts.entries)}};
    Joint out{{}, tree.log_total};
    if (std::isinf(tree.log_total)) return out;
    out.values.assign(static_cast<std::size_t>(table_size(asked, case_.sizes)), 1.0);
    if (asked.size() == 1)
        tree.numbers->marginal(asked[0], out.values);
    else if (!asked.empty())
        tree.numbers->joint(asked, out.values);
    return out;
}

/// The joint distribution of open variables: on a tree, or where that is too large by other means. Not applicable where products of doubles
/// had vanished.
Attempt<JunctionMeasure::Joint> JunctionMeasure::joint(NetTrees& trees, std::span<const Slot> asked, const Run& run) {
    const WideSum* wide = trees.known_wide_sum(asked, by_);
    if (wide == nullptr) {
        Fault too_large{.code = "E-COST", .message = fmt::format("{} takes too many steps here", sum_engine(by_))};
        if (by_ == SumBy::any || by_ == SumBy::trees) {
            auto tree = trees.tree_with(asked, run);
            if (tree) {
                auto out = by_tree(**tree, asked);
                if ((*tree)->numbers->faded()) return not_applicable;
                if (!std::isinf(out.log_total)) return out;
                const auto possible = TRY(trees.possible(run));
                if (possible) return not_applicable;  // it is not zero, only too small for doubles
                return out;
            }
            if (tree.fault().code != "E-COST" || by_ == SumBy::trees) return std::move(tree).fault();
            too_large = std::move(tree).fault();
            constexpr double most_entries = 1U << 27U;  // of what is asked for itself: there is no other way to a larger table
            if (table_size(asked, case_.sizes) > most_entries) return too_large;
        }
        wide = TRY(trees.wide_sum_with(asked, by_, std::move(too_large), run));
    }
    engine_ = sum_engine(wide->by);
    counts_ = wide->counts;
    Joint out{{}, wide->log_total};
    if (std::isinf(out.log_total)) {
        if (wide->by == SumBy::circuit) return out;  // in a circuit nothing vanishes
        const auto possible = TRY(trees.possible(run));
        if (possible) return not_applicable;
        return out;
    }
    out.values = TRY(wide->joint(asked, case_.sizes, run));
    return out;
}

Result<Potential<LogProb>> JunctionMeasure::marginal(std::span<const Slot> keep, Side side, Work& work) {
    double log_scale = 0;
    NetTrees& trees = current(side, log_scale);
    const auto& fixed = trees.evidence().fixed;
    const Sizes& sizes = case_.sizes;
    std::vector<Slot> asked;  // those with more than one value
    for (const auto slot : keep)
        if (fixed[slot] < 0) asked.push_back(slot);
    const auto found = TRY(joint(trees, asked, work.run()).or_nothing());
    if (!found) return begin_anew();
    const auto& [values, log_total] = *found;
    Potential<LogProb> out{{keep.begin(), keep.end()}, std::vector<LogProb>(static_cast<std::size_t>(table_size(keep, sizes)))};
    if (std::isinf(log_total)) return out;
    std::vector<Slot> per_value;  // something is divided by the sum for each of their configurations
    if (side == Side::evidence || !case_.shape.target_events)
        for (const auto slot : case_.shape.given)
            if (contains(asked, slot)) per_value.push_back(slot);
    const bool vanishes = engine_ == "junction_tree";
    if (vanishes && !per_value.empty() && empty_configuration(values, asked, per_value, sizes)) return begin_anew();

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

Result<Maximum<LogProb>> JunctionMeasure::maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) {
    if (by_ != SumBy::any && by_ != SumBy::trees) return Measure<LogProb>::maximum(over, sizes, work);
    double log_scale = 0;
    NetTrees& trees = current(Side::all, log_scale);
    auto best = trees.heaviest(over, work.run());
    if (best.failed() && best.reason().code == "E-COST" && by_ == SumBy::any) return Measure<LogProb>::maximum(over, sizes, work);
    auto found = TRY(std::move(best).or_nothing());
    if (!found) return begin_anew();
    found->weight *= LogProb::of_log(log_scale);
    return *std::move(found);
}

Result<Answer> answer_on_trees(TreeCase tree_case, const Query& query, const Variables& variables, NetMemory& memory, const ZeroFault& zero,
                               const Run& run, SumBy by) {
    // the most probable values of many variables are searched for elsewhere
    constexpr double few = 1e6;
    const bool many = query.goal == Goal::most_probable && table_size(tree_case.shape.targets, tree_case.sizes) > few;
    if (by == SumBy::any && many) by = SumBy::trees;
    Work work(run, false);
    JunctionMeasure measure(std::move(tree_case), memory, by);
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
    answer->engine = measure.engine();
    answer->counts = measure.counts();
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
