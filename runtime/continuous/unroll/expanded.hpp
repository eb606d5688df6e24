#pragma once
// The net as the engines see it. A dirichlet is its broken stick: theta[j] = b_j (1 − b_1) … (1 − b_{j−1}) with b_j ~ beta(a_j, a_{j+1} + …
// + a_k) independent of each other, so that only numbers are left, and dirichlet with categorical is beta with bernoulli k − 1 times.

#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::continuous {

struct Expanded {
    ContinuousNet net;                      ///< nodes as declared, then components, then sticks; no component terms are left
    std::size_t declared = 0;               ///< how many are as declared
    std::vector<std::vector<VarId>> parts;  ///< of a vector its sticks, of a component the sticks up to its own; by node
    std::vector<std::vector<VarId>> parents;
    /// What queries may name: all nodes but the sticks, then one more draw (`next X`) of each that is drawn.
    Variables variables;
    struct Visible {
        std::size_t node = 0;
        bool next = false;
    };
    std::vector<Visible> visible;  ///< by variable
    /// Each row of data has labels of its own, observed or not. Else a label that no column tells is shared by the rows.
    bool labels_by_row = false;

    const ContinuousNode& node(std::size_t i) const { return net.nodes[i]; }
    bool is_vector(std::size_t i) const { return node(i).is_vector(); }
};

Expanded expand(ContinuousNet net);

}  // namespace credence::rt::continuous
