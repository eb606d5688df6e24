#pragma once
// What the learners of concepts share among themselves: the posterior, the model they make, and its words.

#include "runtime/hypotheses/concept_learners.hpp"

namespace credence::rt {

bool is_bayesian(ConceptMethod method);

/// P(h | D) over the hypotheses that are possible, none if there is none. The prior left out: the likelihoods, normalised.
Result<std::vector<Weighted>> concept_posterior(const ConceptSpace& space, std::span<const ConceptExample> examples, bool with_prior,
                                                const Run& run);
const Weighted& most_probable_of(const std::vector<Weighted>& all);  ///< the first of equals; at least one

struct Learned {
    ConceptMethod method{};
    ConceptSpacePtr space;
    std::vector<ConceptExample> examples;
    VersionSpacePtr versions;                ///< of the version space learners; of a Bayesian vote that needs no list
    std::optional<Concept> hypothesis = {};  ///< what predicts, where one hypothesis does
    std::vector<Weighted> posterior = {};    ///< of a Bayesian learner that lists
    bool listed = false;
};
ModelPtr make_learned_concept(Learned learned);

/// Any of the methods on the examples. `drawn`: what the Gibbs classifier drew when it learned, for one that is loaded.
Result<ModelPtr> learn_concept(ConceptMethod method, ConceptSpacePtr space, std::vector<ConceptExample> examples, Run& run,
                               std::optional<Concept> drawn = std::nullopt);
Result<Json> saved(const Learned& learned);

std::string example_text(const ConceptSpace& space, const ConceptExample& example);
Fault collapsed_fault(const ConceptSpace& space);  ///< E-EMPTY: nothing is left to predict by

}  // namespace credence::rt
