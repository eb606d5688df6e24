#pragma once
// Baum–Welch: EM over whole sequences fills the holes of a hidden Markov model.

#include <optional>

#include "runtime/latent/hmm.hpp"
#include "runtime/prob/em.hpp"

namespace credence::rt {

/// `init` has numbers in the place of the holes: the first start, and the only one unless more are asked for.
LearnerPtr make_hmm_learner(Hmm hmm, EmOptions options, std::optional<Hmm> init);

}  // namespace credence::rt
