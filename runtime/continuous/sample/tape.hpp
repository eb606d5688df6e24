#pragma once
// A function of several variables as a straight list of operations, and its gradient by one pass backwards over the list (reverse-mode
// differentiation). The list is made once; evaluating it allocates nothing. While it is made, constants are folded and an operation that
// was made before is used again.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/sample/batch.hpp"
#include "runtime/prob/distributions/region.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt::continuous {

class Tape {
public:
    using Node = std::uint32_t;

    Node constant(double value);
    Node input();  ///< the next variable
    Node unary(TermOp op, Node a);
    Node binary(TermOp op, Node a, Node b);
    Node choose(Node condition, Node yes, Node no);
    Node sigmoid(Node a);   ///< 1 / (1 + e^−a)
    Node softplus(Node a);  ///< ln(1 + e^a)
    Node density(Family family, Node x, std::span<const Node> parameters);
    Node mass(Family family, Region region, std::span<const Node> parameters);  ///< ln P(x in the region)
    Node sum(std::span<const Node> parts);
    Node log_sum_exp(std::span<const Node> parts);
    /// constant + Σ coefficient · part
    using Weighted = std::pair<Node, double>;
    Node linear(double constant, std::span<const Weighted> parts);
    /// The Cholesky factor of a covariance, both as lower triangles row by row: a list, of which an entry is a node with a value.
    Node factor(std::span<const Node> covariance);
    Node entry(Node factor, std::size_t place);
    /// What terms have in common.
    struct Shared {
        std::unordered_map<Term, Node> parts;  ///< seen before: one node
        /// Variables that are mean + spread * z: (variable - mean) / spread is z again.
        struct Standard {
            Node mean, spread, z;
        };
        std::map<VarId, Standard> standard;
    };
    /// A term whose leaves are nodes already.
    Node term(const Term& term, const std::map<VarId, Node>& leaves, Shared& shared);
    Node term(const Term& term, const std::map<VarId, Node>& leaves) {
        Shared shared;
        return this->term(term, leaves, shared);
    }

    /// Nothing will be added: what was kept to find operations again is given up. The output comes last, so that evaluating it evaluates
    /// all other operations too.
    Node finish(Node output);

    /// The parts of a sum with their densities in batches, where several are of one family: what is left of the densities themselves
    /// compact() takes away.
    std::vector<Node> batched(std::span<const Node> parts);
    /// Removes what these nodes do not need, and updates their positions.
    void compact(std::span<Node* const> kept);

    bool is_constant(Node node) const { return ops_[node].kind == Kind::constant; }
    double constant_value(Node node) const { return ops_[node].constant; }
    bool is_impossible(Node node) const;  ///< ln 0

    std::size_t inputs() const { return inputs_; }
    std::size_t size() const { return ops_.size(); }
    std::size_t cost() const;  ///< of one evaluation, in operations
    std::size_t bytes() const {
        std::size_t out = ops_.size() * sizeof(Op) + lists_.size() * sizeof(Node) + coefficients_.size() * sizeof(double);
        for (const auto& batch : batches_) out += batch.entries() * 2 * sizeof(double);
        return out;
    }
    friend bool operator==(const Tape&, const Tape&) = default;

    /// Room for one evaluation at a time.
    struct Workspace {
        std::vector<double> values;
        std::vector<double> adjoints;
        std::vector<DensityValue> densities;  ///< with their derivatives
        std::vector<BatchWork> batches;
        struct List {
            std::vector<double> values, slopes;
        };
        std::vector<List> lists;
    };
    Workspace workspace() const;
    double value(std::span<const double> x, Node output, Workspace& work) const;
    double gradient(std::span<const double> x, Node output, Workspace& work, std::span<double> out) const;

private:
    enum class Kind : std::uint8_t {
        constant,
        input,
        term,
        choose,
        sigmoid,
        softplus,
        density,
        mass,
        sum,
        linear,
        log_sum_exp,
        batch,
        factor,
        entry
    };
    struct Op {
        Kind kind = Kind::constant;
        TermOp term = TermOp::constant;
        std::uint32_t place = 0;  ///< of a density, mass or list: in the workspace; of a linear sum: the first of its coefficients
        Family family = Family::normal;
        /// Of sums and lists: first and count in lists_; of a mass: the place in regions_ first; of a batch: its place; of an entry: its
        /// list, and its place there.
        std::uint32_t operand[1 + most_parameters] = {};
        double constant = 0;
        friend bool operator==(const Op&, const Op&) = default;
    };
    /// Operations by hash; the function plays no part.
    struct Known {
        std::unordered_multimap<std::size_t, Node> nodes;
        friend bool operator==(const Known&, const Known&) { return true; }
    };
    Node add(Op op);     ///< the operation, or the one that is the same
    Node append(Op op);  ///< a new one
    Node list(Kind kind, std::span<const Node> parts, std::span<const double> coefficients = {}, double constant = 0);
    /// What is not made part by part: a sum of several, a logistic function, an entry.
    std::optional<Node> special_term(const Term& term, const std::map<VarId, Node>& leaves, Shared& shared);
    // tape_batches.cpp
    template <class Visit>
    void each_operand(const Op& op, const Visit& visit) const;
    struct Gathering {
        std::span<const std::uint32_t> uses;  ///< how many operations refer to each node
        int levels = 3;                       ///< of shared nodes that are still taken apart
        bool all = false;                     ///< also long sums
    };
    void gather_linear(Node node, double factor, Gathering how, LinearRow& into) const;
    BatchArgument batch_argument(std::span<const Node> nodes, std::span<const std::uint32_t> uses, BatchArgument::Link link) const;
    BatchArgument::Link link_of(Node node, std::span<const std::uint32_t> uses) const;
    BatchArgument squares_of(const std::vector<LinearRow>& rows, Batch& batch) const;
    void specialise(Batch& batch) const;
    Node add_batch(std::span<const Node> densities, std::span<const double> weights, std::span<const std::uint32_t> uses);
    bool has_constant_operands(const Op& op) const;
    double folded(const Op& op) const;
    void run(std::span<const double> x, Workspace& work, Node last) const;
    void back(const Op& op, double own, double adjoint, Workspace& work) const;
    void back_term(const Op& op, double y, double g, Workspace& work) const;

    std::vector<Op> ops_;
    std::vector<Node> lists_;
    std::vector<double> coefficients_;
    std::vector<Region> regions_;
    std::vector<Batch> batches_;
    std::size_t inputs_ = 0;
    std::uint32_t densities_ = 0;
    std::uint32_t factors_ = 0;
    Known known_;
};

}  // namespace credence::rt::continuous
