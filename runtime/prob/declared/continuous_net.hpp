#pragma once
// A net with real-valued nodes as a declaration describes it, and the model that answers queries on it. Its engines are in
// runtime/continuous.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/queries/numeric_model.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

class KeptChains;

struct ContinuousNode {
    enum class Kind {
        table,    ///< discrete, by a table over discrete parents
        drawn,    ///< X ~ family(parameters)
        computed  ///< a function of its parents
    };
    Kind kind = Kind::drawn;
    Variable variable;  ///< without a domain: a number, or the list of them that is_vector tells of
    NetNode table = {};
    Family family = Family::normal;
    std::vector<Term> parameters = {};  ///< over the nodes, by their position; of a categorical one for each label
    std::vector<Label> labels = {};     ///< of a categorical
    Term value = nullptr;               ///< computed
    Origin origin = Origin::none;

    std::vector<VarId> parents() const;
    bool is_vector() const { return kind == Kind::drawn && family->has_sticks(); }
};

/// Nodes in declaration order (parents may come later); the builder has excluded cycles.
struct ContinuousNet {
    std::string name;
    std::vector<ContinuousNode> nodes;
    std::size_t holes = 0;                         ///< numbers to be learned: in the terms, hole k is the variable nodes.size() + k
    std::vector<Number> learned = {};              ///< where it was trained: those numbers
    std::vector<double> history = {};              ///< and the log-likelihood by iteration
    std::shared_ptr<KeptChains> chains = nullptr;  ///< that its queries share; make_continuous_model gives it one

    bool is_open() const;  ///< has holes, in terms or in tables
};
/// A part for each node: what it is drawn from or computed by, or its table.
ModelParts parts_of(const ContinuousNet& net);
/// E-HOLE if a hole occurs in a place from which it cannot be learned.
Status check_holes(const ContinuousNet& net);

/// The nodes of its net() have parents, and tables only where they are over labels.
class ContinuousModel : public GraphicalModel, public NumericModel {
public:
    virtual const ContinuousNet& declared() const = 0;
    const NumericModel* numeric() const override { return this; }
    bool is_count(const Variable& variable) const override;
};
std::shared_ptr<const ContinuousModel> make_continuous_model(ContinuousNet net);

/// A model that this net stands for (its variables have the same names) with a variable for each quantity: computed nodes of the net.
/// E-TYPE if a quantity of numbers is not an operation on numbers.
Result<ModelPtr> extend_by_net(const ModelPtr& base, const ContinuousNet& net, const std::vector<NamedQuantity>& quantities);

}  // namespace credence::rt
