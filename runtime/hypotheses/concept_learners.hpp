#pragma once
// Learning a concept: Find-S, version spaces, and the Bayesian learners over any space of concepts. Mitchell, chapters 2 and 6.

#include "runtime/hypotheses/concepts.hpp"

namespace credence::rt {

enum class ConceptMethod {
    find_s,
    list_then_eliminate,
    candidate_elimination,
    map_learner,       ///< predicts by the hypothesis with the largest posterior
    ml_learner,        ///< by the one with the largest likelihood
    bayes_optimal,     ///< by the vote of all, weighed by their posterior
    gibbs_classifier,  ///< by one drawn from the posterior
};
std::string_view name_of(ConceptMethod method);

/// Space null: the conjunctions over the table's columns.
LearnerPtr make_concept_learner(ConceptMethod method, ConceptSpacePtr space);

/// A space as a model: the vote of its hypotheses before any example, weighed by the prior.
ModelPtr make_concept_space_model(ConceptSpacePtr space);
/// The space of such a model; null for any other.
ConceptSpacePtr space_of(const Model& model);

Result<ModelPtr> load_concept_space(const Json& json);
Result<ModelPtr> load_learned_concept(const Json& json);

struct Weighted {
    Concept hypothesis;
    Number probability;
};

/// A learned concept.
class ConceptModel : public Classifier {
public:
    using Classifier::Classifier;
    virtual const ConceptSpacePtr& space() const = 0;
    virtual Result<Concept> hypothesis() const = 0;               ///< .h
    virtual Result<VersionSpacePtr> versions() const = 0;         ///< .S .G .members .size
    virtual Result<std::vector<Weighted>> posterior() const = 0;  ///< of hypotheses that are possible at all
    /// The instance on which the version space is divided most evenly (the first of several), and how many hold for it.
    struct Question {
        Cells instance;
        Rational holding;
        Rational of;
    };
    virtual Result<Question> best_question(Run& run) const = 0;
};

/// The decision of S and G alone about an instance: all members hold (1), none does (−1), or they differ (0).
Result<int> unanimous(const VersionSpace& versions, const ConceptSpace& space, const Cells& instance);

}  // namespace credence::rt
