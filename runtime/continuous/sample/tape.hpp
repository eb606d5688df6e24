#pragma once
// A function of several variables as a straight list of operations, and its gradient by one pass backwards over the list (reverse-mode
// differentiation). The list is made once; evaluating it allocates nothing.

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/continuous/density.hpp"
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
    /// A term whose leaves are nodes already. Parts that are shared with terms seen before become one node.
    using SharedParts = std::unordered_map<Term, Node>;
    Node term(const Term& term, const std::map<VarId, Node>& leaves, SharedParts& shared);
    Node term(const Term& term, const std::map<VarId, Node>& leaves) {
        SharedParts shared;
        return this->term(term, leaves, shared);
    }

    std::size_t inputs() const { return inputs_; }
    std::size_t size() const { return ops_.size(); }
    std::size_t bytes() const { return ops_.size() * sizeof(Op) + lists_.size() * sizeof(Node); }
    friend bool operator==(const Tape&, const Tape&) = default;

    /// Room for one evaluation at a time.
    struct Workspace {
        std::vector<double> values;
        std::vector<double> adjoints;
    };
    Workspace workspace() const { return {std::vector<double>(ops_.size()), std::vector<double>(ops_.size())}; }
    double value(std::span<const double> x, Node output, Workspace& work) const;
    double gradient(std::span<const double> x, Node output, Workspace& work, std::span<double> out) const;

private:
    enum class Kind : std::uint8_t { constant, input, term, choose, sigmoid, softplus, density, mass, sum, log_sum_exp };
    struct Op {
        Kind kind = Kind::constant;
        TermOp term = TermOp::constant;
        Family family = Family::normal;
        std::uint32_t operand[4] = {};  ///< of sums: first and count in lists_; of a mass: the place in regions_ first
        double constant = 0;
        friend bool operator==(const Op&, const Op&) = default;
    };
    Node add(const Op& op);
    void run(std::span<const double> x, Workspace& work, Node last) const;
    void back(const Op& op, double own, double adjoint, Workspace& work) const;
    void back_term(const Op& op, double y, double g, Workspace& work) const;

    std::vector<Op> ops_;
    std::vector<Node> lists_;
    std::vector<Region> regions_;
    std::size_t inputs_ = 0;
};

}  // namespace credence::rt::continuous
