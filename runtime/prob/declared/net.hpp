#pragma once
// A discrete Bayesian network as a declaration describes it, and the model that answers queries on it. Its engines are in runtime/nets.

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// The table of P(node | parents): one row a parent configuration (last parent fastest), one entry a label of the node.
struct NetNode {
    Variable variable;
    std::vector<VarId> parents;
    std::variant<std::vector<Rational>, std::vector<double>> table;  ///< empty while the table is a hole `?`
    bool hole = false;
    bool step = false;        ///< only helps to build up another node, such as a sum over a plate: nobody sees it
    bool noisy = false;       ///< declared as noisy_or or noisy_max
    std::vector<char> known;  ///< of a table with holes in some rows: which rows have numbers; empty: none has
    Origin origin = Origin::none;

    bool is_exact() const { return table.index() == 0; }
    Number entry(std::size_t i) const;
};

/// Nodes in declaration order (parents may come later); the builder has excluded cycles.
struct Net {
    std::string name;
    std::vector<NetNode> nodes;
    std::vector<double> history;  ///< where it was learned: log-likelihood or score by iteration
    std::optional<double> score;  ///< where its structure was learned
    bool learned = false;         ///< from a table, whose rows are cases of their own: the probability of data then shares nothing

    std::optional<VarId> find(std::string_view name) const;
    std::vector<VarId> children(VarId node) const;
    std::vector<VarId> ancestors(VarId node) const;       ///< parents, their parents and so on; declaration order
    std::vector<VarId> markov_blanket(VarId node) const;  ///< parents, children, children's other parents; declaration order
    std::vector<VarId> topological_order() const;         ///< ties by declaration order
};
using NetPtr = std::shared_ptr<const Net>;

/// The net as it was declared: without the steps of nodes that are built up from many others, which are their parents here. For pictures
/// and questions about arcs; the tables of such nodes are left out.
Net without_steps(const Net& net);

/// A part for each node that was declared: its table, with the values of the parents as rows; "?" where that is to be learned.
ModelParts parts_of(const Net& net);

/// Names the nodes on a cycle, in order, or nothing.
std::vector<VarId> find_cycle(const Net& net);

/// The net with one more node, whose value is the quantity, and nodes for the steps of its folds after that. A fault where some
/// configuration has no value, or a table would be too large.
struct NamedQuantity;
Result<NetPtr> net_with_node(const Net& net, const NamedQuantity& quantity);

/// E-HOLE, where a table is still to be learned.
Status check_known(const Net& net);

/// d-separation of x and y given z (Koller & Friedman, alg. 3.1). Sets of nodes on each side.
bool d_separated(const Net& net, std::span<const VarId> x, std::span<const VarId> y, std::span<const VarId> given);

/// A model with the graph of a net: nodes, parents, what it was trained with.
class GraphicalModel : public Model {
public:
    virtual const NetPtr& net() const = 0;
};

/// A net over labels: its nodes have tables.
class NetModel : public GraphicalModel {};
std::shared_ptr<const NetModel> make_net_model(NetPtr net);

}  // namespace credence::rt
