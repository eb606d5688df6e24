#pragma once
// Hypothesis spaces for the explainer. explain.cpp chooses the way, space_terms.cpp has what all of them write with, explain_posterior.cpp
// posteriors, explain_sums.cpp sums over the hypotheses.

#include "runtime/hypotheses/case.hpp"
#include "runtime/prob/queries/explainer.hpp"

namespace credence::rt {

/// What a query on a space asks, as groups of observations where that is what it is.
struct SpaceQuestion {
    HypothesesCase digested;
    std::vector<ObservationGroup> evidence;
    std::vector<ObservationGroup> targets;
    std::optional<std::size_t> known;  ///< the hypothesis that the evidence names, where it names one
    std::optional<std::size_t> only;   ///< the hypothesis that the targets name, where they name one
    bool expressible = true;           ///< these are all that is asked
    bool same_draw = false;            ///< one draw is on both sides of the bar
};
Result<SpaceQuestion> read_question(const HypothesisSpace& space, const Variables& variables, const Query& query, const Run& run);

/// A query on a space. Its answers were added up over the hypotheses, and only the hypotheses are shown.
class SpaceExplained : public Explained {
public:
    SpaceExplained(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer,
                   SpaceQuestion question, Run& run)
        : Explained(variables, query, answer),
          space_(space),
          h_(space.words.symbol),
          data_(space.words.data),
          question_(std::move(question)),
          case_(question_.digested),
          run_(run) {}
    SpaceExplained(const SpaceExplained& other)
        : SpaceExplained(other.space_, other.variables_, other.query_, other.answer_, other.question_, other.run_) {}

    Result<Number> number(const Query& query) const override;
    QueryCases cases() const override { return query_cases(case_.shape, case_.sizes, answer_); }
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;

protected:
    bool has_evidence() const { return is_evidence(query_.given); }
    bool is_evidence(const Clause& given) const;
    /// Whether it only gives inputs their values.
    bool is_binding(const Event& event) const;
    Pairs pairs_of(std::size_t hypothesis) const;
    /// The hypotheses as cases: those of large weight, or the one that is asked for.
    QueryCases hypotheses_as_cases(std::span<const double> weights) const;
    std::size_t hypothesis_of(const Pairs& pairs) const;
    Result<Number> weight(std::size_t hypothesis, const ObservationGroup& group) const;
    ProbabilityTerm outcome_term(std::size_t hypothesis, const ObservationGroup& group) const;
    /// The likelihood of all groups under a hypothesis, P(lime | h)^3 * P(cherry | h).
    Result<Product> likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const;
    Result<Product> prior_times_likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const;
    Parts prior_term(std::size_t hypothesis) const { return {term_of(pairs_of(hypothesis), {}, variables_)}; }
    /// "P(Bag = h1 | Candy = lime)"
    std::string posterior_text(std::size_t hypothesis, const Clause& given) const;
    static bool few(std::span<const ObservationGroup> groups) { return groups.size() <= longest_sum; }
    /// Evidence as it was written, where that is short; else nothing.
    std::string short_text(const Clause& given) const;
    std::string data_text() const;
    /// " | Candy = lime", " | D" where the evidence is long, nothing if there is none.
    std::string bar(const Clause& given) const;
    /// "O = a, q = 1/3": the targets of a query, without the P(…).
    std::string sides_text(const Query& asked) const;

    const HypothesisSpace& space_;
    const std::string& h_;
    const std::string& data_;
    SpaceQuestion question_;
    const HypothesesCase& case_;
    Run& run_;
};

/// P(h | D) = P(D | h) P(h) / P(D), D being observations.
class SpacePosterior : public SpaceExplained {
public:
    explicit SpacePosterior(const SpaceExplained& base) : SpaceExplained(base) {}

    /// Prior times likelihood, by hypothesis. Comes before all else.
    Status find_products();

    QueryCases cases() const override;
    std::string_view cases_called() const override { return space_.words.many; }
    bool is_conditional() const override { return true; }
    Status write_identity(DerivationWriter& out) const override;
    Attempt<Calculations> entries(std::span<const Pairs> targets, const Pairs& given) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;
    Attempt<Calculations> evidence(const Pairs& given, std::span<const Number> joints) const override;
    Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const override;

private:
    std::vector<std::size_t> hypotheses_shown() const;
    /// Doubles end at 1e-308; products of many observations do not.
    bool is_out_of_range() const;
    /// The one observation, where P(h | D) can be written: not a list.
    std::optional<Pairs> single_observation() const;

    std::vector<Number> products_;
};

/// P(h, D), P(D | h), or the outcome under one hypothesis: products for the hypotheses asked for.
class SpaceProducts : public SpaceExplained {
public:
    enum class Of { joint, likelihood };
    SpaceProducts(const SpaceExplained& base, Of of) : SpaceExplained(base), of_(of) {}

    QueryCases cases() const override;
    std::string_view cases_called() const override { return space_.words.many; }
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;

private:
    Of of_;
};

/// What is reported once the hypothesis is known.
class SpaceSays : public SpaceExplained {
public:
    explicit SpaceSays(const SpaceExplained& base) : SpaceExplained(base) {}
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;
};

/// Σ P(y | h) P(h | D), for every value of the outcome or for the one asked for.
class SpacePrediction : public SpaceExplained {
public:
    explicit SpacePrediction(const SpaceExplained& base) : SpaceExplained(base) {}
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;

private:
    Result<Factor> posterior() const;
};

/// The posterior under any evidence, by the likelihood that the engine gives.
class SpaceWeights : public SpaceExplained {
public:
    SpaceWeights(const SpaceExplained& base, Clause given, const Factor& posterior)
        : SpaceExplained(base), given_(std::move(given)), posterior_(posterior) {}

    QueryCases cases() const override;
    std::string_view cases_called() const override { return called_; }
    bool is_conditional() const override { return true; }
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;
    Attempt<Calculations> evidence(const Pairs& given, std::span<const Number> joints) const override;
    Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const override;

private:
    std::vector<std::size_t> possible() const;
    /// P(evidence | h), for any evidence.
    Result<Number> likelihood_of(std::size_t hypothesis) const;

    Clause given_;
    const Factor& posterior_;
    std::string called_ = "possible " + space_.words.many;
};

/// What has no shorter way: the posterior of each hypothesis, and for each case of the targets the sum over them.
class SpaceSums : public SpaceExplained {
public:
    explicit SpaceSums(const SpaceExplained& base) : SpaceExplained(base) {}

    Status write_identity(DerivationWriter& out) const override;
    Status open(const Pairs& given, DerivationWriter& out) const override;
    Attempt<Calculations> entries(std::span<const Pairs> targets, const Pairs& given) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;

protected:
    Result<Factor> posterior(const Clause& given) const;

private:
    /// Whether the hypotheses themselves are asked for: then their posterior is the answer.
    bool asks_for_hypotheses() const;
    Clause evidence_at(const Pairs& given) const;
};

/// An outcome that takes any number, asked for as a whole: the hypotheses' distributions, weighted by their posterior.
class SpaceMixture : public SpaceSums {
public:
    explicit SpaceMixture(const SpaceExplained& base) : SpaceSums(base) {}
    QueryCases cases() const override { return {{{}}, {{}}, {0}}; }
    bool follows_soft_rule() const override { return false; }
    Status write_identity(DerivationWriter& out) const override;
    Status open(const Pairs& given, DerivationWriter& out) const override;
    Attempt<Calculations> entries(std::span<const Pairs> targets, const Pairs& given) const override;

private:
    /// Whether the evidence is a hypothesis, and nothing else.
    bool names_hypothesis() const { return question_.known && question_.expressible; }
    const std::string& outcome() const { return variables_[index(query_.targets.free[0])].variable.name; }
};

}  // namespace credence::rt
