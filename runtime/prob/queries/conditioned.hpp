#pragma once
// A model given evidence is itself a model: `let post = P(* | Test = pos) in Clinic`.

#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

/// What a model is given.
struct Condition {
    Clause given;  ///< events and observations; nothing is free
    std::vector<Intervention> doing;
    std::vector<NamedQuantity> quantities;  ///< that `given` speaks of: their ids follow those of the model's variables
    EngineChoice by;                        ///< for queries that do not choose an engine themselves
};

/// Queries of the result are queries of the base with the condition as further evidence. A variable that was observed as a list or in a
/// table stands for one more draw of it.
Result<ModelPtr> condition(ModelPtr base, Condition condition, Run& run);

/// The model that a posterior is of, without any evidence; null if `model` is none.
ModelPtr prior_of(const Model& model);
/// ln of the probability of what a posterior was given, evidence given before included; E-TYPE if `model` is none.
Result<double> log_probability_given(const Model& model, Run& run);
/// The value that the evidence of a posterior gives a variable.
std::optional<Label> observed_value(const Model& model, VarId id);

/// Whether a variable is among those that count as a model's own: `next` ones and the steps by which nodes are built up are not.
bool is_listed(const Model& model, VarId id);
std::vector<VarId> listed_variables(const Model& model);

/// The listed variables that a model leaves open: of a posterior without those that were observed.
std::vector<VarId> open_variables(const Model& model);

/// A row for each of the variables: mean, spread and quantiles of a number, the most probable value of a label; of sampled numbers R-hat
/// and the effective numbers of draws, bulk and tail, too.
Result<TablePtr> summarize(const Model& model, std::span<const VarId> variables, Run& run);

}  // namespace credence::rt
