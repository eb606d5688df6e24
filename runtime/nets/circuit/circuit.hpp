#pragma once
// A sum of products of tables as an arithmetic circuit (Darwiche 2003): nodes add, branches multiply. One pass up gives the sum under any
// evidence, one pass down all marginals.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/nets/circuit/residual_table.hpp"

namespace credence::rt {

class Circuit {
public:
    /// On a branch: the variable has one of these values, each with the same weight.
    struct Literal {
        Slot variable;
        ValueBits values;
    };
    /// A product of a weight, literals and nodes.
    struct Branch {
        double log_weight = 0;
        std::vector<Literal> literals;
        std::vector<std::uint32_t> nodes;
    };

    explicit Circuit(const Sizes& sizes);

    /// The sum of branches, which are about different values of one variable. Nodes below are there already; the last one added is the
    /// root.
    std::uint32_t add_node(std::span<const Branch> branches);

    std::size_t nodes() const { return branches_end_.size(); }
    std::size_t branches() const { return log_weight_.size(); }
    std::size_t size() const { return log_weight_.size() + literals_.size() + children_.size(); }
    std::size_t offset(Slot variable) const { return offsets_[variable]; }

    struct Flow {
        double log_total = 0;           ///< of the root
        std::vector<double> marginals;  ///< by variable and value (see `offset`); each variable's sum to 1
    };
    /// With only those values left (by variable). The marginals are empty where the total is zero.
    Flow flow(std::span<const ValueBits> allowed) const;

private:
    std::span<const Literal> literals_of(std::size_t branch) const;
    std::span<const std::uint32_t> children_of(std::size_t branch) const;

    std::vector<std::size_t> offsets_;
    std::vector<std::size_t> branches_end_;  // by node
    std::vector<double> log_weight_;         // by branch
    std::vector<std::size_t> literals_end_;
    std::vector<std::size_t> children_end_;
    std::vector<Literal> literals_;
    std::vector<std::uint32_t> children_;
};

}  // namespace credence::rt
