#pragma once
// Fills the holes of a hidden Markov model: by Baum–Welch (EM over whole sequences), by gradient ascent on the same expectations, or by
// counting where the states were seen.

#include <optional>

#include "runtime/latent/hmm.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

/// `init` has numbers in the place of the holes: the first start, and the only one unless more are asked for.
LearnerPtr make_hmm_learner(Hmm hmm, TrainingOptions options, std::optional<Hmm> init);

}  // namespace credence::rt
