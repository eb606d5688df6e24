#pragma once
// How a hypothesis describes its outcome: by a distribution, a label, or a number, which is a label or P(true).

#include "lang/syntax/ast.hpp"
#include "lang/world/world.hpp"

namespace credence::lang {

using rt::Fault;
using rt::Result;
using rt::Status;

enum class NumberMeans { probability, label };

/// Decides between the two. A number is a label, as everywhere, unless all outcomes can be read as P(true): numbers from 0 to 1, at least
/// one of them strictly between or together with true and false, and no other label.
class NumberReading {
public:
    void number(const rt::Number& n);
    void computed() { between_ = true; }  ///< by a formula: a probability, unless something else shows that numbers are labels here
    void beside(const rt::Label& label);
    NumberMeans meaning() const;
    bool is_mixed() const { return outside_ && between_; }  ///< some read as probabilities, others lie outside 0 to 1

private:
    bool outside_ = false, between_ = false, some_ = false, truths_ = false, labels_ = false;
};

/// A record or a label is categorical.
Result<rt::DistributionPtr> outcome_distribution(const Value& value, NumberMeans numbers);

/// The outcomes of the hypotheses, one after the other; the meaning of their numbers is known after the last.
class SaidOutcomes {
public:
    Status add(const Value& value);
    std::vector<rt::DistributionPtr> take() &&;

private:
    std::vector<rt::DistributionPtr> said_;  // null if a number was given
    std::vector<rt::Number> numbers_;
    NumberReading reading_;
};

struct WrittenOutcome {
    rt::DomainPtr values;  ///< null if only a run could tell, or where a number is drawn
    NumberMeans numbers = NumberMeans::probability;
};
/// The values that an outcome with inputs can take, as far as the text of all hypotheses shows them: labels, keys of records, true and
/// false of conditions and of probabilities.
WrittenOutcome written_outcome(const World& world, std::span<const rt::Variable> parameters, std::span<const Expr* const> said);

}  // namespace credence::lang
