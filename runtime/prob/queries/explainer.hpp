#pragma once
// The explainer of all models. In each case of what a query leaves free it writes P(targets, evidence), P(evidence) and their quotient. A
// model says, as an Explained, what its measure is made of: a net products of table entries, a space prior times likelihood, a table
// counts, a quantity the ways in which it comes about.

#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

/// A number of a derivation, and how it is written.
struct Calculation {
    std::string formula = {};  ///< what it follows
    std::string heading = {};  ///< what is calculated, unless the first step shows it
    std::vector<std::string> notes = {};
    std::vector<Parts> steps = {};  ///< from names to numbers; the empty ones are left out
    Number value = 0;
    bool written = true;  ///< false: only its notes are, and the value is used below
};
using Calculations = std::vector<Calculation>;

/// A query on a model, for the explainer. The defaults write numbers that the model's engine adds up.
class Explained {
public:
    Explained(const Variables& variables, Query query, const Answer& answer)
        : variables_(variables), query_(std::move(query)), answer_(answer) {}
    virtual ~Explained() = default;

    const Variables& variables() const { return variables_; }
    const Query& query() const { return query_; }

    /// P of a query in which nothing is free.
    virtual Result<Number> number(const Query& query) const = 0;
    virtual QueryCases cases() const = 0;
    virtual std::string_view cases_called() const { return "cases"; }
    /// Whether soft evidence is explained by its rule, with numbers from `number`, and nothing else needs explaining.
    virtual bool follows_soft_rule() const { return true; }
    /// Whether P(evidence) is to be divided by.
    virtual bool is_conditional() const { return false; }

    /// The formula that is followed, and what it rests on.
    virtual Status write_identity(DerivationWriter&) const { return Done{}; }
    /// What comes before the cases with these values of the free evidence.
    virtual Status open(const Pairs&, DerivationWriter&) const { return Done{}; }
    /// The answers themselves, where the model holds them as they are; else not applicable.
    virtual Attempt<Calculations> entries(std::span<const Pairs>, const Pairs&) const { return not_applicable; }
    /// P(targets, evidence).
    virtual Result<Calculation> joint(const Pairs& target, const Pairs& given) const;
    /// P(evidence), the last of what is returned, from the joint probabilities where those of all cases were written. Not applicable where
    /// there is nothing to divide by.
    virtual Attempt<Calculations> evidence(const Pairs& given, std::span<const Number> joints) const;
    virtual Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const;

protected:
    /// What is calculated, as it would be asked: P(targets, evidence), P(evidence), P(targets | evidence), in one case.
    enum class Term { joint, evidence, conditional };
    Query asked(Term term, const Pairs& target, const Pairs& given) const;
    std::string asked_text(Term term, const Pairs& target, const Pairs& given) const;

    const Variables& variables_;
    Query query_;
    const Answer& answer_;
};

/// Writes all cases, and what leads to them. Soft evidence is taken up by its rule, one item after the other.
Status write_explanation(const Explained& model, DerivationWriter& out);
Result<Derivation> explanation(const Explained& model);

}  // namespace credence::rt
