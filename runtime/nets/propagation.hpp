#pragma once
// The numbers on a junction tree: tables and evidence in, the probability of the evidence and all marginals out.

#include "runtime/nets/junction_tree.hpp"

namespace credence::rt {

/// A factor's numbers where they lie: entry (v₁ … vₖ) of its scope is base[Σ vᵢ·strides[i]].
struct FactorData {
    const double* base = nullptr;
    std::vector<std::size_t> strides;
};

/// Used again and again without allocating: set evidence, calibrate, read. What a change of evidence leaves valid is kept.
/// One object serves one thread at a time; the tree may be shared.
class Propagation {
public:
    explicit Propagation(JunctionTreePtr tree);

    void set_tables(std::span<const FactorData> factors);  ///< one for each factor of the tree
    void set_tables(const Net& net);                       ///< of the net, or one like it, that the tree was made for

    // Evidence on one variable; it stays until changed.
    void set_state(Slot variable, std::size_t state);
    void forget(Slot variable);

    /// ln of the sum of everything, for a net ln P(evidence); −∞ where the evidence is impossible, or so improbable that a
    /// product of doubles vanished. E-STOP when stopped.
    Result<double> calibrate(const Run& run) { return calibrate(Gather::sum, run); }
    /// ln of the largest product instead of the sum of all (max-product); `marginal` then has, up to a factor, the largest product by
    /// value.
    Result<double> calibrate_maximum(const Run& run) { return calibrate(Gather::maximum, run); }

    // After calibrate, given the evidence:
    void marginal(Slot variable, std::span<double> out) const;  ///< sums to 1
    /// Over the scope of a factor, in its order: for a net, the joint of a node's parents and the node. The tree was made with
    /// Families::yes.
    void family(std::size_t factor, std::span<double> out) const;
    /// Over variables that one clique holds, last fastest; sums to 1.
    void joint(std::span<const Slot> variables, std::span<double> out) const;

    /// Some product came so close to zero beside another one that doubles do not hold both: what is calibrated may be wrong.
    bool faded() const;

    const JunctionTree& tree() const { return *tree_; }

private:
    using Clique = JunctionTree::Clique;
    enum class Direction { up, down };

    Result<double> calibrate(Gather gather, const Run& run);
    void fill_inputs(std::size_t k, SweepSpace& space, Direction direction) const;
    void fill_ranges(std::size_t k, SweepSpace& space) const;
    void sweep_clique(std::size_t k, Direction direction, const Run& run);
    void collect(std::size_t k, const Run& run);
    void distribute(std::size_t k, const Run& run);
    double root_total(std::size_t k) const;
    void evidence_changed(Slot variable);

    JunctionTreePtr tree_;
    std::vector<double> tables_;
    std::vector<double> up_;
    std::vector<double> down_;
    std::vector<double> marginals_;
    std::vector<double> family_values_;
    std::vector<double> likelihoods_;            // laid out as the marginals
    std::vector<char> observed_;                 // by variable: has evidence
    std::vector<std::int64_t> state_;            // by variable: its one value, or −1
    Gather gather_ = Gather::sum;                // of the messages that are there
    double log_constant_ = 0;                    // of the factors over no variable
    std::vector<double> log_scale_;              // by clique: of its message up
    std::vector<char> stale_;                    // by clique: its message up has to be made again
    bool tables_faded_ = false;                  // see faded()
    std::vector<char> up_faded_;                 // by clique: its message up has
    bool down_faded_ = false;                    // some message down has
    std::vector<char> silent_;                   // by clique: its message up is 1 and not made
    std::vector<std::uint32_t> evidence_at_;     // by clique: observed variables at home in it
    std::vector<std::uint32_t> evidence_below_;  // the same for its subtree, while messages are collected
    SweepSpace space_;
    SweepSpace other_space_;  // of the second half of a large clique
    std::vector<double> second_half_;
};

}  // namespace credence::rt
