#pragma once
// Hypothesis spaces as a declaration describes them: a prior over hypotheses, and the distribution of an outcome drawn i.i.d. once h
// is fixed. What answers queries on them is in runtime/hypotheses.

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/model.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

/// The outcome under one hypothesis, given the inputs (none for explicit spaces).
using OutcomeOf = std::function<Result<DistributionPtr>(std::size_t hypothesis, std::span<const Label> inputs)>;

/// The outcome under all hypotheses of a parametric space, in one form: variable k is the k-th parameter, then come the inputs.
/// So a grid is gone through column by column, without the script.
struct OutcomeTerms {
    Family family = Family::normal;
    std::vector<Term> parameters;  ///< of the family; of a categorical, one probability a label
    std::vector<Label> labels;     ///< of a categorical
};

/// A weight for each hypothesis, normalised. One that is uniform is kept as a single number, however large the space.
class Prior {
public:
    Prior() = default;
    Prior(std::vector<Number> weights) : weights_(std::move(weights)), size_(weights_.size()) {}  // NOLINT: implicit by design
    Prior(std::initializer_list<Number> weights) : Prior(std::vector<Number>(weights)) {}
    static Prior uniform(std::size_t size) {
        Prior out({Number(Rational(1, static_cast<std::int64_t>(size)))});
        out.size_ = size;
        return out;
    }

    std::size_t size() const { return size_; }
    bool is_uniform() const { return weights_.size() < size_; }
    const Number& operator[](std::size_t h) const { return weights_[is_uniform() ? 0 : h]; }
    std::span<const Number> distinct() const { return weights_; }  ///< every weight that some hypothesis has

private:
    std::vector<Number> weights_;
    std::size_t size_ = 0;
};

/// hypotheses H -> Class { h1: 0.4 -> +, … }  and  hypotheses Line(a in …, b in …) { prior …  y | x -> normal(a + b*x, s) }.
/// An explicit space has one parameter variable, named as the space. A parametric one has a variable a parameter; the
/// hypotheses are the cross product of their domains, last parameter fastest.
/// What explanations call the hypotheses and the data. A mixture, say, has components and values x.
struct SpaceWords {
    std::string symbol = "h";
    std::string one = "hypothesis";
    std::string many = "hypotheses";
    std::string data = "D";
};

struct HypothesisSpace {
    std::string name;
    std::vector<Variable> parameters;
    bool parametric = false;
    Prior prior;
    Variable outcome;  ///< domain null: real-valued or without finite support
    std::vector<std::string> inputs;
    /// For an outcome with a domain and no inputs: P(outcome | h), one row a hypothesis. Otherwise empty and `outcome_of` is asked.
    std::vector<Number> table;
    OutcomeOf outcome_of;
    std::optional<OutcomeTerms> terms;  ///< the same, where it can be written so
    SpaceWords words = {};
};

/// A term at every hypothesis; nothing if it has no number at one of them.
std::optional<std::vector<Number>> values_on_grid(const Term& term, std::span<const Variable> parameters);

/// The terms of a space, evaluated one by one. E-UNDEFINED if they have no value: the script then explains why.
OutcomeOf outcome_by_terms(const OutcomeTerms& terms, std::span<const Variable> parameters);

/// The domain and table of a space without inputs, by its terms; false, and nothing done, where they do not give a distribution over labels
/// at every hypothesis.
bool tabulate_terms(HypothesisSpace& space);
/// Whether the terms of a space without inputs give a distribution over numbers without end at every hypothesis.
bool draws_numbers(const HypothesisSpace& space);

/// The outcome under the hypotheses, one distribution each: a domain and a table where all have finitely many outcomes; otherwise the
/// distributions are asked one by one.
Status tabulate(HypothesisSpace& space, std::vector<DistributionPtr> outcomes);

class HypothesesModel : public Model {
public:
    virtual const HypothesisSpace& space() const = 0;
};
std::shared_ptr<const HypothesesModel> make_hypotheses_model(HypothesisSpace space);

}  // namespace credence::rt
