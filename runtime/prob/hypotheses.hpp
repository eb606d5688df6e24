#pragma once
// Hypothesis spaces as a declaration describes them: a prior over hypotheses, and what each says about an outcome drawn i.i.d. once h
// is fixed. What answers queries on them is in runtime/hypotheses.

#include <functional>
#include <memory>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// What one hypothesis says of the outcome, given the inputs (none for explicit spaces).
using OutcomeOf = std::function<Result<DistributionPtr>(std::size_t hypothesis, std::span<const Label> inputs)>;

/// hypotheses H -> Class { h1: 0.4 -> +, … }  and  hypotheses Line(a in …, b in …) { prior …  y | x -> normal(a + b*x, s) }.
/// An explicit space has one parameter variable, named as the space. A parametric one has a variable a parameter; the
/// hypotheses are the cross product of their domains, last parameter fastest.
struct HypothesisSpace {
    std::string name;
    std::vector<Variable> parameters;
    bool parametric = false;
    std::vector<Number> prior;  ///< one a hypothesis, normalised
    Variable outcome;           ///< domain null: real-valued or without finite support
    std::vector<std::string> inputs;
    /// For an outcome with a domain and no inputs: P(outcome | h), one row a hypothesis. Otherwise empty and `outcome_of` is asked.
    std::vector<Number> table;
    OutcomeOf outcome_of;
};

/// What the hypotheses say of the outcome, one distribution each: a domain and a table where all have finitely many outcomes; otherwise the
/// distributions are asked one by one.
Status tabulate(HypothesisSpace& space, std::vector<DistributionPtr> outcomes);

class HypothesesModel : public Model {
public:
    virtual const HypothesisSpace& space() const = 0;
    /// Whether the variable of that name (`x`, `next x`) is given by the query and takes any value.
    bool is_input(std::string_view name) const;
};
std::shared_ptr<const HypothesesModel> make_hypotheses_model(HypothesisSpace space);

}  // namespace credence::rt
