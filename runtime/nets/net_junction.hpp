#pragma once
// Queries through junction trees: trees are made for the part of a net that matters under the evidence, and remembered,
// so that a script that asks for one posterior after the other pays for one calibration.

#include <functional>
#include <mutex>

#include "runtime/core/attempt.hpp"
#include "runtime/nets/markov.hpp"
#include "runtime/nets/net_measure.hpp"
#include "runtime/nets/propagation.hpp"
#include "runtime/nets/wide_sum.hpp"

namespace credence::rt {

/// The tables that multiply to the measure of a model, as doubles.
struct TreeModel {
    Sizes sizes;
    SlotNames names;
    std::vector<std::vector<Slot>> scopes;  ///< by table, the last variable fastest
    std::vector<double> values;             ///< table after table
    std::vector<std::size_t> begin;         ///< by table
    bool directed = false;                  ///< table i is that of variable i, the last of its scope, given the others
};
TreeModel tree_model(const Net& net);
TreeModel tree_model(const MarkovNet& net);

/// All that multiplies into a measure besides the tables of the net.
struct NetEvidence {
    std::vector<std::int64_t> fixed;       ///< by variable: its one value, or −1
    std::vector<char> cut;                 ///< of a directed model, by node: its table is not there (set by do, or cancelled)
    std::vector<Potential<double>> extra;  ///< indicators of events, weights

    bool same_as(const NetEvidence& other) const;
};

/// A tree with its numbers.
struct Calibrated {
    JunctionTreePtr tree;
    std::unique_ptr<Propagation> numbers;
    double log_total = 0;
};

/// The tree of a whole directed model of moderate size, which goes along from one evidence to the next: only what a finding changes is
/// gathered again.
class LiveTree {
public:
    explicit LiveTree(const TreeModel& model) : model_(&model) {}
    /// Under that evidence; null if there is none, or if it does not have these variables together. Valid until asked again.
    Result<const Calibrated*> under(const NetEvidence& evidence, std::span<const Slot> variables, const Run& run);

private:
    const TreeModel* model_;
    bool tried_ = false;
    Calibrated whole_;
    std::vector<std::int64_t> fixed_;  // the evidence it is calibrated under; empty: none yet
};

/// Trees calibrated under one evidence.
class NetTrees {
public:
    NetTrees(const TreeModel& model, NetEvidence evidence, LiveTree* live = nullptr);

    const TreeModel& model() const { return *model_; }
    const NetEvidence& evidence() const { return evidence_; }

    /// The factors that multiply to the measure under the evidence, of some variables and what else is asked to be in one clique.
    struct Part {
        JunctionScopes scopes;
        std::vector<FactorData> data;
    };
    Part part(const std::vector<char>& in, std::span<const Slot> together) const;

    /// A tree with the variables (none of them fixed) in one clique; E-COST if there can be none.
    Result<const Calibrated*> tree_with(std::span<const Slot> variables, const Run& run);
    /// Where trees are too large (or not wanted), the sum by other means, remembered too; that fault where there is none.
    Result<const WideSum*> wide_sum_with(std::span<const Slot> variables, SumBy by, Fault too_large, const Run& run);
    /// One that is there already, or null.
    const WideSum* known_wide_sum(std::span<const Slot> variables, SumBy by) const;
    /// The tree of everything with its tables in place, where it has no more entries than that; else none.
    Result<Calibrated> uncalibrated(double most_entries, const Run& run) const;
    /// Trees for the marginals of all nodes: one for the whole net, or several for parts of it where those are cheaper together.
    Status cover_all(const Run& run);

    /// The heaviest assignment of `over` by max-product, where everything else that matters is fixed; not applicable where something would
    /// have to be summed out, where the heaviest is not the only one, or where its weight is too small for doubles.
    Attempt<Maximum<LogProb>> heaviest(std::span<const Slot> over, const Run& run) const;
    /// Whether the evidence has a probability above zero. No number is rounded to zero here.
    Result<bool> possible(const Run& run) const;

    /// P(variable | evidence) by a tree that is there already; a fixed variable has its value.
    void marginal(Slot variable, std::span<double> out) const;
    double log_total() const { return trees_.front().log_total; }

private:
    std::vector<char> closure(std::span<const Slot> variables) const;
    Result<JunctionTreePtr> compiled(const std::vector<char>& in, std::span<const Slot> together, const Run& run) const;
    Result<const Calibrated*> calibrated(JunctionTreePtr tree, const std::vector<char>& in, std::span<const Slot> together, const Run& run);
    const Calibrated* find(std::span<const Slot> variables) const;
    std::vector<std::vector<char>> parts_for_all(double whole_entries) const;
    const JunctionTreePtr& whole(const Run& run);  // null if there can be none
    double whole_entries(const Run& run);
    Result<const Calibrated*> whole_with(std::span<const Slot> variables, const Run& run);

    const TreeModel* model_;
    NetEvidence evidence_;
    LiveTree* live_;
    std::vector<Slot> seeds_;  // what the evidence is about
    std::vector<Calibrated> trees_;
    std::vector<std::unique_ptr<WideSum>> wide_sums_;
    JunctionTreePtr whole_;
    bool whole_tried_ = false;
    std::optional<double> whole_entries_;  // by an estimate
    double spent_ = 0;                     // entries of the trees for parts so far
};

/// The numbers of a factor of the part, row-major over its scope.
std::vector<double> table_values(const NetTrees::Part& part, std::size_t factor);

/// What a model remembers between queries. Thread-safe: one query at a time works on its trees.
class NetMemory {
public:
    explicit NetMemory(const Net& net) : make_([&net] { return tree_model(net); }) {}
    explicit NetMemory(const MarkovNet& net) : make_([&net] { return tree_model(net); }) {}

private:
    friend class JunctionMeasure;
    NetTrees& trees_for(NetEvidence evidence);

    std::function<TreeModel()> make_;  // when the first query needs it
    std::mutex busy_;
    std::optional<TreeModel> model_;
    std::unique_ptr<LiveTree> live_;
    std::vector<std::unique_ptr<NetTrees>> recent_;  // the last used first
};

/// A query as trees take it.
struct TreeCase {
    Sizes sizes;
    Shape shape;
    NetEvidence evidence;                                            ///< on that side of the bar
    NetEvidence all;                                                 ///< and with the events of the target
    std::function<std::unique_ptr<Measure<LogProb>>()> elimination;  ///< the same measure in logarithms, for what doubles cannot hold
};
TreeCase tree_case(const NetCase& net_case);
/// The events as trees take them: a single value fixes its variable, everything else is an indicator.
void add_events(NetEvidence& evidence, std::span<const EventTable> events);

/// A model under evidence as a measure that answers from junction trees.
class JunctionMeasure : public Measure<LogProb> {
public:
    JunctionMeasure(TreeCase tree_case, NetMemory& memory, SumBy by = SumBy::any)
        : case_(std::move(tree_case)), memory_(&memory), by_(by), lock_(memory.busy_) {}
    Result<Potential<LogProb>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<LogProb> weights) override { weights_.push_back(std::move(weights)); }
    Result<Maximum<LogProb>> maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) override;

    /// What gave the last marginal, and its figures.
    std::string_view engine() const { return engine_; }
    const std::vector<std::pair<std::string, Number>>& counts() const { return counts_; }
    /// Something was asked that needs elimination in logarithms: products of doubles had vanished, variables have to be summed out before
    /// others are maximised, or there is more than one heaviest assignment. What was answered with a fault has to be asked `elimination`.
    bool beyond_trees() const { return beyond_trees_; }
    std::unique_ptr<Measure<LogProb>> elimination() const { return case_.elimination(); }

private:
    struct Joint {
        std::vector<double> values;  ///< sums to 1
        double log_total;
    };
    Fault begin_anew();
    Attempt<Joint> joint(NetTrees& trees, std::span<const Slot> asked, const Run& run);
    Joint by_tree(const Calibrated& tree, std::span<const Slot> asked);
    NetTrees& current(Side side, double& log_scale) const;

    TreeCase case_;
    NetMemory* memory_;
    SumBy by_;
    std::unique_lock<std::mutex> lock_;
    std::vector<Potential<LogProb>> weights_;
    std::string_view engine_;
    std::vector<std::pair<std::string, Number>> counts_;
    bool beyond_trees_ = false;
};

/// The engine, the counts and the value of a query answered on trees.
Result<Answer> answer_on_trees(TreeCase tree_case, const Query& query, const Variables& variables, NetMemory& memory, const ZeroFault& zero,
                               const Run& run, SumBy by = SumBy::any);

/// Whether the evidence of the case, with weights that are zero or not, has probability zero.
Result<bool> evidence_impossible(const NetCase& net_case, std::span<const Potential<double>> weights, const Run& run);

}  // namespace credence::rt
