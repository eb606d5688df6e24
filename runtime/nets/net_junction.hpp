#pragma once
// Queries on a net through junction trees: trees are made for the part of the net that matters under the evidence, and remembered,
// so that a script that asks for one posterior after the other pays for one calibration.

#include <mutex>

#include "runtime/nets/net_measure.hpp"
#include "runtime/nets/propagation.hpp"

namespace credence::rt {

/// A net's tables as doubles, one after the other.
struct NetReals {
    std::vector<double> values;
    std::vector<std::size_t> begin;  ///< by node
};
NetReals reals_of(const Net& net);

/// All that multiplies into a measure besides the tables of the net.
struct NetEvidence {
    std::vector<std::int64_t> fixed;        ///< by node: its one value, or −1
    std::vector<char> cut;                  ///< by node: its table is not there (set by do, or cancelled)
    std::vector<Potential<double>> extra;   ///< indicators of events, weights

    bool same_as(const NetEvidence& other) const;
};

/// Trees calibrated under one evidence.
class NetTrees {
public:
    NetTrees(const Net& net, const NetReals& reals, const SlotNames& names, NetEvidence evidence);

    const NetEvidence& evidence() const { return evidence_; }

    struct Calibrated {
        JunctionTreePtr tree;
        std::unique_ptr<Propagation> numbers;
        double log_total = 0;
    };
    /// A tree with the variables (none of them fixed) in one clique; E-COST where there can be none.
    Result<const Calibrated*> tree_with(std::span<const Slot> variables, const Run& run);
    /// Trees for the marginals of all nodes: one for the whole net, or several for parts of it where those are cheaper together.
    Status cover_all(const Run& run);

    /// P(variable | evidence) by a tree that is there already; a fixed variable has its value.
    void marginal(Slot variable, std::span<double> out) const;
    double log_total() const { return trees_.front().log_total; }

private:
    struct Part {
        JunctionScopes scopes;
        std::vector<FactorData> data;
    };
    std::vector<char> closure(std::span<const Slot> variables) const;
    Part part(const std::vector<char>& in, std::span<const Slot> together) const;
    Result<JunctionTreePtr> compiled(const std::vector<char>& in, std::span<const Slot> together, const Run& run) const;
    Result<const Calibrated*> calibrated(JunctionTreePtr tree, const std::vector<char>& in, std::span<const Slot> together, const Run& run);
    const Calibrated* find(std::span<const Slot> variables) const;
    std::vector<std::vector<char>> parts_for_all(double whole_entries) const;

    const Net* net_;
    const NetReals* reals_;
    const SlotNames* names_;
    Sizes sizes_;
    NetEvidence evidence_;
    std::vector<Slot> seeds_;  // what the evidence is about
    std::vector<Calibrated> trees_;
    JunctionTreePtr whole_;
    std::optional<Fault> whole_fault_;
    double spent_ = 0;  // entries of the trees for parts so far
};

/// What a net model remembers between queries. Thread-safe: one query at a time works on its trees.
class NetMemory {
public:
    explicit NetMemory(const Net& net) : net_(&net) {}

private:
    friend class JunctionMeasure;
    NetTrees& trees_for(NetEvidence evidence, const SlotNames& names);

    const Net* net_;
    std::mutex busy_;
    std::optional<NetReals> reals_;
    SlotNames names_;
    std::vector<std::unique_ptr<NetTrees>> recent_;  // the last used first
};

/// A net under evidence as a measure that answers from junction trees.
class JunctionMeasure : public Measure<LogProb> {
public:
    JunctionMeasure(const NetCase& net_case, NetMemory& memory);
    Result<Potential<LogProb>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<LogProb> weights) override;

    const JunctionCounts& counts() const { return counts_; }
    /// Some number came from elimination in logarithms: products of doubles had vanished.
    bool eliminated() const { return eliminated_; }

private:
    NetMeasure<LogProb> elimination() const;
    NetTrees& current(Side side, double& log_scale) const;

    const NetCase* case_;
    NetMemory* memory_;
    std::unique_lock<std::mutex> lock_;
    std::vector<char> cancelled_;
    std::vector<Potential<LogProb>> weights_;
    JunctionCounts counts_;
    bool eliminated_ = false;
};

/// Whether the evidence of the case, with weights that are zero or not, has probability zero. No number is rounded to zero here.
Result<bool> evidence_impossible(const NetCase& net_case, std::span<const Potential<double>> weights, const Run& run);

}  // namespace credence::rt
