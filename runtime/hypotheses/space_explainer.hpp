#pragma once
// The writer of derivations of queries on hypothesis spaces. explain.cpp chooses the way and writes likelihoods, explain_posterior.cpp
// posteriors and predictions, explain_sums.cpp what has no shorter way.

#include "runtime/hypotheses/case.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

class SpaceExplainer {
public:
    SpaceExplainer(const HypothesisSpace& space, const Variables& variables, const Query& query, const Answer& answer, Run& run)
        : space_(space), variables_(variables), query_(query), answer_(answer), run_(run) {}

    Result<Derivation> explain();

private:
    struct Joint {
        std::vector<std::size_t> shown;  // hypotheses
        std::vector<Number> products;    // prior times likelihood, by position in shown
        Number total = 0;                // P(D), over all hypotheses
    };

    /// Evidence and target as groups of observations, where that is what they are.
    void collect_groups();
    bool names_outcome(const Event& event) const;
    bool asked(Slot slot) const;
    Status write();
    bool has_evidence() const;
    bool is_evidence(const Clause& given) const;
    /// Whether it only gives inputs their values.
    bool is_binding(const Event& event) const;
    /// Whether the hypotheses themselves are asked for: then their posterior is the answer.
    bool only_hypotheses() const;
    Pairs pairs_of(std::size_t hypothesis) const;
    Result<Number> weight(std::size_t hypothesis, const ObservationGroup& group) const;
    ProbabilityTerm outcome_term(std::size_t hypothesis, const ObservationGroup& group) const;
    /// The likelihood of all groups under a hypothesis, P(lime | h)^3 * P(cherry | h).
    Result<Product> likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const;
    Result<Product> prior_times_likelihood(std::size_t hypothesis, std::span<const ObservationGroup> groups) const;
    Parts prior_term(std::size_t hypothesis) const { return {term_of(pairs_of(hypothesis), {}, variables_)}; }
    /// "P(Bag = h1 | Candy = lime)"
    std::string posterior_text(std::size_t hypothesis, const Clause& given) const;
    Result<Number> number(const Query& query) const;
    bool few(std::span<const ObservationGroup> groups) const;
    /// Evidence as it was written, where that is short; else nothing.
    std::string short_text(const Clause& given) const;
    std::string data_text() const;
    /// " | Candy = lime", " | D" where the evidence is long, nothing where there is none.
    std::string bar(const Clause& given) const;
    /// P(h, D) = P(h) P(D | h), for the hypotheses asked for.
    Status write_joints();
    Status write_likelihoods();
    /// What one hypothesis says of the outcome.
    Status write_prediction(std::size_t hypothesis);

    /// Prior times likelihood, by hypothesis.
    Result<std::vector<Number>> products() const;
    /// Prior times likelihood, written for the hypotheses worth showing.
    Result<Joint> write_products(const std::vector<Number>& products);
    bool complete(const Joint& joint) const;
    void write_total(const Joint& joint);
    /// Whether P(h | D) can be written: one observation, not a list.
    std::optional<Pairs> single_observation() const;
    Status write_posterior();
    /// Doubles end at 1e-308; products of many observations do not.
    static bool out_of_range(std::span<const Number> products);
    Status write_posterior_alone();
    /// Σ P(y | h) P(h | D), for every value of the outcome or for the one asked for.
    Status write_predictive(bool every_value);
    Status write_mixture(std::span<const ObservationGroup> values, const std::string& what, const Factor& posterior,
                         std::span<const std::size_t> live);

    /// What has no shorter way: the posterior of each hypothesis, and for each case of the targets the sum over them.
    Status write_over_hypotheses();
    /// What cannot be written as a sum: only its value.
    Status write_added_up();
    Status write_uncertain();
    void write_entries(std::span<const Pairs> cells, std::span<const std::size_t> shown, std::size_t g, std::span<const Pairs> givens);
    /// P(h | evidence), for the hypotheses that are possible; those are returned.
    Result<std::vector<std::size_t>> write_weights(const Clause& given, const Factor& of_h);
    /// P(evidence | h), whatever the evidence says.
    Result<Number> likelihood_of(const Clause& given, std::size_t hypothesis) const;
    /// One case of the targets: Σ P(case | h) P(h | evidence).
    Status write_sum(const Pairs& cell, const Clause& given, const Factor& of_h, std::span<const std::size_t> live);
    /// "O = a, q = 1/3": the targets of a query, without the P(…).
    std::string sides_text(const Query& asked) const;

    const HypothesisSpace& space_;
    const std::string& h_ = space_.words.symbol;
    const std::string& data_ = space_.words.data;
    const Variables& variables_;
    const Query& query_;
    const Answer& answer_;
    Run& run_;
    HypothesesCase case_;
    std::vector<ObservationGroup> evidence_;
    std::vector<ObservationGroup> targets_;
    std::optional<std::size_t> known_;  ///< the hypothesis that the evidence names, where it names one
    std::optional<std::size_t> only_;   ///< the hypothesis that the targets name, where they name one
    bool expressible_ = true;
    bool same_draw_ = false;  ///< one draw stands on both sides of the bar
    DerivationWriter out_;
};

}  // namespace credence::rt
