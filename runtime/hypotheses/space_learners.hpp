#pragma once
// The Bayesian learners over a declared space: the posterior after a table's rows, and predictions of the outcome by one hypothesis or by
// all.

#include "runtime/hypotheses/concept_learners.hpp"
#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::rt {

/// The table has a column of the outcome's name and one for each input; it needs no target. Methods: the Bayesian ones.
LearnerPtr make_space_learner(ConceptMethod method, std::shared_ptr<const HypothesesModel> space);

/// What is believed after the rows. Models that a space learner makes are of this class too.
class SpaceBelief {
public:
    virtual ~SpaceBelief() = default;
    virtual const HypothesisSpace& space() const = 0;
    virtual const Factor& posterior() const = 0;  ///< over the parameters; of ml_learner: the likelihoods, normalised
    virtual std::size_t hypothesis() const = 0;   ///< the most probable one; of gibbs_classifier: the one drawn
};

}  // namespace credence::rt
