#pragma once
// A model with variables for quantities that are computed from its own. Models that can do better than by their joint table override
// Model::with_quantities.

#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

/// The variables of the model, then one for each quantity, in order. E-COST if the quantities would take too long.
inline Result<ModelPtr> extend(const ModelPtr& model, const std::vector<NamedQuantity>& quantities, Run& run) {
    return model->with_quantities(model, quantities, run);
}

/// What extended models have in common: the model that they extend, their variables, and how a query splits.
class ExtendedModel : public Model {
public:
    ExtendedModel(ModelPtr base, std::vector<NamedQuantity> quantities);
    std::string_view kind() const override { return base_->kind(); }
    const Variables& variables() const override { return variables_; }
    std::vector<MethodInfo> engines() const override { return base_->engines(); }
    std::string description() const override { return base_->description(); }
    ModelParts parts() const override { return base_->parts(); }
    /// Rows over the variables of the base.
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override;
    /// The sum over the ways in which the events can happen.
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override;

protected:
    bool is_own(VarId id) const { return index(id) < base_->variables().size(); }  ///< of the base
    bool is_own(const Event& event) const;
    /// The query without anything about quantities, and the events of its sides that are about some.
    struct Split {
        Query own;
        std::vector<Event> targets;
        std::vector<Event> given;
    };
    Split split(const Query& query) const;
    Result<TablePtr> kept_rows(std::size_t n, const Split& parts, Run& run) const;
    /// By variable: the one of the same name in a model that answers in place of this one.
    std::vector<VarId> places_in(const Variables& others) const;

    ModelPtr base_;
    std::vector<NamedQuantity> quantities_;
    Variables variables_;  // the values of the quantities are known with the answer: here they have no domain
};

/// The fault of a quantity that has no value where the variables have these, with the values that make it so.
Fault with_case(Fault fault, const Quantity& quantity, const Variables& variables, const std::function<Label(VarId)>& value_of);

/// The query with the variable at `places[i]` in place of variable i.
Query renumbered(Query query, std::span<const VarId> places);

/// By the joint table of what the quantities are computed from.
ModelPtr make_joint_extension(ModelPtr base, std::vector<NamedQuantity> quantities);

}  // namespace credence::rt
